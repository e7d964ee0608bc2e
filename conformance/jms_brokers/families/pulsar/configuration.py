"""Settings of Pulsar's `standalone.conf` for tests, as data.

`BEHAVIOUR` holds for every broker that we start; `SMALL_ANYWHERE` makes one quick and small, and
`SMALL` keeps an embedded one to the machine besides.
"""

from __future__ import annotations

from types import MappingProxyType

from jms_brokers.brokers.limits import Limits, given_settings
from jms_brokers.families.pulsar.profiles import Configuration

CLUSTER = "standalone"

BEHAVIOUR: Configuration = MappingProxyType(
    {
        "clusterName": CLUSTER,
        "managedLedgerDefaultEnsembleSize": 1,
        "managedLedgerDefaultWriteQuorum": 1,
        "managedLedgerDefaultAckQuorum": 1,
        "transactionCoordinatorEnabled": "true",
        "systemTopicEnabled": "true",
        "topicLevelPoliciesEnabled": "true",
        "allowAutoTopicCreation": "true",
        "allowAutoSubscriptionCreation": "true",
        "brokerDeleteInactiveTopicsEnabled": "false",
        "acknowledgmentAtBatchIndexLevelEnabled": "true",
        "forceDeleteNamespaceAllowed": "true",
        "forceDeleteTenantAllowed": "true",
        "delayedDeliveryTickTimeMillis": 100,
        # Without it one message of 5 MB makes ledger writes loop for ever, and other topics hang.
        "nettyMaxFrameSizeBytes": 5253120,
        # A send reaches a waiting consumer in 3 ms instead of 11.
        "managedLedgerNewEntriesCheckDelayInMillis": 0,
        "journalMaxGroupWaitMSec": 0,
        "brokerShutdownTimeoutMs": 3000,
    }
)

SMALL_ANYWHERE: Configuration = MappingProxyType(
    {
        "loadManagerClassName": "org.apache.pulsar.broker.loadbalance.NoopLoadManager",
        "loadBalancerEnabled": "false",
        "webSocketServiceEnabled": "false",
        "exposePublisherStats": "false",
        "enableStatistics": "false",
        "httpServerEnabled": "false",
        "defaultNumberOfNamespaceBundles": 1,
        "numIOThreads": 2,
        "numAcceptorThreads": 1,
        "numHttpServerThreads": 8,
        "numOrderedExecutorThreads": 1,
        "numExecutorThreadPoolSize": 2,
        "numCacheExecutorThreadPoolSize": 1,
        "topicOrderedExecutorThreadNum": 2,
        "managedLedgerNumSchedulerThreads": 1,
        "managedLedgerCacheSizeMB": 16,
        # A hundred looks a second cost a broker that nobody uses a quarter of its CPU time.
        "managedLedgerCacheEvictionIntervalMs": 200,
        "bookkeeperClientNumWorkerThreads": 1,
        "bookkeeperClientNumIoThreads": 1,
        "numTransactionReplayThreadPoolSize": 1,
        "dbStorage_writeCacheMaxSizeMb": 16,
        "dbStorage_readAheadCacheMaxSizeMb": 8,
        "dbStorage_rocksDB_blockCacheSize": 4194304,
        "dbStorage_rocksDB_writeBufferSizeMB": 4,
        "numAddWorkerThreads": 1,
        "numReadWorkerThreads": 1,
        "numLongPollWorkerThreads": 0,
        "serverNumIOThreads": 1,
        "numJournalCallbackThreads": 1,
        "journalPreAllocSizeMB": 4,
        "journalWriteBufferSizeKB": 64,
    }
)

SMALL: Configuration = MappingProxyType(
    {
        **SMALL_ANYWHERE,
        # Without these two the bookie listens on every address of the machine.
        "listeningInterface": "lo",
        "allowLoopback": "true",
    }
)


def security(secrets: str, admin_token: str) -> Configuration:
    """Return the settings of a broker that asks for tokens; `secrets` is the folder of the key, as
    the broker sees it. The broker's own inner client needs `admin_token` too.
    """
    return {
        "authenticationEnabled": "true",
        "authorizationEnabled": "true",
        "authenticationProviders": "org.apache.pulsar.broker.authentication."
        "AuthenticationProviderToken",
        # Expired tokens are noticed after a second, not after a minute.
        "authenticationRefreshCheckSeconds": 1,
        "tokenSecretKey": f"file://{secrets}/token.key",
        "superUserRoles": "admin",
        "brokerClientAuthenticationPlugin": "org.apache.pulsar.client.impl.auth."
        "AuthenticationToken",
        "brokerClientAuthenticationParameters": f"token:{admin_token}",
    }


def tls(secrets: str, service_port: int, admin_port: int) -> Configuration:
    """Return the settings of a broker with TLS on these ports, from the files in `secrets`."""
    return {
        "brokerServicePortTls": service_port,
        "webServicePortTls": admin_port,
        "tlsCertificateFilePath": f"{secrets}/certificate.pem",
        "tlsKeyFilePath": f"{secrets}/key.pem",
        "tlsTrustCertsFilePath": f"{secrets}/authority.pem",
        "tlsRequireTrustedClientCertOnConnect": "false",
        "webServiceTlsProvider": "SunJSSE",
    }


def limited_settings(limits: Limits) -> Configuration:
    """Return the settings of a broker with these limits."""
    live = None if limits.time_to_live is None else limits.time_to_live // 1000
    return given_settings(
        brokerMaxConnections=limits.connections,
        maxConsumersPerTopic=limits.each,
        maxProducersPerTopic=limits.each,
        ttlDurationDefaultInSeconds=live,
    )


def properties_text(configuration: Configuration) -> str:
    """Return the text of a `.conf` file."""
    return "".join(f"{key}={value}\n" for key, value in configuration.items())
