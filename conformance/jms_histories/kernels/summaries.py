"""Summaries of values that can be added: histograms of relative precision, counts over time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Ints
from jms_histories.kernels.arrays.segments import ascending

BINS: Final = 1 << 15
_SHIFT: Final = 16
_MOST_STEPS: Final = 4096
_SEARCHED: Final = 16
"""Of so many times in order and more in a step it is quicker to look for where steps begin."""
_FINEST: Final = 20
"""Bits of the shortest step of a series: about a millisecond."""


def _no_bins() -> Ints:
    return np.zeros(BINS, np.int64)


@dataclass
class Histogram:
    """Values from 0 in bins whose width is less than 0.8 % of their lower bound; less counts as 0.

    A bin is named by sign, exponent and first seven digits of the value as a 32-bit float.
    """

    bins: Ints = field(default_factory=_no_bins)
    most: int = -1

    def add(self, values: NDArray[Any]) -> None:
        """Count values."""
        if len(values):
            singles = values.astype(np.float32)
            np.maximum(singles, 0, out=singles)
            counted = np.bincount(singles.view(np.int32) >> _SHIFT)
            self.bins[: len(counted)] += counted
            self.most = max(self.most, int(values.max()), 0)

    def merge(self, other: Histogram) -> None:
        """Count what another one has counted."""
        self.bins = self.bins + other.bins
        self.most = max(self.most, other.most)

    @property
    def count(self) -> int:
        """How many values were counted."""
        return int(self.bins.sum())

    def sparse(self) -> list[tuple[int, int]]:
        """Lower bound and count of the bins that have values, ascending."""
        at = np.flatnonzero(self.bins)
        return list(zip(lower_bounds(at).tolist(), self.bins[at].tolist(), strict=True))

    def quantile(self, probability: float) -> int:
        """The lower bound of the bin that the quantile lies in; -1 without values."""
        total = self.count
        if not total:
            return -1
        rank = min(int(probability * total), total - 1)
        at = np.searchsorted(np.cumsum(self.bins), rank, side="right")
        return int(lower_bounds(np.asarray([at]))[0])


def lower_bounds(bins: NDArray[Any]) -> Ints:
    """The least values of bins by number."""
    values: NDArray[Any] = (bins.astype(np.int32) << _SHIFT).view(np.float32)
    return np.asarray(np.ceil(values), np.int64)


@dataclass
class TimeSeries:
    """How many of some times lie in each step; steps are powers of two of a nanosecond.

    The steps are the shortest with which the whole fits into 4,096 of them.
    """

    bits: int = _FINEST
    first: int = 0
    counts: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, times: NDArray[Any]) -> None:
        """Count times."""
        if not len(times):
            return
        low, high = int(times.min()), int(times.max())
        self._cover(low, high)
        step = low >> self.bits
        many = (high >> self.bits) - step + 1
        if many * _SEARCHED < len(times) and ascending(times):
            begins = np.arange(step + 1, step + many, dtype=np.int64) << self.bits
            counted = np.diff(np.searchsorted(times, begins), prepend=0, append=len(times))
        else:
            counted = np.bincount((times >> self.bits) - step)
        at = step - self.first
        self.counts[at : at + many] += counted

    def merge(self, other: TimeSeries) -> None:
        """Count what another one has counted."""
        if not len(other.counts):
            return
        steps = other.first + np.arange(len(other.counts))
        self._cover(int(steps[0]) << other.bits, (int(steps[-1]) << other.bits), other.bits)
        at = (steps >> (self.bits - other.bits)) - self.first
        np.add.at(self.counts, at, other.counts)

    def coarsened(self, bits: int) -> TimeSeries:
        """The same in longer steps."""
        result = TimeSeries(bits)
        result.merge(self)
        return result

    def _cover(self, low: int, high: int, bits: int = 0) -> None:
        """Make room for times from low to high, in steps of at least so many bits."""
        if len(self.counts):
            low = min(low, self.first << self.bits)
            high = max(high, (self.first + len(self.counts) - 1) << self.bits)
        wanted = max(self.bits, bits)
        while (high >> wanted) - (low >> wanted) >= _MOST_STEPS:
            wanted += 1
        first, size = low >> wanted, (high >> wanted) - (low >> wanted) + 1
        if (wanted, first, size) == (self.bits, self.first, len(self.counts)):
            return
        counts = np.zeros(size, np.int64)
        if len(self.counts):
            steps = (self.first + np.arange(len(self.counts))) >> (wanted - self.bits)
            np.add.at(counts, steps - first, self.counts)
        self.bits, self.first, self.counts = wanted, first, counts
