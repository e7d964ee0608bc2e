"""Giving back what a consumer was handed: each cause with its wait, all through one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pulsar_jms.configuration import Settings
from pulsar_jms.deliveries.dead_letters import DeadLetters
from pulsar_jms.deliveries.intake import Intake
from pulsar_jms.deliveries.repeats import Repeats
from pulsar_jms.transport.interface import Delivered


class Redelivery:
    """Every give-back of one consumer's deliveries, whatever leads to it."""

    def __init__(
        self, intake: Intake, settings: Settings, dead_letters: DeadLetters | None
    ) -> None:
        self._intake = intake
        self._settings = settings
        self._dead_letters = dead_letters
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
            self._intake.give_back(items, self._wait(items) / 1000, halt=halt)

    def screened_out(self, item: Delivered) -> None:
        """A negative acknowledgement of what selector or noLocal kept from the application.

        It holds up nothing, so that later messages that pass are seen meanwhile.
        """
        for again in self._with_a_delivery_left([item]):
            self._intake.give_back_aside(again, self._wait([again]) / 1000)

    def timed_out(self, item: Delivered) -> None:
        """The application did not acknowledge within the acknowledgement time-out."""
        backoff = self._settings.ack_timeout_backoff
        wait = backoff.delay(item.message.redelivery_count) if backoff else 0.0
        self._intake.give_back(self._with_a_delivery_left([item]), wait / 1000, halt=False)

    def rolled_back(self, items: Sequence[Delivered]) -> None:
        """The transaction that received them ended without a commit: they come again at once."""
        self._intake.give_back(self._with_a_delivery_left(items), 0.0, halt=True)

    def close(self) -> None:
        """Finish what is being set aside; the consumer closes."""
        if self._dead_letters is not None:
            self._dead_letters.close()

    def _wait(self, items: Sequence[Delivered]) -> float:
        backoff = self._settings.negative_ack_backoff
        if backoff is None:
            return self._settings.negative_ack_delay
        return max(backoff.delay(item.message.redelivery_count) for item in items)

    def _with_a_delivery_left(self, items: Sequence[Delivered]) -> Sequence[Delivered]:
        """Those that may be delivered again; the others become dead letters."""
        self.repeats.given_back(items, self.held)
        return items if self._dead_letters is None else self._dead_letters.sift(items)
