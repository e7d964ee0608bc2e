"""Qpid JMS, upstream of Red Hat AMQ JMS, as a client under test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import ClassVar, Final, Self
from urllib.parse import quote

from jms_brokers.brokers.interface import BrokerAddress
from jms_clients.errors import ProviderError
from jms_clients.interface import VendorConstants
from jms_clients.java.client import (
    WITH_CONNECTION_CONSUMERS,
    JavaClient,
    JavaProvider,
    java_text,
)
from jms_clients.java.connections import JavaConnectionFactory
from jms_clients.java.releases import Releases
from jvm_runtime.javas import JavaRange

# https://github.com/apache/qpid-jms, at the tag of a release: maven.compiler.release in pom.xml,
# and what .github/workflows/build.yml tests with. 2.x goes on beside 1.x.
_JAVAS: Final = (
    ("0.1.0", JavaRange(newest=17)),
    ("1.11.0", JavaRange(newest=21)),
    ("1.16.0", JavaRange(newest=25)),
    ("2.0.0", JavaRange(newest=17)),
    ("2.5.0", JavaRange(newest=21)),
    ("2.10.0", JavaRange(newest=25)),
)
RELEASES: Final = Releases("qpid", "Qpid JMS", newest="2.10.0", javas=_JAVAS)
FAILOVER: Final = "failover:"
"""What a service URL begins with for a client that reconnects: `failover:(amqp://HOST:PORT)`."""
CONSTANTS: Final = VendorConstants(individual_acknowledge=101, no_acknowledge=(100, 257))
"""The client has these numbers without names for them; they are those of its document."""
_DEFAULTS: Final[Mapping[str, object]] = MappingProxyType({"jms.useDaemonThread": True})
"""Other threads would keep the process alive."""
_DEFAULTS_ON: Final[Mapping[str, Mapping[str, object]]] = MappingProxyType(
    {
        "rabbitmq": {
            "jms.requestTimeout": 5_000,
            "jms.closeTimeout": 5_000,
            "jms.queuePrefix": "/queue/",
            "jms.topicPrefix": "/topic/",
            "jms.receiveLocalOnly": True,
            "jms.receiveNoWaitLocalOnly": True,
        }
    }
)
"""By family, what the client has to be told there. RabbitMQ tells queues from topics by the address
alone (its version 1 of addresses, which 3.x and 4.x understand), and the plug-in of 3.10 ends the
session of a receiver that asks it to drain, as receive() with a time limit does by default
(rabbit_classic_queue: function_clause for send_drained). It never answers a link that it cannot
make, of a transaction or a temporary destination: that costs the time limit of a request."""
_OWN_PROTOCOL_ON: Final[Mapping[str, str]] = MappingProxyType({"rabbitmq": "AMQP 1.0"})
_OF_ONE_ADDRESS: Final = ("amqp.", "transport.")
"""Options that belong to each address of a failover URL, not to the whole."""
_PREFIXES: Final = ("jms.", "failover.", *_OF_ONE_ADDRESS)
_PRESETS: Final[Mapping[str, Mapping[str, object]]] = MappingProxyType(
    {
        "fair-shares": {"jms.prefetchPolicy.all": 1},
        "user-ids": {"jms.populateJMSXUserID": True},
        "reconnecting": {
            "failover.maxReconnectAttempts": 600,
            "failover.reconnectDelay": 100,
            "failover.useReconnectBackOff": False,
        },
        "client-id": {"jms.clientID": "administered"},
    }
)


class QpidClient(JavaClient[JavaConnectionFactory]):
    """Qpid JMS, opened against one broker."""

    def connection_factory(self, settings: Mapping[str, object]) -> JavaConnectionFactory:
        """A factory for the broker; `settings` are options of the client's URL, by their names."""
        import jpype

        factory = jpype.JClass("org.apache.qpid.jms.JmsConnectionFactory")
        java = self.jms.run(factory, connection_url(self.broker, settings))
        return self.kept(JavaConnectionFactory(self.jms, java))


class QpidProvider(JavaProvider):
    """One release of Qpid JMS."""

    releases: ClassVar = RELEASES

    def on(self, family: str) -> Self:
        """See `JavaProvider`; where AMQP 1.0 is not what most clients speak, that is told."""
        return replace(
            super().on(family),
            own_protocol=_OWN_PROTOCOL_ON.get(family, ""),
            added={**_DEFAULTS, **_DEFAULTS_ON.get(family, {})},
        )

    def client(self, broker: BrokerAddress) -> QpidClient:
        """Qpid JMS against `broker`."""
        return QpidClient(broker, self.namespace, CONSTANTS)


def connection_url(broker: BrokerAddress, settings: Mapping[str, object]) -> str:
    """The client's URL for `broker`; settings of the value None are left out, defaults as well.

    One with options `failover.*` is a failover URL. Raises `ProviderError`, also for a name that
    the client would ignore until it connects.
    """
    for key, value in settings.items():
        if not key.startswith(_PREFIXES):
            raise ProviderError(
                f"Qpid JMS has no option {key!r} (given {value!r})",
                hint=f"Its options begin with {', '.join(_PREFIXES)}.",
            )
    if broker.trust_certificate is not None:
        raise ProviderError(
            f"The provider qpid cannot trust the certificate {broker.trust_certificate} alone",
            hint="It needs a Java trust store: give transport.trustStoreLocation as a setting.",
        )
    login = {"jms.username": broker.user_name, "jms.password": broker.password}
    merged = {**_DEFAULTS, **_DEFAULTS_ON.get(broker.family, {}), **login, **settings}
    options = {key: value for key, value in merged.items() if value is not None}
    address = broker.service_url.removeprefix(FAILOVER).strip("()")
    of_address = {key: value for key, value in options.items() if key.startswith(_OF_ONE_ADDRESS)}
    others = {key: value for key, value in options.items() if key not in of_address}
    if address == broker.service_url and not any(key.startswith("failover.") for key in options):
        return address + _query(options)
    return f"{FAILOVER}({address}{_query(of_address)}){_query(others)}"


def _query(options: Mapping[str, object]) -> str:
    pairs = (f"{quote(key)}={quote(java_text(value), safe='')}" for key, value in options.items())
    return "?" + "&".join(pairs) if options else ""


def provider(variant: str | None = None, version: str | None = None) -> QpidProvider:
    """The provider `qpid`, newest by default; `ProviderError` for one that there is not."""
    return QpidProvider(
        version=RELEASES.chosen(variant, version),
        name=RELEASES.provider,
        documents=frozenset({"AMQ"}),
        broker_family="artemis",
        other_families=("brokerj", "rabbitmq"),
        capabilities=WITH_CONNECTION_CONSUMERS,
        presets=_PRESETS,
        added=_DEFAULTS,
    )
