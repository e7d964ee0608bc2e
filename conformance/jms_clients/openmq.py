"""Eclipse OpenMQ, the reference implementation of Jakarta Messaging, as a client under test."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final

from jms_brokers.brokers.interface import BrokerAddress
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

# https://github.com/eclipse-ee4j/openmq, at the tag of a release: maven.compiler.release in
# mq/main/pom.xml, and what .github/workflows/maven.yml tests with.
_JAVAS: Final = (
    ("5.1.3", JavaRange(newest=17)),
    ("6.5.0", JavaRange(newest=21)),
    ("6.6.0", JavaRange(oldest=21, newest=21)),
    ("6.8.0", JavaRange(oldest=21, newest=25)),
)
RELEASES: Final = Releases("openmq", "OpenMQ", newest="6.6.0", javas=_JAVAS)
CONSTANTS: Final = VendorConstants(no_acknowledge=(32768,))
"""Its session mode NO_ACKNOWLEDGE (com.sun.messaging.jms.Session)."""
_PRESETS: Final[Mapping[str, Mapping[str, object]]] = MappingProxyType(
    {
        "fair-shares": {"imqConsumerFlowLimit": 1},
        "user-ids": {"imqSetJMSXUserID": True},
        "reconnecting": {
            "imqReconnectEnabled": True,
            "imqReconnectInterval": 100,
            "imqReconnectAttempts": 600,
        },
        "impatient-sends": {"imqAckTimeout": 1_000},
        "client-id": {"imqConfiguredClientID": "administered"},
    }
)


class OpenMqClient(JavaClient[JavaConnectionFactory]):
    """OpenMQ's own client, which speaks its own protocol."""

    def connection_factory(self, settings: Mapping[str, object]) -> JavaConnectionFactory:
        """A factory for the broker; `settings` are properties of it, as `imqAckTimeout`.

        A setting of the value None is left out.
        """
        login = {
            "imqAddressList": f"{self.broker.service_url}/jms",
            "imqDefaultUsername": self.broker.user_name,
            "imqDefaultPassword": self.broker.password,
        }
        properties = {**login, **settings}
        return self.kept(
            JavaConnectionFactory(
                self.jms,
                self._made("", properties),
                of_domain=lambda domain: self._made(domain, properties),
            )
        )

    def _made(self, domain: str, properties: Mapping[str, object]) -> Any:
        import jpype

        java = self.jms.run(jpype.JClass(f"com.sun.messaging.{domain}ConnectionFactory"))
        for name, value in properties.items():
            if value is not None:
                self.jms.run(java.setProperty, name, java_text(value))
        return java


class OpenMqProvider(JavaProvider):
    """One release of OpenMQ."""

    releases: ClassVar = RELEASES

    def client(self, broker: BrokerAddress) -> OpenMqClient:
        """The client against `broker`."""
        return OpenMqClient(broker, self.namespace, CONSTANTS)


def provider(variant: str | None = None, version: str | None = None) -> OpenMqProvider:
    """The provider `openmq`, newest by default; `ProviderError` for one that there is not."""
    return OpenMqProvider(
        version=RELEASES.chosen(variant, version),
        name=RELEASES.provider,
        documents=frozenset(),  # the specification's core, which applies to everybody
        broker_family="openmq",
        capabilities=WITH_CONNECTION_CONSUMERS,
        presets=_PRESETS,
    )
