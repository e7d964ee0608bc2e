"""A scenario over the runs of a folder: each verdict in order of time, and where it changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from touchstone_reports.comparison import ChangeKind, kind_of
from touchstone_reports.results import VerdictLine
from touchstone_reports.site.judged import Judged
from touchstone_reports.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Step:
    """A verdict of one run."""

    judged: Judged
    line: VerdictLine


@dataclass(frozen=True, slots=True)
class Change:
    """Two steps between which the verdict changed."""

    kind: ChangeKind
    before: Step
    after: Step


@dataclass(frozen=True, slots=True)
class Track:
    """A statement in a scenario, of a client on brokers of one family, over all versions."""

    requirement: str
    scenario: str
    client: str
    family: str
    steps: tuple[Step, ...]
    """One for each run that judged it, the oldest first."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """Where the verdict is another than in the last run before that concerned the client.

        The kinds are those of two runs that are compared.
        """
        return tuple(self._changes())

    @property
    def kinds(self) -> tuple[ChangeKind | None, ...]:
        """The kind of the change at each step; None where nothing changed."""
        changed = {id(change.after): change.kind for change in self.changes}
        return tuple(changed.get(id(step)) for step in self.steps)

    def _changes(self) -> Iterator[Change]:
        before: Step | None = None
        for step in self.steps:
            if step.line.verdict is Verdict.NOT_APPLICABLE:
                continue
            if before is not None and before.line.verdict is not step.line.verdict:
                kind = kind_of(before.line, step.line, step.judged.results.run)
                assert kind is not None
                yield Change(kind, before, step)
            before = step


def tracks(judged: Iterable[Judged]) -> tuple[Track, ...]:
    """Every track that these runs have, by requirement, scenario, client and family."""
    steps: dict[tuple[str, str, str, str], list[Step]] = {}
    for one in sorted(judged, key=lambda one: (one.results.run.started, one.results.run.id)):
        for line in one.results.of(one.provider.name):
            key = line.requirement, line.scenario, one.client, one.family
            steps.setdefault(key, []).append(Step(one, line))
    return tuple(Track(*key, tuple(steps[key])) for key in sorted(steps))


def changed_most_first(all_tracks: Iterable[Track]) -> Sequence[Track]:
    """Those that changed at all, the one that did so most often first."""
    changed = [track for track in all_tracks if track.changes]
    return sorted(changed, key=lambda track: len(track.changes), reverse=True)
