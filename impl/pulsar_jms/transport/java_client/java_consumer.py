"""Receiving with the Java client: consumers and readers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from jmsapi import JMSException
from pulsar_jms.transport.java_client.classes import JavaClasses
from pulsar_jms.transport.java_client.java_errors import error_name, jms_error
from pulsar_jms.transport.java_client.java_messages import JavaDeliveredMessage
from pulsar_jms.transport.java_client.java_producer import native_transaction
from pulsar_jms.transport.transport_protocol import BrokerTransaction


class JavaClientConsumer:
    """One Java consumer."""

    def __init__(self, native: Any, source: str, classes: JavaClasses) -> None:
        self._native = native
        self._source = source
        self._classes = classes
        self._sets: Any = classes.java_class("java.util.Set")
        self._in_transactions: deque[Any] = deque()
        """Acknowledgements in transactions that were not answered when last looked at."""

    def receive(self, timeout: int) -> JavaDeliveredMessage | None:
        """The next message within `timeout` ms."""
        try:
            message = self._native.receive(timeout, self._classes.milliseconds)
        except self._classes.error as error:
            if error_name(error) == "AlreadyClosedException":
                return None
            raise jms_error(error, f"Cannot receive from {self._source}") from error
        return None if message is None else JavaDeliveredMessage(message)

    def receive_async(self, arrived: Callable[[JavaDeliveredMessage | None], None]) -> None:
        """Ask for the next message; the client reports it, or that it was closed."""

        def done(message: Any, error: Any) -> None:
            arrived(JavaDeliveredMessage(message) if error is None else None)

        future = self._native.receiveAsync()
        future.whenComplete(self._classes.proxy("java.util.function.BiConsumer", accept=done))

    def acknowledge(self, delivered: Any, transaction: BrokerTransaction | None = None) -> None:
        """Acknowledge and wait for the answer; in a transaction its commit waits for that."""
        try:
            if transaction is None:
                self._native.acknowledge(delivered.native)
            else:
                identifier = delivered.native.getMessageId()
                started = self._native.acknowledgeAsync(identifier, native_transaction(transaction))
                self._in_transactions.append(started)
                while self._in_transactions and self._in_transactions[0].isDone():
                    self._in_transactions.popleft()
        except self._classes.error as error:
            raise self._not_acknowledged(error) from error

    def acknowledge_async(self, delivered: Any, failed: Callable[[JMSException], None]) -> None:
        """Start an acknowledgement; only a failure is reported."""

        def done(_: Any, error: Any) -> None:
            if error is not None:
                failed(self._not_acknowledged(error))

        try:
            future = self._native.acknowledgeAsync(delivered.native)
        except self._classes.error as error:
            failed(self._not_acknowledged(error))
        else:
            future.whenComplete(self._classes.proxy("java.util.function.BiConsumer", accept=done))

    def nack(self, delivered: Any) -> None:
        """A request to redeliver one message with all its chunks, sent at once.

        A negative acknowledgement would wait for 100 ms at least, and both would ask for the last
        chunk alone (apache/pulsar#25220).
        """
        with suppress(*self._classes.error):
            identifier = delivered.native.getMessageId()
            if identifier.getFirstChunkMessageId() is None:
                self._native.redeliverUnacknowledgedMessages(self._sets.of(identifier))
            else:
                self._nack_chunks(identifier)

    def _nack_chunks(self, identifier: Any) -> None:
        """The same for chunks, which the consumer of their topic or partition remembers."""
        consumer = self._native
        if hasattr(identifier, "getInnerMessageId"):  # this consumer is made of several
            [consumer] = (
                each
                for each in consumer.getConsumers()
                if each.getTopic() == identifier.getOwnerTopic()
            )
            identifier = identifier.getInnerMessageId()
        chunks = self._classes.java_class("java.util.HashSet")()
        tracker = self._classes.pulsar("client.impl.UnAckedMessageTracker")
        tracker.addChunkedMessageIdsAndRemoveFromSequenceMap(identifier, chunks, consumer)
        consumer.redeliverUnacknowledgedMessages(chunks)

    def nack_all(self) -> None:
        """A request to redeliver, sent at once."""
        with suppress(*self._classes.error):
            self._native.redeliverUnacknowledgedMessages()

    def is_connected(self) -> bool:
        """Whether the broker is connected just now; the client reconnects by itself."""
        return bool(self._native.isConnected())

    def lost_at(self) -> int:
        """When the consumer, or that of a partition, was disconnected last."""
        return int(self._native.getLastDisconnectedTimestamp())

    def close(self) -> None:
        """Close the consumer, and with the last one a non-durable subscription.

        Acknowledgements in transactions are waited for: closing would make them fail.
        """
        while self._in_transactions:
            with suppress(*self._classes.error):
                self._in_transactions.popleft().get()
        with suppress(*self._classes.error):
            self._native.close()

    def _not_acknowledged(self, error: Any) -> JMSException:
        return jms_error(error, f"Cannot acknowledge a message of {self._source}")


class JavaReader:
    """One Java reader."""

    def __init__(self, native: Any, topic: str, classes: JavaClasses) -> None:
        self._native = native
        self._topic = topic
        self._classes = classes

    def has_next(self) -> bool:
        """Whether the broker holds a message that was not read yet."""
        try:
            return bool(self._native.hasMessageAvailable())
        except self._classes.error as error:
            raise jms_error(error, f"Cannot read {self._topic}") from error

    def read(self, timeout: int) -> JavaDeliveredMessage | None:
        """The next message within `timeout` ms."""
        try:
            message = self._native.readNext(timeout, self._classes.milliseconds)
        except self._classes.error as error:
            if error_name(error) == "AlreadyClosedException":
                return None
            raise jms_error(error, f"Cannot read {self._topic}") from error
        return None if message is None else JavaDeliveredMessage(message)

    def close(self) -> None:
        """Close the reader; closing twice does nothing."""
        with suppress(*self._classes.error):
            self._native.close()
