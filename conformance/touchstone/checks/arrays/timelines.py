"""Times in groups, such as the events of each session: what came last, what next, how many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from touchstone.checks.arrays.segments import order_by
from touchstone.checks.columns import Ints


@dataclass(frozen=True)
class Timeline:
    """The times of some groups, sorted by group and time; at equal times in the given order.

    order holds the index of each in what it was made of.
    """

    groups: Ints
    times: Ints
    order: Ints
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
        return cls(groups, times, order, distinct, instants, codes)

    def until(self, groups: NDArray[Any], times: NDArray[Any]) -> Ints:
        """For each place the index after the last event of its group at or before its time."""
        return self._place(groups, times, "right")

    def since(self, groups: NDArray[Any], times: NDArray[Any]) -> Ints:
        """For each place the index of the first event of its group at or after its time."""
        return self._place(groups, times, "left")

    def _place(self, groups: NDArray[Any], times: NDArray[Any], side: Any) -> Ints:
        group = np.searchsorted(self._distinct, groups)
        known = np.append(self._distinct, -1)[group] == groups
        instant = np.searchsorted(self._instants, times, side=side)
        # how many instants come before it; none does for a group without events
        code = group * (len(self._instants) + 1) + np.where(known, instant, 0)
        return np.searchsorted(self._codes, code, side="right")

    def last(self, groups: NDArray[Any], times: NDArray[Any]) -> Ints:
        """The index of the last event of the group at or before the time; -1 if there is none."""
        at = self.until(groups, times) - 1
        at[~self._is_of(at, groups)] = -1
        return at

    def next(self, groups: NDArray[Any], times: NDArray[Any]) -> Ints:
        """The index of the first event of the group at or after the time; -1 if there is none."""
        at = self.since(groups, times)
        at[~self._is_of(at, groups)] = -1
        return at

    def count(self, groups: NDArray[Any], times: NDArray[Any]) -> Ints:
        """How many events of the group are at or before the time."""
        return self.until(groups, times) - np.searchsorted(self.groups, groups)

    def _is_of(self, at: Ints, groups: NDArray[Any]) -> NDArray[np.bool_]:
        if not len(self.groups):
            return np.zeros(len(at), np.bool_)
        inside = (at >= 0) & (at < len(self.groups))
        return np.asarray(inside & (self.groups[np.where(inside, at, 0)] == groups))
