"""A small history as lists of plain values, and the words of docs/volume.md about it.

Nothing here is fast, and nothing here is shared with the kernels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from jms_histories.values import (
    Event,
    FaultKind,
    Intact,
    Mode,
    Ordering,
    SendFate,
    Settle,
    SettlementOutcome,
)

NEVER = (1 << 63) - 1
"""The end of an ownership that does not end."""


@dataclass(frozen=True)
class SendRow:
    """A row of the sends."""

    uid: int
    dest: int = 0
    key: int = -1
    gseq: int = -1
    priority: int = 4
    mode: int = Mode.PERSISTENT
    t_inv: int = 0
    t_ok: int = -1
    deliver_at: int = -1
    expire_at: int = -1
    fate: int = SendFate.MUST
    tx: int = -1
    t_visible: int = 0
    body64: int = 1
    head64: int = 1
    mid64: int = -1
    cause: int = -1
    match: int = -1


@dataclass(frozen=True)
class DeliveryRow:
    """A row of the deliveries."""

    session: int
    ridx: int
    consumer: int
    sub: int
    uid: int
    dest: int = 0
    key: int = -1
    gseq: int = -1
    priority: int = 4
    mode: int = Mode.PERSISTENT
    deliver_at: int = -1
    expire_at: int = -1
    t_sent: int = 0
    t_enter: int = 0
    t_exit: int = 0
    redelivered: bool = False
    count: int = 1
    settle: int = Settle.NONE
    s_out: int = SettlementOutcome.NONE
    s_inv: int = -1
    s_ok: int = -1
    tx: int = -1
    intact: int = 7
    body64: int = 1
    head64: int = 1

    @property
    def producer(self) -> int:
        """Who sent it, by its uid."""
        return self.uid >> 40

    @property
    def seq(self) -> int:
        """Its number at its producer."""
        return self.uid & ((1 << 40) - 1)

    @property
    def fin(self) -> bool:
        """Acknowledged for sure."""
        return self.settle in (Settle.ACK, Settle.CLIENT_ACK) and self.s_out == SettlementOutcome.OK

    @property
    def done(self) -> bool:
        """Finished, be it lazily."""
        return self.fin or (self.settle == Settle.LAZY and self.s_out == SettlementOutcome.OK)

    @property
    def returned(self) -> bool:
        """Given back by its session."""
        return self.settle in (Settle.NACK, Settle.ROLLBACK, Settle.RECOVER)

    @property
    def unsure(self) -> bool:
        """Acknowledged, and nobody knows what came of it."""
        acknowledged = self.settle in (Settle.ACK, Settle.CLIENT_ACK, Settle.LAZY)
        return acknowledged and self.s_out == SettlementOutcome.INFO

    @property
    def fresh(self) -> bool:
        """The provider says that it is the first delivery."""
        return self.count in (1, -1) and not self.redelivered

    @property
    def readable(self) -> bool:
        """Its description of itself could be read."""
        return bool(self.intact & Intact.DESCRIPTION)


@dataclass(frozen=True)
class SubscriptionRow:
    """A row of the subscriptions."""

    sub: int
    dest: int = 0
    t_from: int = 0
    t_to: int = NEVER
    t_drained: int = -1
    t_dlq_drained: int = -1
    durable: bool = False
    shared: bool = False
    exclusive: bool = False
    no_local: bool = False
    grouped: bool = False
    through: bool = False
    ordering: int = Ordering.NONE
    selector_id: int = -1
    bit: int = 0
    max_deliveries: int = -1

    def orders(self, key: int, deliver_at: int) -> bool:
        """Whether it promises an order to a message of that key and delay."""
        by_key = self.ordering == Ordering.KEY and key >= 0
        return deliver_at == -1 and (self.ordering == Ordering.PRODUCER or by_key)


@dataclass(frozen=True)
class Happening:
    """A row of the sessions' events."""

    session: int
    t: int
    event: int
    arg: int = -1


@dataclass(frozen=True)
class ConsumerRow:
    """A consumer as the manifest names it."""

    consumer: int
    session: int
    sub: int


Pair = tuple[int, int]
"""A message and a subscription."""


