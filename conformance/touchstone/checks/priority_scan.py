"""D32 while rows stream by: what waited although something of a lower priority was delivered."""

from __future__ import annotations

import numpy as np

from touchstone.checks.chunks import Chunk, Setting
from touchstone.checks.collecting import Collector
from touchstone.checks.columns import Ints
from touchstone.checks.interning import grouping, grown
from touchstone.checks.segments import begins, numbers
from touchstone.checks.statistics import Statistics


class PriorityScan:
    """The last fresh delivery of each consumer and priority."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._place: dict[int, Ints] = {}
        self._time: dict[int, Ints] = {}
        """By priority: 1 + ridx (0: none so far) and t_enter of the last row of each member."""

    def feed(self, chunk: Chunk, found: Collector, statistics: Statistics) -> None:
        """Judge the rows of a chunk."""
        found.judged("D32", 0)
        at = chunk.first_seen
        if not len(at):
            return
        order = grouping(chunk.member[at])
        at = at[order]
        member = chunk.member[at]
        first = begins(member)
        heads = np.flatnonzero(first)
        of_segment = member[heads]
        priority = chunk.rows["priority"][at]
        present = set(np.flatnonzero(np.bincount(priority.view(np.uint8))).tolist())
        present = {level - 256 if level > 127 else level for level in present}
        seconds = chunk.rows["t_enter"]
        segment = numbers(first)
        place = np.zeros(len(heads), np.int64)
        time = np.zeros(len(heads), np.int64)
        lowest = True
        for level in sorted(present | set(self._place)):
            if level in present:
                here = np.flatnonzero(priority == level)
                if not lowest:
                    self._judge(
                        chunk, at, here, np.flatnonzero(priority < level), heads[segment[here]],
                        place[segment[here]], time[segment[here]], found, statistics,
                    )  # fmt: skip
            known = self._place.get(level)
            if known is not None:
                known = grown(known, int(of_segment.max()) + 1)
                mine, when = known[of_segment], grown(self._time[level], len(known))[of_segment]
                later = mine > place
                place = np.where(later, mine, place)
                time = np.where(later, when, time)
            lowest = False
            if level in present:
                last = here[np.append(np.flatnonzero(np.diff(segment[here])), len(here) - 1)]
                self._remember(level, member[last], chunk.rows["ridx"][at[last]], seconds[at[last]])

    def _judge(
        self,
        chunk: Chunk,
        at: Ints,
        here: Ints,
        lower: Ints,
        head: Ints,
        place: Ints,
        time: Ints,
        found: Collector,
        statistics: Statistics,
    ) -> None:
        """Judge rows of one level against the last lower one, of the chunk or carried along."""
        before = np.searchsorted(lower, here) - 1
        latest = lower[before] if len(lower) else np.full(len(here), -1, np.int64)
        inside = (before >= 0) & (latest >= head)
        entered = np.where(inside, chunk.rows["t_enter"][at[np.where(inside, latest, 0)]], time)
        has = inside | (place > 0)
        found.judged("D32", np.count_nonzero(has))
        rows = at[here]
        available = chunk.available[rows]
        wrong = np.flatnonzero(has & (entered > available + self._setting.spec.priority_slack))
        if len(wrong):
            rows = rows[wrong]
            found.add(
                "D32", chunk.rows["uid"][rows], chunk.rows["sub"][rows],
                available[wrong], entered[wrong],
            )  # fmt: skip
            statistics.inverted(entered[wrong] - available[wrong])

    def _remember(self, level: int, members: Ints, ridx: Ints, t_enter: Ints) -> None:
        size = int(members.max()) + 1
        empty = np.zeros(16, np.int64)
        self._place[level] = grown(self._place.get(level, empty), size)
        self._time[level] = grown(self._time.get(level, empty), len(self._place[level]))
        self._place[level][members] = ridx + 1
        self._time[level][members] = t_enter
