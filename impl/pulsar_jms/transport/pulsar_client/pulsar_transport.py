"""The native transport: pulsar-client, the C++ client of Apache Pulsar with Python bindings.

What that client lacks is done here over the administration where it gives the same behaviour:
a non-durable subscription is a durable one that is deleted with its last consumer.

Callbacks of the client run on its own threads; they only hand over and never call back into it,
since a blocking call there would wait for the very thread that makes it.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import _pulsar

from jmsapi import JMSException, JMSSecurityException
from pulsar_jms.configuration import Settings
from pulsar_jms.configuration.value_parsers import INT
from pulsar_jms.mapping.priority import producer_metadata
from pulsar_jms.transport.administration import Administration
from pulsar_jms.transport.credentials import Credentials
from pulsar_jms.transport.forks import keep_in_children
from pulsar_jms.transport.pulsar_client.native_client import native_client
from pulsar_jms.transport.pulsar_client.pulsar_consumer import PulsarClientConsumer, PulsarReader
from pulsar_jms.transport.pulsar_client.pulsar_errors import CLOSED, jms_error
from pulsar_jms.transport.pulsar_client.pulsar_messages import native_position
from pulsar_jms.transport.pulsar_client.pulsar_producer import PulsarClientProducer
from pulsar_jms.transport.pulsar_client.sources import topics_to_subscribe
from pulsar_jms.transport.pulsar_client.texts import LenientTexts
from pulsar_jms.transport.reachability import check_reachable
from pulsar_jms.transport.topics import create_subscriptions, topics_of
from pulsar_jms.transport.transport_protocol import (
    BrokerTransaction,
    Router,
    SubscriptionRequest,
    SubscriptionType,
    TransportProducer,
)
from pulsar_jms.transport.wire_messages import MessagePosition

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
_BATCH = "producerConfig.batchingMaxMessages"
MOST_FETCHED = 100_000
"""Messages that a consumer fetches ahead at most: pulsar-client makes room for half of them at
once, and ends the process where there is none."""
NACK_FLOOR = 100.0
"""Milliseconds: pulsar-client asks for the redelivery of a single message no sooner than this."""


class PulsarClientTransport:
    """pulsar-client behind the interface of a transport; one native client, shared."""

    def __init__(
        self, settings: Settings, credentials: Credentials, administration: Administration | None
    ) -> None:
        """Make a client; nothing is connected before the first producer or consumer."""
        self._settings = settings
        self._credentials = credentials
        self._administration = administration
        self._lenient = LenientTexts(settings, credentials)
        self._lock = threading.Lock()
        self._producers: dict[tuple[str, Router | None, bool], PulsarClientProducer] = {}
        try:
            self._client: Any = native_client(settings, credentials)
        except (ValueError, RuntimeError, _pulsar.PulsarException) as error:
            raise jms_error(error, f"Cannot use the broker at {settings.service_url}") from error
        keep_in_children(self._client._client)

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

    def producer(
        self, topic: str, router: Router | None = None, *, chunked: bool = False
    ) -> PulsarClientProducer:
        """The producer of these arguments, made at first use, kept until it is forgotten."""
        key = (topic, router, chunked)
        producer = self._producers.get(key)
        if producer is None:
            with self._lock:
                make = partial(self._producer, router=router, chunked=chunked)
                batches = self.batches and not chunked
                producer = self._producers.setdefault(
                    key, PulsarClientProducer(make, topic, self._failure, batches=batches)
                )
        return producer

    def forget(self, producer: TransportProducer) -> None:
        """Make another producer for the arguments of this one, when it is asked for."""
        with self._lock:
            for key in [key for key, known in self._producers.items() if known is producer]:
                del self._producers[key]

    def reader(self, topic: str, start: MessagePosition | None) -> PulsarReader:
        """A native reader, which the broker serves through a subscription that ends with it."""
        try:
            native = self._client.create_reader(
                topic, native_position(start), start_message_id_inclusive=True
            )
        except (_pulsar.PulsarException, ValueError, TypeError) as error:
            raise jms_error(error, f"Cannot read {topic}") from error
        return PulsarReader(native, topic, self._lenient)

    def begin(self, timeout: int) -> BrokerTransaction:
        """Refused with `JMSException`: pulsar-client has no transactions."""
        raise JMSException(
            "pulsar-client has no transactions; use jms.emulateTransactions=true, or the java "
            "transport"
        )

    def subscribe(self, request: SubscriptionRequest) -> PulsarClientConsumer:
        """A consumer on the subscription; made at the broker when this returns.

        Topics that a pattern finds later are read from their first message on, where there is an
        administration to put the subscription at the end of those that exist now.
        """
        if request.pattern and not request.earliest and self._administration is not None:
            create_subscriptions(request, self._administration, earliest=False)
            request = replace(request, earliest=True)
        try:
            try:
                native = self._subscribe(request)
            except _pulsar.SubscriptionNotFound:
                if request.durable or self._administration is None:
                    raise
                create_subscriptions(request, self._administration, earliest=False)
                native = self._subscribe(request)
        except (_pulsar.PulsarException, ValueError, TypeError) as error:
            if not request.durable and not isinstance(error, _pulsar.ConsumerBusy):
                self._end_subscription(request)
            what = f"Cannot consume from {request.source} by the subscription {request.name!r}"
            raise self._failure(error, what) from error
        end = None if request.durable else lambda: self._end_subscription(request)
        return PulsarClientConsumer(native, request, end, self._lenient)

    def close(self) -> None:
        """Close every producer and consumer and end the client's threads."""
        client, self._client = self._client, CLOSED
        with suppress(_pulsar.PulsarException):
            client.close()
        client.shutdown()
        for producer in self._producers.values():
            producer.forget()

    def _subscribe(self, request: SubscriptionRequest) -> Any:
        client, topics = topics_to_subscribe(self._client, request)
        return client.subscribe(
            topics,
            request.name,
            consumer_type=_TYPES[request.type],
            receiver_queue_size=min(request.prefetch, MOST_FETCHED),
            max_total_receiver_queue_size_across_partitions=request.prefetch_of_all_partitions,
            consumer_name=request.consumer_name,
            negative_ack_redelivery_delay_ms=int(NACK_FLOOR),
            properties=dict(request.properties),
            initial_position=_pulsar.InitialPosition.Earliest
            if request.earliest
            else _pulsar.InitialPosition.Latest,
            batch_index_ack_enabled=request.batch_index,
            is_read_compacted=request.compacted,
            replicate_subscription_state_enabled=request.replicated,
        )

    def _end_subscription(self, request: SubscriptionRequest) -> None:
        if self._administration is not None:
            with suppress(JMSException):
                for topic in topics_of(request, self._administration):
                    self._administration.delete_subscription(topic, request.name)

    def _producer(self, topic: str, *, batching: bool, router: Router | None, chunked: bool) -> Any:
        settings = self._settings
        number = settings.number
        each, in_all = settings.pending_messages
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
                max_pending_messages=each,
                max_pending_messages_across_partitions=in_all,
                block_if_queue_full=settings.flag("producerConfig.blockIfQueueFull", True),
                batching_enabled=batching,
                batching_max_messages=max(2, number(_BATCH, 1000) or INT),
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
                lazy_start_partitioned_producers=settings.flag(
                    "producerConfig.lazyStartPartitionedProducers", False
                ),
                properties={
                    "jms.transactions": "disabled",
                    **producer_metadata(settings.priority_mapping),
                },
                message_router=None if router is None else partial(_route, router),
            )
        except (_pulsar.PulsarException, ValueError, TypeError) as error:
            raise self._failure(error, f"Cannot send to {topic}") from error
        return keep_in_children(producer._producer)

    def _failure(self, error: Exception, what: str) -> JMSException:
        """A text on an error; behind a time-out may be a broker that refuses this client."""
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
        """Whether asynchronous sends travel in batches; pulsar-client has none of one message."""
        settings = self._settings
        enabled = settings.flag("producerConfig.batchingEnabled", True)
        return enabled and settings.number(_BATCH, 0) != 1


def _route(router: Router, message: Any, partitions: int) -> int:
    return router(message.properties(), partitions)
