"""Sessions whose rows arrive in pieces: in order, as soon as nothing earlier can come.

A file in layout "bucket" has rows of a stretch of a session, in any order; those of another file
are of another stretch. So what is held is what overlaps, however long a session is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from jms_histories.columns import Columns, length, take

ROWS_AT_ONCE: Final = 1 << 18
"""As many rows are put in order before some are handed on."""


def rows_in_order(
    pieces: Iterable[tuple[int, Columns]], at_once: int = ROWS_AT_ONCE
) -> Iterator[Columns]:
    """The rows of one session by ridx, at most so many at once.

    pieces: rows in any order, with the least ridx of them, by which the pieces ascend.
    """
    held: list[Columns] = []
    rows, enough, highest = 0, at_once, -1
    for first, piece in pieces:
        if rows >= enough or (rows >= at_once and first > highest):
            ordered = _by_ridx(held)
            ready = int(np.searchsorted(ordered["ridx"], first))
            yield from _slice_rows(ordered, ready, at_once)
            held = [{name: values[ready:].copy() for name, values in ordered.items()}]
            rows -= ready
            enough = max(at_once, 2 * rows)
        held.append(piece)
        rows += length(piece)
        highest = max(highest, int(piece["ridx"].max()))
    if held:
        yield from _slice_rows(_by_ridx(held), rows, at_once)


def _by_ridx(held: list[Columns]) -> Columns:
    """All rows that are held, which then are not any more."""
    order = np.argsort(np.concatenate([piece["ridx"] for piece in held]), kind="stable")
    ordered = {
        name: np.concatenate([piece[name] for piece in held])[order] for name in list(held[0])
    }
    held.clear()
    return ordered


def _slice_rows(rows: Columns, many: int, at_once: int) -> Iterator[Columns]:
    for begin in range(0, many, at_once):
        yield take(rows, slice(begin, min(begin + at_once, many)))
