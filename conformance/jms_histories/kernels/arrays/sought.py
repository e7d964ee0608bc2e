"""A few values that are looked for among many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, Ints, length
from jms_histories.kernels.arrays.segments import among

_LEAST_BITS: Final = 16
_MOST_BITS: Final = 22
_SPARSE: Final = 16
"""Places in the table for each value."""


class Values(Protocol):
    """A set of values, such as those that a few findings name, or the messages of a second look."""

    def rows(self, values: NDArray[Any]) -> Ints:
        """The indices of those that are among them."""

    def may_contain(self, least: int, largest: int) -> bool:
        """False only if none of them lies between two values, which count."""


def rows_with(wanted: Mapping[str, Values], columns: Columns) -> Ints:
    """The indices of the rows that have one of the wanted values in one of the columns."""
    chosen = np.zeros(length(columns), np.bool_)
    for name, values in wanted.items():
        chosen[values.rows(columns[name])] = True
    return np.flatnonzero(chosen)


class Sought:
    """Some values. Nearly all others are distinguished by their low bits, in one look-up."""

    def __init__(self, values: NDArray[Any]) -> None:
        self._ascending = np.unique(values.astype(np.int64))
        bits = min(max(_LEAST_BITS, (_SPARSE * len(self._ascending)).bit_length()), _MOST_BITS)
        self._mask = (1 << bits) - 1
        self._low = np.zeros(self._mask + 1, np.bool_)
        self._low[self._ascending & self._mask] = True

    def __len__(self) -> int:
        return len(self._ascending)

    def rows(self, values: NDArray[Any]) -> Ints:
        """The indices of those that are among them."""
        near = np.flatnonzero(self._low.take(values & self._mask))
        return near[among(self._ascending, values[near])]

    def may_contain(self, least: int, largest: int) -> bool:
        """Whether one of them lies between two values, which count."""
        at = int(np.searchsorted(self._ascending, least))
        return at < len(self._ascending) and int(self._ascending[at]) <= largest
