"""Sessions that arrive in pieces come in order, and no more is held than overlaps. No JVM."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jms_histories.columns import Columns, concatenate, length
from jms_histories.engines.spark.sessions import rows_in_order


def piece(ridx: list[int]) -> tuple[int, Columns]:
    values = np.array(ridx, np.int64)
    return min(ridx), {"ridx": values, "uid": values * 10, "sub": (values % 5).astype(np.int32)}


@given(
    st.lists(st.lists(st.integers(0, 60), min_size=1, max_size=9), min_size=1, max_size=12),
    st.integers(1, 12),
)
def test_rows_come_in_order_however_they_were_cut(cut: list[list[int]], at_once: int) -> None:
    batches = list(rows_in_order(map(piece, sorted(cut, key=min)), at_once))

    together = concatenate(batches)
    assert together["ridx"].tolist() == sorted(ridx for ridxs in cut for ridx in ridxs)
    assert (together["uid"] == together["ridx"] * 10).all()
    assert (together["sub"] == together["ridx"] % 5).all()
    assert all(1 <= length(batch) <= at_once for batch in batches)


def test_no_row_is_no_row() -> None:
    assert list(rows_in_order(())) == []


def test_stretches_of_a_long_session_are_handed_on_one_by_one() -> None:
    """What has come and was not handed on is a stretch, and a piece of the next."""
    stretch, size, at_once = 64, 8, 16
    rng = np.random.default_rng(3)
    come = gone = most = 0

    def pieces() -> Iterator[tuple[int, Columns]]:
        nonlocal come, most
        for start in range(0, 50 * stretch, stretch):
            rows = (start + rng.permutation(stretch)).reshape(-1, size).tolist()
            for near in sorted(rows, key=min):
                come += size
                most = max(most, come - gone)
                yield piece(near)

    for batch in rows_in_order(pieces(), at_once):
        gone += length(batch)

    assert gone == 50 * stretch
    assert most <= stretch + 2 * size
