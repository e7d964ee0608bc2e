"""A few deliveries of whole sessions, in order, with what every check of sessions asks of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, HistoryTables, Ints, Mask, length, take
from jms_histories.kernels.arrays.interning import Interner
from jms_histories.kernels.arrays.segments import alike, order_by
from jms_histories.kernels.predicates.fault_windows import FaultWindows, fault_windows
from jms_histories.kernels.predicates.rows import fresh
from jms_histories.kernels.predicates.subscriptions import Subscriptions

CHUNK: Final = 65_534
"""The most rows of a chunk: few enough for the caches, for places of 16 bits, and for counters of
16 bits that hold a mark already."""

_WORD: Final = 0xFFFFFFFF
_MEMBER: Final = ("session", "consumer", "sub")


class Members:
    """Consumers, that is (session, consumer, sub), by small numbers, and what holds for each."""

    def __init__(self, subscriptions: Subscriptions) -> None:
        self._subscriptions = subscriptions
        self._consumers, self._members = Interner(), Interner()
        self.sub = self.row = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self.sub)

    def number(self, rows: Columns) -> NDArray[np.int32]:
        """The member that each row belongs to."""
        many = length(rows)
        if uniform := all(alike(rows[name]) for name in _MEMBER):
            rows = {name: rows[name][:1] for name in _MEMBER}
        consumers = rows["session"].astype(np.int64)
        consumers <<= 32
        consumers |= rows["consumer"].astype(np.int64) & _WORD
        members = self._consumers(consumers).astype(np.int64)
        members <<= 32
        members |= rows["sub"].astype(np.int64) & _WORD
        result = self._members(members)
        if len(self._members) != len(self.sub):
            self.sub = _to_signed(self._members.codes)
            self.row = self._subscriptions.rows(self.sub)
        return np.repeat(result, many) if uniform else result

    def column(self, name: str) -> NDArray[Any]:
        """What a column of the table of subscriptions says of each member."""
        return np.asarray(self._subscriptions.table[name][self.row])

    @property
    def session(self) -> Ints:
        """The session of each member."""
        return np.asarray(self._consumers.codes[self._members.codes >> 32] >> 32)

    @property
    def consumer(self) -> Ints:
        """The consumer of each member."""
        return _to_signed(self._consumers.codes[self._members.codes >> 32])


def _to_signed(codes: Ints) -> Ints:
    return np.asarray((codes & _WORD).astype(np.uint32).view(np.int32), np.int64)


@dataclass(frozen=True)
class Setting:
    """What holds for the whole history."""

    spec: HistoryTables
    subscriptions: Subscriptions
    faults: FaultWindows
    members: Members

    @classmethod
    def of(cls, spec: HistoryTables) -> Setting:
        """The setting of a history, with no consumers met so far."""
        subscriptions = Subscriptions.of(spec.subscriptions)
        return cls(spec, subscriptions, fault_windows(spec.events), Members(subscriptions))


@dataclass(frozen=True)
class Chunk:
    """At most CHUNK rows by (session, ridx)."""

    rows: Columns
    setting: Setting
    member: NDArray[np.int32]
    """The number of each row's consumer, which the setting knows."""

    def __len__(self) -> int:
        return length(self.rows)

    @cached_property
    def only(self) -> int | None:
        """The consumer of all rows; None if there are several, or no rows."""
        return int(self.member[0]) if alike(self.member) else None

    def each(self, name: str) -> NDArray[Any]:
        """What a column of the table of subscriptions says of each row; one value if of all."""
        values = self.setting.members.column(name)
        return np.asarray(values[self.member if self.only is None else self.only])

    @cached_property
    def live(self) -> Mask:
        """Which rows are of subscriptions, not of dead-letter queues."""
        return np.asarray(self.rows["sub"] >= 0)

    @cached_property
    def fresh(self) -> Mask:
        """Which rows are fresh."""
        return fresh(self.rows)

    @cached_property
    def first_seen(self) -> Ints:
        """Indices of the fresh rows of subscriptions."""
        return np.flatnonzero(self.fresh & self.live)

    @cached_property
    def available(self) -> Ints:
        """When each message may be delivered: deliver_at, else t_sent."""
        deliver_at = self.rows["deliver_at"]
        delayed = deliver_at != -1
        if delayed.any():
            return np.where(delayed, deliver_at, self.rows["t_sent"])
        return self.rows["t_sent"]

    @cached_property
    def lag(self) -> Ints:
        """How long after it was available each of first_seen was delivered."""
        return np.asarray((self.rows["t_enter"] - self.available)[self.first_seen])

    def sequence(self, at: NDArray[Any]) -> Ints:
        """The sequence numbers of chosen rows."""
        return np.asarray(self.rows["uid"][at] & ((1 << 40) - 1))

    def faulted(self, at: NDArray[Any]) -> Mask:
        """Which of the chosen rows are faulted."""
        return self.setting.faults.faulted(self.rows, at)


def sorted_rows(deliveries: Columns) -> Columns:
    """The rows by (session, ridx); the columns themselves if that is their order."""
    session, ridx = deliveries["session"], deliveries["ridx"]
    same = session[1:] == session[:-1]
    if np.all((session[1:] > session[:-1]) | (same & (ridx[1:] > ridx[:-1]))):
        return deliveries
    return take(deliveries, order_by(session, ridx))


def chunks(deliveries: Columns, setting: Setting) -> Iterator[Chunk]:
    """Rows by (session, ridx), cut into chunks of nearly one size."""
    rows = length(deliveries)
    many = -(-rows // CHUNK)
    bounds = [rows * i // many for i in range(many + 1)] if many else []
    for low, high in itertools.pairwise(bounds):
        part = take(deliveries, slice(low, high))
        yield Chunk(part, setting, setting.members.number(part))
