"""The native transport: pulsar-client, the C++ client of Apache Pulsar with Python bindings.

What that client lacks is done here over the administration where it gives the same behaviour:
a non-durable subscription is a durable one that is deleted with its last consumer.

Callbacks of the client run on its own threads; they only hand over and never call back into it,
since a blocking call there would wait for the very thread that makes it.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import _pulsar
import pulsar

from jmsapi import JMSException, JMSSecurityException
from pulsar_jms.configuration import Settings
from pulsar_jms.mapping.priority import producer_metadata
from pulsar_jms.reachability import check_reachable
from pulsar_jms.transport.credentials import Credentials
from pulsar_jms.transport.interface import (
    Administration,
    BrokerTransaction,
    MessagePosition,
    OutgoingMessage,
    Router,
    SendOutcome,
    SubscriptionRequest,
    SubscriptionType,
)
from pulsar_jms.transport.pulsar_errors import CLOSED, OK, jms_error
from pulsar_jms.transport.pulsar_messages import (
    PulsarDelivered,
    PulsarStored,
    built,
    native_position,
)
from pulsar_jms.transport.pulsar_sources import topics_to_subscribe
from pulsar_jms.transport.topics import topics_of

_NATIVE_LOG = logging.getLogger("pulsar_jms.native")

_TYPES = {
    SubscriptionType.EXCLUSIVE: _pulsar.ConsumerType.Exclusive,
    SubscriptionType.FAILOVER: _pulsar.ConsumerType.Failover,
    SubscriptionType.SHARED: _pulsar.ConsumerType.Shared,
    SubscriptionType.KEY_SHARED: _pulsar.ConsumerType.KeyShared,
}
_ROUTING = {
    "RoundRobinPartition": _pulsar.PartitionsRoutingMode.RoundRobinDistribution,
    "SinglePartition": _pulsar.PartitionsRoutingMode.UseSinglePartition,
}
_COMPRESSION = {
    "NONE": _pulsar.CompressionType.NONE,
    "LZ4": _pulsar.CompressionType.LZ4,
    "ZLIB": _pulsar.CompressionType.ZLib,
    "ZSTD": _pulsar.CompressionType.ZSTD,
    "SNAPPY": _pulsar.CompressionType.SNAPPY,
}
NACK_FLOOR = 100.0
"""Milliseconds: pulsar-client asks for the redelivery of a single message no sooner than this."""


class PulsarClientTransport:
    """pulsar-client behind the interface of a transport; one native client, shared."""

    def __init__(
        self, settings: Settings, credentials: Credentials, administration: Administration | None
    ) -> None:
        """Make a client; nothing is connected before the first outlet or inlet."""
        self._settings = settings
        self._credentials = credentials
        self._administration = administration
        self._lock = threading.Lock()
        self._outlets: dict[tuple[str, Router | None, bool], _Outlet] = {}
        number = settings.number
        try:
            self._client: Any = pulsar.Client(
                settings.service_url,
                authentication=credentials.native(),
                operation_timeout_seconds=max(1, -(-number("operationTimeoutMs", 30_000) // 1000)),
                connection_timeout_ms=number("connectionTimeoutMs", 10_000),
                io_threads=number("numIoThreads", 1),
                message_listener_threads=number("numListenerThreads", 1),
                concurrent_lookup_requests=number("concurrentLookupRequest", 50_000),
                stats_interval_in_seconds=number("statsIntervalSeconds", 0),
                tls_trust_certs_file_path=credentials.trust_certificate or None,
                tls_allow_insecure_connection=credentials.allow_insecure,
                tls_validate_hostname=credentials.verify_host_name,
                logger=_native_logger(),
            )
        except (ValueError, RuntimeError, _pulsar.PulsarException) as error:
            raise jms_error(error, f"Cannot use the broker at {settings.service_url}") from error

    @property
    def has_transactions(self) -> bool:
        """False: pulsar-client has none."""
        return False

    @property
    def redelivery_floor(self) -> float:
        """`NACK_FLOOR`."""
        return NACK_FLOOR

    def partitions(self, topic: str) -> tuple[str, ...]:
        """The partitions of `topic`, as the broker knows them."""
        try:
            return tuple(self._client.get_topic_partitions(topic))
        except _pulsar.PulsarException as error:
            raise self._failure(error, f"Cannot look up {topic}") from error

    def outlet(self, topic: str, router: Router | None = None, *, chunked: bool = False) -> _Outlet:
        """The outlet of these arguments, made at first use, kept until the transport closes."""
        key = (topic, router, chunked)
        outlet = self._outlets.get(key)
        if outlet is None:
            with self._lock:
                make = partial(self._producer, router=router, chunked=chunked)
                batches = self.batches and not chunked
                outlet = self._outlets.setdefault(
                    key, _Outlet(make, topic, self._failure, batches=batches)
                )
        return outlet

    def end_outlet(self, topic: str) -> None:
        """Close the producers of `topic`."""
        with self._lock:
            ended = [self._outlets.pop(key) for key in [*self._outlets] if key[0] == topic]
        for outlet in ended:
            outlet.close()

    def reader(self, topic: str, start: MessagePosition | None) -> _Reader:
        """A native reader, which the broker serves through a subscription that ends with it."""
        try:
            native = self._client.create_reader(
                topic, native_position(start), start_message_id_inclusive=True
            )
        except (_pulsar.PulsarException, ValueError, TypeError) as error:
            raise jms_error(error, f"Cannot read {topic}") from error
        return _Reader(native, topic)

    def begin(self, timeout: int) -> BrokerTransaction:
        """Refused with `JMSException`: pulsar-client has no transactions."""
        raise JMSException(
            "pulsar-client has no transactions; use jms.emulateTransactions=true, or the java "
            "transport"
        )

    def subscribe(self, request: SubscriptionRequest) -> _Inlet:
        """A consumer on the subscription; made at the broker when this returns.

        Topics that a pattern finds later are read from their first message on, where there is an
        administration to put the subscription at the end of those that exist now.
        """
        if request.pattern and not request.earliest and self._administration is not None:
            for topic in topics_of(request, self._administration):
                self._administration.create_subscription(topic, request.name, earliest=False)
            request = replace(request, earliest=True)
        try:
            try:
                native = self._subscribe(request)
            except _pulsar.SubscriptionNotFound:
                if request.durable or self._administration is None:
                    raise
                for topic in topics_of(request, self._administration):
                    self._administration.create_subscription(topic, request.name, earliest=False)
                native = self._subscribe(request)
        except (_pulsar.PulsarException, ValueError, TypeError) as error:
            if not request.durable and not isinstance(error, _pulsar.ConsumerBusy):
                self._end_subscription(request)
            what = f"Cannot consume from {request.source} by the subscription {request.name!r}"
            raise self._failure(error, what) from error
        end = None if request.durable else lambda: self._end_subscription(request)
        return _Inlet(native, request, end)

    def close(self) -> None:
        """Close every producer and consumer and end the client's threads."""
        client, self._client = self._client, CLOSED
        with suppress(_pulsar.PulsarException):
            client.close()
        client.shutdown()
        for outlet in self._outlets.values():
            outlet.forget()

    def _subscribe(self, request: SubscriptionRequest) -> Any:
        client, topics = topics_to_subscribe(self._client, request)
        return client.subscribe(
            topics,
            request.name,
            consumer_type=_TYPES[request.type],
            receiver_queue_size=request.prefetch,
            max_total_receiver_queue_size_across_partitions=request.prefetch_of_all_partitions,
            consumer_name=request.consumer_name,
            negative_ack_redelivery_delay_ms=int(NACK_FLOOR),
            properties=dict(request.properties),
            initial_position=_pulsar.InitialPosition.Earliest
            if request.earliest
            else _pulsar.InitialPosition.Latest,
            batch_index_ack_enabled=request.batch_index,
        )

    def _end_subscription(self, request: SubscriptionRequest) -> None:
        if self._administration is not None:
            with suppress(JMSException):
                for topic in topics_of(request, self._administration):
                    self._administration.delete_subscription(topic, request.name)

    def _producer(self, topic: str, *, batching: bool, router: Router | None, chunked: bool) -> Any:
        settings = self._settings
        number = settings.number
        name = "" if chunked else settings.text("producerConfig.producerName", "")
        key_based = settings.text("producerConfig.batcherBuilder", "DEFAULT") == "KEY_BASED"
        try:
            producer = self._client.create_producer(
                topic,
                producer_name=f"{name}-batched" if name and batching else name or None,
                send_timeout_millis=number("producerConfig.sendTimeoutMs", 30_000),
                compression_type=_COMPRESSION[
                    settings.text("producerConfig.compressionType", "NONE")
                ],
                max_pending_messages=number("producerConfig.maxPendingMessages", 1000),
                max_pending_messages_across_partitions=number(
                    "producerConfig.maxPendingMessagesAcrossPartitions", 50_000
                ),
                block_if_queue_full=settings.flag("producerConfig.blockIfQueueFull", True),
                batching_enabled=batching,
                batching_max_messages=number("producerConfig.batchingMaxMessages", 1000),
                batching_max_allowed_size_in_bytes=number(
                    "producerConfig.batchingMaxBytes", 128 * 1024
                ),
                batching_max_publish_delay_ms=max(
                    1, number("producerConfig.batchingMaxPublishDelayMicros", 1000) // 1000
                ),
                batching_type=_pulsar.BatchingType.KeyBased
                if key_based
                else _pulsar.BatchingType.Default,
                chunking_enabled=not batching
                and (chunked or settings.flag("producerConfig.chunkingEnabled", False)),
                message_routing_mode=_ROUTING[
                    settings.text("producerConfig.messageRoutingMode", "RoundRobinPartition")
                ],
                properties={
                    "jms.transactions": "disabled",
                    **producer_metadata(settings.priority_mapping),
                },
                message_router=None if router is None else partial(_routed, router),
            )
        except (_pulsar.PulsarException, ValueError, TypeError) as error:
            raise self._failure(error, f"Cannot send to {topic}") from error
        return producer._producer

    def _failure(self, error: Exception, what: str) -> JMSException:
        """What to tell of an error; behind a time-out may be a broker that refuses this client."""
        if isinstance(error, _pulsar.Timeout):
            try:
                check_reachable(self._settings, self._credentials)
            except JMSSecurityException as refusal:
                return JMSSecurityException(f"{what}: {refusal.reason}")
            except JMSException:
                pass  # the time-out says the same
        return jms_error(error, what)

    @property
    def batches(self) -> bool:
        """Whether asynchronous sends travel in batches."""
        return self._settings.flag("producerConfig.batchingEnabled", True)


