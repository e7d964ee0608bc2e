"""The largest value of each number so far, while rows stream by."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Ints
from jms_histories.kernels.arrays.groups import Groups
from jms_histories.kernels.arrays.interning import grown
from jms_histories.kernels.arrays.segments import GREATEST, LEAST, lasts, least, running_max


class Highest:
    """Least and largest value of each number, over all rows that were fed."""

    def __init__(self) -> None:
        self._largest = np.full(64, LEAST, np.int64)
        self._least = np.full(64, GREATEST, np.int64)

    def feed(self, groups: Groups, which: NDArray[Any], values: Ints) -> tuple[Ints, Ints, int]:
        """Rows less than the largest before of their number, these, and new numbers.

        which: the number of each group, at least one; values: of each row. That is: indices of such
        rows, that largest value for each, and how many of the rows are the first of their number.
        """
        size = int(which.max()) + 1
        self._largest = grown(self._largest, size, LEAST)
        self._least = grown(self._least, size, GREATEST)
        first, heads = groups.first, groups.heads
        value = values[groups.order]
        before = self._largest[which]
        new = int(np.count_nonzero(before == LEAST))
        falls = value[1:] < value[:-1]
        falls &= ~first[1:]
        if not falls.any() and (value[heads] >= before).all():
            self._least[which] = np.minimum(self._least[which], value[heads])
            self._largest[which] = value[lasts(first)]
            none = np.zeros(0, np.int64)
            return none, none, new
        self._least[which] = np.minimum(self._least[which], least(value, first))
        carried = value.copy()
        carried[heads] = np.maximum(carried[heads], before)
        highest = running_max(carried, first)
        self._largest[which] = highest[lasts(first)]
        earlier = np.empty_like(highest)
        earlier[1:] = highest[:-1]
        earlier[heads] = before
        behind = np.flatnonzero(value < earlier)
        rows = groups.order[behind]
        ascending = np.argsort(rows)
        return rows[ascending], earlier[behind][ascending], new

    def ranges(self, count: int) -> tuple[Ints, Ints]:
        """Least and largest value of the numbers below count."""
        return (
            grown(self._least, count, GREATEST)[:count].copy(),
            grown(self._largest, count, LEAST)[:count].copy(),
        )
