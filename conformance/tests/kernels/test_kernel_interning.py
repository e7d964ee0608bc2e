"""Codes that are met again and again keep their numbers, and are known at one look."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jms_histories.columns import Ints
from jms_histories.kernels.arrays.interning import Interner, grown
from kernels.words import FEW, ints


@given(st.lists(st.lists(FEW, max_size=20), max_size=6))
def test_a_code_keeps_its_number(batches: list[list[int]]) -> None:
    """Numbers are dense, and the same code has the same number in each batch."""
    interner = Interner()
    known: dict[int, int] = {}
    for batch in batches:
        for code, number in zip(batch, interner(ints(batch)).tolist(), strict=True):
            assert known.setdefault(code, number) == number
    assert sorted(known.values()) == list(range(len(interner)))
    assert {code: interner.codes[number] for code, number in known.items()} == {
        code: code for code in known
    }


def test_many_codes_keep_their_numbers() -> None:
    """More codes than places at first: the table grows, and codes share places."""
    random = np.random.default_rng(1)
    interner = Interner()
    codes = random.integers(0, 1 << 62, 50_000)
    first = interner(codes)
    assert (interner(codes[::-1]) == first[::-1]).all()
    assert (interner.codes[first] == codes).all()


def test_codes_that_share_a_place_keep_their_numbers() -> None:
    """Of each thousand some do; of a hundred thousands the least and the first, too."""
    for seed in range(100):
        codes = np.random.default_rng(seed).integers(-(1 << 63), (1 << 63) - 1, 1000)
        interner = Interner()
        first = interner(codes)
        assert (interner(codes[::-1]) == first[::-1]).all()
        assert sorted(first.tolist()) == list(range(1000))
        assert interner.codes.tolist() == codes[np.argsort(first)].tolist()


class Counting(Interner):
    """Counts the codes that were not found by one look."""

    sorted = 0

    def _slowly(self, codes: Ints) -> Ints:
        self.sorted += len(codes)
        return super()._slowly(codes)


def test_codes_that_are_known_are_hardly_ever_sorted() -> None:
    """However many there are, in a row or at random: few share a place of the table."""
    everywhere = np.random.default_rng(1).integers(-(1 << 63), (1 << 63) - 1, 50_000)
    for codes in (np.arange(50_000), np.arange(50_000) << 40, everywhere):
        interner = Counting()
        for many in (1, 900, 1_100, 3_000, 50_000):
            interner(codes[:many])
            interner.sorted = 0
            interner(codes[:many])
            assert interner.sorted <= many // 10


def test_room_is_made() -> None:
    """Twice as much as is needed, when it is needed."""
    values = np.array([3, 4], np.int16)
    assert grown(values, 2) is values
    for more, fill in ((grown(values, 3), 0), (grown(values, 3, -1), -1)):
        assert more.tolist() == [3, 4, fill, fill, fill, fill]
        assert more.dtype == values.dtype
