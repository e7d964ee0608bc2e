"""Message listeners of an application: what they are called with, and what they do then."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from queue import Empty, SimpleQueue
from typing import TypeVar

from jms_model.delivery.listener_rules import OVERLAPS
from jmsapi import Message

T = TypeVar("T")
Act = Callable[[], None]


class ListenerRefusal(Exception):
    """What a listener throws."""


class ListenerCall:
    """One call of a listener: it does what it is told until it is told to end."""

    def __init__(self, consumer: str, message: Message) -> None:
        self.consumer = consumer
        self.message = message
        self._acts: SimpleQueue[Act | None] = SimpleQueue()
        self._throws = False
        self.has_ended = threading.Event()

    def serve(self) -> None:
        """Be the listener, in the thread that called it."""
        try:
            while act := self._acts.get():
                act()
            if self._throws:
                raise ListenerRefusal
        finally:
            self.has_ended.set()

    def begins(self, act: Callable[[], T]) -> Future[T]:
        """Have it do something; what will come of that."""
        result: Future[T] = Future()

        def run() -> None:
            try:
                result.set_result(act())
            except Exception as error:
                result.set_exception(error)

        self._acts.put(run)
        return result

    def does(self, act: Callable[[], T]) -> T:
        """Have it do something, and give or raise what came of that."""
        return self.begins(act).result()

    def end(self, *, throws: bool) -> None:
        """Have it come to its end."""
        self._throws = throws
        self._acts.put(None)


class SessionListeners:
    """The listeners of one session: each call waits to be heard, and then for what it is to do."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._heard: SimpleQueue[ListenerCall] = SimpleQueue()
        self._now: ListenerCall | None = None
        self._lets_go = False
        self._let_go: list[ListenerCall] = []

    def of(self, consumer: str) -> Callable[[Message], None]:
        """The listener of one consumer."""
        return partial(self._called, consumer)

    def _called(self, consumer: str, message: Message) -> None:
        call = ListenerCall(consumer, message)
        with self._lock:
            if self._lets_go:
                self._let_go.append(call)
                return
            self._heard.put(call)
        call.serve()

    @property
    def is_called(self) -> bool:
        """Whether a call that was heard has not been told to end."""
        return self._now is not None

    @property
    def consumer(self) -> str:
        """The consumer whose listener is called."""
        return self._now.consumer if self._now is not None else ""

    def receive(self, timeout: int | None = None) -> Message | None:
        """Hear the next call; the message that it has, or None after so many milliseconds."""
        self._now = self._next(None if timeout is None else timeout / 1000)
        return None if self._now is None else self._now.message

    def _next(self, seconds: float | None) -> ListenerCall | None:
        try:
            return self._heard.get(seconds != 0, seconds)
        except Empty:
            return None

    def does(self, act: Callable[[], T]) -> T:
        """Have the call that was heard do something."""
        assert self._now is not None
        return self._now.does(act)

    def end(self, *, throws: bool) -> str | None:
        """Have the call that was heard come to its end; OVERLAPS if another had begun before."""
        call, self._now = self._now, None
        assert call is not None
        overlaps = OVERLAPS if not self._heard.empty() else None
        call.end(throws=throws)
        call.has_ended.wait()
        return overlaps

    @contextmanager
    def letting_go(self) -> Iterator[None]:
        """While nobody hears: calls come to their end by themselves, one that was heard, too."""
        with self._lock:
            self._lets_go = True
        if self._now is not None:
            self.end(throws=False)
        while call := self._next(0):
            call.end(throws=False)
            self._let_go.append(call)
        try:
            yield
        finally:
            with self._lock:
                self._lets_go = False

    @property
    def let_go(self) -> tuple[str, Message] | None:
        """The consumer and the message of the first call that nobody heard."""
        return next(((each.consumer, each.message) for each in self._let_go), None)
