"""Keys of Pulsar's Java client that no document of Starlight's names, but which it hands on.

All of `ClientConfigurationData`, `ProducerConfigurationData` and `ConsumerConfigurationData` of
Pulsar 4.0 are here or among Starlight's, so that none of them is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pulsar_jms.configuration.value_parsers import (
    LONG,
    Parser,
    count,
    flag,
    never,
    only,
    positive,
    text,
    whole,
)

_PRODUCER: Final = "producerConfig."
_CONSUMER: Final = "consumerConfig."

CARRIED_OUT: Final[Mapping[str, Parser]] = {
    "listenerName": text,
    f"{_CONSUMER}readCompacted": flag,
    f"{_CONSUMER}replicateSubscriptionState": flag,
    f"{_CONSUMER}autoUpdatePartitionsIntervalSeconds": positive,
    f"{_PRODUCER}autoUpdatePartitionsIntervalSeconds": positive,
    f"{_PRODUCER}lazyStartPartitionedProducers": flag,
}
"""Heeded on both transports."""

TUNING: Final[Mapping[str, Parser]] = {
    "lookupTimeoutMs": whole(-1),
    "connectionsPerBroker": positive,
    "connectionMaxIdleSeconds": count,
    "useTcpNoDelay": flag,
    "maxLookupRedirects": count,
    "maxNumberOfRejectedRequestPerConnection": count,
    "keepAliveIntervalSeconds": count,
    "requestTimeoutMs": count,
    "initialBackoffIntervalNanos": whole(0, LONG),
    "maxBackoffIntervalNanos": whole(0, LONG),
    "memoryLimitBytes": whole(0, LONG),
    "description": text,
    f"{_PRODUCER}batchingPartitionSwitchFrequencyByPublishDelay": positive,
    f"{_CONSUMER}maxPendingChunkedMessage": count,
    f"{_CONSUMER}expireTimeOfIncompleteChunkedMessageMillis": count,
}
"""Handed to the Java client by the java transport, and left to pulsar-client by the native one:
what an application sees of its messages does not depend on them."""

_SET_HERE: Final = "what the JMS client chooses itself"
_METADATA: Final = "metadata of your own; consumerName, producerName and jms.clientId are told"
_ENCRYPTION: Final = "the encryption of messages between clients"
_PARTITIONS: Final = "a client that leaves new partitions alone"
_HTTP: Final = "a limit for requests over HTTP; operationTimeoutMs is theirs, too"
_TLS: Final = "a choice of ciphers, protocols or providers of TLS"
_KEY_STORE: Final = "Java key stores; tlsTrustCertsFilePath takes a PEM file"
_OWN_CERTIFICATE: Final = (
    "a certificate of the client by this key; use authPlugin=AuthenticationTls with authParams "
    "'tlsCertFile:…,tlsKeyFile:…'"
)
_PROXY: Final = "a proxy of this kind; the address of a Pulsar proxy is a brokerServiceUrl"
_NAMES: Final = "a name server or a local address of its own; the system's are used"

_NEVER: Final[Mapping[str, tuple[str, ...]]] = {
    "another name of brokerServiceUrl; use that": ("serviceUrl",),
    "another name of authPlugin; use that": ("authPluginClassName",),
    "another form of authParams; use that": ("authParamMap",),
    "another name of tlsEnableHostnameVerification; use that": ("tlsHostnameVerificationEnable",),
    "acting for another principal, as proxies do": ("originalPrincipal",),
    "a second limit of look-ups; concurrentLookupRequest sets both": ("maxLookupRequest",),
    "threads that wait busily": ("enableBusyWait",),
    "metadata of look-ups": ("lookupProperties",),
    _HTTP: ("readTimeoutMs", "autoCertRefreshSeconds"),
    _OWN_CERTIFICATE: ("tlsKeyFilePath", "tlsCertificateFilePath"),
    _KEY_STORE: ("tlsKeyStoreType", "tlsKeyStorePath", "tlsKeyStorePassword"),
    _TLS: (
        "sslProvider",
        "sslFactoryPlugin",
        "sslFactoryPluginParams",
        "tlsCiphers",
        "tlsProtocols",
    ),
    _PROXY: (
        "proxyServiceUrl",
        "proxyProtocol",
        "socks5ProxyAddress",
        "socks5ProxyUsername",
        "socks5ProxyPassword",
    ),
    _NAMES: ("dnsLookupBindAddress", "dnsLookupBindPort", "dnsServerAddresses"),
    _METADATA: (f"{_PRODUCER}properties", f"{_CONSUMER}properties"),
    _ENCRYPTION: (
        f"{_PRODUCER}cryptoFailureAction",
        f"{_PRODUCER}encryptionKeys",
        f"{_CONSUMER}cryptoFailureAction",
    ),
    "a size of chunks; it is the broker's limit": (f"{_PRODUCER}chunkMaxMessageSize",),
    "a first sequence id: a topic has two producers": (f"{_PRODUCER}initialSequenceId",),
    "a subscription made by a producer": (f"{_PRODUCER}initialSubscriptionName",),
    "another size of groups of acknowledgements": (f"{_CONSUMER}maxAcknowledgmentGroupSize",),
    "coarser waits: each is exact": (f"{_CONSUMER}negativeAckPrecisionBitCnt",),
    _SET_HERE: (
        f"{_PRODUCER}topicName",
        f"{_PRODUCER}multiSchema",
        f"{_PRODUCER}isNonPartitionedTopicExpected",
        f"{_PRODUCER}isReplProducer",
        f"{_CONSUMER}topicNames",
        f"{_CONSUMER}topicsPattern",
        f"{_CONSUMER}topicConfigurations",
        f"{_CONSUMER}subscriptionName",
        f"{_CONSUMER}subscriptionType",
        f"{_CONSUMER}subscriptionProperties",
        f"{_CONSUMER}subscriptionMode",
        f"{_CONSUMER}subscriptionInitialPosition",
        f"{_CONSUMER}regexSubscriptionMode",
        f"{_CONSUMER}retryEnable",
        f"{_CONSUMER}resetIncludeHead",
        f"{_CONSUMER}startPaused",
    ),
}
"""What keys ask for that nothing here gives, and what to do instead where there is something."""

REFUSED: Final[Mapping[str, Parser]] = {
    **{key: never(feature) for feature, keys in _NEVER.items() for key in keys},
    "useTls": only(flag, False, "TLS by a flag; begin brokerServiceUrl with pulsar+ssl://"),
    f"{_PRODUCER}autoUpdatePartitions": only(flag, True, _PARTITIONS),
    f"{_CONSUMER}autoUpdatePartitions": only(flag, True, _PARTITIONS),
    f"{_CONSUMER}autoAckOldestChunkedMessageOnQueueFull": only(
        flag, False, "acknowledging messages that nobody received"
    ),
    f"{_CONSUMER}poolMessages": only(flag, False, "buffers that the application gives back"),
    f"{_CONSUMER}autoScaledReceiverQueueSizeEnabled": only(
        flag, False, "a receiver queue that grows by itself; receiverQueueSize is its size"
    ),
}
"""Refused by name, but for the value that holds anyway."""
