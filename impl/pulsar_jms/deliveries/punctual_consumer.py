"""A consumer that keeps back what the broker delivers a moment before it is due.

By default a broker may deliver a delayed message early by as much as a tick of its clock
(delayedDeliveryTickTimeMillis, one second; isDelayedDeliveryDeliverAtTimeStrict). JMS forbids that
(JMS 2.0, section 7.9), so the rest of the delay is waited for here, while other messages pass.

What waits here is unacknowledged at the broker, which delivers it to others when this closes.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Callable

from jmsapi import JMSException
from pulsar_jms.implements import implements
from pulsar_jms.mapping.delay import time_until_delivery
from pulsar_jms.mapping.headers import read_delivery_time
from pulsar_jms.transport.transport_protocol import (
    BrokerTransaction,
    DeliveredMessage,
    TransportConsumer,
)
from pulsar_jms.transport.wire_messages import Incoming


def _now() -> int:
    return time.time_ns() // 1_000_000


@implements("JMS-DLY-003", "JMS-ORD-006")
class PunctualConsumer:
    """A consumer that delivers no message before its delivery time.

    `receive` is for one thread at a time, the rest for any.
    """

    def __init__(self, consumer: TransportConsumer, clock: Callable[[], int] = _now) -> None:
        """Wrap a consumer; `clock` gives milliseconds since the epoch."""
        self._consumer = consumer
        self._clock = clock
        self._lock = threading.Lock()
        self._early: list[tuple[int, int, DeliveredMessage]] = []
        """When it is due, and in which order it came."""
        self._order = itertools.count()

    def receive(self, timeout: int) -> DeliveredMessage | None:
        """The next message that is due; None when none came within `timeout` ms."""
        until = self._clock() + timeout
        while True:
            wait = until - self._clock()
            with self._lock:
                if self._early:
                    left = self._early[0][0] - self._clock()
                    if left <= 0:
                        return heapq.heappop(self._early)[2]
                    wait = min(wait, left)
            delivered = self._consumer.receive(max(wait, 0))
            if delivered is not None:
                early = self._early_by(delivered.message)
                if not early:
                    return delivered
                with self._lock:
                    entry = (self._clock() + early, next(self._order), delivered)
                    heapq.heappush(self._early, entry)
            elif self._clock() >= until:
                return None

    def acknowledge(
        self, delivered: DeliveredMessage, transaction: BrokerTransaction | None = None
    ) -> None:
        """As the consumer does."""
        self._consumer.acknowledge(delivered, transaction)

    def acknowledge_async(
        self, delivered: DeliveredMessage, failed: Callable[[JMSException], None]
    ) -> None:
        """As the consumer does."""
        self._consumer.acknowledge_async(delivered, failed)

    def nack(self, delivered: DeliveredMessage) -> None:
        """As the consumer does."""
        self._consumer.nack(delivered)

    def nack_all(self) -> None:
        """As the consumer does; what waits here comes again, too."""
        with self._lock:
            self._early.clear()
        self._consumer.nack_all()

    def is_connected(self) -> bool:
        """As the consumer says."""
        return self._consumer.is_connected()

    def lost_at(self) -> int:
        """As the consumer says."""
        return self._consumer.lost_at()

    def close(self) -> None:
        """Close the consumer, and forget what waits here."""
        with self._lock:
            self._early.clear()
        self._consumer.close()

    def _early_by(self, message: Incoming) -> int:
        """Milliseconds to wait; none where they cannot be read, which the consumer finds out."""
        try:
            sent_at = message.event_time or message.publish_time
            due = read_delivery_time(message.properties, sent_at)
            return time_until_delivery(due, sent_at, self._clock()) if due > sent_at else 0
        except Exception:
            return 0
