"""The end of an asynchronous send, waited for."""

from __future__ import annotations

import threading

from jms_brokers.machine.patience import patience
from jmsapi import Message
from touchstone.drawn.driving import DidNotCome


class Completion:
    """Waits for the outcome of an asynchronous send."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._error: Exception | None = None

    def on_completion(self, message: Message) -> None:
        """It was sent."""
        self._done.set()

    def on_exception(self, message: Message, exception: Exception) -> None:
        """It was not."""
        self._error = exception
        self._done.set()

    def wait(self) -> None:
        """Raise what the listener was told, or that it was told nothing."""
        if not any(self._done.wait(seconds) for seconds in patience(10.0)):
            raise DidNotCome
        if self._error is not None:
            raise self._error
