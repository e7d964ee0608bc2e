"""Whether a run shows all that it could, and what its counts do not say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from touchstone_reports.legible import legible, one_line
from touchstone_reports.results import RunResults
from touchstone_reports.verdicts import Verdict

_MOST_REASONS = 5


def shortcomings(results: RunResults) -> tuple[str, ...]:
    """Why a run is not whole, in words; nothing when it is, and newer ones may be held to it."""
    said = results.run.selection is not None
    return (
        *([] if said else ["it does not say which scenarios were asked for"]),
        *narrowing_reasons(results),
        *map(legible, results.notices),
        *(["nothing was judged"] if results.judged_nothing else []),
    )


def narrowing_reasons(results: RunResults) -> Iterator[str]:
    """What kept scenarios from being asked for, if anything did."""
    selection = results.run.selection
    if selection is not None and selection.narrowed_by:
        yield f"narrowed by {legible(', '.join(selection.narrowed_by))}"


def remarks(results: RunResults) -> Iterator[str]:
    """What is told of a run beside its counts, and fails nobody."""
    if count := len(results.run.not_shown):
        entries = "1 entry" if count == 1 else f"{count} entries"
        yield f"{entries} of deviations did not show with this release, seen with another one"


def warnings(results: RunResults) -> Iterator[str]:
    """What a reader has to know besides the counts and the unexpected verdicts, line by line."""
    yield from map(legible, results.notices)
    for entry in results.run.stale:
        yield f"stale deviation, it did not happen: {legible(entry)}. Remove the entry."
    for again in results.run.judged_again:
        yield legible(
            f"{again.scenario} was judged again by another process, since its first one ended:"
            f" {again.reason}; see {again.evidence}"
        )
    if results.judged_nothing:
        yield from _nothing_judged(results)


def _nothing_judged(results: RunResults) -> Iterator[str]:
    yield "nothing was judged, so there is no success"
    run = results.run
    silent = ", ".join(sorted(run.not_applicable_documents))
    for provider in run.providers:
        named = ", ".join(sorted(provider.documents)) or "none"
        others = f"; the catalogues also have {silent}" if silent else ""
        yield legible(f"{provider.name} names these documents as its own: {named}{others}")
    reasons = Counter(
        one_line(judgement.reason or "").partition("; run for comparison")[0]
        for judgement in results.judgements
        if judgement.verdict is Verdict.NOT_APPLICABLE
    )
    for reason, count in reasons.most_common(_MOST_REASONS):
        yield f"{count} not applicable: {reason}"
