"""D30 while rows stream by: after recover() the oldest message that was not settled comes first."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from jms_histories.columns import Columns, Ints, Mask, concatenate, take
from jms_histories.kernels.arrays.groups import Groups
from jms_histories.kernels.arrays.segments import (
    GREATEST,
    ascending,
    begins,
    find,
    highest,
    order_by,
)
from jms_histories.kernels.collecting import Collector
from jms_histories.kernels.predicates.rows import unsure
from jms_histories.kernels.sessions.chunks import Chunk, Setting
from jms_histories.values import Event

_COLUMNS = ("ridx", "uid", "sub", "t_enter", "t_sent", "s_inv", "expire_at", "settle", "s_out")
_NEVER = -1


@dataclass
class _Consumer:
    """One consumer: its recovers, what it has not settled, and what came after each recover.

    Of each recover: the index of the oldest row that was not settled then, and of the first row
    after it, both in `kept`, or -1. doubtful: rows of which nobody knows whether they were
    acknowledged, so that they may or may not be the oldest.
    """

    times: Ints
    oldest: Ints
    next: Ints
    open: Columns | None = None
    watermark: int = -1
    kept: list[Columns] = field(default_factory=list)
    size: int = 0
    doubtful: list[Columns] = field(default_factory=list)


class RecoverScan:
    """The recovers of each session, for consumers of exclusive subscriptions without a policy."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        events = setting.spec.events
        chosen = events["event"] == Event.RECOVER
        session, time = events["session"][chosen], events["t"][chosen].astype(np.int64)
        self._recovers = {
            int(number): np.sort(time[session == number]) for number in np.unique(session)
        }
        self._consumers: dict[int, _Consumer] = {}

    def feed(self, chunk: Chunk) -> None:
        """Look at the rows of a chunk."""
        if not self._recovers:
            return
        members = self._setting.members
        eligible = members.column("exclusive").astype(np.bool_) & (members.sub >= 0)
        eligible &= members.column("max_deliveries") == -1
        eligible &= np.isin(members.session, list(self._recovers))
        if not eligible.any():
            return
        rows = {name: chunk.rows[name] for name in _COLUMNS}
        if chunk.only is not None:
            if eligible[chunk.only]:
                self._feed(self._consumer(chunk.only), rows)
            return
        at = np.flatnonzero(eligible[chunk.member])
        groups = Groups.of(chunk.member[at])
        for chosen in np.split(at[groups.order], groups.heads[1:]) if len(at) else ():
            self._feed(self._consumer(int(chunk.member[chosen[0]])), take(rows, chosen))

    def _consumer(self, number: int) -> _Consumer:
        if number not in self._consumers:
            times = self._recovers[int(self._setting.members.session[number])]
            none = np.full(len(times), _NEVER, np.int64)
            self._consumers[number] = _Consumer(times, none, none.copy())
        return self._consumers[number]

    def _feed(self, consumer: _Consumer, rows: Columns) -> None:
        doubtful = np.flatnonzero(unsure(rows))
        if len(doubtful):
            consumer.doubtful.append({name: rows[name][doubtful] for name in ("uid", "t_enter")})
        if consumer.open is not None:
            carried = len(consumer.open["uid"])
            rows = concatenate([consumer.open, rows])
        else:
            carried = 0
        t_enter, s_inv = rows["t_enter"], rows["s_inv"]
        end = np.where(s_inv == -1, GREATEST, s_inv)
        since = min(consumer.watermark, int(t_enter[carried:].min()))
        until = max(consumer.watermark, int(t_enter[carried:].max()))
        low, high = np.searchsorted(consumer.times, [since, until], side="right")
        about = np.arange(low, high)
        if len(about):
            chosen = _oldest(t_enter, end, consumer.times[about])
            self._keep(consumer, consumer.oldest, about, chosen, rows)
            after = np.searchsorted(highest(t_enter[carried:]), consumer.times[about]) + carried
            after[after == len(t_enter)] = _NEVER
            self._keep(consumer, consumer.next, about, after, rows)
        consumer.watermark = until
        consumer.open = take(rows, np.flatnonzero(end > until))

    @staticmethod
    def _keep(
        consumer: _Consumer, where: Ints, recovers: Ints, chosen: Ints, rows: Columns
    ) -> None:
        """Remember the chosen row of each recover that has none so far."""
        new = (chosen >= 0) & (where[recovers] < 0)
        which, inverse = np.unique(chosen[new], return_inverse=True)
        if len(which):
            where[recovers[new]] = consumer.size + inverse
            consumer.kept.append(take(rows, which))
            consumer.size += len(which)

    def judge(self, collector: Collector) -> None:
        """Judge all recovers, when all rows have been fed."""
        collector.judged("D30", 0)
        for consumer in self._consumers.values():
            judged = (consumer.oldest >= 0) & (consumer.next >= 0)
            if not judged.any():
                continue
            rows = concatenate(consumer.kept)
            times = consumer.times[judged]
            oldest, after = consumer.oldest[judged], consumer.next[judged]
            lasting = rows["expire_at"][oldest] == -1
            oldest, after, times = oldest[lasting], after[lasting], times[lasting]
            collector.judged("D30", len(oldest))
            wrong = rows["uid"][oldest] != rows["uid"][after]
            wrong &= ~_is_doubtful(consumer, rows["uid"][after], times)
            first = after[wrong]
            collector.add(
                "D30",
                rows["uid"][first],
                rows["sub"][first],
                rows["uid"][oldest[wrong]],
                times[wrong],
                self._setting.faults.faulted(rows, first),
            )


def _is_doubtful(consumer: _Consumer, uid: Ints, times: Ints) -> Mask:
    """Whether each of these messages was doubtful at its time."""
    if not consumer.doubtful:
        return np.zeros(len(uid), np.bool_)
    rows = concatenate(consumer.doubtful)
    rows = take(rows, order_by(rows["uid"], rows["t_enter"]))
    rows = take(rows, begins(rows["uid"]))
    place = find(rows["uid"], uid)
    return np.asarray((place >= 0) & (rows["t_enter"][place] < times))


def _oldest(t_enter: Ints, end: Ints, times: Ints) -> Ints:
    """For each time the first row that had been entered before it and had not ended; -1 if none."""
    result = np.searchsorted(highest(end), times)
    late = np.append(t_enter, GREATEST)[result] >= times
    result[late] = _NEVER
    if not ascending(t_enter):  # a row that comes later may have been entered before
        for at in np.flatnonzero(late).tolist():
            held = np.flatnonzero((t_enter < times[at]) & (end >= times[at]))
            result[at] = held[0] if len(held) else _NEVER
    return result
