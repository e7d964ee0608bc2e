"""Where the seconds of a run go, as `python -m bench catalogue` reckons."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench.catalogue import COMPUTING, CatalogueFigures, spent_by_scenario
from bench.processes import Processes, kind_of
from bench.python_profile import count_stacks

THREAD = "{} (pulsar-io-4-1) S 1 2 3 4 5 6 7 8 9 10 {} {} 13 14 15 16 17 18 777 20"
TICKS = os.sysconf("SC_CLK_TCK")
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
    figures = CatalogueFigures(2, 5.0, {}, {}, {}, scenarios, 0)
    assert (figures.judging, figures.idle) == (7.0, 3.0)
    assert list(figures.spent.items()) == [("message", 5.0), (COMPUTING, 2.0)]
    assert figures.worst("message", 1) == [("b", 4.0)]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("/jre/bin/java -cp x --dir /tmp/run-1-x1y2z3a4/t-0/plain-42-a_b1c2d3/d", "broker plain"),
        ("/jre/bin/java -cp x Main", "java"),
        ("/jre/bin/java --dir /tmp/run-1/no-auto-create-42-a1b2c3d4/d", "broker no-auto-create"),
        ("python -m jms_clients.other_process_child 28", "other processes of the client"),
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


def test_the_time_of_a_brokers_threads_is_told_by_their_names(tmp_path: Path) -> None:
    broker = tmp_path / "7"
    for thread, ticks in ((7, 100), (8, 200)):
        (broker / "task" / str(thread)).mkdir(parents=True)
        (broker / "task" / str(thread) / "stat").write_text(THREAD.format(thread, ticks, 50))
    (broker / "stat").write_text(THREAD.format(7, 300, 100))
    (broker / "cmdline").write_bytes(b"/jre/bin/java\0/tmp/run-1-x1y2z3a4/t-0/plain-42-a_b1c2d3/d")
    processes = Processes(1, tmp_path)

    processes.look()
    processes.look_at_threads()

    assert processes.cpu == {"broker plain": 400 / TICKS}
    assert processes.cpu_of_threads == {"pulsar-io": 400 / TICKS}


def test_samples_are_added_up_by_package_and_by_who_had_called() -> None:
    profile = count_stacks(
        [
            "process 1;run (touchstone/judging/hooks.py:3);draw (hypothesis/core.py:7) 3",
            "process 1;run (touchstone/judging/hooks.py:4) 1",
            "process 2;main (_pytest/main.py:1) 4",
        ]
    )
    assert profile.shares(2) == {
        "packages": {"_pytest": 0.5, "hypothesis": 0.375},
        "behalf": {"touchstone/judging/hooks": 0.5, "nobody of this project": 0.5},
    }
