"""Listeners that note how they were called, and calls on threads of their own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import NamedTuple, TypeVar

from jmsapi import Destination, Message, Session
from touchstone.api import body_of, checks, patience

T = TypeVar("T")


class Callback(NamedTuple):
    """One call of a listener; seconds of the monotonic clock."""

    text: str
    thread: int
    """The operating system's id of it, which is not soon given to another."""
    start: float
    end: float

    @property
    def interval(self) -> checks.Interval:
        """When it ran."""
        return checks.Interval(self.start, self.end, self.text)


class NotingListener:
    """A message listener that notes each of its calls.

    Its first calls are busy for the seconds in `takes`, later ones not at all; each then does
    `then` with the message.
    """

    def __init__(
        self, takes: Iterable[float] = (), then: Callable[[Message], object] | None = None
    ) -> None:
        self.callbacks: list[Callback] = []
        self._takes = iter(takes)
        self._then = then
        self._begun = 0
        self._changed = threading.Condition()

    def __call__(self, message: Message) -> None:
        start = time.monotonic()
        with self._changed:
            self._begun += 1
            self._changed.notify_all()
        threading.Event().wait(next(self._takes, 0.0))
        text = str(body_of(message, str))
        if self._then is not None:
            self._then(message)
        self.callbacks.append(Callback(text, threading.get_native_id(), start, time.monotonic()))

    @property
    def begun(self) -> int:
        """How many calls have begun."""
        return self._begun

    @property
    def texts(self) -> list[str]:
        """The texts of the messages whose calls have ended, in order."""
        return [callback.text for callback in self.callbacks]

    def begins(self, count: int = 1, within: float = 10.0) -> bool:
        """Whether `count` calls have begun within so many seconds."""
        with self._changed:
            return any(
                self._changed.wait_for(lambda: self._begun >= count, seconds)
                for seconds in patience(within)
            )


def started(call: Callable[[], T]) -> Future[T]:
    """`call`, begun on a thread of its own, which keeps nobody alive."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="scenario", daemon=True).start()
    return future


def listen(
    session: Session,
    destination: Destination,
    takes: Iterable[float] = (),
    then: Callable[[Message], object] | None = None,
) -> NotingListener:
    """A new consumer's listener; see `NotingListener`."""
    listener = NotingListener(takes, then)
    session.create_consumer(destination).message_listener = listener
    return listener


def ended_when_back(call: Callable[[], object], *listeners: NotingListener) -> Future[list[int]]:
    """`call`, begun on a thread: how many calls of each listener have ended when it comes back."""

    def run() -> list[int]:
        call()
        return [len(listener.callbacks) for listener in listeners]

    return started(run)


def intervals(*listeners: NotingListener) -> list[checks.Interval]:
    """When the calls of all these listeners ran."""
    return [callback.interval for listener in listeners for callback in listener.callbacks]
