"""Sending with the Java client: producers, and the transactions that sends take part in."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from jmsapi import JMSException, TransactionRolledBackException
from pulsar_jms.implements import implements
from pulsar_jms.transport.java_client.classes import JavaClasses
from pulsar_jms.transport.java_client.java_errors import commit_error, error_name, jms_error
from pulsar_jms.transport.java_client.java_messages import (
    JavaStoredMessage,
    fill_builder,
    properties_of,
)
from pulsar_jms.transport.transport_protocol import BrokerTransaction, Router, SendCallback
from pulsar_jms.transport.wire_messages import OutgoingMessage

_LOOK_EVERY = 20
"""Milliseconds between two looks whether a commit on its way is to be given up."""


class JavaTransaction:
    """A transaction of the broker."""

    def __init__(self, native: Any, classes: JavaClasses) -> None:
        self.native = native
        self._classes = classes

    def commit(self, given_up: Callable[[], bool] | None = None) -> None:
        """Commit, after everything that takes part; what failed there fails the commit."""
        try:
            committing = self.native.commit()
            if given_up is not None:
                self._wait_unless(given_up, committing)
            committing.get()
        except self._classes.error as error:
            raise commit_error(error) from error

    def _wait_unless(self, given_up: Callable[[], bool], committing: Any) -> None:
        while not committing.isDone():
            if given_up():
                raise TransactionRolledBackException(
                    "The connection to the broker was lost while the commit was on its way: the "
                    "transaction counts as failed; send its messages again"
                )
            try:
                committing.get(_LOOK_EVERY, self._classes.milliseconds)
            except self._classes.error as error:
                if error_name(error) != "TimeoutException":
                    return

    def abort(self, within: int | None = None) -> None:
        """Abort; one that the broker has ended already is fine."""
        try:
            aborting = self.native.abort()
            if within is None:
                aborting.get()
            else:
                aborting.get(within, self._classes.milliseconds)
        except self._classes.error as error:
            if str(self.native.getState()) in ("ABORTED", "TIME_OUT"):
                return
            what = "The broker did not confirm the end of a transaction, which it ends in time"
            raise jms_error(error, what) from error


def native_transaction(transaction: BrokerTransaction | None) -> Any:
    """The Java transaction behind `transaction`."""
    if transaction is None:
        return None
    assert isinstance(transaction, JavaTransaction)
    return transaction.native


class JavaClientProducer:
    """One producer of a topic, made at its first use.

    It sends asynchronous sends in batches, and at once what somebody waits for.
    """

    def __init__(self, make: Callable[[], Any], topic: str, classes: JavaClasses) -> None:
        self._make = make
        self._topic = topic
        self._classes = classes
        self._lock = threading.Lock()
        self._producer: Any = None
        self._closed = False

    @implements("JMS-MODE-002", "JMS-PROD-005")
    def send(
        self, message: OutgoingMessage, transaction: BrokerTransaction | None = None
    ) -> JavaStoredMessage:
        """Send and wait for the broker to store the message."""
        builder = self._builder(transaction)
        try:
            return JavaStoredMessage(fill_builder(builder, message, self._classes).send())
        except self._classes.error as error:
            raise self._not_sent(error) from error

    def send_async(
        self,
        message: OutgoingMessage,
        outcome: SendCallback,
        transaction: BrokerTransaction | None = None,
    ) -> None:
        """Start a send; the outcome comes on a thread of the client."""
        builder = self._builder(transaction)
        try:
            future = fill_builder(builder, message, self._classes).sendAsync()
        except self._classes.error as error:
            raise self._not_sent(error) from error
        future.whenComplete(self._classes.proxy("java.util.function.BiConsumer", accept=outcome))

    def read_outcome(self, identifier: Any, error: Any) -> JavaStoredMessage:
        """The message as it is stored; `JMSException` when it is not."""
        if error is None:
            return JavaStoredMessage(identifier)
        raise self._not_sent(error)

    def close(self) -> None:
        """Close the producer; nothing can be sent any more."""
        with self._lock:
            producer = self._producer
            if producer is None:
                self._closed = True
                return
        with suppress(*self._classes.error):
            producer.close()

    def is_connected(self) -> bool:
        """Whether the producer, if it was made, is connected."""
        return self._producer is None or bool(self._producer.isConnected())

    def lost_at(self) -> int:
        """When the producer, or that of a partition, was disconnected last."""
        return 0 if self._producer is None else int(self._producer.getLastDisconnectedTimestamp())

    def _builder(self, transaction: BrokerTransaction | None) -> Any:
        producer = self._producer
        if producer is None:
            with self._lock:
                if self._closed:
                    raise JMSException(f"Cannot send to {self._topic}: it was closed before")
                if self._producer is None:
                    self._producer = self._make()
                producer = self._producer
        try:
            if transaction is None:
                return producer.newMessage()
            return producer.newMessage(native_transaction(transaction))
        except self._classes.error as error:
            raise self._not_sent(error) from error

    def _not_sent(self, error: Any) -> JMSException:
        return jms_error(error, f"Cannot send to {self._topic}")


def native_router(router: Router, classes: JavaClasses) -> Any:
    """A Java router that asks `router` by a message's properties."""

    def choose(message: Any, metadata: Any) -> int:
        return router(properties_of(message), int(metadata.numPartitions()))

    return classes.proxy(classes.pulsar("client.api.MessageRouter"), choosePartition=choose)
