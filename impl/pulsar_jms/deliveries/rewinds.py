"""Rewinds: the broker goes back to the oldest unacknowledged message and sends all again.

That is what a nack becomes where the broker takes back nothing less than everything. A read that is
under way meanwhile may move the broker forward again, past messages that nobody gets then
(pulsar-client sends no epoch, PIP-84, by which a broker would know). So nothing is taken for a
while before a rewind, by when the broker has sent all that it may; and where the messages that were
nacked do not come, the rewind is asked for again.

What the broker had sent before arrives all the same, and then once more. So the first copy of a
message counts and the second is dropped, but for what was nacked: that has to come again. It comes
first and in its old order, whichever topics or partitions it is from; all else waits for it.

A second copy of what was acknowledged meanwhile is acknowledged once more: the broker may have sent
it because a connection was lost, and the first acknowledgement with it.

In a batch only copies that came together are acknowledged as a whole, so what travelled with a
message that was nacked is taken when that comes again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import Enum, auto

from pulsar_jms.deliveries.redelivery_times import DEFAULT_TIMES, RedeliveryTimes
from pulsar_jms.deliveries.repeats import Batch, batch_of
from pulsar_jms.implements import implements
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from pulsar_jms.transport.wire_messages import MessagePosition

_ON_THEIR_WAY = 4
"""Times the prefetch: a broker may read on by two ways at once, and each is fetched ahead of."""


class RewindState(Enum):
    """How far a rewind is."""

    GOING_ON = auto()
    OVERDUE = auto()
    """What was nacked would have come by now: the broker went on past it."""
    OVER = auto()
    """Nothing comes twice any more."""


@implements("JMS-REDL-006", "SLJ-REDL-016")
class Rewind:
    """What was nacked and has to come again, and what has come since."""

    def __init__(self, prefetch: int, times: RedeliveryTimes = DEFAULT_TIMES) -> None:
        """`prefetch` is how many messages of a topic or partition may be on their way."""
        self._prefetch = prefetch
        self._times = times
        self._topics: set[str] = set()
        self._returned: dict[MessagePosition, DeliveredMessage | None] = {}
        """What was nacked, in its old order, and what of it has come."""
        self._missing: Counter[Batch | None] = Counter()
        """How many have not, by their batch; None for those that travelled alone."""
        self._behind: list[DeliveredMessage] = []
        """What waits for that."""
        self._came: dict[MessagePosition, int] = {}
        """What is not to count once more, with the arrival by which it came last; oldest first."""
        self._acknowledged: set[MessagePosition] = set()
        """What of that was acknowledged."""
        self._arrived = 0
        self._asked_at = 0
        self._again = 0
        """Twice what was unsettled and known when the broker was asked: it sends that first."""
        self._due = 0.0
        self.tries = 0
        """How often the broker was told to go back on behalf of the same messages."""

    def begin(self, items: Iterable[DeliveredMessage], fetched: Iterable[DeliveredMessage]) -> None:
        """Expect `items` again; `fetched` are messages that nobody was handed."""
        self.tries = 0
        for item in items:
            position = item.message.position
            self._topics.add(item.message.topic)
            self._forget(position)
            if position not in self._returned:
                self._returned[position] = None
                self._missing[batch_of(position)] += 1
        self._behind += fetched

    def ask(self, now: float) -> None:
        """Note that the broker is told to go back, at `now` in seconds."""
        self.tries += 1
        self._due = now + self._times.rewind
        self._asked_at = self._arrived
        here = self._here()
        for item in here:
            self._remember(item.message.position)
        self._again = 2 * (len(here) + self._missing.total())

    def admit(self, item: DeliveredMessage) -> Sequence[DeliveredMessage]:
        """What may be handed out now that this has come, in order."""
        position = item.message.position
        batch = batch_of(position)
        self._arrived += 1
        self._topics.add(item.message.topic)
        if position in self._came:
            self._remember(position)
            return ()
        if position in self._returned:
            self._returned[position] = item
            self._missing[batch] -= 1
        elif batch is not None and self._missing[batch]:
            return ()
        else:
            self._behind.append(item)
        self._remember(position)
        return () if self._waits() else self.release()

    def note_acknowledged(self, item: DeliveredMessage) -> None:
        """Note that this was acknowledged."""
        if item.message.position in self._came:
            self._acknowledged.add(item.message.position)

    def is_done(self, item: DeliveredMessage) -> bool:
        """Whether this is another copy of what was acknowledged."""
        return item.message.position in self._acknowledged

    def release(self) -> Sequence[DeliveredMessage]:
        """All that has come; what has not is not waited for any longer."""
        ready = self._here()
        self._returned.clear()
        self._behind.clear()
        self._missing.clear()
        return ready

    def state(self, now: float, *, quiet: bool) -> RewindState:
        """How far it is at `now` in seconds; `quiet`: just now nothing was here."""
        if now < self._due or not (quiet or self._arrived - self._asked_at > self._window):
            return RewindState.GOING_ON
        return RewindState.OVERDUE if self._waits() else RewindState.OVER

    @property
    def is_full(self) -> bool:
        """Whether so much has come since the broker was asked that what is missing does not."""
        return self._waits() and self._arrived - self._asked_at > self._window

    @property
    def _window(self) -> int:
        """How many arrivals after one copy of a message another may come."""
        return self._again + _ON_THEIR_WAY * self._prefetch * len(self._topics)

    def _remember(self, position: MessagePosition) -> None:
        """Let no further copy count, and forget those of which none can come."""
        self._came.pop(position, None)
        self._came[position] = self._arrived
        while self._came[oldest := next(iter(self._came))] < self._arrived - self._window:
            self._forget(oldest)

    def _forget(self, position: MessagePosition) -> None:
        self._came.pop(position, None)
        self._acknowledged.discard(position)

    def _here(self) -> list[DeliveredMessage]:
        returned = [item for item in self._returned.values() if item is not None]
        return returned + self._behind

    def _waits(self) -> bool:
        return self._missing.total() > 0
