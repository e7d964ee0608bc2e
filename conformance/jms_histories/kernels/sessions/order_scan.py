"""D09 while rows stream by, and the scopes that D10 needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, Ints
from jms_histories.kernels.arrays.groups import Groups
from jms_histories.kernels.arrays.highest import Highest
from jms_histories.kernels.arrays.interning import Interner
from jms_histories.kernels.collecting import Collector
from jms_histories.kernels.links.partials import SCOPES
from jms_histories.kernels.predicates.rows import ordered, producer, scope_key
from jms_histories.kernels.sessions.chunks import Chunk, Setting
from jms_histories.kernels.statistics import HistoryStatistics
from jms_histories.values import Ordering

_PRODUCER_MASK = 0xFFFFFF
_WORD = 0xFFFFFFFF


class OrderScan:
    """The largest sequence number of each scope of order."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._origins, self._scopes = Interner(), Interner()
        self._sequences = Highest()

    def feed(self, chunk: Chunk, collector: Collector, statistics: HistoryStatistics) -> None:
        """Judge the rows of a chunk."""
        collector.judged("D09", 0)
        ordering = chunk.each("ordering")
        if not ordering.any():
            return
        rows = chunk.rows
        at = np.flatnonzero(ordered(ordering, rows["key"], rows["deliver_at"]) & chunk.fresh)
        if not len(at):
            return
        keys = [producer(rows["uid"][at]), rows["priority"][at], rows["mode"][at]]
        if (ordering == Ordering.KEY).any():
            keys.append(scope_key(ordering, rows["key"])[at])
        if chunk.only is None:
            keys.append(chunk.member[at])
        groups = Groups.of(*keys)
        numbers = self._numbers(chunk, at[groups.rows])
        sequence = chunk.sequence(at)
        behind, largest, new = self._sequences.feed(groups, numbers, sequence)
        collector.judged("D09", len(at) - new)
        if len(behind):
            late = at[behind]
            collector.add(
                "D09",
                rows["uid"][late],
                rows["sub"][late],
                sequence[behind],
                largest,
                chunk.faulted(late),
            )
            statistics.reorder_distance.add(largest - sequence[behind])

    def _numbers(self, chunk: Chunk, at: Ints) -> NDArray[np.int32]:
        """The scope of each chosen row."""
        rows, member = chunk.rows, chunk.member[at].astype(np.int64)
        code = producer(rows["uid"][at]) & _PRODUCER_MASK
        code |= member << 24
        code <<= 16
        code |= (rows["priority"][at].astype(np.int64) & 0xFF) << 8
        code |= rows["mode"][at].astype(np.int64) & 0xFF
        origin = self._origins(code).astype(np.int64)
        origin <<= 32
        ordering = self._setting.members.column("ordering")[member]
        origin |= scope_key(ordering, rows["key"][at]).astype(np.int64) & _WORD
        return self._scopes(origin)

    def scopes(self) -> Columns:
        """The scopes of exclusive subscriptions."""
        codes = self._scopes.codes
        origin = self._origins.codes[codes >> 32]
        members = self._setting.members
        member = origin >> 40
        least, largest = self._sequences.ranges(len(codes))
        table: Columns = {
            "session": members.session[member],
            "consumer": members.consumer[member],
            "sub": members.sub[member],
            "producer": (origin >> 16) & _PRODUCER_MASK,  # one below 0 is nobody's who sent
            "priority": (origin >> 8 & 0xFF).astype(np.uint8).view(np.int8),
            "mode": (origin & 0xFF).astype(np.uint8).view(np.int8),
            "key": (codes & _WORD).astype(np.uint32).view(np.int32),
            "least": least,
            "largest": largest,
        }
        exclusive = members.column("exclusive")[member].astype(np.bool_)
        return {
            name: table[name][exclusive].astype(values.dtype) for name, values in SCOPES.items()
        }
