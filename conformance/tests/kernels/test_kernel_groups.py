"""Rows by groups: sorted as plain Python sorts them, however wide their keys are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jms_histories.kernels.arrays.groups import Groups
from kernels.words import WORDS, ints

KEYS = st.tuples(st.integers(0, 2), st.integers(-2, 1) | WORDS, st.sampled_from([0, 1 << 45]))


@given(st.lists(KEYS, max_size=20), st.integers(0, 3))
def test_rows_in_groups(drawn: list[tuple[int, int, int]], width: int) -> None:
    """Rows that agree are together, in their order, whether keys are narrow, wide or too wide."""
    rows = [row[:width] if width else (7,) for row in drawn]
    keys = [ints([row[at] for row in rows]) for at in range(max(width, 1))]
    groups = Groups.of(*keys)
    expected = sorted(range(len(rows)), key=lambda at: rows[at])
    assert groups.order.tolist() == expected
    heads = [at for at, row in enumerate(expected) if not at or rows[row] != rows[expected[at - 1]]]
    assert groups.heads.tolist() == heads
    assert groups.rows.tolist() == [expected[at] for at in heads]


def test_rows_in_groups_that_hardly_have_room() -> None:
    """Codes around the largest of each size of word, and the largest below which a row fits."""
    for bits in (1, 15, 16, 17, 32, 46, 47, 48, 61, 62, 63):
        for most in ((1 << bits) - 1, min(1 << bits, (1 << 63) - 1)):
            keys = [most, 0, most // 2, most, 1, most - 1, 0]
            groups = Groups.of(ints(keys))
            assert groups.order.tolist() == sorted(range(7), key=keys.__getitem__)
            assert np.count_nonzero(groups.first) == len(set(keys))


def test_as_many_rows_in_groups_as_a_chunk_has() -> None:
    """The place of a row has room below its code."""
    for keys in (np.arange(65_535) % 3, (np.arange(65_535) % 3) << 44):
        order = Groups.of(keys).order
        assert (order == np.argsort(keys, kind="stable")).all()
