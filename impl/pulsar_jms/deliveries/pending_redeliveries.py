"""The messages that a consumer nacked and has to hand out again before anything else.

While it waits for them, what else comes is held. The broker sends first what was nacked, behind no
more than it was allowed to send before it was asked: a receiver queue's worth. So that much is
fetched, and then only little by little, in case the request was slow. Nothing is fetched before the
request has left, since the broker would go on to send new messages.
"""

from __future__ import annotations

from collections.abc import Iterable

from pulsar_jms.deliveries.redelivery_times import DEFAULT_TIMES, RedeliveryTimes
from pulsar_jms.implements import implements
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from pulsar_jms.transport.wire_messages import MessagePosition

_ASKED_LATE = 0.035
"""Seconds after its delay in which pulsar-client asks: a third of its shortest delay."""
_ARRIVING = 0.05
"""Seconds in which a message that the broker has sent is here."""


@implements("JMS-REDL-006", "SLJ-REDL-015", "SLJ-REDL-016")
class PendingRedeliveries:
    """Messages of one consumer; not for several threads at once. Times are seconds of one clock."""

    def __init__(self, room: int, times: RedeliveryTimes = DEFAULT_TIMES) -> None:
        """`room` is how many other messages may be held meanwhile."""
        self._room = room
        self._times = times
        self._topics: dict[MessagePosition, str] = {}
        self._behind: dict[MessagePosition, str] = {}
        """Those of earlier nacks that had not come yet: they were behind in the old order."""
        self._early: list[DeliveredMessage] = []
        self._asked_at = 0.0
        self._fetch_from = 0.0
        self._until: float | None = None
        """None while nobody has asked for a message since they were nacked."""
        self._generation = 0

    @property
    def generation(self) -> int:
        """Another number each time that something was nacked."""
        return self._generation

    @property
    def topics(self) -> frozenset[str]:
        """The topics or partitions that are to send them."""
        return frozenset((*self._topics.values(), *self._behind.values()))

    def expect(self, items: Iterable[DeliveredMessage], now: float, delay: float) -> None:
        """Wait for `items`, which the broker is asked for in `delay` seconds.

        Those of earlier nacks are waited for behind them.
        """
        self._behind = {} if self.is_over(now) else {**self._topics, **self._behind}
        self._topics = {item.message.position: item.message.topic for item in items}
        for position in self._topics:
            self._behind.pop(position, None)
        self._asked_at = self._fetch_from = now + (delay + _ASKED_LATE if delay else 0.0)
        self._until = None
        self._generation += 1

    def begin(self, now: float) -> float | None:
        """Note that somebody wants a message; the wait has an end from then on.

        The first time it gives the seconds after which the broker has been asked, later None.
        """
        if not self._topics or self._until is not None:
            return None
        asked_in = max(0.0, self._asked_at - now)
        self._until = now + asked_in + self._times.arrival
        return asked_in

    def is_over(self, now: float) -> bool:
        """Whether nothing is waited for, or not any longer."""
        return not self._topics or (self._until is not None and now >= self._until)

    def note_arrival(self, position: MessagePosition) -> bool:
        """Whether a message that arrived is the one of them that comes first.

        Another may be a copy that was on its way before they were asked for.
        """
        came = next(iter(self._topics), None) == position
        if came:
            del self._topics[position]
        if came and not self._topics and self._behind:
            self._topics, self._behind = self._behind, {}
            self._until = None
        return came

    def keep(self, delivered: DeliveredMessage) -> bool:
        """Keep a message that arrived, if it is one of them and others have to come before it."""
        position = delivered.message.position
        expected = position in self._topics or position in self._behind
        if expected:
            self._early.append(delivered)
        return expected

    def take_kept(self, now: float) -> list[DeliveredMessage]:
        """What was kept and is next: one message, or all when nobody waits any longer."""
        for delivered in self._early:
            if self.note_arrival(delivered.message.position):
                self._early.remove(delivered)
                return [delivered]
        if not self.is_over(now):
            return []
        kept, self._early = self._early, []
        return kept

    @property
    def keeps_any(self) -> bool:
        """Whether messages are kept that came early."""
        return bool(self._early)

    def note_sent_elsewhere(self, generation: int, now: float) -> None:
        """Note that the broker has sent all of `generation` again: they are here soon or never."""
        if generation == self._generation and self._until is not None:
            self._until = min(self._until, now + _ARRIVING)

    def may_fetch(self, now: float, held: int) -> bool:
        """Whether another message may be fetched while `held` are held; it is, if so."""
        if now < self._fetch_from:
            return False
        if held >= self._room:
            self._fetch_from = now + self._times.trickle
        return True
