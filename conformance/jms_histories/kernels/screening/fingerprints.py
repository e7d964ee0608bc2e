"""Message ids that may occur twice, told by 38 bits of each: 32 are kept, in one of 64 slices.

Of a hundred million different ids some ten thousand share these bits with another one by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Ints

_SLICE_BITS: Final = 6
_KEPT_BITS: Final = 32
SLICES: Final = 1 << _SLICE_BITS
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
_DROPPED: Final = np.uint64(64 - _SLICE_BITS - _KEPT_BITS)

Slice: TypeAlias = NDArray[np.uint32]


def fingerprints(mid64: NDArray[Any]) -> Ints:
    """38 bits of each message id, evenly spread; two equal message ids have equal ones."""
    mixed = np.ascontiguousarray(mid64, np.int64).view(np.uint64) * _MULTIPLIER
    mixed >>= _DROPPED
    return mixed.view(np.int64)


class Fingerprints:
    """Those of many message ids, by slice: four bytes of memory for each."""

    def __init__(self) -> None:
        self._parts: list[list[Slice]] = []

    def add(self, mid64: NDArray[Any]) -> None:
        """Those of some more message ids."""
        words = fingerprints(mid64)
        words.sort()
        bounds = np.searchsorted(words, np.arange(1, SLICES, dtype=np.int64) << _KEPT_BITS)
        self._parts.append(np.split(words.astype(np.uint32), bounds))

    def slices(self) -> list[Slice]:
        """The slices."""
        none = np.zeros(0, np.uint32)
        return [
            np.concatenate([none, *(part[number] for part in self._parts)])
            for number in range(SLICES)
        ]


def doubled_of_slice(parts: Sequence[Slice], number: int) -> Ints:
    """The fingerprints that occur more than once in all parts of one slice, ascending."""
    every = np.concatenate([np.zeros(0, np.uint32), *parts])
    every.sort()
    twice = np.unique(every[1:][every[1:] == every[:-1]]).astype(np.int64)
    twice |= number << _KEPT_BITS
    return twice


def all_doubled(parts: Sequence[Sequence[Slice]]) -> Ints:
    """The fingerprints that occur more than once in all slices of some parts, ascending."""
    return np.concatenate(
        [doubled_of_slice([part[number] for part in parts], number) for number in range(SLICES)]
    )
