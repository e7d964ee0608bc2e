"""Two runs side by side as a page: what got worse, what was mended, what else changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from touchstone_reports.comparison import ChangeKind, RunComparison
from touchstone_reports.differences import observations
from touchstone_reports.grid import columns_of
from touchstone_reports.side_by_side import Group, SideBySide, Statements, row_of, what_differs

PAGE: Final = "comparison.html"
ORDER: Final = (
    ChangeKind.REGRESSION, ChangeKind.FOUND, ChangeKind.STALE,
    ChangeKind.IMPROVEMENT, ChangeKind.KNOWN,
    ChangeKind.UNKNOWN, ChangeKind.OPEN, ChangeKind.OTHERWISE, ChangeKind.DIFFERS,
    ChangeKind.LOOSENED, ChangeKind.CHANCE,
    ChangeKind.GONE, ChangeKind.NEW, ChangeKind.NOT_ASKED,
)  # fmt: skip
"""What got worse, what was mended, what else changed, what one of the two lacks."""


def comparison_page(comparison: RunComparison, statements: Statements) -> SideBySide:
    """What the page says of two runs."""
    sides = columns_of([comparison.before.results, comparison.after.results])
    heads = tuple(side.title for side in sides)
    observed = observations(sides)
    return SideBySide(
        title=" → ".join(heads),
        lead=what_differs(sides),
        heads=heads,
        columns=sides,
        groups=tuple(_groups(comparison, statements)),
        observations=observed if any(one.differs for one in observed) else (),
    )


def _groups(comparison: RunComparison, statements: Statements) -> Iterator[Group]:
    for kind in ORDER:
        rows = tuple(
            row_of(
                statements,
                change.judgement.requirement,
                change.judgement.scenario,
                (change.before, change.after),
            )
            for change in comparison.of(kind)
        )
        yield Group(kind, rows, comparison.stale if kind is ChangeKind.STALE else ())
    rows = tuple(
        row_of(statements, before.requirement, before.scenario, (before, after))
        for before, after in comparison.unchanged
    )
    yield Group("as before", rows, folded=True)
