"""A row of releases of one client as a page: what changed first, and in which release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from touchstone_reports.appearance import SYMBOL, WORDS
from touchstone_reports.grid import Column
from touchstone_reports.releases import ReleaseRow, RowKind
from touchstone_reports.results import VerdictLine
from touchstone_reports.side_by_side import Group, SideBySide, Statements, row_of, what_differs

PAGE: Final = "changes.html"


def releases_page(
    client: str,
    versions: Sequence[str],
    columns: Sequence[Column],
    rows: Sequence[ReleaseRow],
    statements: Statements,
) -> SideBySide:
    """What the page says of these versions, each with the column of its run, the oldest first."""
    groups = tuple(
        Group(
            kind,
            tuple(
                row_of(
                    statements,
                    row.requirement,
                    row.scenario,
                    row.lines,
                    f"changed in {changed}" if (changed := changes_told(row, versions)) else "",
                )
                for row in rows
                if row.kind is kind
            ),
            folded=kind is RowKind.SAME,
        )
        for kind in RowKind
    )
    return SideBySide(
        title=f"{client}: {', '.join(versions)}",
        lead=f"Which release begins or ceases to keep a statement. {what_differs(columns)}",
        heads=tuple(versions),
        columns=tuple(columns),
        groups=groups,
    )


def changes_told(row: ReleaseRow, versions: Sequence[str]) -> str:
    """The releases in which a row changed, each with what it came to."""
    return ", ".join(f"{versions[place]} {word(row.lines[place])}" for place in row.changed_at)


def word(line: VerdictLine | None) -> str:
    """A verdict in a word, `deviates` of those that have more."""
    if line is None:
        return "not judged"
    told = WORDS[line.verdict].removesuffix(" as documented")
    return f"{SYMBOL[line.verdict]} {told}{' (should)' if line.unmet_should else ''}"
