"""Messages that have to come: how long they are waited for."""

from __future__ import annotations

from typing import Final

from jmsapi import Message
from touchstone.scenario.waits import Receiver, receive

_FIRST: Final = 10.0
"""Seconds in which a message has to come."""
_AGAIN: Final = 1.0
"""The same, once one was lost: what is shrunk loses many."""


class Arrivals:
    """Waits for messages, and for less long once one was lost."""

    def __init__(self) -> None:
        self.within = _FIRST
        """Seconds in which the next one has to come."""
        self.was_brief = False
        """Whether the last one had less time than the first that was lost: it may be late."""

    def have_time(self) -> None:
        """Give the next one as much time as the first had."""
        self.within = _FIRST

    def next(self, consumer: Receiver) -> Message | None:
        """The next message; None: it did not come, though the broker delivers what others send."""
        self.was_brief = self.within < _FIRST
        try:
            return receive(consumer, self.within)
        except AssertionError:
            self.within = _AGAIN
            return None
