"""Faults of the machine and of the harness: a few of those that `bench reliability` injects."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from bench.reliability.catalogue import GUILTY
from bench.reliability.faults import Fault
from bench.reliability.injecting import inject
from bench.reliability.measuring import LEAST
from bench.reliability.points import ACTIONS
from bench.reliability.seen import FaultRun, problems
from bench.reliability.table import faults
from touchstone.verdicts import Verdict

pytestmark = pytest.mark.thorough

FINE = FaultRun(True, 0, "", {("ones/a", "CONFORMS")}, {("ones/a", "CONFORMS")}, "", (), ())
A_FAULT = Fault("a kind", "an act", statuses=frozenset({0}))
SAMPLE = (
    "results on a full disk: limit the size of files, writing 1 memory",
    "worker killed: kill this process, reporting 3 memory -n 1",
    "owner of the run killed: tear a line, judged 3 memory",
    "Ctrl-C: Ctrl-C, judged 2 memory",
    "clock set: set the clock back, time 1 memory",
)


def named(name: str) -> Fault:
    (fault,) = (each for each in faults() if each.name == name)
    return fault


@pytest.mark.parametrize("name", SAMPLE)
def test_nothing_is_lost_and_nobody_accused(tmp_path: Path, name: str) -> None:
    fault = named(name)

    assert list(problems(fault, inject(fault, tmp_path))) == []


def test_without_the_guard_against_clocks_somebody_is_accused(tmp_path: Path) -> None:
    fault = replace(named(SAMPLE[-1]), without="clock")

    assert "accused: ones/test_time" in list(problems(fault, inject(fault, tmp_path)))


def test_without_writing_at_once_verdicts_are_lost(tmp_path: Path) -> None:
    fault = replace(
        named("owner of the run killed: kill this process, body 3 memory"), without="writing"
    )
    seen = inject(fault, tmp_path)

    # The order is drawn: of the other scenario there may be a verdict, too, before the third body.
    assert len(seen.reported) >= 2
    assert list(problems(fault, seen)) == sorted(f"lost: {a} {b}" for a, b in seen.reported)


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (FINE, []),
        (replace(FINE, happened=False), ["it did not happen: no "]),
        (replace(FINE, written=()), ["lost: ones/a CONFORMS"]),
        (replace(FINE, written={("ones/a", "INCONCLUSIVE")}), ["lost: ones/a CONFORMS"]),
        (
            replace(FINE, written={*FINE.written, ("ones/b", "VIOLATES")}),
            ["accused: ones/b"],
        ),
        (replace(FINE, written={*FINE.written, (min(GUILTY), Verdict.VIOLATES.value)}), []),
        (replace(FINE, unreadable="torn"), ["not to be read: torn"]),
        (replace(FINE, status=1), ["exit status 1, not 0"]),
        (replace(FINE, output="Traceback (most"), ["a traceback instead of a reason"]),
        (replace(FINE, processes=("java",)), ["left running: java"]),
        (replace(FINE, folders=("file",)), ["left in the temporary folder: file"]),
    ],
)
def test_what_is_wrong_with_a_run_is_told(seen: FaultRun, told: list[str]) -> None:
    assert list(problems(A_FAULT, seen)) == told


def test_what_a_command_has_to_say_is_missed() -> None:
    fault = replace(A_FAULT, says="cannot be written")

    assert list(problems(fault, FINE)) == ["it does not say 'cannot be written'"]
    assert list(problems(fault, replace(FINE, output="It cannot be\n written"))) == []


def test_the_table_of_faults_is_whole() -> None:
    table = faults()

    assert len(table) >= LEAST
    assert max(Counter(fault.name + str(fault.environment) for fault in table).values()) == 1
    assert all(fault.statuses for fault in table)
    assert {fault.act for fault in table if fault.at} == set(ACTIONS)
