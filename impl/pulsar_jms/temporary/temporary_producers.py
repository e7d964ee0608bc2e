"""Sending to temporary destinations: to one that is gone it fails, and does not make it anew.

A topic that has a producer cannot be deleted without force, and a client that loses its producer by
force makes the topic again when it reconnects. So who answers to a temporary destination does not
stay: the way there is closed when nothing was sent for a moment, and opened again when needed.
"""

from __future__ import annotations

import threading
import time
import weakref
from typing import Any

from jmsapi import InvalidDestinationException
from pulsar_jms.implements import implements
from pulsar_jms.timer import Timer
from pulsar_jms.transport.administration import Administration
from pulsar_jms.transport.transport_protocol import (
    BrokerTransaction,
    SendCallback,
    Transport,
    TransportProducer,
)
from pulsar_jms.transport.wire_messages import OutgoingMessage, StoredMessage

IDLE = 0.5
"""Seconds after the last send until the producer is closed."""


class TemporaryProducers:
    """The producers of temporary destinations that a factory sends to, each by its topic."""

    def __init__(
        self, transport: Transport, administration: Administration | None, timer: Timer
    ) -> None:
        self._transport = transport
        self._administration = administration
        self._timer = timer
        self._lock = threading.Lock()
        self._known: weakref.WeakValueDictionary[str, TemporaryProducer] = (
            weakref.WeakValueDictionary()
        )

    def producer(self, topic: str) -> TemporaryProducer:
        """The producer of `topic`: the same one as long as it is open or somebody has it."""
        with self._lock:
            producer = self._known.get(topic)
            if producer is None:
                producer = self._known[topic] = TemporaryProducer(
                    topic, self._transport, self._administration, self._timer
                )
            return producer

    def end(self, topic: str, *, deleted: bool) -> None:
        """Close the way to `topic`; when it is deleted, for good."""
        with self._lock:
            producer = self._known.get(topic)
        if producer is not None:
            producer.end(deleted=deleted)


@implements("JMS-ERR-002")
class TemporaryProducer:
    """A producer that is open while it is used; `InvalidDestinationException` without a topic."""

    def __init__(
        self,
        topic: str,
        transport: Transport,
        administration: Administration | None,
        timer: Timer,
    ) -> None:
        self._topic = topic
        self._transport = transport
        self._administration = administration
        self._timer = timer
        self._turning = threading.Lock()
        """Held while the way is opened or closed, which waits for the broker."""
        self._lock = threading.Lock()
        """Held for what follows, and never while waiting: the transport's threads come here."""
        self._inner: TransportProducer | None = None
        self._latest: TransportProducer | None = None
        """What `_inner` is, or was before it was closed."""
        self._sending = 0
        """How many sends wait for their outcome."""
        self._used = 0.0
        self._deleted = False

    def send(
        self, message: OutgoingMessage, transaction: BrokerTransaction | None = None
    ) -> StoredMessage:
        """Send and wait for the broker's confirmation."""
        inner = self._begin()
        try:
            return inner.send(message, transaction)
        finally:
            self._end()

    def send_async(
        self,
        message: OutgoingMessage,
        outcome: SendCallback,
        transaction: BrokerTransaction | None = None,
    ) -> None:
        """Send and return."""

        def noted(*result: Any) -> None:
            self._end()
            outcome(*result)

        inner = self._begin()
        try:
            inner.send_async(message, noted, transaction)
        except BaseException:
            self._end()
            raise

    def read_outcome(self, *outcome: Any) -> StoredMessage:
        """What an outcome says."""
        assert self._latest is not None  # there was a send
        return self._latest.read_outcome(*outcome)

    def is_connected(self) -> bool:
        """Whether the broker is connected, where it needs to be."""
        inner = self._inner
        return inner is None or inner.is_connected()

    def lost_at(self) -> int:
        """When the way, as it is open now or was last, lost its connection."""
        latest = self._latest
        return 0 if latest is None else latest.lost_at()

    def close(self) -> None:
        """Close the way; another send opens it again."""
        self.end(deleted=False)

    def end(self, *, deleted: bool) -> None:
        """Close the way; with `deleted` every later send fails."""
        with self._turning:
            with self._lock:
                self._deleted = self._deleted or deleted
            self._close()

    def _begin(self) -> TransportProducer:
        inner = self._entered()
        if inner is not None:
            return inner
        with self._turning:
            inner = self._entered()
            if inner is not None:
                return inner
            administration = self._administration
            if administration is not None and not administration.parts(self._topic):
                raise self._gone()
            inner = self._transport.producer(self._topic)
            with self._lock:
                self._inner = self._latest = inner
                self._sending += 1
        self._timer.after(IDLE, self._look)
        return inner

    def _entered(self) -> TransportProducer | None:
        """The open way, with one more send on it; None where it has to be opened."""
        with self._lock:
            if self._deleted:
                raise self._gone()
            if self._inner is not None:
                self._sending += 1
            return self._inner

    def _end(self) -> None:
        with self._lock:
            self._sending -= 1
            self._used = time.monotonic()

    def _look(self) -> None:
        """Close what is idle: on a thread of its own, as closing waits for the broker."""
        with self._lock:
            if self._inner is None:
                return
            left = IDLE if self._sending else self._used + IDLE - time.monotonic()
        if left > 0:
            self._timer.after(left, self._look)
        else:
            name = "pulsar-jms-temporary-producer"
            threading.Thread(target=self._close_idle, name=name, daemon=True).start()

    def _close_idle(self) -> None:
        with self._turning:
            closed = self._close(unless_sending=True)
        if not closed:
            self._timer.after(IDLE, self._look)

    def _close(self, *, unless_sending: bool = False) -> bool:
        """Whether the way is closed now; the caller holds `_turning`."""
        with self._lock:
            if unless_sending and self._sending:
                return False
            inner, self._inner = self._inner, None
        if inner is not None:
            self._transport.forget(inner)
            inner.close()
        return True

    def _gone(self) -> InvalidDestinationException:
        return InvalidDestinationException(
            f"{self._topic} is gone: a temporary destination ends with its connection, or by "
            "delete()"
        )
