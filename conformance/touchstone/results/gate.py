"""What lets a run pass and what does not: alone, and beside an older one. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator

from touchstone.verdicts import ExitStatus, Strength, exit_status, severest
from touchstone_reports.comparison import ChangeKind, RunComparison
from touchstone_reports.results import Run, RunResults

_FAILS = {
    ChangeKind.REGRESSION: ExitStatus.UNEXPECTED,
    ChangeKind.FOUND: ExitStatus.UNEXPECTED,
    ChangeKind.STALE: ExitStatus.UNEXPECTED,
    ChangeKind.UNKNOWN: ExitStatus.COULD_NOT_JUDGE,
    ChangeKind.OPEN: ExitStatus.COULD_NOT_JUDGE,
    ChangeKind.GONE: ExitStatus.COULD_NOT_JUDGE,
}
_ALLOWED = (ChangeKind.UNKNOWN, ChangeKind.OPEN)
"""What --allow-inconclusive is about."""


def status_of_kind(kind: ChangeKind, newer: Run) -> ExitStatus:
    """What a change of this kind makes of the newer run."""
    if kind in _ALLOWED and newer.allow_inconclusive is not None:
        return ExitStatus.NOTHING_UNEXPECTED
    return _FAILS.get(kind, ExitStatus.NOTHING_UNEXPECTED)


def status_of_run(results: RunResults) -> ExitStatus:
    """The status of a run by what it recorded; never less than the one that it ended with."""
    ended = results.run.exit_status
    own = [] if ended is None else [ExitStatus(ended)]
    return severest([_by_verdicts(results), *_unfinished_statuses(results), *own])


def status_beside(comparison: RunComparison, ended: ExitStatus) -> ExitStatus:
    """The status of the newer run, which ended with `ended`, beside the older one.

    What its verdicts tell counts where it got worse; whatever else it failed by, counts.
    """
    newer = comparison.after.results
    statuses = [ExitStatus.NOTHING_UNEXPECTED, *_unfinished_statuses(newer)]
    statuses += [status_of_kind(change.kind, newer.run) for change in comparison.changes]
    if comparison.stale:
        statuses.append(status_of_kind(ChangeKind.STALE, newer.run))
    if newer.judged_nothing:
        statuses.append(ExitStatus.COULD_NOT_JUDGE)
    if severest([ended, _by_verdicts(newer)]) is not _by_verdicts(newer):
        statuses.append(ended)
    return severest(statuses)


def _by_verdicts(results: RunResults) -> ExitStatus:
    run = results.run
    of_scenarios = [
        (judgement.verdict, Strength(judgement.strength)) for judgement in results.judgements
    ]
    of_pairs = [(exchange.verdict, Strength.MUST) for exchange in results.exchanges]
    return exit_status(
        [*of_scenarios, *of_pairs],
        stale_deviations=len(run.stale),
        strict_should=run.strict_should,
        allow_inconclusive=run.allow_inconclusive is not None,
    )


def _unfinished_statuses(results: RunResults) -> Iterator[ExitStatus]:
    if not results.finished:
        yield ExitStatus.COULD_NOT_JUDGE
