"""Messages that count as accepted before they are delivered (AMQ-ACK-008).

Pulsar's broker waits for an acknowledgement of everything that it dispatches. Here a thread takes
what arrives and acknowledges it at once, whether the application asks for messages or not; what it
has taken is lost with the client.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Full, Queue

from jmsapi import IllegalStateException, JMSException
from pulsar_jms.consuming.message_filter import MessageFilter
from pulsar_jms.mapping.selectors import FilterResult
from pulsar_jms.threads import start_thread
from pulsar_jms.transport.transport_protocol import (
    BrokerTransaction,
    DeliveredMessage,
    TransportConsumer,
)
from pulsar_jms.transport.wire_messages import Incoming

_LOG = logging.getLogger(__name__)

_SLICE = 0.1
"""Seconds after which the thread looks whether the consumer was closed."""


@dataclass(frozen=True, eq=False, slots=True)
class _Arrived:
    """A message as it came, and whether it was acknowledged on arrival."""

    delivered: DeliveredMessage
    settled: bool

    @property
    def message(self) -> Incoming:
        return self.delivered.message

    def without_content(self) -> _Arrived:
        """What is left of it to be nacked."""
        return _Arrived(self.delivered.without_content(), self.settled)


class SettledOnArrival:
    """A consumer whose messages are acknowledged as they arrive; nothing is left to do with them.

    What its message filter does not let pass stays with the broker until the consumer says what
    becomes of it.
    """

    def __init__(
        self, plain: TransportConsumer, message_filter: MessageFilter, prefetch: int
    ) -> None:
        self._plain = plain
        self._message_filter = message_filter
        self._arrived: Queue[_Arrived] = Queue(max(1, prefetch))
        self._closed = False
        self._failure: IllegalStateException | None = None
        """Why nothing arrives any more."""
        self._thread = start_thread("pulsar-jms-settled-on-arrival", self._run, self._fail)

    def receive(self, timeout: int) -> _Arrived | None:
        """The next message within `timeout` ms."""
        if self._failure is not None and self._arrived.empty():
            raise self._failure
        try:
            return self._arrived.get(timeout > 0, timeout / 1000 if timeout > 0 else None)
        except Empty:
            return None

    def acknowledge(
        self, delivered: DeliveredMessage, transaction: BrokerTransaction | None = None
    ) -> None:
        """Acknowledge what was not on arrival."""
        arrived = _own(delivered)
        if not arrived.settled:
            self._plain.acknowledge(arrived.delivered, transaction)

    def acknowledge_async(
        self, delivered: DeliveredMessage, failed: Callable[[JMSException], None]
    ) -> None:
        """Start to acknowledge what was not on arrival."""
        arrived = _own(delivered)
        if not arrived.settled:
            self._plain.acknowledge_async(arrived.delivered, failed)

    def nack(self, delivered: DeliveredMessage) -> None:
        """Give back what was not acknowledged on arrival; the rest does not come again."""
        arrived = _own(delivered)
        if not arrived.settled:
            self._plain.nack(arrived.delivered)

    def nack_all(self) -> None:
        """Give back everything that was not acknowledged on arrival."""
        self._plain.nack_all()

    def is_connected(self) -> bool:
        """Whether the broker is connected just now."""
        return self._plain.is_connected()

    def lost_at(self) -> int:
        """When the connection was lost last."""
        return self._plain.lost_at()

    def close(self) -> None:
        """Close; what waits here is lost."""
        self._closed = True
        self._plain.close()
        self._thread.join()

    def _run(self) -> None:
        while not self._closed:
            try:
                delivered = self._plain.receive(round(1000 * _SLICE))
                if delivered is not None:
                    self._put(self._settled(delivered))
            except Exception:
                if not self._closed:
                    _LOG.exception("A message that arrived was not acknowledged; it may come again")
                    time.sleep(_SLICE)

    def _fail(self, name: str, error: BaseException) -> None:
        self._failure = IllegalStateException(
            f"Nothing arrives any more: the thread {name} ended by {error!r}; close the consumer"
        )
        self._failure.__cause__ = error

    def _settled(self, delivered: DeliveredMessage) -> _Arrived:
        try:
            passes = self._message_filter.filter_result(delivered.message) is FilterResult.DELIVERED
        except Exception:  # the consumer meets it again, and says so
            passes = False
        if passes:
            self._plain.acknowledge(delivered)
        return _Arrived(delivered, passes)

    def _put(self, arrived: _Arrived) -> None:
        while not self._closed:
            with suppress(Full):
                self._arrived.put(arrived, timeout=_SLICE)
                return


def _own(delivered: DeliveredMessage) -> _Arrived:
    assert isinstance(delivered, _Arrived)
    return delivered