@dataclass(frozen=True)
class SmallHistory:
    """All of a history; lists in no particular order, but for the events'."""

    sends: tuple[SendRow, ...] = ()
    deliveries: tuple[DeliveryRow, ...] = ()
    subscriptions: tuple[SubscriptionRow, ...] = ()
    events: tuple[Happening, ...] = ()
    consumers: tuple[ConsumerRow, ...] = ()
    epsilon: int = 0
    priority_slack: int = 0
    truncated: Mapping[int, int] = field(default_factory=dict)

    @cached_property
    def send_of(self) -> dict[int, SendRow]:
        """The send of each known message."""
        return {send.uid: send for send in self.known_sends}

    @cached_property
    def known_sends(self) -> list[SendRow]:
        """The sends, without those after the cut of their producer."""
        return [send for send in self.sends if not self.unknowable(send.uid)]

    @cached_property
    def subs(self) -> dict[int, SubscriptionRow]:
        """The subscriptions by their numbers."""
        return {row.sub: row for row in self.subscriptions}

    @cached_property
    def pairs(self) -> dict[Pair, list[DeliveryRow]]:
        """Deliveries of (uid, sub), the negative subs of dead-letter queues included, ranked."""
        pairs: dict[Pair, list[DeliveryRow]] = defaultdict(list)
        for row in sorted(self.deliveries, key=lambda row: (row.t_enter, row.session, row.ridx)):
            pairs[row.uid, row.sub].append(row)
        return dict(pairs)

    @cached_property
    def rows(self) -> dict[Pair, list[DeliveryRow]]:
        """The rows of (uid, sub), sub ≥ 0, ranked."""
        return {pair: rows for pair, rows in self.pairs.items() if pair[1] >= 0}

    @cached_property
    def in_sessions(self) -> list[DeliveryRow]:
        """All deliveries, those of a session by ridx."""
        return sorted(self.deliveries, key=lambda row: (row.session, row.ridx))

    @cached_property
    def happenings(self) -> list[Happening]:
        """The events by time, at equal times by the order of the table."""
        return sorted(self.events, key=lambda event: event.t)

    def copies(self, uid: int, sub: int) -> list[DeliveryRow]:
        """What arrived of a message from the dead-letter queue of a subscription."""
        return self.pairs.get((uid, -1 - sub), [])

    def unknowable(self, uid: int) -> bool:
        """Whether its producer's record ends before it."""
        cut = self.truncated.get(uid >> 40)
        return cut is not None and uid & ((1 << 40) - 1) >= cut

    @cached_property
    def faults(self) -> list[tuple[int, int]]:
        """The windows of faults, from begin to end."""
        windows = []
        for place, begin in enumerate(self.happenings):
            if begin.event == Event.FAULT_BEGIN:
                ends = [
                    event.t
                    for event in self.happenings[place:]
                    if event.event == Event.FAULT_END and event.arg == begin.arg
                ]
                windows.append((begin.t, ends[0] if ends else NEVER))
        return windows

    @cached_property
    def record_cut(self) -> bool:
        """Whether some of the record is lost."""
        return (Event.FAULT_BEGIN, FaultKind.LOST_RECORD) in {
            (event.event, event.arg) for event in self.events
        }

    def fault_meets(self, begin: int, end: int) -> bool:
        """Whether a fault lasted at some time of [begin, end]."""
        return any(first <= end and begin <= last for first, last in self.faults)

    def faulted(self, row: DeliveryRow) -> bool:
        """Whether a fault may excuse what is wrong with a row."""
        return self.fault_meets(row.t_sent, row.t_enter)

    def hi(self, send: SendRow, sub: int) -> bool:
        """Whether the message may arrive there."""
        at = self.subs.get(sub)
        return (
            at is not None
            and at.dest == send.dest
            and bool(send.match >> at.bit & 1)
            and send.fate != SendFate.NEVER
            and send.t_inv < at.t_to
            and (send.t_ok == -1 or send.t_ok >= at.t_from)
        )

    def due(self, send: SendRow, sub: int) -> bool:
        """Whether the message must arrive there if it was sent at all."""
        if not self.hi(send, sub):
            return False
        at = self.subs[sub]
        return (
            send.t_inv >= at.t_from
            and max(send.t_inv, send.t_ok, send.t_visible, send.deliver_at) <= at.t_drained
            and send.expire_at == -1
            and self.survives(send.mode, send.t_inv, at)
            and (at.max_deliveries < 0 or at.t_dlq_drained >= 0)
        )

    def survives(self, mode: int, since: int, at: SubscriptionRow) -> bool:
        """Whether no fault may have cost a message of that mode."""
        return mode == Mode.PERSISTENT or not self.fault_meets(since, at.t_drained)

    def lo(self, send: SendRow, sub: int) -> bool:
        """Whether the message must arrive there."""
        return self.due(send, sub) and send.fate == SendFate.MUST

    @cached_property
    def owed(self) -> list[tuple[SendRow, SubscriptionRow]]:
        """All (message, subscription) that have lo."""
        return [(s, b) for s in self.known_sends for b in self.subscriptions if self.lo(s, b.sub)]

    def arrived(self, uid: int, sub: int) -> bool:
        """Whether a row or a copy from the dead-letter queue was seen."""
        return bool(self.rows.get((uid, sub)) or self.copies(uid, sub))
