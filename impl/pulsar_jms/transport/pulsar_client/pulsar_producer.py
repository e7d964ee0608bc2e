"""Producers of the native transport: the producers of pulsar-client."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import _pulsar

from jmsapi import JMSException
from pulsar_jms.implements import implements
from pulsar_jms.transport.pulsar_client.pulsar_errors import CLOSED, OK, jms_error
from pulsar_jms.transport.pulsar_client.pulsar_messages import PulsarStoredMessage, build_message
from pulsar_jms.transport.transport_protocol import BrokerTransaction, SendCallback
from pulsar_jms.transport.wire_messages import OutgoingMessage


class PulsarClientProducer:
    """Two producers of one topic, each made at its first use.

    A send that waits goes alone: in a batch it would wait for the batch to fill. Asynchronous
    sends go in batches; where these are switched off, one producer does for both. A send that
    waits first lets those that were started before it arrive,
    so that the order of sending holds.
    """

    def __init__(
        self,
        producer: Callable[..., Any],
        topic: str,
        failure: Callable[[Exception, str], JMSException],
        *,
        batches: bool,
    ) -> None:
        self._make = producer
        self._batches = batches
        self._topic = topic
        self._failure = failure
        self._lock = threading.Lock()
        self._single: Any = None
        self._batched: Any = None
        self._started: OutgoingMessage | None = None
        """The newest asynchronous send."""
        self._arrived: OutgoingMessage | None = None
        """The newest of them that is known to have arrived, with all before it."""

    @implements("JMS-MODE-002", "JMS-PROD-005", "JMS-ASY-005", "JMS-ORD-001", "JMS-ORD-002")
    def send(
        self, message: OutgoingMessage, transaction: BrokerTransaction | None = None
    ) -> PulsarStoredMessage:
        """Send and wait for the broker to store the message."""
        single = self._single
        if single is None:
            with self._lock:
                if self._single is None:
                    self._single = self._make(self._topic, batching=False)
                single = self._single
        try:
            if self._arrived is not self._started:
                self._let_arrive()
            sent = single.send(build_message(message))
        except (_pulsar.PulsarException, TypeError, ValueError) as error:
            raise self._failure(error, f"Cannot send to {self._topic}") from error
        return PulsarStoredMessage(sent)

    def send_async(
        self,
        message: OutgoingMessage,
        outcome: SendCallback,
        transaction: BrokerTransaction | None = None,
    ) -> None:
        """Start a send; the outcome comes on a thread of the client."""
        batched = self._batched
        if batched is None:
            with self._lock:
                if self._batched is None and not self._batches:
                    self._batched = self._single = self._single or self._make(
                        self._topic, batching=False
                    )
                elif self._batched is None:
                    self._batched = self._make(self._topic, batching=True)
                batched = self._batched
        try:
            batched.send_async(build_message(message), outcome)
        except (_pulsar.PulsarException, TypeError, ValueError) as error:
            raise jms_error(error, f"Cannot send to {self._topic}") from error
        self._started = message

    def _let_arrive(self) -> None:
        with self._lock:
            started = self._started
            if self._arrived is not started:
                self._batched.flush()
                self._arrived = started

    def read_outcome(self, result: Any, identifier: Any) -> PulsarStoredMessage:
        """The message as it is stored; `JMSException` when it is not."""
        if int(result) == OK:
            return PulsarStoredMessage(identifier)
        name = str(result).rpartition(".")[2]
        raise JMSException(f"Cannot send to {self._topic}: {name}", name)

    def close(self) -> None:
        """Close the producers; nothing can be sent any more."""
        with self._lock:
            made = [each for each in (self._single, self._batched) if each is not None]
            self.forget()
        for producer in made:
            with suppress(_pulsar.PulsarException):
                producer.close()

    def forget(self) -> None:
        """Drop the producers, which the client has closed, and their threads and sockets."""
        self._single = self._batched = CLOSED

    def is_connected(self) -> bool:
        """Whether every producer that was made is connected."""
        made = (producer for producer in (self._single, self._batched) if producer is not None)
        return all(producer.is_connected() for producer in made)

    def lost_at(self) -> int:
        """0: pulsar-client does not report it."""
        return 0
