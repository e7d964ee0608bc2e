"""Times in groups, such as the events of each session: which comes next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Ints
from jms_histories.kernels.arrays.segments import GREATEST, find, order_by


@dataclass(frozen=True)
class Timeline:
    """The times of some groups, sorted by group and time."""

    _groups: Ints
    _times: Ints
    _distinct: Ints
    _instants: Ints
    _codes: Ints

    @classmethod
    def of(cls, groups: NDArray[Any], times: NDArray[Any]) -> Timeline:
        """The timeline of events: the group and the time of each."""
        order = order_by(groups, times)
        groups, times = groups[order].astype(np.int64), times[order].astype(np.int64)
        distinct, instants = np.unique(groups), np.unique(times)
        codes = np.searchsorted(distinct, groups) * (len(instants) + 1)
        codes += np.searchsorted(instants, times) + 1
        return cls(groups, times, distinct, instants, codes)

    def until(self, groups: NDArray[Any], times: NDArray[Any]) -> Ints:
        """For each place the index after the last event of its group at or before its time."""
        return self._place(groups, times, "right")

    def since(self, groups: NDArray[Any], times: NDArray[Any]) -> Ints:
        """For each place the index of the first event of its group at or after its time."""
        return self._place(groups, times, "left")

    def time(self, at: Ints, groups: NDArray[Any]) -> Ints:
        """When the event of each such index is; GREATEST if it is none of the group."""
        mine = np.append(self._groups, GREATEST)[at] == groups
        return np.where(mine, np.append(self._times, GREATEST)[at], GREATEST)

    def _place(self, groups: NDArray[Any], times: NDArray[Any], side: Any) -> Ints:
        instant = np.searchsorted(self._instants, times, side=side)
        # how many instants come before it; a group without events is before all that have some
        code = find(self._distinct, groups) * (len(self._instants) + 1) + instant
        return np.searchsorted(self._codes, code, side="right")
