"""The ways to the topics that sessions send to, each shared while anybody uses it, then closed.

Closing waits a moment: an application that makes a session and a producer for each message would
otherwise wait each time until the broker has made one, too.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import Final

from pulsar_jms.timer import Timer
from pulsar_jms.transport.transport_protocol import Router, Transport, TransportProducer

LINGER: Final = 1.0
"""Seconds after its last user until a producer is closed."""


class SharedProducers:
    """The producers of a factory, each with those who use it."""

    def __init__(self, transport: Transport, timer: Timer) -> None:
        """`timer` may be kept waiting: the broker is told of a close there."""
        self._transport = transport
        self._timer = timer
        self._lock = threading.Lock()
        self._users: dict[TransportProducer, set[object]] = {}

    def producer(self, user: object, topic: str, router: Router | None) -> TransportProducer:
        """The producer of these arguments, open until `user` and all others have left it."""
        with self._lock:
            producer = self._transport.producer(topic, router)
            self._users.setdefault(producer, set()).add(user)
            return producer

    def leave(self, user: object) -> None:
        """Note that `user` sends no more."""
        with self._lock:
            left = [producer for producer, users in self._users.items() if user in users]
            for producer in left:
                self._users[producer].discard(user)
        for producer in left:
            self._timer.after(LINGER, partial(self._close_unused, producer))

    def is_connected(self) -> bool:
        """Whether all of them are connected to the broker."""
        return all(producer.is_connected() for producer in list(self._users))

    def _close_unused(self, producer: TransportProducer) -> None:
        with self._lock:
            if self._users.get(producer, True):  # used again, or closed already
                return
            del self._users[producer]
            self._transport.forget(producer)
        producer.close()
