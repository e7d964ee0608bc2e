"""One set of messages, indexed: sends by uid, deliveries by message and subscription."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, HistoryTables, Ints, Mask, length, take
from jms_histories.kernels.arrays.segments import begins, find, numbers, order_by, packed, sizes
from jms_histories.kernels.predicates.fault_windows import FaultWindows, fault_windows
from jms_histories.kernels.predicates.rows import knowable, producer, sequence
from jms_histories.kernels.predicates.subscriptions import Subscriptions


def _ascends(major: NDArray[Any], minor: NDArray[Any]) -> bool:
    """Whether rows are sorted by two keys, and no two agree in both."""
    after, same = major[1:] > major[:-1], major[1:] == major[:-1]
    return bool(np.all(after | (same & (minor[1:] > minor[:-1]))))


def _by_pair(uids: Ints, subs: NDArray[Any]) -> Ints:
    """An order of the rows by (uid, sub); among equal ones any."""
    code = packed(producer(uids), sequence(uids), subs)
    return order_by(uids, subs) if code is None else np.argsort(code)


def _by_rank(deliveries: Columns, rows: Ints) -> Ints:
    """The rows by (uid, sub, t_enter, session, ridx)."""
    uids, subs = deliveries["uid"][rows], deliveries["sub"][rows]
    if _ascends(uids, subs):
        return rows
    order = _by_pair(uids, subs)
    rows, uids, subs = rows[order], uids[order], subs[order]
    first = begins(uids, subs)
    if not first.all():
        pair = numbers(first)
        many = np.flatnonzero(np.repeat(sizes(first) > 1, sizes(first)))
        chosen = rows[many]
        ranking = order_by(
            pair[many], *(deliveries[name][chosen] for name in ("t_enter", "session", "ridx"))
        )
        rows[many] = chosen[ranking]
    return rows


@dataclass(frozen=True)
class Pairs:
    """Deliveries by (uid, sub), in the order of their ranks.

    at holds the indices of the deliveries, first which of them begin a pair. Of each pair: uid,
    sub, head (place of its first row in at), size, and send, the index of its send or -1.
    """

    at: Ints
    first: Mask
    uid: Ints
    sub: NDArray[Any]
    head: Ints
    size: Ints
    send: Ints

    @classmethod
    def of(cls, deliveries: Columns, rows: Ints, sends: Columns) -> Pairs:
        """The pairs of the chosen deliveries."""
        at = _by_rank(deliveries, rows)
        uids, subs = deliveries["uid"][at], deliveries["sub"][at]
        first = begins(uids, subs)
        head = np.flatnonzero(first)
        uid, sub = uids[head], subs[head]
        return cls(at, first, uid, sub, head, sizes(first), find(sends["uid"], uid))

    def __len__(self) -> int:
        return len(self.uid)

    @property
    def last(self) -> Ints:
        """The place of each pair's last row in `at`."""
        return self.head + self.size - 1

    def rows_of(self, pairs: NDArray[Any]) -> Ints:
        """The places in `at` of all rows of the pairs that a mask chooses."""
        return np.flatnonzero(np.repeat(pairs, self.size))

    def of_rows(self) -> Ints:
        """For each row the index of its pair."""
        return numbers(self.first)

    def places(self, uids: NDArray[Any], subs: NDArray[Any]) -> Ints:
        """The index of the pair (uid, sub) of each row of two arrays; -1 if there is none."""
        begin = begins(self.uid)
        known_subs = np.unique(self.sub).astype(np.int64)
        code = numbers(begin) * len(known_subs) + np.searchsorted(known_subs, self.sub)
        message, sub = find(self.uid[begin], uids), find(known_subs, subs)
        wanted = np.where((message >= 0) & (sub >= 0), message * len(known_subs) + sub, -1)
        return find(code, wanted)


@dataclass(frozen=True)
class Messages:
    """All sends and deliveries of some messages, and what holds for the whole history.

    sends ascend by uid and are knowable. rows are the deliveries of subscriptions, copies those of
    dead-letter queues.
    """

    spec: HistoryTables
    subscriptions: Subscriptions
    faults: FaultWindows
    sends: Columns
    deliveries: Columns
    rows: Pairs
    copies: Pairs

    @classmethod
    def of(cls, sends: Columns, deliveries: Columns, spec: HistoryTables) -> Messages:
        """Index whole messages, whose rows come in any order."""
        if spec.truncated:
            sends = take(sends, knowable(sends["uid"], spec.truncated))
        uids = sends["uid"]
        if not np.all(uids[1:] > uids[:-1]):
            sends = take(sends, np.argsort(uids, kind="stable"))
        is_copy = deliveries["sub"] < 0
        return cls(
            spec,
            Subscriptions.of(spec.subscriptions),
            fault_windows(spec.events),
            sends,
            deliveries,
            Pairs.of(deliveries, np.flatnonzero(~is_copy), sends),
            Pairs.of(deliveries, np.flatnonzero(is_copy), sends),
        )

    def faulted(self, pairs: Pairs, places: NDArray[Any]) -> Mask:
        """Which of the deliveries at these places of `at` are faulted."""
        return self.faults.faulted(self.deliveries, pairs.at[places])

    def __len__(self) -> int:
        return length(self.deliveries)
