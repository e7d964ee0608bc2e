"""Whether a run shows all that it could: only such a one is an older run to hold newer ones to."""

from __future__ import annotations

from collections.abc import Iterator

from touchstone_reports.legible import legible
from touchstone_reports.results import RunResults


def shortcomings(results: RunResults) -> tuple[str, ...]:
    """Why a run is not whole, in words; nothing when it is."""
    return tuple(_shortcomings(results))


def _shortcomings(results: RunResults) -> Iterator[str]:
    selection = results.run.selection
    if selection is None:
        yield "it does not say which scenarios were asked for"
    elif selection.narrowed_by:
        yield f"narrowed by {legible(', '.join(selection.narrowed_by))}"
    yield from map(legible, results.notices)
    if results.judged_nothing:
        yield "nothing was judged"
