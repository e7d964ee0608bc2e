"""A row of releases of one client: which statement it keeps in which, and where that changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from touchstone_reports.comparison import is_by_chance
from touchstone_reports.results import RunResults, VerdictLine
from touchstone_reports.verdicts import JUDGED, Verdict


class RowKind(StrEnum):
    """What became of a statement in a scenario over the releases."""

    CHANGED = "changed"
    OTHERWISE = "never kept, and known of some releases alone"
    CHANCE = "by chance"
    UNKNOWN = "could not be judged in some releases"
    NOT_CONCERNED = "does not concern some releases"
    SAME = "the same in all releases"


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """One statement in one scenario; a line for each release, None where it was not judged."""

    scenario: str
    requirement: str
    lines: tuple[VerdictLine | None, ...]

    @property
    def changed_at(self) -> tuple[int, ...]:
        """The places of the releases that begin or cease to keep the statement.

        Each is held against the last one before it that was judged: what could not be judged, or
        does not concern a release, says nothing of it.
        """
        judged = [
            (place, line)
            for place, line in enumerate(self.lines)
            if line is not None and line.verdict in JUDGED
        ]
        return tuple(
            place
            for (_, before), (place, after) in pairwise(judged)
            if changes_conformance(before, after)
        )

    @property
    def kind(self) -> RowKind:
        """What is to be told of it first."""
        verdicts = {line and line.verdict for line in self.lines}
        if self.changed_at:
            return RowKind.CHANGED
        if verdicts >= {Verdict.VIOLATES, Verdict.DEVIATES}:
            return RowKind.OTHERWISE
        if len(verdicts & JUDGED) > 1:
            return RowKind.CHANCE
        if len(verdicts) == 1:
            return RowKind.SAME
        return RowKind.UNKNOWN if Verdict.INCONCLUSIVE in verdicts else RowKind.NOT_CONCERNED


def changes_conformance(before: VerdictLine, after: VerdictLine) -> bool:
    """Whether one of two verdicts says that the client keeps a statement, and the other not.

    An entry that explains why not, or a verdict that could not be given, makes no difference; nor
    does what is known to be left to chance in both.
    """
    verdicts = before.verdict, after.verdict
    return (
        JUDGED.issuperset(verdicts)
        and verdicts.count(Verdict.CONFORMS) == 1
        and not is_by_chance(before, after)
    )


def release_rows(releases: Sequence[RunResults]) -> tuple[ReleaseRow, ...]:
    """A row of each statement and scenario of these runs, one a release: what changed comes first.

    Each run is of one provider.
    """
    columns = [
        {(line.scenario, line.requirement): line for line in results.judgements}
        for results in releases
    ]
    keys = sorted({key for column in columns for key in column})
    rows = [ReleaseRow(*key, tuple(column.get(key) for column in columns)) for key in keys]
    order = list(RowKind)
    return tuple(sorted(rows, key=lambda row: order.index(row.kind)))


def counts_of(rows: Sequence[ReleaseRow]) -> dict[RowKind, int]:
    """How many rows there are of each kind."""
    counts = Counter(row.kind for row in rows)
    return {kind: counts[kind] for kind in RowKind}
