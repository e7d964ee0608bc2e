"""How sets of messages that need a second look are kept, which no finding shows."""

from __future__ import annotations

import tracemalloc

import numpy as np

from jms_histories.columns import Ints
from jms_histories.kernels.screening.suspects import Membership, Uids


class CountedUids(Uids):
    """Tells how often all that is kept was sorted."""

    times = 0

    def distinct(self) -> Ints:
        self.times += 1
        return super().distinct()


def test_messages_that_come_often_are_hardly_kept_twice() -> None:
    """A million at most are there more than once; so many may come before all are sorted anew."""
    uids, distinct, part, most = CountedUids(), 1000, 1 << 17, 1 << 20
    Uids().distinct()  # which loads what NumPy needs for it, once
    tracemalloc.start()
    try:
        for parts in range(1, 81):
            uids.add(np.arange(part, dtype=np.int64) % distinct)
            assert uids.times == parts // (most // part + 1), parts
            kept, _ = tracemalloc.get_traced_memory()
            assert kept < 12 * (distinct + most), parts  # eight bytes each, and some for others
    finally:
        tracemalloc.stop()
    assert uids.distinct().tolist() == list(range(distinct))


def test_messages_of_no_block() -> None:
    """Nothing was gathered, nothing is among them."""
    assert Uids().distinct().tolist() == []
    assert Membership(Uids().distinct()).rows(np.arange(2)).tolist() == []
