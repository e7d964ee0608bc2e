"""The table of docs/ci.md: what becomes of every pair of verdicts, by the command itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from commands.made_runs import LATE, WHOLE, a_line, write_run
from touchstone.cli import main
from touchstone_reports.comparison import ChangeKind

DOCUMENT = Path(__file__).parents[3] / "docs" / "ci.md"
HEAD = "| before | now | which is | listed | status |"

Record = Mapping[str, Any]
ENTRY = {"class": "by-design", "reason": "It is so.", "link": ""}
CONFORMS = a_line()
DEVIATES = a_line("DEVIATES-AS-DOCUMENTED", deviation=ENTRY)
VIOLATES = a_line("VIOLATES")
STATES: Mapping[str, Record | None] = {
    "VIOLATES": VIOLATES,
    "VIOLATES (should)": {**VIOLATES, "strength": "should"},
    "INCONCLUSIVE": a_line("INCONCLUSIVE"),
    "DEVIATES": DEVIATES,
    "DEVIATES (sometimes)": {**DEVIATES, "by_chance": True},
    "CONFORMS": CONFORMS,
    "CONFORMS (sometimes)": {**CONFORMS, "by_chance": True},
    "NOT-APPLICABLE": a_line("NOT-APPLICABLE"),
    "nothing": None,
}
NOT_ASKED_FOR = "nothing (not asked for)"
OTHERWISE: Mapping[str, tuple[str, Record]] = {
    "VIOLATES (other reason)": ("VIOLATES", {**VIOLATES, "reason": "of another kind"}),
    "DEVIATES (other entry)": (
        "DEVIATES",
        {**DEVIATES, "deviation": {**ENTRY, "reason": "It is so, too."}},
    ),
}
"""The same verdict as before, with something else behind it."""
STALE: Mapping[str, tuple[str, ...]] = {
    "stale entry": ("mine.toml: SLJ-HDR-002 in any scenario",),
    "no stale entry": (),
}
BESIDE = a_line(scenario="headers/test_y", requirement="SLJ-HDR-003")
"""Always there: a run that judges nothing is another matter."""


@dataclass(frozen=True)
class Row:
    """One pair of one row."""

    before: str
    now: str
    kind: str
    listed: str
    status: int
    option: str
    """With this option of the newer run the status is `otherwise`."""
    otherwise: int


def rows() -> Iterator[Row]:
    """The table of the document, pair by pair."""
    lines = DOCUMENT.read_text("utf-8").partition(HEAD)[2].splitlines()[2:]
    for line in lines[: lines.index("")]:
        before, now, kind, listed, status = (cell.strip() for cell in line.strip("|").split("|"))
        told = re.fullmatch(r"([0-3])(?:; ([0-3]) with `(--[a-z-]+)`)?", status)
        assert told is not None, status
        plain, otherwise, option = told.groups()
        for first, other in product(before.split(", "), now.split(", ")):
            yield Row(first, other, kind, listed, int(plain), option or "", int(otherwise or plain))


ROWS = list(rows())


def test_every_pair_is_in_the_table_once() -> None:
    now = [*STATES, NOT_ASKED_FOR]
    pairs = set(product(STATES, now)) - {("nothing", "nothing"), ("nothing", NOT_ASKED_FOR)}
    pairs |= set(product(STALE, STALE)) - {("no stale entry", "no stale entry")}
    pairs |= {("VIOLATES", "VIOLATES (other reason)")}
    pairs |= {(name, "DEVIATES (other entry)") for name in ("DEVIATES", "DEVIATES (sometimes)")}
    assert Counter((row.before, row.now) for row in ROWS) == Counter(pairs)


def test_every_kind_is_in_the_table() -> None:
    assert {row.kind for row in ROWS} == {*map(str, ChangeKind), "as before", "of no concern"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.before} - {row.now}")
def test_a_pair_becomes_what_the_table_says(
    row: Row, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compared(row, tmp_path / "plain", "") == row.status
    seen = capsys.readouterr().out.splitlines()
    assert shown(row, seen) == row.listed, seen
    for option in ("--strict-should", "--allow-inconclusive"):
        expected = row.otherwise if option == row.option else row.status
        assert compared(row, tmp_path / option, option) == expected


def compared(row: Row, folder: Path, option: str) -> int:
    """What `touchstone compare` ends with, where the newer run was given the option."""
    older = a_run(folder / "older", row.before, "")
    newer = a_run(folder / "newer", row.now, option, started=LATE)
    return main(["compare", str(older), str(newer)])


def a_run(folder: Path, state: str, option: str, **facts: Any) -> Path:
    """A run in this state that ended as such a run does alone."""
    alike, line = OTHERWISE.get(state, (state, STATES.get(state)))
    lines = [BESIDE] if line is None else [BESIDE, line]
    alone = {
        "VIOLATES": 1,
        "VIOLATES (should)": int(option == "--strict-should"),
        "INCONCLUSIVE": 0 if option == "--allow-inconclusive" else 2,
        "stale entry": 1,
    }
    left_out = {"narrowed_by": ["-k test_y"], "scenarios": ["headers/test_y"]}
    return write_run(
        folder,
        lines,
        stale=STALE.get(state, ()),
        selection=left_out if state == NOT_ASKED_FOR else WHOLE,
        exit_status=alone.get(alike, 0),
        strict_should=option == "--strict-should",
        allow_inconclusive="so" if option == "--allow-inconclusive" else None,
        **facts,
    )


def shown(row: Row, lines: list[str]) -> str:
    """Whether the output lists the pair below its kind, counts it, or neither."""
    if row.kind == "as before":
        return "counted" if "as before: 2" in lines else "no"
    if f"{row.kind}: 1" not in lines:
        return "no" if "as before: 1" in lines else f"counted as before: {lines}"
    below = lines[lines.index(f"{row.kind}: 1") + 1]
    return "yes" if re.match(r"  (SLJ-HDR-001 .* headers/test_x|mine.toml: )", below) else "counted"
