"""Artemis' own client, which speaks the core protocol."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final
from urllib.parse import quote

from jms_brokers.brokers.interface import BrokerAddress
from jms_clients.errors import ProviderError
from jms_clients.interface import VendorConstants
from jms_clients.java.client import JavaClient, JavaProvider, java_text
from jms_clients.java.connections import JavaConnectionFactory
from jms_clients.java.releases import Releases
from jvm_runtime.javas import JavaRange

# https://github.com/apache/artemis, at the tag of a release: maven.compiler.release in pom.xml,
# and what .github/workflows/build.yml tests with; docs/user-manual/versions.adoc on 2.44.0.
_JAVAS: Final = (
    ("1.0.0", JavaRange(newest=17)),
    ("2.31.1", JavaRange(newest=21)),
    ("2.44.0", JavaRange(newest=25)),
)
RELEASES: Final = Releases("artemis", "Artemis' own client", newest="2.55.0", javas=_JAVAS)
_PACKAGE: Final = "org.apache.activemq.artemis.jms.client"
CONSTANTS: Final = VendorConstants(individual_acknowledge=101, no_acknowledge=(100,))
"""ActiveMQJMSConstants."""
_DEFAULTS: Final[Mapping[str, object]] = MappingProxyType({"callTimeout": 10_000})
"""Its own bound of a call is 30 seconds, which is also how long it waits behind a cut."""
_PRESETS: Final[Mapping[str, Mapping[str, object]]] = MappingProxyType(
    {
        "quick-settlement": {"dupsOKBatchSize": 1},
        "fair-shares": {"consumerWindowSize": 0},
        "reconnecting": {"reconnectAttempts": 600, "retryInterval": 100},
        "client-id": {"clientID": "administered"},
    }
)


class ArtemisClient(JavaClient[JavaConnectionFactory]):
    """Artemis' own client, opened against one broker."""

    def connection_factory(self, settings: Mapping[str, object]) -> JavaConnectionFactory:
        """A factory for the broker; `settings` are options of its URL, as `consumerWindowSize`."""
        import jpype

        login = self.broker.user_name, self.broker.password
        url = connection_url(self.broker, settings)

        def make(domain: str) -> Any:
            return self.jms.run(
                jpype.JClass(f"{_PACKAGE}.ActiveMQ{domain}ConnectionFactory"), url, *login
            )

        return self.kept(
            JavaConnectionFactory(
                self.jms, make(""), lambda java: self.jms.run(java.close), of_domain=make
            )
        )


class ArtemisProvider(JavaProvider):
    """One release of Artemis' own client."""

    releases: ClassVar = RELEASES

    def client(self, broker: BrokerAddress) -> ArtemisClient:
        """The client against `broker`."""
        return ArtemisClient(broker, self.namespace, CONSTANTS)


def connection_url(broker: BrokerAddress, settings: Mapping[str, object]) -> str:
    """The client's URL for `broker`, whose acceptor takes AMQP and the core protocol alike.

    Settings of the value None are left out. Raises `ProviderError` for a broker behind TLS.
    """
    scheme, _, rest = broker.service_url.partition(":")
    if scheme != "amqp":
        raise ProviderError(
            f"The provider artemis cannot reach {broker.service_url}",
            hint="Name the broker as --broker artemis=amqp://HOST:PORT.",
        )
    options = {k: v for k, v in {**_DEFAULTS, **settings}.items() if v is not None}
    query = "&".join(f"{key}={quote(java_text(value))}" for key, value in options.items())
    return f"tcp:{rest}?{query}"


def provider(variant: str | None = None, version: str | None = None) -> ArtemisProvider:
    """The provider `artemis`, newest by default; `ProviderError` for one that there is not."""
    return ArtemisProvider(
        version=RELEASES.chosen(variant, version),
        name=RELEASES.provider,
        own_protocol="Artemis' core protocol",
        documents=frozenset(),  # the specification's core, which applies to everybody
        broker_family="artemis",
        presets=_PRESETS,
        added=_DEFAULTS,
    )
