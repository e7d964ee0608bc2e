"""Giving back what a consumer was handed: each cause with its wait, all through one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pulsar_jms.configuration import Settings
from pulsar_jms.deliveries.batch_repeats import Repeats
from pulsar_jms.deliveries.dead_letters import DeadLetters
from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.transport.transport_protocol import Delivered
from pulsar_jms.transport.wire_messages import MessagePosition

_COOL = 60_000.0
"""Milliseconds up to which the wait of what cannot be handed out is doubled each time."""
_COUNTED = 30
"""Failures of one message that are counted, and"""
_REMEMBERED = 10_000
"""messages of which they are; the oldest are forgotten."""


class Redelivery:
    """Every give-back of one consumer's deliveries, whatever leads to it."""

    def __init__(
        self, receive_queue: ReceiveQueue, settings: Settings, dead_letters: DeadLetters | None
    ) -> None:
        self._receive_queue = receive_queue
        self._settings = settings
        self._dead_letters = dead_letters
        self._failed: dict[MessagePosition, int] = {}
        """How often a message could not be handed out; the one of longest ago first."""
        self.repeats = Repeats()
        self.held: Callable[[], Sequence[Delivered]] = tuple
        """What the application got and has not acknowledged; the consumer's session tells it."""

    def set_aside(self, delivered: Delivered) -> bool:
        """Whether a message came too often to be handed out; it becomes a dead letter then."""
        return self._dead_letters is not None and self._dead_letters.too_often(delivered)

    def rejected(self, items: Sequence[Delivered], *, halt: bool = False) -> None:
        """A negative acknowledgement: recover() or a failed listener.

        With `halt` nothing else is handed out before they come again, the oldest first.
        """
        items = self._with_a_delivery_left(items)
        if items:
            self._receive_queue.give_back(items, self._wait(items) / 1000, halt=halt)

    def screened_out(self, item: Delivered) -> None:
        """A negative acknowledgement of what selector or noLocal kept from the application.

        It holds up nothing, so that later messages that pass are seen meanwhile.
        """
        for again in self._with_a_delivery_left([item]):
            self._receive_queue.give_back_aside(again, self._wait([again]) / 1000)

    def undelivered(self, item: Delivered) -> None:
        """A negative acknowledgement of what could not be handed out; longer the more often.

        It holds up nothing, where the subscription takes back single messages.
        """
        for again in self._with_a_delivery_left([item]):
            wait = self._wait([again])
            if self._settings.negative_ack_backoff is None:
                wait = max(wait, min(wait * 2 ** self._failures(again), _COOL))
            if self._receive_queue.single_returns:
                self._receive_queue.give_back_aside(again, wait / 1000)
            else:
                self._receive_queue.give_back([again], wait / 1000, halt=False)

    def timed_out(self, items: Sequence[Delivered]) -> None:
        """The application did not acknowledge within the acknowledgement time-out."""
        items = self._with_a_delivery_left(items)
        backoff = self._settings.ack_timeout_backoff
        counts = (item.message.redelivery_count for item in items)
        wait = max(map(backoff.delay, counts), default=0.0) if backoff else 0.0
        self._receive_queue.give_back(items, wait / 1000, halt=False)

    def rolled_back(self, items: Sequence[Delivered]) -> None:
        """The transaction that received them ended without a commit: they come again at once."""
        self._receive_queue.give_back(self._with_a_delivery_left(items), 0.0, halt=True)

    def close(self) -> None:
        """Finish what is being set aside; the consumer closes."""
        if self._dead_letters is not None:
            self._dead_letters.close()

    def _failures(self, item: Delivered) -> int:
        """How often this message could not be handed out before; the broker does not always say."""
        position = item.message.position
        before = self._failed.pop(position, 0)
        self._failed[position] = min(before + 1, _COUNTED)
        if len(self._failed) > _REMEMBERED:
            del self._failed[next(iter(self._failed))]
        return before

    def _wait(self, items: Sequence[Delivered]) -> float:
        backoff = self._settings.negative_ack_backoff
        if backoff is None:
            return self._settings.negative_ack_delay
        return max(backoff.delay(item.message.redelivery_count) for item in items)

    def _with_a_delivery_left(self, items: Sequence[Delivered]) -> Sequence[Delivered]:
        """Those that may be delivered again; the others become dead letters."""
        self.repeats.given_back(items, self.held)
        return items if self._dead_letters is None else self._dead_letters.sift(items)
