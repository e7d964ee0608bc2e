"""The java transport: the Java client of Apache Pulsar, in a JVM inside this process.

It has what pulsar-client lacks: transactions, non-durable subscriptions, answers to
acknowledgements, sequence ids, and redelivery without a delay.

Threads of the client call outcomes of sends and routers; they only hand over and never block.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from typing import Any

from pulsar_jms.configuration import Settings
from pulsar_jms.mapping.priority import producer_metadata
from pulsar_jms.transport.administration import Administration
from pulsar_jms.transport.credentials import Credentials
from pulsar_jms.transport.java_client.classes import PLAIN_PACKAGE, java_classes, shared_threads
from pulsar_jms.transport.java_client.java_consumer import JavaClientConsumer, JavaReader
from pulsar_jms.transport.java_client.java_errors import jms_error
from pulsar_jms.transport.java_client.java_messages import native_position
from pulsar_jms.transport.java_client.java_producer import (
    JavaClientProducer,
    JavaTransaction,
    native_router,
)
from pulsar_jms.transport.topics import create_subscriptions
from pulsar_jms.transport.transport_protocol import (
    BrokerTransaction,
    Router,
    SubscriptionRequest,
    SubscriptionType,
    TransportProducer,
)
from pulsar_jms.transport.wire_messages import MessagePosition

_TYPES = {
    SubscriptionType.EXCLUSIVE: "Exclusive",
    SubscriptionType.FAILOVER: "Failover",
    SubscriptionType.SHARED: "Shared",
    SubscriptionType.KEY_SHARED: "Key_Shared",
}
_AUTHENTICATION = {
    "AuthenticationToken": "client.impl.auth.AuthenticationToken",
    "AuthenticationTls": "client.impl.auth.AuthenticationTls",
    "AuthenticationBasic": "client.impl.auth.AuthenticationBasic",
    "AuthenticationOAuth2": "client.impl.auth.oauth2.AuthenticationOAuth2",
}


class JavaPulsarTransport:
    """The Java client behind the interface of a transport; one Java client, shared."""

    def __init__(
        self,
        settings: Settings,
        credentials: Credentials,
        administration: Administration | None,
        package: str = PLAIN_PACKAGE,
    ) -> None:
        """Make a client; with enableTransaction it looks for the broker's coordinator.

        `package` is where the Java client is found: it may be a relocated copy.
        """
        self._settings = settings
        self._administration = administration
        self._lock = threading.Lock()
        self._producers: dict[tuple[str, Router | None, bool], JavaClientProducer] = {}
        self._classes = java_classes(package)
        try:
            self._client: Any = self._build_client(credentials)
        except self._classes.error as error:
            raise jms_error(error, f"Cannot use the broker at {settings.service_url}") from error

    @property
    def has_transactions(self) -> bool:
        """True."""
        return True

    @property
    def redelivery_floor(self) -> float:
        """0: the client asks for redelivery at once."""
        return 0.0

    def partitions(self, topic: str) -> tuple[str, ...]:
        """The partitions of `topic`, as the broker knows them."""
        try:
            return tuple(map(str, self._client.getPartitionsForTopic(topic).get()))
        except self._classes.error as error:
            raise jms_error(error, f"Cannot look up {topic}") from error

    def producer(
        self, topic: str, router: Router | None = None, *, chunked: bool = False
    ) -> JavaClientProducer:
        """The producer of these arguments, made at first use, kept until it is forgotten."""
        key = (topic, router, chunked)
        producer = self._producers.get(key)
        if producer is None:
            with self._lock:
                make = partial(self._producer, *key)
                producer = self._producers.setdefault(
                    key, JavaClientProducer(make, topic, self._classes)
                )
        return producer

    def forget(self, producer: TransportProducer) -> None:
        """Make another producer for the arguments of this one, when it is asked for."""
        with self._lock:
            for key in [key for key, known in self._producers.items() if known is producer]:
                del self._producers[key]

    def reader(self, topic: str, start: MessagePosition | None) -> JavaReader:
        """A Java reader, which the broker serves through a subscription that ends with it."""
        try:
            builder = self._client.newReader(self._classes.bytes_schema)
            builder.topic(topic).startMessageIdInclusive()
            builder.startMessageId(native_position(start, self._classes))
            return JavaReader(builder.create(), topic, self._classes)
        except self._classes.error as error:
            raise jms_error(error, f"Cannot read {topic}") from error

    def begin(self, timeout: int) -> BrokerTransaction:
        """A transaction of the broker."""
        try:
            builder = self._client.newTransaction()
            builder.withTransactionTimeout(timeout, self._classes.milliseconds)
            return JavaTransaction(builder.build().get(), self._classes)
        except self._classes.error as error:
            raise jms_error(error, "Cannot begin a transaction") from error

    def subscribe(self, request: SubscriptionRequest) -> JavaClientConsumer:
        """A consumer on the subscription; made at the broker when this returns.

        Topics that a pattern finds later are read from their first message on, where the
        subscription is durable and there is an administration to put it at the end of those that
        exist now.
        """
        if request.pattern and request.durable and not request.earliest and self._administration:
            create_subscriptions(request, self._administration, earliest=False)
            request = replace(request, earliest=True)
        try:
            consumer = self._consumer_builder(request).subscribe()
        except self._classes.error as error:
            what = f"Cannot consume from {request.source} by the subscription {request.name!r}"
            raise jms_error(error, what) from error
        return JavaClientConsumer(consumer, request.source, self._classes)

    def close(self) -> None:
        """Close every producer and consumer; the threads are shared and stay."""
        try:
            self._client.close()
        except self._classes.error as error:
            raise jms_error(error, "The client of the broker did not close in order") from error

    def _build_client(self, credentials: Credentials) -> Any:
        settings, classes = self._settings, self._classes
        number = settings.number
        builder = classes.pulsar("client.api.PulsarClient").builder()
        builder.loadConf(classes.map(settings.tuning("")))
        if listener := settings.text("listenerName", ""):
            builder.listenerName(listener)
        builder.serviceUrl(settings.service_url)
        builder.enableTransaction(settings.flag("enableTransaction", False))
        builder.operationTimeout(number("operationTimeoutMs", 30_000), classes.milliseconds)
        builder.connectionTimeout(number("connectionTimeoutMs", 10_000), classes.milliseconds)
        builder.listenerThreads(number("numListenerThreads", 1))
        lookups = number("concurrentLookupRequest", 5_000)
        builder.maxConcurrentLookupRequests(lookups).maxLookupRequests(max(lookups, 50_000))
        interval = number("statsIntervalSeconds", 0)
        builder.statsInterval(1000 * interval, classes.milliseconds)
        builder.tlsTrustCertsFilePath(credentials.trust_certificate)
        builder.allowTlsInsecureConnection(credentials.allow_insecure)
        builder.enableTlsHostnameVerification(credentials.verify_host_name)
        if credentials.kind not in ("", "AuthenticationDisabled"):
            plugin = _AUTHENTICATION.get(credentials.kind)
            if plugin is None:
                raise credentials.unknown()
            builder.authentication(f"{classes.package}.{plugin}", credentials.params)
        configuration = builder.getClientConfigurationData()
        threads = shared_threads(classes.package)
        return (
            classes.client_class.builder()
            .conf(configuration)
            .eventLoopGroup(threads.event_loops)
            .timer(threads.timer)
            .build()
        )

    def _consumer_builder(self, request: SubscriptionRequest) -> Any:
        classes = self._classes
        api = "client.api.Subscription"
        position = classes.pulsar(f"{api}InitialPosition")
        mode = classes.pulsar(f"{api}Mode")
        builder = self._client.newConsumer(classes.bytes_schema)
        builder.loadConf(classes.map(request.tuning))
        builder.autoUpdatePartitionsInterval(request.new_partitions_every, classes.seconds)
        builder.readCompacted(request.compacted)
        builder.replicateSubscriptionState(request.replicated)
        if request.pattern is not None:
            modes = classes.pulsar("client.api.RegexSubscriptionMode")
            builder.topicsPattern(request.pattern)
            builder.patternAutoDiscoveryPeriod(request.discovery_period, classes.seconds)
            builder.subscriptionTopicsMode(
                modes.NonPersistentOnly
                if request.pattern.startswith("non-")
                else modes.PersistentOnly
            )
        else:
            builder.topics(classes.java_class("java.util.Arrays").asList(*request.topics))
        builder.subscriptionName(request.name)
        builder.subscriptionType(classes.pulsar(f"{api}Type").valueOf(_TYPES[request.type]))
        builder.subscriptionMode(mode.Durable if request.durable else mode.NonDurable)
        builder.subscriptionInitialPosition(
            position.Earliest if request.earliest else position.Latest
        )
        builder.receiverQueueSize(request.prefetch)
        builder.maxTotalReceiverQueueSizeAcrossPartitions(request.prefetch_of_all_partitions)
        if request.consumer_name is not None:
            builder.consumerName(request.consumer_name)
        builder.enableBatchIndexAcknowledgment(request.batch_index)
        for name, value in request.properties.items():
            builder.property(name, value)
        if request.subscription_properties:
            builder.subscriptionProperties(classes.map(request.subscription_properties))
        if self._settings.flag("consumerConfig.ackReceiptEnabled", True):
            # Grouped acknowledgements would make each of them wait for the group to go.
            builder.isAckReceiptEnabled(True).acknowledgmentGroupTime(0, classes.milliseconds)
        return builder

    def _producer(self, topic: str, router: Router | None, chunked: bool) -> Any:
        try:
            return self._producer_builder(topic, router, chunked).create()
        except self._classes.error as error:
            raise jms_error(error, f"Cannot send to {topic}") from error

    def _producer_builder(self, topic: str, router: Router | None, chunked: bool) -> Any:
        settings, classes = self._settings, self._classes
        number = settings.number
        chunking = chunked or settings.flag("producerConfig.chunkingEnabled", False)
        batching = settings.flag("producerConfig.batchingEnabled", True) and not chunking
        key_based = settings.text("producerConfig.batcherBuilder", "DEFAULT") == "KEY_BASED"
        batcher = classes.pulsar("client.api.BatcherBuilder")
        routing = classes.pulsar("client.api.MessageRoutingMode")
        compression = classes.pulsar("client.api.CompressionType")
        transactions = settings.flag("enableTransaction", False)
        builder = self._client.newProducer(classes.bytes_schema)
        builder.loadConf(classes.map(settings.tuning("producerConfig."))).topic(topic)
        builder.enableLazyStartPartitionedProducers(
            settings.flag("producerConfig.lazyStartPartitionedProducers", False)
        )
        every = settings.new_partitions_every("producerConfig")
        builder.autoUpdatePartitionsInterval(every, classes.seconds)
        name = "" if chunked else settings.text("producerConfig.producerName", "")
        if name:
            builder.producerName(name)
        builder.sendTimeout(number("producerConfig.sendTimeoutMs", 30_000), classes.milliseconds)
        builder.compressionType(
            compression.valueOf(settings.text("producerConfig.compressionType", "NONE"))
        )
        each, in_all = settings.pending_messages
        builder.maxPendingMessages(each).maxPendingMessagesAcrossPartitions(in_all)
        builder.blockIfQueueFull(settings.flag("producerConfig.blockIfQueueFull", True))
        builder.enableChunking(chunking).enableBatching(batching)
        if batching:
            builder.batchingMaxMessages(number("producerConfig.batchingMaxMessages", 1000))
            builder.batchingMaxBytes(number("producerConfig.batchingMaxBytes", 128 * 1024))
            builder.batchingMaxPublishDelay(
                max(1000, number("producerConfig.batchingMaxPublishDelayMicros", 1000)),
                classes.microseconds,
            )
            builder.batcherBuilder(batcher.KEY_BASED if key_based else batcher.DEFAULT)
        builder.property("jms.transactions", "enabled" if transactions else "disabled")
        for key, value in producer_metadata(settings.priority_mapping).items():
            builder.property(key, value)
        if router is not None:
            builder.messageRoutingMode(routing.CustomPartition)
            builder.messageRouter(native_router(router, classes))
        else:
            mode = settings.text("producerConfig.messageRoutingMode", "RoundRobinPartition")
            builder.messageRoutingMode(routing.valueOf(mode))
        return builder
