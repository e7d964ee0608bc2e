"""How far a run is, in a line: below what pytest prints on a terminal, among it elsewhere."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from _pytest._io import TerminalWriter
from hypothesis import given
from hypothesis import strategies as st

from touchstone.judging import status_line
from touchstone.judging.progress import (
    ProgressSnapshot,
    RunProgress,
    expected,
    rounded,
    seconds_left,
    worst_of_each,
)
from touchstone.verdicts import Verdict

pytestmark = pytest.mark.thorough

NOBODY: Mapping[str, float] = {}
SECONDS = st.dictionaries(st.text("abcdef", min_size=1), st.floats(0, 1000), max_size=8)


def line(scenario: str, verdict: str = "CONFORMS", duration: float = 1.0) -> dict[str, Any]:
    return {"scenario": scenario, "verdict": verdict, "duration": duration}


def test_a_line_says_what_is_judged_and_left_and_what_runs_for_long() -> None:
    counts = {Verdict.NOT_APPLICABLE: 20, Verdict.CONFORMS: 1540, Verdict.DEVIATES: 60}
    running = {"a/short": 9.9, "a/long": 41.2, "a/longer": 62.0}
    assert str(ProgressSnapshot(1662, counts, 130, running)) == (
        "1,620 of 1,662 scenarios judged (1,540 conform, 60 deviate, 20 not applicable), "
        "about 2 min left; running: a/longer (62 s), a/long (41 s)"
    )
    assert str(ProgressSnapshot(7, {}, 3, {})) == "0 of 7 scenarios judged, about 10 s left"


def test_no_more_than_three_that_run_are_named() -> None:
    running = {f"a/{n}": 10.0 + n for n in range(5)}
    assert str(ProgressSnapshot(7, {}, 3, running)).endswith(
        "running: a/4 (14 s), a/3 (13 s), a/2 (12 s)"
    )


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0, "about 10 s"),
        (44, "about 40 s"),
        (54.9, "about 50 s"),
        (55, "about 1 min"),
        (150, "about 2 min"),
        (3570, "about 1 h 0 min"),
        (7500, "about 2 h 5 min"),
    ],
)
def test_times_are_told_roughly(seconds: float, told: str) -> None:
    assert rounded(seconds) == told


@given(SECONDS, st.integers(1, 5))
def test_workers_share_what_is_left_and_none_takes_less_than_the_longest(
    left: Mapping[str, float], workers: int
) -> None:
    found = seconds_left(left, NOBODY, workers)
    assert found >= max(left.values(), default=0)
    assert found * workers == pytest.approx(max(sum(left.values()), found * workers))
    assert seconds_left(left, NOBODY, 1) == pytest.approx(sum(left.values()))


def test_what_has_begun_has_less_left_but_never_less_than_nothing() -> None:
    assert seconds_left({"a": 10, "b": 4}, {"a": 7, "b": 9}, 1) == 3


def test_what_is_not_known_takes_as_long_as_others_like_that() -> None:
    taken = {"a": 30.0, "c": 1.0, "d": 3.0}
    assert expected(["a", "b"], {"a": 9.0}, taken) == {"a": 9.0, "b": 2.0}
    assert 0 < expected(["b"], {"a": 9.0}, {"a": 30.0})["b"] < 1


def test_a_scenario_counts_once_by_its_worst_verdict() -> None:
    lines = [line("a", "NOT-APPLICABLE"), line("a"), line("b", "VIOLATES"), line("b")]
    assert worst_of_each(lines) == {"a": Verdict.CONFORMS, "b": Verdict.VIOLATES}


def test_what_was_judged_does_not_run_any_more() -> None:
    lines = [line("a/earlier", duration=100.0)]
    progress = RunProgress(["a/earlier", "a/one", "a/two", "a/three"], lines, dict, 2)
    progress.begins("a/one", 50.0)
    progress.begins("a/two", 60.0)
    lines.append(line("a/one", "VIOLATES", 4.0))
    standing = progress.at(61.0)
    assert standing.counts == {Verdict.CONFORMS: 1, Verdict.VIOLATES: 1}
    assert standing.running == {"a/two": 1.0}
    assert standing.left == 4.0, "two of four seconds, of which one has begun a second ago"
    assert standing.total == 4


def screen(written: str) -> list[str]:
    """The lines that a terminal shows of it."""
    rows, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[[\d;]*[A-Za-z]|\x1b\].*?\x1b\\|[\s\S]", written):
        if part == "\n":
            row, column = row + 1, 0
            rows += [""] * (row + 1 - len(rows))
        elif part == "\r":
            column = 0
        elif part == "\x1b[J":
            rows = [*rows[:row], rows[row][:column]]
        elif part == "\x1b[A":
            row -= 1
        elif part.startswith("\x1b[") and part.endswith("C"):
            column += int(part[2:-1])
        elif not part.startswith("\x1b"):
            rows[row] = rows[row][:column].ljust(column) + part + rows[row][column + 1 :]
            column += 1
    return rows


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def test_a_line_stays_below_what_is_written_and_goes_without_a_trace(out: Path) -> None:
    with out.open("a", newline="") as file:
        writer = TerminalWriter(file)
        writer.fullwidth = 20
        shown = status_line._Live(writer, out.open("a", newline=""), lambda: "12 of 99 and so on…")
        writer.write("..")
        assert screen(out.read_bytes().decode()) == ["..", "12 of 99 and so on…"]
        writer.write(".")
        assert screen(out.read_bytes().decode()) == ["...", "12 of 99 and so on…"]
        writer.line(" [ 4%]")
        assert screen(out.read_bytes().decode()) == ["... [ 4%]", "12 of 99 and so on…"]
        writer.write("\rgw0 [7]")
        assert screen(out.read_bytes().decode())[1:] == ["gw0 [7]", "12 of 99 and so on…"]
        writer.line()
        shown.end()
        writer.line("the end")
    assert screen(out.read_bytes().decode()) == ["... [ 4%]", "gw0 [7]", "the end", ""]


def test_elsewhere_lines_stand_alone_among_dots(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status_line._Plain, "every", 0.0)
    asked = threading.Semaphore(0)
    told = threading.Semaphore(0)

    def text() -> str:
        told.release()
        asked.acquire()
        return "12 of 99"

    with out.open("w", buffering=1) as file:
        writer = TerminalWriter(file)
        writer.write("..")
        file.flush()
        shown = status_line._Plain(writer, out.open("a"), text)
        for _ in range(2):
            told.acquire()
            asked.release()
        told.acquire()
        shown._ended.set()
        asked.release()
        shown.end()
    assert out.read_text().splitlines()[:3] == ["..", *["touchstone: 12 of 99"] * 2]


@pytest.mark.parametrize("options", [(), ("-v",), ("-n", "2")])
@pytest.mark.parametrize("in_ci", [False, True])
def test_a_terminal_shows_it_and_ci_does_not(
    catalogue: Any, options: tuple[str, ...], in_ci: bool
) -> None:
    catalogue.scenarios("""
        @requirement("TRY-ONE-001")
        @pytest.mark.parametrize("value", range(6))
        def test_six(value):
            assert value >= 0
        """)
    path = catalogue.pytester.path
    environment = {**os.environ, "PYTHONPATH": str(path), "TERM": "xterm", "COLUMNS": "100"}
    environment.pop("CI", None)
    if in_ci:
        environment["CI"] = "true"
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from touchstone.cli import main; raise SystemExit(main())"]
    with subprocess.Popen(
        [*command, "run", "--provider", "memory", "--catalogue", "try", *options],
        cwd=path,
        env=environment,
        stdout=theirs,
        stderr=theirs,
    ) as run:
        os.close(theirs)
        written = "".join(iter(lambda: _read(ours), ""))
    assert run.returncode == 0
    assert ("0 of 6 scenarios judged, about 10 s left" in written) != in_ci
    shown = "\n".join(screen(written.replace("\r\n", "\n")))
    assert "scenarios judged," not in shown
    assert "6 passed" in shown


def _read(terminal: int) -> str:
    try:
        return os.read(terminal, 1 << 16).decode(errors="replace")
    except OSError:  # nobody writes to it any more
        return ""
