"""The screening of deliveries: whole sessions stream by, in order, in memory of a bit a message.

Most deliveries are *plain*: of a subscription, fresh, acknowledged for sure, intact, not at a
subscription that is `through`. A message whose send is plain, which has exactly one plain delivery
where one is owed, at most one where one is allowed, and no other delivery, has no finding of a
check of whole messages (docs/volume.md); every other one is a suspect, which `judge_messages` looks
at. The checks of sessions are judged here, on every row.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from jms_histories.columns import Columns, HistoryTables, Ints, Mask, length
from jms_histories.kernels.links.partials import SessionPartials
from jms_histories.kernels.predicates.rows import finished
from jms_histories.kernels.screening.block_bits import Block, BlockBits
from jms_histories.kernels.screening.send_scan import MOST_SUBSCRIPTIONS
from jms_histories.kernels.screening.suspects import Uids
from jms_histories.kernels.sessions.chunks import Chunk, Setting, chunks, sorted_rows
from jms_histories.kernels.sessions.judging import SessionChecks
from jms_histories.kernels.sessions.serial_scan import sessions
from jms_histories.kernels.statistics import HistoryStatistics, count_by
from jms_histories.values import INTACT, Event

COLUMNS: Final = (
    *("session", "ridx", "consumer", "sub", "uid", "key", "gseq", "priority", "mode"),
    *("deliver_at", "expire_at", "t_sent", "t_enter", "t_exit", "redelivered", "count"),
    *("settle", "s_out", "s_inv", "intact"),
)
"""The columns of deliveries that the screening reads."""
_NEEDED_BY: Final = {"t_exit": ("D20",), "gseq": ("D22", "D23"), "s_inv": ("D30",)}


def columns_of(spec: HistoryTables) -> list[str]:
    """Those of COLUMNS that the checks to be judged need."""
    return spec.without(COLUMNS, _NEEDED_BY)


class OutOfOrderError(Exception):
    """The rows of a session are not ordered by ridx: they cannot be screened as they stream by."""


@dataclass
class Screened:
    """What is known of the deliveries of some sessions.

    delivered: the plain deliveries, by blocks whose lane is the subscription. suspects: messages
    with another delivery, or with two plain ones at one subscription. counted: rows with a count,
    the power of D11.
    """

    partials: SessionPartials
    delivered: list[Block]
    suspects: Ints
    statistics: HistoryStatistics
    counted: int


class SessionScan:
    """Judges sessions while their rows stream by; the rows of each are ordered by ridx."""

    def __init__(self, spec: HistoryTables) -> None:
        self._setting = setting = Setting.of(spec)
        self._checks = SessionChecks(setting)
        self._statistics = HistoryStatistics()
        self._last: dict[int, int] = {}
        self._delivered, self._suspects = BlockBits(), Uids()
        self._counted = 0
        ends = spec.events["t"][spec.events["event"] == Event.FAULT_END]
        self._fault_ends = np.unique(ends.astype(np.int64))

    def feed(self, deliveries: Columns) -> None:
        """The next rows, with `columns_of`, of one session or several.

        Raises OutOfOrderError if a row comes after a later one of its session. Within what is fed
        at once the order is free.
        """
        for chunk in chunks(sorted_rows(deliveries), self._setting):
            self._follow(chunk)
            self._screen(chunk)
            self._checks.feed(chunk, self._statistics)
            self._describe(chunk)

    def partials(self) -> Screened:
        """What was seen, when all rows have been fed."""
        return Screened(
            self._checks.partials(),
            list(self._delivered.blocks()),
            self._suspects.distinct(),
            self._statistics,
            self._counted,
        )

    def _follow(self, chunk: Chunk) -> None:
        for session, part in sessions(chunk):
            first, last = chunk.rows["ridx"][part][[0, -1]].tolist()
            if first <= self._last.get(session, -1):
                raise OutOfOrderError(
                    f"row {first} of session {session} comes after row {self._last[session]}"
                )
            self._last[session] = last

    def _screen(self, chunk: Chunk) -> None:
        rows = chunk.rows
        uid = rows["uid"]
        plain = self._plain(chunk)
        self._counted += int(np.count_nonzero(chunk.live & (rows["count"] != -1)))
        others = np.flatnonzero(~plain)
        sub = rows["sub"]
        if len(others):
            self._suspects.add(uid[others])
            chosen = np.flatnonzero(plain)
            uid, sub = uid[chosen], sub[chosen]
        again = self._delivered.add(uid, sub)
        if len(again):
            self._suspects.add(uid[again])

    def _plain(self, chunk: Chunk) -> Mask:
        rows = chunk.rows
        plain = finished(rows)
        plain &= chunk.fresh
        plain &= chunk.live
        plain &= rows["intact"] == INTACT
        plain &= rows["uid"] >= 0
        if (through := chunk.each("through")).any():
            plain &= ~through
        plain &= rows["sub"] < MOST_SUBSCRIPTIONS
        return plain

    def _describe(self, chunk: Chunk) -> None:
        """Add the rows to the statistics."""
        rows, statistics = chunk.rows, self._statistics
        t_enter = rows["t_enter"]
        live = np.flatnonzero(chunk.live)
        statistics.dead_letters += len(chunk) - len(live)
        statistics.deliveries.add(t_enter if len(live) == len(chunk) else t_enter[live])
        statistics.redeliveries.add(t_enter[chunk.live & ~chunk.fresh])
        statistics.after_faults(self._fault_ends, t_enter)
        statistics.latency.add(chunk.lag)
        late = chunk.first_seen[rows["deliver_at"][chunk.first_seen] != -1]
        statistics.lateness.add(t_enter[late] - rows["deliver_at"][late])
        if chunk.only is None:
            count_by(statistics.rows, rows["sub"][live], rows["priority"][live])
        elif len(live):
            sub = int(rows["sub"][0])
            levels = np.bincount(rows["priority"].view(np.uint8))
            for level in np.flatnonzero(levels).tolist():
                priority = level - 256 if level > 127 else level
                statistics.rows[sub, priority] += int(levels[level])


def scan_sessions(batches: Iterable[Columns], spec: HistoryTables) -> Screened:
    """Screen deliveries that come in batches, each session by ridx."""
    scan = SessionScan(spec)
    for batch in batches:
        if length(batch):
            scan.feed(batch)
    return scan.partials()
