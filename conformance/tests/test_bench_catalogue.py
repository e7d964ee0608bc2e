"""Where the seconds of a run go, as `python -m bench catalogue` reckons."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from bench.catalogue import COMPUTING, CatalogueFigures, spent_by_scenario
from bench.processes import Processes, kind_of

BUSY = "import sys\nfor _ in range(3_000_000): pass\nprint(flush=True)\nsys.stdin.read()"


def judgement(scenario: str, duration: float, **spent: float) -> Any:
    """A line of results."""
    return SimpleNamespace(scenario=scenario, duration=duration, spent=spent)


def test_what_scenarios_spend_adds_up_to_what_they_take() -> None:
    found = spent_by_scenario(
        [judgement("a", 3.0, message=1.0), judgement("a", 3.0, message=1.0), judgement("b", 0.0)]
    )
    assert found == {"a": {"message": 1.0, COMPUTING: 2.0}}


def test_workers_that_run_no_scenario_are_idle() -> None:
    scenarios = {"a": {"message": 1.0, COMPUTING: 2.0}, "b": {"message": 4.0}}
    figures = CatalogueFigures(2, 5.0, {}, {}, scenarios, 0)
    assert (figures.judging, figures.idle) == (7.0, 3.0)
    assert list(figures.spent.items()) == [("message", 5.0), (COMPUTING, 2.0)]
    assert figures.worst("message", 1) == [("b", 4.0)]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("/jre/bin/java -cp x --dir /tmp/run-1-x1y2z3a4/t-0/plain-42-a_b1c2d3/d", "broker plain"),
        ("/jre/bin/java -cp x Main", "java"),
        ("/jre/bin/java --dir /tmp/run-1/no-auto-create-42-a1b2c3d4/d", "broker no-auto-create"),
        ("python -m touchstone.providers.other_process_child 28", "other processes of the client"),
        ("python -u -c import sys;exec(eval(sys.stdin.readline()))", "workers"),
        ("python /x/judging/own_pytest.py --pyargs jms_scenarios", "controller"),
        ("sh -c ldd", "others"),
    ],
)
def test_processes_are_told_apart_by_their_command_lines(line: str, kind: str) -> None:
    assert kind_of(line) == kind


def test_the_time_of_a_child_counts_after_its_end() -> None:
    processes = Processes(os.getpid())
    command = [sys.executable, "-c", BUSY, "other_process_child"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        processes.look()
        child.communicate()
    processes.look()
    assert processes.cpu["other processes of the client"] > 0
    assert processes.started["other processes of the client"] == 1
