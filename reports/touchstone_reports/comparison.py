"""What changed from one run to another: of a client in two versions, or on two brokers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from touchstone_reports.differences import Observation, observations
from touchstone_reports.grid import Column, columns_of
from touchstone_reports.results import Judgement, ResultsError, RunResults
from touchstone_reports.verdicts import Verdict, rank


class Kind(StrEnum):
    """How a change is to be taken; those that ask for somebody come first."""

    REGRESSION = "regression"
    UNKNOWN = "cannot be judged any more"
    OTHERWISE = "fails otherwise"
    GONE = "not judged any more"
    NEW = "newly judged"
    KNOWN = "can be judged now"
    IMPROVEMENT = "improvement"
    CHANCE = "by chance"


_LEFT_TO_CHANCE = {Verdict.CONFORMS, Verdict.DEVIATES}
"""What a deviation that happens only sometimes lets be seen."""


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one requirement in one scenario; None where it was not judged."""

    kind: Kind
    before: Judgement | None
    after: Judgement | None

    @property
    def judgement(self) -> Judgement:
        """The newer side that there is."""
        found = self.after or self.before
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs of one provider each, and what changed between them."""

    before: Column
    after: Column
    changes: tuple[Change, ...]
    """By kind, then as the newer run judged them."""
    observed: tuple[Observation, ...]
    """The observed values that differ."""
    same: int
    """Judgements that are as they were."""

    def of(self, kind: Kind) -> tuple[Change, ...]:
        """The changes of one kind."""
        return tuple(change for change in self.changes if change.kind is kind)


def compare(before: RunResults, after: RunResults) -> Comparison:
    """What changed from `before` to `after`; `ResultsError` where a run has several providers."""
    sides = _only(before), _only(after)
    older, newer = map(_judgements, sides)
    pairs = [(older.get(key), newer.get(key)) for key in dict.fromkeys((*newer, *older))]
    found = [Change(kind, one, other) for one, other in pairs if (kind := _kind(one, other))]
    order = list(Kind)
    return Comparison(
        before=sides[0],
        after=sides[1],
        changes=tuple(sorted(found, key=lambda change: order.index(change.kind))),
        observed=tuple(one for one in observations(sides) if one.differs),
        same=len(pairs) - len(found),
    )


def _only(results: RunResults) -> Column:
    columns = columns_of([results])
    if len(columns) != 1:
        raise ResultsError(
            f"{results.directory} has {len(columns)} providers; compare runs of one provider each"
        )
    return columns[0]


def _judgements(column: Column) -> Mapping[tuple[str, str], Judgement]:
    """What was judged, by scenario and requirement; what does not concern the client is not."""
    return {
        (one.scenario, one.requirement): one
        for one in column.results.of(column.provider.name)
        if one.verdict is not Verdict.NOT_APPLICABLE
    }


def _kind(before: Judgement | None, after: Judgement | None) -> Kind | None:
    if before is None or after is None:
        return Kind.NEW if before is None else Kind.GONE
    if before.verdict is after.verdict:
        failed = after.verdict is Verdict.VIOLATES
        return Kind.OTHERWISE if failed and before.reason != after.reason else None
    if before.by_chance and after.by_chance and {before.verdict, after.verdict} == _LEFT_TO_CHANCE:
        return Kind.CHANCE
    if after.verdict is Verdict.INCONCLUSIVE:
        return Kind.UNKNOWN
    if rank(after.verdict) < rank(before.verdict):
        return Kind.REGRESSION
    return Kind.KNOWN if before.verdict is Verdict.INCONCLUSIVE else Kind.IMPROVEMENT
