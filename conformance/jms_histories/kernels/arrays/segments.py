"""Sorted rows cut into segments of equal keys, and running values within each segment.

A segment is a run of rows that agree in some keys, of rows that were sorted by these. `first` is
the mask of the rows that begin one; the first row of a table always does.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Ints, Mask

LEAST: Final = int(np.iinfo(np.int64).min)
GREATEST: Final = int(np.iinfo(np.int64).max)

_PACKED_BITS: Final = 63
"""Of a word but for its sign."""
_RADIX_BITS: Final = 16


def order_by(*keys: NDArray[Any]) -> Ints:
    """The stable order of the rows by these keys, the most significant first.

    Keys that fit into one word together are sorted as one, in few passes if they are small.
    """
    code = packed(*keys)
    return np.lexsort(keys[::-1]) if code is None else np.argsort(code, kind="stable")


def packed(*keys: NDArray[Any]) -> NDArray[Any] | None:
    """Non-negative numbers that are ordered and differ as rows of the keys do; None if too wide."""
    if not len(keys[0]):
        return np.zeros(0, np.int64)
    bounds = [(int(key.min()), int(key.max())) for key in keys]
    bits = [(high - low).bit_length() for low, high in bounds]
    if sum(bits) > _PACKED_BITS:
        return None
    code = np.zeros(len(keys[0]), np.int64)
    for key, (low, _), width in zip(keys, bounds, bits, strict=True):
        if width:
            code <<= width
            code |= key - low if key.dtype == np.int64 else key.astype(np.int64) - low
    return code.astype(np.uint16) if sum(bits) <= _RADIX_BITS else code


def alike(values: NDArray[Any]) -> bool:
    """Whether there are values and all are equal; known soon if the ends differ."""
    return len(values) > 0 and bool(values[0] == values[-1]) and bool((values == values[0]).all())


def ascending(values: NDArray[Any]) -> bool:
    """Whether no value is less than the one before it."""
    return bool((values[1:] >= values[:-1]).all())


def highest(values: Ints) -> Ints:
    """For each value the largest so far; the array itself if that is each."""
    return values if ascending(values) else np.maximum.accumulate(values)


def begins(*keys: NDArray[Any]) -> Mask:
    """Which rows differ from the row before them in any key."""
    first = np.zeros(len(keys[0]), np.bool_)
    if len(first):
        first[0] = True
        for key in keys:
            first[1:] |= key[1:] != key[:-1]
    return first


def numbers(first: Mask) -> Ints:
    """For each row the number of its segment, from 0."""
    many = sizes(first)
    return np.repeat(np.arange(len(many), dtype=np.int64), many)


def heads(first: Mask) -> Ints:
    """For each row the index of the first row of its segment."""
    rows = np.arange(len(first), dtype=np.int64)
    rows[~first] = 0
    return np.maximum.accumulate(rows)


def ranks(first: Mask) -> Ints:
    """For each row its place in its segment, from 1."""
    return np.arange(1, len(first) + 1, dtype=np.int64) - heads(first)


def sizes(first: Mask) -> Ints:
    """For each segment the number of its rows."""
    return np.diff(np.append(np.flatnonzero(first), len(first)))


def lasts(first: Mask) -> Ints:
    """For each segment the index of its last row."""
    return np.append(np.flatnonzero(first)[1:], len(first))[: np.count_nonzero(first)] - 1


def sums(values: NDArray[Any], first: Mask) -> Ints:
    """For each segment the sum of its values; a mask counts."""
    return np.asarray(np.add.reduceat(values, np.flatnonzero(first), dtype=np.int64))


def least(values: NDArray[Any], first: Mask) -> NDArray[Any]:
    """For each segment its least value."""
    return np.asarray(np.minimum.reduceat(values, np.flatnonzero(first)))


def largest(values: NDArray[Any], first: Mask) -> NDArray[Any]:
    """For each segment its largest value."""
    return np.asarray(np.maximum.reduceat(values, np.flatnonzero(first)))


def running_max(values: Ints, first: Mask) -> Ints:
    """For each row the largest value of its segment so far, its own included."""
    if not len(values):
        return values
    low, high = int(values.min()), int(values.max())
    bits = (high - low).bit_length()
    if bits + int(np.count_nonzero(first)).bit_length() <= _PACKED_BITS:
        packed = numbers(first)
        packed <<= bits
        packed |= values - low
        np.maximum.accumulate(packed, out=packed)
        packed &= (1 << bits) - 1
        packed += low
        return packed
    return _doubled_max(values, first)


def _doubled_max(values: Ints, first: Mask) -> Ints:
    """The same by looking back 1, 2, 4 … rows: for values and segments that do not fit one word."""
    result = values.copy()
    rank = ranks(first)
    rows = np.flatnonzero(rank > 1)
    step = 1
    while len(rows):
        result[rows] = np.maximum(result[rows], result[rows - step])
        step *= 2
        rows = rows[rank[rows] > step]
    return result


def running_min(values: Ints, first: Mask) -> Ints:
    """For each row the least value of its segment so far, its own included."""
    return ~running_max(~values, first)


def _before(running: Ints, first: Mask, none: int) -> Ints:
    result = np.empty_like(running)
    result[1:] = running[:-1]
    result[first] = none
    return result


def max_before(values: Ints, first: Mask) -> Ints:
    """For each row the largest value of the earlier rows of its segment; LEAST if none."""
    return _before(running_max(values, first), first, LEAST)


def min_before(values: Ints, first: Mask) -> Ints:
    """For each row the least value of the earlier rows of its segment; GREATEST if none."""
    return _before(running_min(values, first), first, GREATEST)


def count_before(chosen: Mask, first: Mask) -> Ints:
    """For each row how many earlier rows of its segment are chosen."""
    total = np.cumsum(chosen, dtype=np.int64)
    total -= chosen
    return np.asarray(total - total[heads(first)])


def find(ascending: Ints, wanted: Ints) -> Ints:
    """The index of each wanted value among ascending, distinct values; -1 where it is not."""
    if not len(ascending):
        return np.full(len(wanted), -1, np.int64)
    at = np.searchsorted(ascending, wanted)
    at[at == len(ascending)] = 0
    at[ascending[at] != wanted] = -1
    return at


def among(ascending: Ints, wanted: Ints) -> Mask:
    """Which of the wanted values are among ascending values."""
    if not len(ascending):
        return np.zeros(len(wanted), np.bool_)
    at = np.searchsorted(ascending, wanted)
    at[at == len(ascending)] = 0
    return np.asarray(ascending[at] == wanted)
