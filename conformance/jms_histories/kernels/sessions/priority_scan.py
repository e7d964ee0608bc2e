"""D32 while rows stream by: what waited although something of a lower priority was delivered."""

from __future__ import annotations

from typing import Final

import numpy as np

from jms_histories.columns import Ints, Mask
from jms_histories.kernels.arrays.groups import Groups
from jms_histories.kernels.arrays.interning import grown
from jms_histories.kernels.arrays.segments import (
    LEAST,
    begins,
    highest,
    lasts,
    running_max,
    running_min,
)
from jms_histories.kernels.collecting import Collector
from jms_histories.kernels.sessions.chunks import Chunk, Setting
from jms_histories.kernels.statistics import HistoryStatistics

_LEVELS: Final = 256
_LOWEST: Final = 128
"""Priorities are bytes: level 0 stands for -128."""


class PriorityScan:
    """The last fresh delivery of each consumer and priority."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._place = np.zeros(_LEVELS, np.int64)
        self._time = np.zeros(_LEVELS, np.int64)
        """By member and level: 1 + ridx (0: none so far) and t_enter of the last row."""
        self._lowest = np.full(1, _LEVELS, np.int64)
        self._latest = np.full(1, LEAST, np.int64)
        """By member: the lowest level and the largest t_enter of all rows."""

    def feed(self, chunk: Chunk, collector: Collector, statistics: HistoryStatistics) -> None:
        """Judge the rows of a chunk."""
        collector.judged("D32", 0)
        at = chunk.first_seen
        if not len(at):
            return
        member = chunk.member[at].astype(np.int64)
        if chunk.only is None:
            order = Groups.of(member).order
            at, member = at[order], member[order]
        size = int(member[-1]) + 1
        self._place = grown(self._place, size * _LEVELS)
        self._time = grown(self._time, size * _LEVELS)
        self._lowest = grown(self._lowest, size, _LEVELS)
        self._latest = grown(self._latest, size, LEAST)

        level = chunk.rows["priority"][at].astype(np.int64)
        level += _LOWEST
        t_enter = chunk.rows["t_enter"][at]
        first = begins(member)
        heads = np.flatnonzero(first)
        which = member[heads]
        above = level > _earlier(level, first, heads, self._lowest, which, lowest=True)
        collector.judged("D32", np.count_nonzero(above))
        latest = _earlier(t_enter, first, heads, self._latest, which, lowest=False)
        above &= latest > chunk.available[at] + self._setting.spec.priority_slack
        candidates = np.flatnonzero(above)
        if len(candidates):
            self._judge(chunk, at, member, level, candidates, collector, statistics)
        member <<= 8
        member |= level
        # of rows with equal indices the last one is kept
        self._place[member] = chunk.rows["ridx"][at] + 1
        self._time[member] = t_enter

    def _judge(
        self,
        chunk: Chunk,
        at: Ints,
        member: Ints,
        level: Ints,
        candidates: Ints,
        collector: Collector,
        statistics: HistoryStatistics,
    ) -> None:
        """Judge the candidates, which follow rows of a lower level; the others are of all rows."""
        entered = self._carried(member[candidates], level[candidates])
        head = np.searchsorted(member, member[candidates])
        for value in np.unique(level[candidates]).tolist():
            here = np.flatnonzero(level[candidates] == value)
            lower = np.flatnonzero(level < value)
            before = np.searchsorted(lower, candidates[here]) - 1
            inside = before >= 0
            inside[inside] = lower[before[inside]] >= head[here[inside]]
            entered[here[inside]] = chunk.rows["t_enter"][at[lower[before[inside]]]]
        rows = at[candidates]
        available = chunk.available[rows]
        wrong = np.flatnonzero(entered > available + self._setting.spec.priority_slack)
        if len(wrong):
            rows = rows[wrong]
            uid, sub = chunk.rows["uid"][rows], chunk.rows["sub"][rows]
            collector.add("D32", uid, sub, available[wrong], entered[wrong])
            statistics.inverted(entered[wrong] - available[wrong])

    def _carried(self, member: Ints, level: Ints) -> Ints:
        """t_enter of the last row of a lower level in earlier chunks; anything if there is none."""
        codes, inverse = np.unique(member * _LEVELS + level, return_inverse=True)
        latest = codes - codes % _LEVELS
        for at, code in enumerate(codes.tolist()):
            latest[at] += np.argmax(self._place[latest[at] : code])
        return np.asarray(self._time[latest][inverse])


def _earlier(
    values: Ints, first: Mask, heads: Ints, carried: Ints, which: Ints, *, lowest: bool
) -> Ints:
    """For each row the extreme of the earlier rows of its member, which is carried along.

    It may be one for all rows.
    """
    before = carried[which]
    extreme, accumulate = (np.minimum, running_min) if lowest else (np.maximum, running_max)
    if len(heads) == 1 and extreme(before[0], extreme.reduce(values)) == before[0]:
        return before
    running = values.copy()
    running[heads] = extreme(running[heads], before)
    if len(heads) > 1:
        running = accumulate(running, first)
    else:
        running = np.minimum.accumulate(running) if lowest else highest(running)
    carried[which] = running[lasts(first)]
    result = np.empty_like(running)
    result[1:] = running[:-1]
    result[heads] = before
    return result
