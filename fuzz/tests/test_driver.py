"""The driver finds each kind of fault, shows it by a short input, and accuses nobody else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.judging import judge
from fuzz.shrinking import shrink
from fuzz.targets import ROOT, find

pytestmark = pytest.mark.thorough


def _fuzz(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fuzz", *arguments], capture_output=True, text=True, cwd=ROOT
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("faulty-raises", "KeyError"),
        ("faulty-memory", "memory"),
        ("faulty-time", "time"),
        ("faulty-crash", "signal 11"),
        ("faulty-hang", "hang"),
    ],
)
def test_a_bad_input_is_told_by_its_kind_and_a_good_one_is_not(name: str, kind: str) -> None:
    assert judge(find(name), b"fine").fault is None
    assert judge(find(name), b"bad!").kind.startswith(kind)


@pytest.mark.parametrize("name", ["faulty-raises", "faulty-memory", "faulty-time", "faulty-crash"])
def test_a_fault_is_found_and_shown_by_its_shortest_input(name: str) -> None:
    outcome = _fuzz(name, "--inputs", "1000000")

    assert outcome.returncode == 1, outcome.stderr
    again = next(line for line in outcome.stdout.splitlines() if "--input" in line).split()
    assert (ROOT / again[-1]).read_bytes() == b"!"
    assert _fuzz(*again[3:]).returncode == 1
    Path(ROOT / again[-1]).unlink()


def test_a_target_without_fault_is_none_and_says_what_was_tried() -> None:
    outcome = _fuzz("numbers-integral", "--inputs", "2000")

    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert "2,000" in outcome.stdout


def test_an_input_that_is_slow_only_where_it_is_instrumented_is_no_finding() -> None:
    outcome = _fuzz("faulty-nowhere", "--inputs", "500")

    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    row = next(line for line in outcome.stdout.splitlines() if "faulty-nowhere" in line)
    cells = [cell.strip() for cell in row.split("│")]
    assert (cells[2], cells[7]) == ("500", "1")


def test_what_may_be_left_out_of_an_input_is() -> None:
    assert shrink(b"some [bad] text", lambda data: b"[" in data and b"]" in data) == b"[]"


def test_a_target_that_is_not_there_is_wrong_usage() -> None:
    assert _fuzz("no-such", "--inputs", "1").returncode == 2
