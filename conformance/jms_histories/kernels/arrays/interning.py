"""Small numbers for values that are met again and again while rows stream by."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Ints
from jms_histories.kernels.arrays.segments import find

_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
_WORD: Final = 64
_SPARSE: Final = 16
"""Places of the table for each code: few codes share a place."""


class Interner:
    """Gives each distinct 64-bit code a number, from 0 without holes, and knows it again.

    A code is looked up in a hashed table of one probe and verified; codes that share a place with
    another take a slower way.
    """

    def __init__(self) -> None:
        self._codes = np.zeros(1024, np.int64)
        self._count = 0
        self._bits = 14
        self._table = np.zeros(1 << self._bits, np.int32)
        self._ascending = self._numbers = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return self._count

    @property
    def codes(self) -> Ints:
        """The codes by their numbers."""
        return self._codes[: self._count]

    def __call__(self, codes: Ints) -> NDArray[np.int32]:
        """The number of each code."""
        numbers = self._table.take(self._places(codes))
        wrong = np.flatnonzero(self._codes.take(numbers) != codes)
        if not self._count:
            wrong = np.arange(len(codes))
        if len(wrong):
            numbers[wrong] = self._slowly(codes[wrong])
        return numbers

    def _places(self, codes: Ints) -> Ints:
        hashed = np.ascontiguousarray(codes, np.int64).view(np.uint64) * _MULTIPLIER
        hashed >>= np.uint64(_WORD - self._bits)
        return hashed.view(np.int64)

    def _slowly(self, codes: Ints) -> Ints:
        distinct, inverse = np.unique(codes, return_inverse=True)
        new = distinct[find(self._ascending, distinct) < 0]
        if len(new):
            self._register(new)
        return np.asarray(self._numbers[np.searchsorted(self._ascending, distinct)][inverse])

    def _register(self, new: Ints) -> None:
        first, self._count = self._count, self._count + len(new)
        self._codes = grown(self._codes, self._count)
        self._codes[first : self._count] = new
        at = np.searchsorted(self._ascending, new)
        self._ascending = np.insert(self._ascending, at, new)
        self._numbers = np.insert(self._numbers, at, np.arange(first, self._count))
        if self._count * _SPARSE > len(self._table):
            self._bits = (self._count * _SPARSE * 2).bit_length()
            self._table = np.zeros(1 << self._bits, np.int32)
            first = 0
        added = self._codes[first : self._count]
        self._table[self._places(added)] = np.arange(first, self._count, dtype=np.int32)


def grown(values: NDArray[Any], size: int, fill: int = 0) -> NDArray[Any]:
    """The array, or one of twice the needed size that begins with it; the rest holds `fill`."""
    if size <= len(values):
        return values
    result = np.full(size * 2, fill, values.dtype) if fill else np.zeros(size * 2, values.dtype)
    result[: len(values)] = values
    return result
