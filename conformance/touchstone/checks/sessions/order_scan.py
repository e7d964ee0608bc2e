"""D09 while rows stream by, and the scopes that D10 needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from touchstone.checks.arrays.highest import Highest
from touchstone.checks.arrays.interning import Interner
from touchstone.checks.collecting import Collector
from touchstone.checks.columns import Columns, Ints
from touchstone.checks.links.partials import SCOPES
from touchstone.checks.sessions.chunks import Chunk, Setting
from touchstone.checks.statistics import Statistics
from touchstone.checks.terms.rows import ordered
from touchstone.history.values import SEQUENCE_BITS, Ordering

_PRODUCER_MASK = 0xFFFFFF
_WORD = 0xFFFFFFFF


class OrderScan:
    """The largest sequence number of each scope of order."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._origins, self._scopes = Interner(), Interner()
        self._sequences = Highest()

    def feed(self, chunk: Chunk, found: Collector, statistics: Statistics) -> None:
        """Judge the rows of a chunk."""
        ordering = self._setting.members.column("ordering")
        of_rows = ordering[chunk.member] if ordering.any() else None
        if of_rows is None:
            found.judged("D09", 0)
            return
        rows = chunk.rows
        chosen = ordered(of_rows, rows["key"], rows["deliver_at"])
        chosen &= chunk.fresh
        at = np.flatnonzero(chosen)
        if not len(at):
            found.judged("D09", 0)
            return
        behind, largest, new = self._sequences.feed(
            self._numbers(chunk, of_rows, at), sequence := chunk.sequence(at)
        )
        found.judged("D09", len(at) - new)
        if len(behind):
            late = at[behind]
            found.add(
                "D09",
                rows["uid"][late],
                rows["sub"][late],
                sequence[behind],
                largest,
                chunk.faulted(late),
            )
            statistics.reorder_distance.add(largest - sequence[behind])

    def _numbers(self, chunk: Chunk, ordering: Ints, at: Ints) -> NDArray[np.int32]:
        """The scope of each chosen row."""
        rows = chunk.rows
        code = rows["uid"] >> SEQUENCE_BITS
        code &= _PRODUCER_MASK
        code |= chunk.member.astype(np.int64) << 24
        code <<= 16
        code |= (rows["priority"].astype(np.int64) & 0xFF) << 8
        code |= rows["mode"].astype(np.int64) & 0xFF
        origin = self._origins(code[at] if len(at) < len(chunk) else code).astype(np.int64)
        origin <<= 32
        key = rows["key"][at].astype(np.int64)
        if not (by_key := ordering[at] == Ordering.KEY).all():
            key[~by_key] = -1
        key &= _WORD
        origin |= key
        return self._scopes(origin)

    def scopes(self) -> Columns:
        """The scopes of exclusive subscriptions."""
        codes = self._scopes.codes
        origin = self._origins.codes[codes >> 32]
        members = self._setting.members
        member = origin >> 40
        least, largest = self._sequences.ranges(len(codes))
        producer = (origin >> 16) & _PRODUCER_MASK
        table: Columns = {
            "session": members.session[member],
            "consumer": members.consumer[member],
            "sub": members.sub[member],
            "producer": producer - ((producer >> 23) << 24),
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
