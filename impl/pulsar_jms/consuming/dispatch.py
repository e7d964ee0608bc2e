"""The thread of a session: it alone calls the session's listeners, one message after another."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol

from pulsar_jms.implements import implements
from pulsar_jms.threads import FailureHandler, start_thread
from pulsar_jms.transport.transport_protocol import DeliveredMessage

_WAIT = 0.1
"""Seconds to wait for a message where one consumer has a listener."""
_TURN = 0.005
"""Seconds to wait at one consumer before looking at the next."""


class ListeningConsumer(Protocol):
    """What a consumer with a listener does for the thread."""

    def poll(self, wait: float) -> DeliveredMessage | None:
        """A message for the listener; None when none came within `wait` seconds."""
        ...

    def put_back(self, delivered: DeliveredMessage) -> None:
        """Keep a message that must not be handed out now."""
        ...

    def call_listener(self, delivered: DeliveredMessage) -> None:
        """Call the listener with a message; what that raises is not raised here."""
        ...

    def handle_failure(self, delivered: DeliveredMessage | None, error: BaseException) -> None:
        """Decide what becomes of a message with which something else was raised, if there is one.

        Called for whatever the others raise; raises nothing.
        """
        ...


@implements("JMS-LSN-002", "JMS-LSN-003", "SLJ-LSN-002", "SLJ-LSN-003", "SLJ-LSN-008")
class Dispatcher:
    """Serves the listeners of one session while the session runs.

    `pause` and `close` return when no callback runs, and none begins afterwards
    (SLJ-LSN-002, 005 and 006).
    """

    def __init__(self, name: str, on_failure: FailureHandler) -> None:
        """`on_failure` is called should the thread end by an error: no listener is called then."""
        self._name = name
        self._on_failure = on_failure
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._consumers: list[ListeningConsumer] = []
        self._running = False
        self._closed = False
        self._calling: ListeningConsumer | None = None
        self._polling: ListeningConsumer | None = None
        self._thread: threading.Thread | None = None

    def is_current(self) -> bool:
        """Whether the caller is a listener of this session."""
        return threading.current_thread() is self._thread

    def calls(self, consumer: ListeningConsumer) -> bool:
        """Whether the caller is the listener of `consumer`."""
        return self.is_current() and self._calling is consumer

    @implements("SLJ-LSN-001", "JMS-THR-004", "JMS-CTX-005")
    def serve(self, consumer: ListeningConsumer) -> None:
        """Begin to serve the listener of `consumer`."""
        with self._lock:
            if consumer not in self._consumers:
                self._consumers.append(consumer)
            if self._thread is None:
                self._thread = start_thread(self._name, self._run, self._failed)
            self._changed.notify_all()

    def leave(self, consumer: ListeningConsumer) -> None:
        """Stop serving `consumer`; wait for its callback, unless that is the caller.

        Nor does the thread take any more messages from it, which could overtake each other.
        """
        with self._lock:
            if consumer in self._consumers:
                self._consumers.remove(consumer)
            if not self.is_current():
                self._wait(lambda: consumer not in (self._calling, self._polling))

    def resume(self) -> None:
        """Let callbacks begin."""
        with self._lock:
            self._running = True
            self._changed.notify_all()

    @implements("JMS-CONN-008", "JMS-CONN-009", "SLJ-LSN-005")
    def pause(self) -> None:
        """Let no callback begin; wait for the one that runs, unless that is the caller."""
        with self._lock:
            self._running = False
            if not self.is_current():
                self._wait(lambda: self._calling is None)

    def close(self) -> None:
        """End the thread; wait for the callback that runs."""
        with self._lock:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None and not self.is_current():
            self._thread.join()

    def _failed(self, name: str, error: BaseException) -> None:
        with self._lock:
            self._closed = True
            self._calling = self._polling = None
            self._changed.notify_all()
        self._on_failure(name, error)

    def _wait(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self._changed.wait()

    def _run(self) -> None:
        turn = 0
        while True:
            with self._lock:
                while not self._closed and not (self._running and self._consumers):
                    self._changed.wait()
                if self._closed:
                    return
                consumers = list(self._consumers)
            served = False
            for consumer in consumers if len(consumers) > 1 else ():
                served = self._serve_one(consumer, 0.0) or served
            if not served:
                turn = (turn + 1) % len(consumers)
                self._serve_one(consumers[turn], _WAIT if len(consumers) == 1 else _TURN)

    def _serve_one(self, consumer: ListeningConsumer, wait: float) -> bool:
        with self._lock:
            if consumer not in self._consumers:
                return False
            self._polling = consumer
        delivered: DeliveredMessage | None = None
        try:
            delivered = consumer.poll(wait)
            if delivered is not None and self._begins_to_call(consumer):
                consumer.call_listener(delivered)
                return True
            if delivered is not None:
                consumer.put_back(delivered)
        except BaseException as error:  # whatever fails concerns this message alone
            consumer.handle_failure(delivered, error)
            if delivered is None:
                time.sleep(wait)
        finally:
            with self._lock:
                self._polling = self._calling = None
                self._changed.notify_all()
        return False

    def _begins_to_call(self, consumer: ListeningConsumer) -> bool:
        with self._lock:
            if self._closed or not self._running or consumer not in self._consumers:
                return False
            self._polling, self._calling = None, consumer
            self._changed.notify_all()
            return True
