"""Completion listeners that note how they were called."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from jmsapi import Message, MessageProducer, Session
from touchstone.api import body_of, checks


class Told(NamedTuple):
    """One call of a completion listener; seconds of the monotonic clock."""

    message: Message
    text: str
    """Its text when the call began."""
    error: Exception | None
    """None where the send was confirmed."""
    thread: int
    """The operating system's id of it, which is not soon given to another."""
    start: float
    end: float


class NotingCompletions:
    """A completion listener that notes its calls, each when it ends.

    A call takes `takes` seconds, and then does `then`; of what that raises the class is noted.
    """

    def __init__(self, takes: float = 0.0, then: Callable[[], object] | None = None) -> None:
        self.calls: list[Told] = []
        self.begun = 0
        """How many calls have begun; only one of them runs at a time."""
        self.raised: list[type[Exception]] = []
        self._takes = takes
        self._then = then

    @property
    def texts(self) -> list[str]:
        """The texts of the messages, in the order of the calls."""
        return [call.text for call in self.calls]

    @property
    def failures(self) -> list[Exception]:
        """What onException was told."""
        return [call.error for call in self.calls if call.error is not None]

    @property
    def intervals(self) -> list[checks.Interval]:
        """When the calls ran."""
        return [checks.Interval(call.start, call.end, call.text) for call in self.calls]

    def on_completion(self, message: Message) -> None:
        """The send was confirmed."""
        self._called(message, None)

    def on_exception(self, message: Message, exception: Exception) -> None:
        """The send failed."""
        self._called(message, exception)

    def _called(self, message: Message, error: Exception | None) -> None:
        self.begun += 1
        start, text = time.monotonic(), str(body_of(message, str))
        if self._takes:
            threading.Event().wait(self._takes)
        if self._then is not None:
            try:
                self._then()
            except Exception as raised:
                self.raised.append(type(raised))
        self.calls.append(
            Told(message, text, error, threading.get_native_id(), start, time.monotonic())
        )


def sent_by(
    session: Session, producer: MessageProducer, listener: NotingCompletions, sent: Sequence[str]
) -> None:
    """Send texts asynchronously, in order."""
    for text in sent:
        producer.send(session.create_text_message(text), completion_listener=listener)