class _Outlet:
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

    def send(
        self, message: OutgoingMessage, transaction: BrokerTransaction | None = None
    ) -> PulsarStored:
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
            sent = single.send(built(message))
        except (_pulsar.PulsarException, TypeError, ValueError) as error:
            raise self._failure(error, f"Cannot send to {self._topic}") from error
        return PulsarStored(sent)

    def send_async(
        self,
        message: OutgoingMessage,
        outcome: SendOutcome,
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
            batched.send_async(built(message), outcome)
        except (_pulsar.PulsarException, TypeError, ValueError) as error:
            raise jms_error(error, f"Cannot send to {self._topic}") from error
        self._started = message

    def _let_arrive(self) -> None:
        with self._lock:
            started = self._started
            if self._arrived is not started:
                self._batched.flush()
                self._arrived = started

    def stored(self, result: Any, identifier: Any) -> PulsarStored:
        """The message as it is stored; `JMSException` when it is not."""
        if int(result) == OK:
            return PulsarStored(identifier)
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
        """0: pulsar-client does not tell."""
        return 0


class _Inlet:
    """One native consumer."""

    def __init__(
        self,
        consumer: Any,
        request: SubscriptionRequest,
        end: Callable[[], None] | None,
    ) -> None:
        self._consumer = consumer
        self._native: Any = consumer._consumer
        self._request = request
        self._end = end

    def receive(self, timeout: int) -> PulsarDelivered | None:
        """The next message within `timeout` ms."""
        try:
            return PulsarDelivered(self._native.receive(timeout))
        except (_pulsar.Timeout, _pulsar.AlreadyClosed):
            return None
        except _pulsar.PulsarException as error:
            raise jms_error(error, f"Cannot receive from {self._request.source}") from error

    def receive_async(self, arrived: Callable[[PulsarDelivered | None], None]) -> None:
        """Ask for the next message; the client tells of it, or that it was closed."""

        def done(result: Any, message: Any) -> None:
            arrived(PulsarDelivered(message) if int(result) == OK else None)

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
        """Start an acknowledgement; only a failure is told."""

        def done(result: Any) -> None:
            if int(result) != OK:
                name = str(result).rpartition(".")[2]
                failed(self._not_acknowledged(RuntimeError(name)))

        try:
            self._native.acknowledge_async(delivered.native, done)
        except _pulsar.PulsarException as error:
            failed(self._not_acknowledged(error))

    def give_back(self, delivered: Any) -> None:
        """A negative acknowledgement; the client sends it after `NACK_FLOOR`.

        It is of the last chunk alone where there are several (apache/pulsar-client-cpp#604); a
        consumer of one topic can be told of the others. The client may send them in two requests: a
        later chunk that comes without an earlier one is dropped, and those between are stuck.
        """
        earlier = [native_position(position) for position in delivered.earlier_parts]
        with suppress(_pulsar.PulsarException):  # without a connection all comes again by itself
            for position in earlier:
                self._native.negative_acknowledge(position)
            self._native.negative_acknowledge(delivered.native)

    def give_back_all(self) -> None:
        """A request to redeliver, sent at once."""
        with suppress(_pulsar.PulsarException):
            self._native.redeliver_unacknowledged_messages()

    def is_connected(self) -> bool:
        """Whether the broker is connected just now; the client reconnects by itself."""
        with suppress(_pulsar.AlreadyClosed):
            return bool(self._native.is_connected())
        return False

    def lost_at(self) -> int:
        """0: pulsar-client does not tell."""
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


class _Reader:
    """One native reader."""

    def __init__(self, reader: Any, topic: str) -> None:
        self._reader = reader
        self._topic = topic

    def has_next(self) -> bool:
        """Whether the broker holds a message that was not read yet."""
        try:
            return bool(self._reader.has_message_available())
        except _pulsar.PulsarException as error:
            raise jms_error(error, f"Cannot read {self._topic}") from error

    def read(self, timeout: int) -> PulsarDelivered | None:
        """The next message within `timeout` ms."""
        try:
            return PulsarDelivered(self._reader._reader.read_next(timeout))
        except (_pulsar.Timeout, _pulsar.AlreadyClosed):
            return None
        except _pulsar.PulsarException as error:
            raise jms_error(error, f"Cannot read {self._topic}") from error

    def close(self) -> None:
        """Close the reader; closing twice does nothing."""
        with suppress(_pulsar.PulsarException):
            self._reader.close()


def _routed(router: Router, message: Any, partitions: int) -> int:
    return router(message.properties(), partitions)


def _native_logger() -> Any:
    """The client's own log: silent, or on the console at the level set for `pulsar_jms.native`.

    It does not go through Python's logging, whose locks its threads could hold for ever when the
    interpreter ends.
    """
    level = _pulsar.LoggerLevel
    if _NATIVE_LOG.level == logging.NOTSET:
        return pulsar.FileLogger(level.Error, os.devnull)
    if _NATIVE_LOG.level <= logging.DEBUG:
        return pulsar.ConsoleLogger(level.Debug)
    if _NATIVE_LOG.level <= logging.INFO:
        return pulsar.ConsoleLogger(level.Info)
    return pulsar.ConsoleLogger(level.Warn if _NATIVE_LOG.level <= logging.WARNING else level.Error)
