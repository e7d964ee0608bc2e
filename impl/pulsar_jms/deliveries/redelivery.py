"""The redeliveries of one consumer: each cause with its wait, all through one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pulsar_jms.configuration import Settings
from pulsar_jms.deliveries.dead_letters import DeadLetters
from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.deliveries.repeats import Repeats
from pulsar_jms.implements import implements
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from pulsar_jms.transport.wire_messages import MessagePosition

_COOL = 60_000.0
"""Milliseconds up to which the wait of what cannot be handed out is doubled each time."""
_COUNTED = 30
"""Failures of one message that are counted, and"""
_REMEMBERED = 10_000
"""messages of which they are; the oldest are forgotten."""


class Redelivery:
    """Has one consumer's deliveries delivered again, whatever leads to it."""

    def __init__(
        self, receive_queue: ReceiveQueue, settings: Settings, dead_letters: DeadLetters | None
    ) -> None:
        self._receive_queue = receive_queue
        self._settings = settings
        self._dead_letters = dead_letters
        self._failed: dict[MessagePosition, int] = {}
        """How often a message could not be handed out; the one of longest ago first."""
        self.repeats = Repeats()
        self.unacknowledged: Callable[[], Sequence[DeliveredMessage]] = tuple
        """What the application got and has not acknowledged; the consumer's session reports it."""

    def dead_letter_if_exceeded(self, delivered: DeliveredMessage) -> bool:
        """Whether a message came too often to be handed out; it becomes a dead letter then."""
        return self._dead_letters is not None and self._dead_letters.move_if_exceeded(delivered)

    @implements("SLJ-REDL-014")
    def redeliver_rejected(self, items: Sequence[DeliveredMessage], *, halt: bool = False) -> None:
        """A negative acknowledgement: recover() or a failed listener.

        With `halt` nothing else is handed out before they come again, the oldest first.
        """
        items = self._without_dead_letters(items)
        if items:
            self._receive_queue.nack(items, self._wait(items) / 1000, halt=halt)

    @implements("SLJ-DLQ-012")
    def redeliver_filtered(self, item: DeliveredMessage) -> None:
        """A negative acknowledgement of what selector or noLocal kept from the application.

        It holds up nothing, so that later messages that pass are seen meanwhile.
        """
        for again in self._without_dead_letters([item]):
            self._receive_queue.nack_quietly(again, self._wait([again]) / 1000)

    def redeliver_failed(self, item: DeliveredMessage) -> None:
        """A negative acknowledgement of what could not be handed out; longer the more often.

        It holds up nothing, where the subscription takes back single messages.
        """
        for again in self._without_dead_letters([item]):
            wait = self._wait([again])
            if self._settings.negative_ack_backoff is None:
                wait = max(wait, min(wait * 2 ** self._count_failure(again), _COOL))
            if self._receive_queue.single_returns:
                self._receive_queue.nack_quietly(again, wait / 1000)
            else:
                self._receive_queue.nack([again], wait / 1000, halt=False)

    @implements("SLJ-REDL-005", "SLJ-DLQ-008")
    def redeliver_timed_out(self, items: Sequence[DeliveredMessage]) -> None:
        """The application did not acknowledge within the acknowledgement time-out."""
        items = self._without_dead_letters(items)
        backoff = self._settings.ack_timeout_backoff
        counts = (item.message.redelivery_count for item in items)
        wait = max(map(backoff.delay, counts), default=0.0) if backoff else 0.0
        self._receive_queue.nack(items, wait / 1000, halt=False)

    @implements("JMS-TX-004")
    def redeliver_rolled_back(self, items: Sequence[DeliveredMessage]) -> None:
        """The transaction that received them ended without a commit: they come again at once."""
        self._receive_queue.nack(self._without_dead_letters(items), 0.0, halt=True)

    def close(self) -> None:
        """Finish what is being set aside; the consumer closes."""
        if self._dead_letters is not None:
            self._dead_letters.close()

    def _count_failure(self, item: DeliveredMessage) -> int:
        """How often this message could not be handed out before; the broker does not always say."""
        position = item.message.position
        before = self._failed.pop(position, 0)
        self._failed[position] = min(before + 1, _COUNTED)
        if len(self._failed) > _REMEMBERED:
            del self._failed[next(iter(self._failed))]
        return before

    def _wait(self, items: Sequence[DeliveredMessage]) -> float:
        backoff = self._settings.negative_ack_backoff
        if backoff is None:
            return self._settings.negative_ack_delay
        return max(backoff.delay(item.message.redelivery_count) for item in items)

    @implements("SLJ-DLQ-013")
    def _without_dead_letters(
        self, items: Sequence[DeliveredMessage]
    ) -> Sequence[DeliveredMessage]:
        """Those that may be delivered again; the others become dead letters."""
        self.repeats.note_nacked(items, self.unacknowledged)
        return items if self._dead_letters is None else self._dead_letters.move_exhausted(items)
