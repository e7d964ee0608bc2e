"""The configuration keys: Starlight's own, those of Pulsar's client below it, and limits."""

from __future__ import annotations

from typing import Final

from pulsar_jms.configuration.client_keys import CARRIED_OUT, REFUSED, TUNING
from pulsar_jms.configuration.value_parsers import (
    LONG,
    Parser,
    count,
    exactly,
    factor,
    flag,
    integer,
    milliseconds,
    one_of,
    only,
    positive,
    text,
    threads,
    whole,
)
from pulsar_jms.formats.limits import DEEPEST, MAX_DEPTH, MAX_ELEMENTS, MAX_SIZE
from pulsar_jms.mapping.dead_letter import dead_letter_topic_name
from pulsar_jms.mapping.priority import LINEAR, NON_LINEAR
from pulsar_jms.mapping.subscriptions import SHARED_TYPES

NEGATIVE_ACK_BACKOFF: Final = "consumerConfig.negativeAckRedeliveryBackoff"
ACK_TIMEOUT_BACKOFF: Final = "consumerConfig.ackTimeoutRedeliveryBackoff"
DEAD_LETTER_POLICY: Final = "consumerConfig.deadLetterPolicy"
WHOLES: Final = (NEGATIVE_ACK_BACKOFF, ACK_TIMEOUT_BACKOFF, DEAD_LETTER_POLICY)
"""Sections that a destination's settings replace as a whole, not key by key."""

_KEY_STORES: Final = "Java key stores; tlsTrustCertsFilePath takes a PEM file"
_LOOKUPS: Final = 50_000
"""The look-ups that wait in the Java client, those under way included."""
_ACCESS_MODES: Final = ("Shared", "Exclusive", "ExclusiveWithFencing", "WaitForExclusive")

PARSERS: Final[dict[str, Parser]] = {
    "webServiceUrl": text,
    "brokerServiceUrl": text,
    "enableTransaction": flag,
    "authPlugin": text,
    "authParams": text,
    "tlsAllowInsecureConnection": flag,
    "tlsEnableHostnameVerification": flag,
    "tlsTrustCertsFilePath": text,
    "useKeyStoreTls": only(flag, False, _KEY_STORES),
    "tlsTrustStoreType": only(text, "JKS", _KEY_STORES),
    "tlsTrustStorePath": only(text, "", _KEY_STORES),
    "tlsTrustStorePassword": only(text, "", _KEY_STORES),
    "operationTimeoutMs": positive,
    "connectionTimeoutMs": positive,
    "statsIntervalSeconds": count,
    "numIoThreads": threads,
    "numListenerThreads": threads,
    "concurrentLookupRequest": whole(1, _LOOKUPS),
    "jms.systemNamespace": text,
    "jms.clientId": text,
    "jms.queueSubscriptionName": text,
    "jms.usePulsarAdmin": flag,
    "jms.precreateQueueSubscription": flag,
    "jms.precreateQueueSubscriptionConsumerQueueSize": count,
    "jms.topicSharedSubscriptionType": one_of(*SHARED_TYPES),
    "jms.useExclusiveSubscriptionsForSimpleConsumers": flag,
    "jms.waitForServerStartupTimeout": count,
    "jms.emulateTransactions": flag,
    "jms.sessionListenersThreads": integer,
    "jms.maxNumOfProducers": whole(0, LONG),
    "jms.producerAutoCloseTimeoutSec": whole(-LONG - 1, LONG),
    "jms.maxMessagesLimitsParallelism": flag,
    "jms.connectionConsumerStopTimeout": count,
    "jms.refreshServerSideFiltersPeriod": integer,
    "jms.acknowledgeRejectedMessages": flag,
    "jms.forceDeleteTemporaryDestinations": flag,
    "jms.allowTemporaryTopicWithoutAdmin": flag,
    "jms.enableClientSideEmulation": flag,
    "jms.useServerSideFiltering": flag,
    "jms.enableJMSPriority": flag,
    "jms.priorityMapping": exactly(LINEAR, NON_LINEAR),
    "jms.transactionsStickyPartitions": flag,
    "jms.useCredentialsFromCreateConnection": flag,
    "jms.tckUsername": text,
    "jms.tckPassword": text,
    "producerConfig.producerName": text,
    "producerConfig.sendTimeoutMs": count,
    "producerConfig.blockIfQueueFull": flag,
    "producerConfig.maxPendingMessages": count,
    "producerConfig.maxPendingMessagesAcrossPartitions": count,
    "producerConfig.batchingEnabled": flag,
    "producerConfig.batchingMaxPublishDelayMicros": milliseconds,
    "producerConfig.batchingMaxMessages": count,
    "producerConfig.batchingMaxBytes": count,
    "producerConfig.chunkingEnabled": flag,
    "producerConfig.compressionType": one_of("NONE", "LZ4", "ZLIB", "ZSTD", "SNAPPY"),
    "producerConfig.messageRoutingMode": one_of("RoundRobinPartition", "SinglePartition"),
    "producerConfig.batcherBuilder": one_of("DEFAULT", "KEY_BASED"),
    "producerConfig.accessMode": only(
        one_of(*_ACCESS_MODES), "Shared", "a topic for one producer, where there are two for each"
    ),
    "producerConfig.hashingScheme": only(
        text, "", "a choice of the hash by which keys go to partitions"
    ),
    "consumerConfig.receiverQueueSize": positive,
    "consumerConfig.maxTotalReceiverQueueSizeAcrossPartitions": positive,
    "consumerConfig.consumerName": text,
    "consumerConfig.ackTimeoutMillis": milliseconds,
    "consumerConfig.tickDurationMillis": milliseconds,
    "consumerConfig.negativeAckRedeliveryDelayMicros": milliseconds,
    "consumerConfig.patternAutoDiscoveryPeriod": positive,
    "consumerConfig.acknowledgementsGroupTimeMicros": only(
        count, 100_000, "another time than pulsar-client's own, which is 100 ms"
    ),
    "consumerConfig.priorityLevel": only(
        count, 0, "an order of consumers, which pulsar-client does not have"
    ),
    "consumerConfig.batchIndexAckEnabled": flag,
    f"{NEGATIVE_ACK_BACKOFF}.minDelayMs": milliseconds,
    f"{NEGATIVE_ACK_BACKOFF}.maxDelayMs": milliseconds,
    f"{NEGATIVE_ACK_BACKOFF}.multiplier": factor,
    f"{ACK_TIMEOUT_BACKOFF}.minDelayMs": milliseconds,
    f"{ACK_TIMEOUT_BACKOFF}.maxDelayMs": milliseconds,
    f"{ACK_TIMEOUT_BACKOFF}.multiplier": factor,
    "consumerConfig.ackReceiptEnabled": flag,
    "consumerConfig.useSchema": flag,
    f"{DEAD_LETTER_POLICY}.deadLetterTopic": dead_letter_topic_name,
    f"{DEAD_LETTER_POLICY}.retryLetterTopic": dead_letter_topic_name,
    f"{DEAD_LETTER_POLICY}.initialSubscriptionName": text,
    f"{DEAD_LETTER_POLICY}.maxRedeliverCount": positive,
    MAX_DEPTH: whole(1, DEEPEST),
    MAX_ELEMENTS: whole(1, LONG),
    MAX_SIZE: whole(1, LONG),
    **CARRIED_OUT,
    **TUNING,
    **REFUSED,
}
"""Each key, and what checks its value."""
