"""What changed from one run to another: of a client in two versions, or on two brokers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from touchstone_reports.differences import Observation, observations
from touchstone_reports.grid import Column, columns_of
from touchstone_reports.records import ResultsError
from touchstone_reports.results import Run, RunResults, VerdictLine
from touchstone_reports.verdicts import Verdict, rank


class ChangeKind(StrEnum):
    """How a change is to be taken; those that ask for somebody come first.

    docs/ci.md has the table of all pairs, and a test goes through it.
    """

    REGRESSION = "regression"
    FOUND = "newly judged, and violates"
    STALE = "newly stale deviation"
    UNKNOWN = "cannot be judged any more"
    OPEN = "newly asked, and cannot be judged"
    GONE = "not judged any more"
    OTHERWISE = "fails otherwise"
    DIFFERS = "newly judged, and differs"
    LOOSENED = "left to chance now"
    NOT_ASKED = "not asked for"
    NEW = "newly judged"
    KNOWN = "can be judged now"
    IMPROVEMENT = "improvement"
    CHANCE = "by chance"


_LEFT_TO_CHANCE = {Verdict.CONFORMS, Verdict.DEVIATES}
"""What a deviation that happens only sometimes lets be seen."""


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """What became of one requirement in one scenario; None where there was no verdict."""

    kind: ChangeKind
    before: VerdictLine | None
    after: VerdictLine | None

    @property
    def judgement(self) -> VerdictLine:
        """The newer side that there is."""
        line = self.after or self.before
        assert line is not None
        return line


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs of one provider each, and what changed between them."""

    before: Column
    after: Column
    changes: tuple[VerdictChange, ...]
    """By kind, then as the newer run judged them."""
    stale: tuple[str, ...]
    """The known deviations that are stale in the newer run alone."""
    observed: tuple[Observation, ...]
    """The observed values that differ."""
    unchanged: tuple[tuple[VerdictLine, VerdictLine], ...]
    """Judgements that are as they were."""

    @property
    def same(self) -> int:
        """How many judgements are as they were."""
        return len(self.unchanged)

    @property
    def only_java_differs(self) -> bool:
        """Whether client, broker and Touchstone are the same, and Java is not."""
        sides = (self.before, self.after)
        clients = [replace(side.provider, java="") for side in sides]
        grounds = {(side.broker, side.results.run.touchstone) for side in sides}
        javas = [side.java for side in sides]
        same = clients[0] == clients[1] and len(grounds) == 1
        return same and all(javas) and javas[0] != javas[1]

    def of(self, kind: ChangeKind) -> tuple[VerdictChange, ...]:
        """The changes of one kind."""
        return tuple(change for change in self.changes if change.kind is kind)


def compare(before: RunResults, after: RunResults) -> RunComparison:
    """What changed from `before` to `after`; `ResultsError` where a run has several providers."""
    sides = _only_column(before), _only_column(after)
    older, newer = map(_by_scenario, sides)
    pairs = [(older.get(key), newer.get(key)) for key in dict.fromkeys((*newer, *older))]
    kinds = [
        (pair, kind_of(*pair, after.run)) for pair in pairs if any(map(_concerning_or_none, pair))
    ]
    changes = [VerdictChange(kind, *pair) for pair, kind in kinds if kind]
    order = list(ChangeKind)
    return RunComparison(
        before=sides[0],
        after=sides[1],
        changes=tuple(sorted(changes, key=lambda change: order.index(change.kind))),
        stale=tuple(entry for entry in after.run.stale if entry not in before.run.stale),
        observed=tuple(observation for observation in observations(sides) if observation.differs),
        unchanged=tuple((was, now) for (was, now), kind in kinds if was and now and not kind),
    )


def kind_of(before: VerdictLine | None, after: VerdictLine | None, run: Run) -> ChangeKind | None:
    """What became of a verdict in the newer run, `run`; None where nothing did."""
    was, now = _concerning_or_none(before), _concerning_or_none(after)
    if was is None:
        return _kind_of_new(now, run) if now is not None else None
    if now is None:
        return (
            ChangeKind.NOT_ASKED
            if after is None and not _is_asked_for(was, run)
            else ChangeKind.GONE
        )
    if was.verdict is now.verdict:
        return _kind_of_unchanged(was, now)
    if is_by_chance(was, now):
        return ChangeKind.CHANCE
    if now.verdict is Verdict.INCONCLUSIVE:
        return ChangeKind.UNKNOWN
    if was.verdict is Verdict.INCONCLUSIVE:
        return _kind_of_new(now, run) if now.verdict is Verdict.VIOLATES else ChangeKind.KNOWN
    return (
        ChangeKind.REGRESSION if rank(now.verdict) < rank(was.verdict) else ChangeKind.IMPROVEMENT
    )


def is_by_chance(was: VerdictLine, now: VerdictLine) -> bool:
    """Whether a deviation that happens only sometimes was met in one of the two alone."""
    return was.by_chance and now.by_chance and {was.verdict, now.verdict} == _LEFT_TO_CHANCE


def _kind_of_new(now: VerdictLine, run: Run) -> ChangeKind:
    """What the older run knew nothing of: no entry that somebody wrote, no should, is a fault."""
    if now.verdict is Verdict.VIOLATES and (run.strict_should or not now.unmet_should):
        return ChangeKind.FOUND
    if now.verdict is Verdict.INCONCLUSIVE:
        return ChangeKind.OPEN
    return ChangeKind.NEW if now.verdict is Verdict.CONFORMS else ChangeKind.DIFFERS


def _kind_of_unchanged(was: VerdictLine, now: VerdictLine) -> ChangeKind | None:
    """What is behind a verdict that is as it was."""
    if now.verdict is Verdict.VIOLATES:
        if was.unmet_should and not now.unmet_should:
            return ChangeKind.FOUND
        return ChangeKind.OTHERWISE if was.reason != now.reason else None
    if now.verdict in _LEFT_TO_CHANCE and now.by_chance and not was.by_chance:
        return ChangeKind.LOOSENED
    return ChangeKind.OTHERWISE if was.deviation != now.deviation else None


def _is_asked_for(was: VerdictLine, run: Run) -> bool:
    """Whether the newer run should have judged this; one that does not say so, should."""
    selection = run.selection
    return selection is None or not selection.narrowed_by or was.scenario in selection.scenarios


def _concerning_or_none(line: VerdictLine | None) -> VerdictLine | None:
    """A verdict, unless it only says that this does not concern the client."""
    return None if line is None or line.verdict is Verdict.NOT_APPLICABLE else line


def _only_column(results: RunResults) -> Column:
    columns = columns_of([results])
    if len(columns) != 1:
        raise ResultsError(
            f"{results.directory} has {len(columns)} providers; compare runs of one provider each"
        )
    return columns[0]


def _by_scenario(column: Column) -> Mapping[tuple[str, str], VerdictLine]:
    return {
        (line.scenario, line.requirement): line for line in column.results.of(column.provider.name)
    }
