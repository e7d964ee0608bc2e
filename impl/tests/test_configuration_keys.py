"""Every documented key is known: accepted with its default, or refused by name with a reason."""

from __future__ import annotations

import pytest

from jmsapi import JMSException
from pulsar_jms.configuration import settings

DEFAULTS: dict[str, object] = {
    "webServiceUrl": "http://localhost:8080",
    "brokerServiceUrl": "",
    "enableTransaction": "false",
    "authPlugin": "",
    "authParams": "",
    "tlsAllowInsecureConnection": False,
    "tlsEnableHostnameVerification": "true",
    "tlsTrustCertsFilePath": "",
    "useKeyStoreTls": "false",
    "tlsTrustStoreType": "JKS",
    "tlsTrustStorePath": "",
    "tlsTrustStorePassword": "",
    "jms.systemNamespace": "public/default",
    "jms.clientId": None,
    "jms.queueSubscriptionName": "jms-queue",
    "jms.usePulsarAdmin": True,
    "jms.allowTemporaryTopicWithoutAdmin": False,
    "jms.precreateQueueSubscription": "true",
    "jms.precreateQueueSubscriptionConsumerQueueSize": 0,
    "jms.topicSharedSubscriptionType": "shared",
    "jms.useExclusiveSubscriptionsForSimpleConsumers": True,
    "jms.waitForServerStartupTimeout": "60000",
    "jms.enableClientSideEmulation": False,
    "jms.useServerSideFiltering": False,
    "jms.refreshServerSideFiltersPeriod": 300,
    "jms.acknowledgeRejectedMessages": False,
    "jms.enableJMSPriority": False,
    "jms.priorityMapping": "linear",
    "jms.emulateTransactions": False,
    "jms.transactionsStickyPartitions": False,
    "jms.forceDeleteTemporaryDestinations": False,
    "jms.useCredentialsFromCreateConnection": False,
    "jms.sessionListenersThreads": 4,
    "jms.maxNumOfProducers": 1000,
    "jms.producerAutoCloseTimeoutSec": -1,
    "jms.maxMessagesLimitsParallelism": False,
    "jms.connectionConsumerStopTimeout": 20_000,
    "jms.tckUsername": "",
    "jms.tckPassword": "",
    "producerConfig.producerName": "",
    "producerConfig.sendTimeoutMs": 30_000,
    "producerConfig.blockIfQueueFull": True,
    "producerConfig.maxPendingMessages": 1000,
    "producerConfig.batchingEnabled": True,
    "producerConfig.batchingMaxPublishDelayMicros": 1000,
    "producerConfig.batchingMaxMessages": 1000,
    "producerConfig.batchingMaxBytes": 131_072,
    "producerConfig.chunkingEnabled": False,
    "producerConfig.compressionType": "NONE",
    "producerConfig.messageRoutingMode": "RoundRobinPartition",
    "producerConfig.accessMode": "Shared",
    "producerConfig.batcherBuilder": "DEFAULT",
    "consumerConfig.useSchema": False,
    "consumerConfig.receiverQueueSize": 1000,
    "consumerConfig.ackTimeoutMillis": 0,
    "consumerConfig.tickDurationMillis": 1000,
    "consumerConfig.negativeAckRedeliveryDelayMicros": 1_000_000,
    "consumerConfig.acknowledgementsGroupTimeMicros": 100_000,
    "consumerConfig.ackReceiptEnabled": False,
    "consumerConfig.batchIndexAckEnabled": False,
    "consumerConfig.patternAutoDiscoveryPeriod": 60,
    "consumerConfig.consumerName": "c",
    "consumerConfig.priorityLevel": 0,
}


@pytest.mark.parametrize("key", DEFAULTS)
def test_the_default_of_a_documented_key_is_accepted(key: str) -> None:
    checked = settings({key: DEFAULTS[key]})
    assert (key in checked.values) == (DEFAULTS[key] is not None)


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("useKeyStoreTls", True, "tlsTrustCertsFilePath"),
        ("tlsTrustStoreType", "PKCS12", "tlsTrustCertsFilePath"),
        ("tlsTrustStorePath", "/x.jks", "tlsTrustCertsFilePath"),
        ("producerConfig.hashingScheme", "Murmur3_32Hash", "partitions"),
        ("producerConfig.accessMode", "Exclusive", "one producer"),
        ("producerConfig.accessMode", "Any", "one of Shared, Exclusive"),
        ("consumerConfig.acknowledgementsGroupTimeMicros", 0, "100 ms"),
        ("consumerConfig.priorityLevel", 1, "pulsar-client"),
        ("consumerConfig.receiverQueueSize", 0, "1 or more"),
        ("consumerConfig.patternAutoDiscoveryPeriod", 0, "1 or more"),
        ("consumerConfig.useSchema", "yes", "true or false"),
        ("jms.sessionListenersThreads", "many", "whole number"),
        ("jms.maxNumOfProducers", -1, "0 or more"),
    ],
)
def test_a_value_that_cannot_be_had_is_refused_by_name(key: str, value: object, says: str) -> None:
    with pytest.raises(JMSException, match=says) as refusal:
        settings({key: value})
    assert repr(key) in str(refusal.value)


@pytest.mark.parametrize(
    "given",
    [
        {"tlsTrustStorePassword": "s3cret"},
        {"tlsKeyStorePassword": "s3cret"},
        {"authParamMap": {"token": "s3cret"}},
    ],
)
def test_a_password_is_not_shown(given: dict[str, object]) -> None:
    with pytest.raises(JMSException, match="not supported") as refusal:
        settings(given)
    assert "s3cret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"serviceUrl": "pulsar://x"}, "'serviceUrl'.*brokerServiceUrl"),
        ({"useTls": True}, "'useTls' = True.*pulsar\\+ssl"),
        ({"tlsKeyFilePath": "/k"}, "'tlsKeyFilePath'.*AuthenticationTls"),
        ({"proxyServiceUrl": "pulsar://x"}, "'proxyServiceUrl'.*brokerServiceUrl"),
        ({"producerConfig": {"encryptionKeys": ["k"]}}, "'producerConfig.encryptionKeys'"),
        ({"producerConfig": {"properties": {"a": "b"}}}, "'producerConfig.properties.a'.*metadata"),
        ({"consumerConfig": {"subscriptionType": "Failover"}}, "JMS client chooses itself"),
        ({"consumerConfig": {"autoUpdatePartitions": "false"}}, "new partitions"),
    ],
)
def test_what_is_refused_says_what_to_do_instead(given: dict[str, object], says: str) -> None:
    with pytest.raises(JMSException, match=f"{says}.*") as refusal:
        settings(given)
    assert "not supported" in str(refusal.value)


def test_tuning_is_sorted_by_its_section() -> None:
    checked = settings(
        {
            "connectionsPerBroker": "3",
            "producerConfig": {"batchingPartitionSwitchFrequencyByPublishDelay": 7},
            "consumerConfig": {"maxPendingChunkedMessage": 8, "receiverQueueSize": 5},
        }
    )
    assert checked.tuning("") == {"connectionsPerBroker": 3}
    assert checked.tuning("producerConfig.") == {
        "batchingPartitionSwitchFrequencyByPublishDelay": 7
    }
    assert checked.tuning("consumerConfig.") == {"maxPendingChunkedMessage": 8}
