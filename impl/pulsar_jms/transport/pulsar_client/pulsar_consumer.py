"""Consumers and readers of the native transport: the consumers and readers of pulsar-client."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import _pulsar

from jmsapi import JMSException
from pulsar_jms.transport.forks import keep_in_children
from pulsar_jms.transport.pulsar_client.pulsar_errors import CLOSED, OK, jms_error
from pulsar_jms.transport.pulsar_client.pulsar_messages import (
    PulsarDeliveredMessage,
    native_position,
)
from pulsar_jms.transport.pulsar_client.texts import LenientTexts
from pulsar_jms.transport.transport_protocol import BrokerTransaction, SubscriptionRequest


class PulsarClientConsumer:
    """One native consumer."""

    def __init__(
        self,
        consumer: Any,
        request: SubscriptionRequest,
        end: Callable[[], None] | None,
        lenient: LenientTexts,
    ) -> None:
        self._consumer = consumer
        self._native: Any = keep_in_children(consumer._consumer)
        self._request = request
        self._end = end
        self._lenient = lenient

    def receive(self, timeout: int) -> PulsarDeliveredMessage | None:
        """The next message within `timeout` ms."""
        try:
            return PulsarDeliveredMessage(self._native.receive(timeout), self._lenient)
        except (_pulsar.Timeout, _pulsar.AlreadyClosed):
            return None
        except _pulsar.PulsarException as error:
            raise jms_error(error, f"Cannot receive from {self._request.source}") from error

    def receive_async(self, arrived: Callable[[PulsarDeliveredMessage | None], None]) -> None:
        """Ask for the next message; the client reports it, or that it was closed."""

        def done(result: Any, message: Any) -> None:
            arrived(PulsarDeliveredMessage(message, self._lenient) if int(result) == OK else None)

        try:
            self._native.receive_async(done)
        except _pulsar.AlreadyClosed:
            arrived(None)
        except _pulsar.PulsarException as error:
            raise jms_error(error, f"Cannot receive from {self._request.source}") from error

    def acknowledge(self, delivered: Any, transaction: BrokerTransaction | None = None) -> None:
        """Hand the acknowledgement to the client, which sends it within 100 ms."""
        try:
            self._native.acknowledge(delivered.native)
        except _pulsar.PulsarException as error:
            raise self._not_acknowledged(error) from error

    def acknowledge_async(self, delivered: Any, failed: Callable[[JMSException], None]) -> None:
        """Start an acknowledgement; only a failure is reported."""

        def done(result: Any) -> None:
            if int(result) != OK:
                name = str(result).rpartition(".")[2]
                failed(self._not_acknowledged(RuntimeError(name)))

        try:
            self._native.acknowledge_async(delivered.native, done)
        except _pulsar.PulsarException as error:
            failed(self._not_acknowledged(error))

    def nack(self, delivered: Any) -> None:
        """A negative acknowledgement; the client sends it after `NACK_FLOOR`.

        It is of the last chunk alone where there are several (apache/pulsar-client-cpp#604); a
        consumer of one topic can be told of the others. The client may send them in two requests: a
        later chunk that comes without an earlier one is dropped, and those between are stuck.
        """
        earlier = [native_position(position) for position in delivered.earlier_parts]
        with suppress(_pulsar.PulsarException):  # without a connection all comes again by itself
            for position in earlier:
                self._native.negative_acknowledge(position)
            self._native.negative_acknowledge(delivered.native.message_id())

    def nack_all(self) -> None:
        """A request to redeliver, sent at once."""
        with suppress(_pulsar.PulsarException):
            self._native.redeliver_unacknowledged_messages()

    def is_connected(self) -> bool:
        """Whether the broker is connected just now; the client reconnects by itself."""
        with suppress(_pulsar.AlreadyClosed):
            return bool(self._native.is_connected())
        return False

    def lost_at(self) -> int:
        """0: pulsar-client does not report it."""
        return 0

    def close(self) -> None:
        """Close the consumer, and the subscription with it unless that is durable."""
        consumer, self._consumer, self._native = self._consumer, CLOSED, CLOSED
        with suppress(_pulsar.PulsarException):
            consumer.close()
        if self._end is not None:
            end, self._end = self._end, None
            end()

    def _not_acknowledged(self, error: Exception) -> JMSException:
        return jms_error(error, f"Cannot acknowledge a message of {self._request.source}")


class PulsarReader:
    """One native reader."""

    def __init__(self, reader: Any, topic: str, lenient: LenientTexts) -> None:
        self._reader = reader
        keep_in_children(reader._reader)
        self._topic = topic
        self._lenient = lenient

    def has_next(self) -> bool:
        """Whether the broker holds a message that was not read yet."""
        try:
            return bool(self._reader.has_message_available())
        except _pulsar.PulsarException as error:
            raise jms_error(error, f"Cannot read {self._topic}") from error

    def read(self, timeout: int) -> PulsarDeliveredMessage | None:
        """The next message within `timeout` ms."""
        try:
            return PulsarDeliveredMessage(self._reader._reader.read_next(timeout), self._lenient)
        except (_pulsar.Timeout, _pulsar.AlreadyClosed):
            return None
        except _pulsar.PulsarException as error:
            raise jms_error(error, f"Cannot read {self._topic}") from error

    def close(self) -> None:
        """Close the reader; closing twice does nothing."""
        with suppress(_pulsar.PulsarException):
            self._reader.close()
