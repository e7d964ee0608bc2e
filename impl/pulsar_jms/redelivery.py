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
        """A negative acknowledgement: recover(), a failed listener, a selector that does not match.

        With `halt` nothing else is handed out before they come again, the oldest first.
        """
        if not items:
            return
        backoff = self._settings.negative_ack_backoff
        if backoff is None:
            wait = self._settings.negative_ack_delay
        else:
            wait = max(backoff.delay(item.message.redelivery_count) for item in items)
        self._deliver_again(items, wait, halt=halt)

    def timed_out(self, item: Delivered) -> None:
        """The application did not acknowledge within the acknowledgement time-out."""
        backoff = self._settings.ack_timeout_backoff
        wait = backoff.delay(item.message.redelivery_count) if backoff else 0.0
        self._deliver_again([item], wait, halt=False)

    def rolled_back(self, items: Sequence[Delivered]) -> None:
        """The transaction that received them ended without a commit: they come again at once."""
        self._deliver_again(items, 0.0, halt=True)

    def _deliver_again(self, items: Sequence[Delivered], wait: float, *, halt: bool) -> None:
        """Have the broker deliver again after `wait` ms."""
        self._intake.give_back(items, wait / 1000, halt=halt)
