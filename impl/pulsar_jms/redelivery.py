"""Giving back what a consumer was handed: each cause with its wait, all through one place."""

from __future__ import annotations

from collections.abc import Sequence

from pulsar_jms.configuration import Settings
from pulsar_jms.intake import Intake
from pulsar_jms.transport.interface import Delivered


class Redelivery:
    """Every give-back of one consumer's deliveries, whatever leads to it."""

    def __init__(self, intake: Intake, settings: Settings) -> None:
        self._intake = intake
        self._settings = settings

    def rejected(self, items: Sequence[Delivered], *, halt: bool = False) -> None:
        """A negative acknowledgement: recover(), a failed listener, the wrong kind of body.

        With `halt` nothing else is handed out before they come again, the oldest first.
        """
        if items:
            self._deliver_again(items, self._wait(items), halt=halt)

    def screened_out(self, item: Delivered) -> None:
        """A negative acknowledgement of what selector or noLocal kept from the application.

        It holds up nothing, so that later messages that pass are seen meanwhile.
        """
        self._deliver_again([item], self._wait([item]), halt=False, aside=True)

    def timed_out(self, item: Delivered) -> None:
        """The application did not acknowledge within the acknowledgement time-out."""
        backoff = self._settings.ack_timeout_backoff
        wait = backoff.delay(item.message.redelivery_count) if backoff else 0.0
        self._deliver_again([item], wait, halt=False)

    def rolled_back(self, items: Sequence[Delivered]) -> None:
        """The transaction that received them ended without a commit: they come again at once."""
        self._deliver_again(items, 0.0, halt=True)

    def _wait(self, items: Sequence[Delivered]) -> float:
        backoff = self._settings.negative_ack_backoff
        if backoff is None:
            return self._settings.negative_ack_delay
        return max(backoff.delay(item.message.redelivery_count) for item in items)

    def _deliver_again(
        self, items: Sequence[Delivered], wait: float, *, halt: bool, aside: bool = False
    ) -> None:
        """Have the broker deliver again after `wait` ms, `aside` with less precision and ado."""
        if aside:
            for item in items:
                self._intake.give_back_aside(item, wait / 1000)
        else:
            self._intake.give_back(items, wait / 1000, halt=halt)
