"""ActiveMQ Classic: how little a new Java client takes (docs/new-java-client.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final
from urllib.parse import quote

from jms_brokers.brokers.interface import BrokerAddress
from jms_clients.interface import VendorConstants
from jms_clients.java.client import JavaClient, JavaProvider, java_text
from jms_clients.java.connections import JavaConnectionFactory
from jms_clients.java.releases import Releases
from jms_clients.lacking import SHARED_SUBSCRIPTIONS
from jvm_runtime.javas import JavaRange

# https://github.com/apache/activemq/discussions/2508: 17, 21 and 25 of 6.3. Of what is older,
# https://activemq.apache.org/components/classic/download names the oldest alone, as "11+" of 5.18.
_JAVAS: Final = (("6.3.0", JavaRange(newest=25)),)
RELEASES: Final = Releases("activemq", "ActiveMQ Classic", newest="6.3.1", javas=_JAVAS)
_RECONNECTING: Final[Mapping[str, object]] = {  # options of a failover URL
    "maxReconnectAttempts": 600,
    "initialReconnectDelay": 100,
    "useExponentialBackOff": False,
}
_PRESETS: Final[Mapping[str, Mapping[str, object]]] = {
    "fair-shares": {"jms.prefetchPolicy.all": 1},
    "trusted-objects": {"jms.trustAllPackages": True},
    "quick-redelivery": {
        "jms.redeliveryPolicy.initialRedeliveryDelay": 0,
        "jms.redeliveryPolicy.redeliveryDelay": 0,
    },
    "reconnecting": _RECONNECTING,
    "client-id": {"jms.clientID": "administered"},
}


class ActiveMqClient(JavaClient[JavaConnectionFactory]):
    """ActiveMQ's own client, which speaks OpenWire."""

    def connection_factory(self, settings: Mapping[str, object]) -> JavaConnectionFactory:
        """A factory for the broker; `settings` are options of its URL, as `jms.prefetchPolicy.all`.

        A setting of the value None is left out.
        """
        import jpype

        options = {k: v for k, v in settings.items() if v is not None}
        query = "&".join(f"{key}={quote(java_text(value))}" for key, value in options.items())
        factory = jpype.JClass("org.apache.activemq.ActiveMQConnectionFactory")
        login = self.broker.user_name, self.broker.password
        url = self.broker.service_url.replace("amqp:", "tcp:")
        if options.keys() & _RECONNECTING.keys():
            url = f"failover:({url})"
        java = self.jms.run(factory, *login, f"{url}?{query}")
        return self.kept(JavaConnectionFactory(self.jms, java))


class ActiveMqProvider(JavaProvider):
    """One release of ActiveMQ Classic."""

    releases: ClassVar = RELEASES

    def client(self, broker: BrokerAddress) -> ActiveMqClient:
        """The client against `broker`."""
        return ActiveMqClient(broker, self.namespace, VendorConstants(individual_acknowledge=4))


def provider(variant: str | None = None, version: str | None = None) -> ActiveMqProvider:
    """The provider `activemq`, newest by default; `ProviderError` for one that there is not."""
    return ActiveMqProvider(
        version=RELEASES.chosen(variant, version),
        name=RELEASES.provider,
        documents=frozenset(),  # the specification's core, which applies to everybody
        broker_family="activemq",
        presets=_PRESETS,
        lacks=frozenset({SHARED_SUBSCRIPTIONS}),
    )
