"""A row of releases: what counts as a change of conformance, and what is told apart from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from touchstone_reports.releases import ReleaseRow, RowKind, counts_of, release_rows
from touchstone_reports.results import judgement, read

Record = dict[str, Any]
WORDS = {
    "V": "VIOLATES", "D": "DEVIATES-AS-DOCUMENTED", "C": "CONFORMS", "U": "INCONCLUSIVE",
    "N": "NOT-APPLICABLE",
}  # fmt: skip


@pytest.fixture
def row(verdict: Callable[..., Record]) -> Callable[[str], ReleaseRow]:
    """`row("C.d")`: a statement in three releases; a small letter knows of chance, `.` is none."""

    def made(letters: str) -> ReleaseRow:
        lines = [
            None
            if letter == "."
            else judgement(
                verdict(verdict=WORDS[letter.upper()], by_chance=letter.islower(), worker="")
            )
            for letter in letters
        ]
        return ReleaseRow("s", "R-1", tuple(lines))

    return made


@pytest.mark.parametrize(
    ("letters", "changed_at"),
    [
        ("CV", (1,)),
        ("VC", (1,)),
        ("CD", (1,)),
        ("DC", (1,)),
        ("CVC", (1, 2)),
        ("CCV", (2,)),
        ("CUV", (2,)),
        ("VNC", (2,)),
        ("C.D", (2,)),
        ("Cd", (1,)),
        ("cD", (1,)),
        ("cv", (1,)),
        ("cdV", ()),
        ("dcV", (2,)),
        ("CUC", ()),
        ("DUV", ()),
        ("UV", ()),
        ("UC", ()),
        ("CU", ()),
        ("VU", ()),
        ("NC", ()),
        ("NV", ()),
        ("DV", ()),
        ("VD", ()),
        ("cd", ()),
        ("dcd", ()),
        ("", ()),
        ("..", ()),
    ],
)
def test_only_keeping_and_not_keeping_a_statement_are_a_change(
    row: Callable[[str], ReleaseRow], letters: str, changed_at: Sequence[int]
) -> None:
    assert row(letters).changed_at == changed_at


@pytest.mark.parametrize(
    ("letters", "kind"),
    [
        ("UCV", RowKind.CHANGED),
        ("VDU", RowKind.OTHERWISE),
        ("cdc", RowKind.CHANCE),
        ("cdN", RowKind.CHANCE),
        ("CU", RowKind.UNKNOWN),
        ("VU", RowKind.UNKNOWN),
        ("UNC", RowKind.UNKNOWN),
        ("NC", RowKind.NOT_CONCERNED),
        ("NV", RowKind.NOT_CONCERNED),
        ("C.", RowKind.NOT_CONCERNED),
        ("CC", RowKind.SAME),
        ("VV", RowKind.SAME),
        ("UU", RowKind.SAME),
        ("NN", RowKind.SAME),
    ],
)
def test_what_could_not_be_judged_is_told_apart(
    row: Callable[[str], ReleaseRow], letters: str, kind: RowKind
) -> None:
    assert row(letters).kind is kind


def test_a_row_is_a_statement_in_a_scenario_and_changes_come_first(
    tmp_path: Path, verdict: Callable[..., Record], write_run: Callable[..., Path]
) -> None:
    def release(name: str, letters: str) -> Path:
        lines = [
            verdict(scenario=f"properties/test_{place}", verdict=WORDS[letter])
            for place, letter in enumerate(letters)
            if letter != "."
        ]
        return write_run(tmp_path / name, lines, id=name)

    rows = release_rows(
        [read(release("1", "CUC")), read(release("2", "CC.")), read(release("3", "CCVC"))]
    )

    assert [(row.scenario[-1], row.kind, row.changed_at) for row in rows] == [
        ("2", RowKind.CHANGED, (2,)),
        ("1", RowKind.UNKNOWN, ()),
        ("3", RowKind.NOT_CONCERNED, ()),
        ("0", RowKind.SAME, ()),
    ]
    assert [line and line.verdict.value for line in rows[0].lines] == ["CONFORMS", None, "VIOLATES"]
    assert counts_of(rows) == {
        RowKind.CHANGED: 1, RowKind.OTHERWISE: 0, RowKind.CHANCE: 0, RowKind.UNKNOWN: 1,
        RowKind.NOT_CONCERNED: 1, RowKind.SAME: 1,
    }  # fmt: skip
