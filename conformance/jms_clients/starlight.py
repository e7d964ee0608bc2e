"""Starlight for JMS as a client under test."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from jms_brokers.brokers.interface import BrokerAddress
from jms_clients.interface import VendorConstants
from jms_clients.java.client import (
    WITH_CONNECTION_CONSUMERS,
    JavaClient,
    JavaProvider,
)
from jms_clients.java.connections import JavaConnectionFactory
from jms_clients.java.releases import Releases
from jms_clients.reference import PRESETS, connection_settings
from jvm_runtime.javas import JavaRange

_LOG = logging.getLogger(__name__)
_PACKAGE: Final = "com.datastax.oss.pulsar.jms"
_CLOSED_WITHIN: Final = 10.0
# https://github.com/datastax/pulsar-jms, at the tag of a release: pom.xml compiles for 8, from
# 7.0.2 on for 11; .github/workflows test with 8, from 4.0.0 on with 17.
_JAVAS: Final = (("1.0.0", JavaRange(newest=17)),)
RELEASES: Final = Releases("starlight", "Starlight for JMS", newest="9.0.0", javas=_JAVAS)


class StarlightClient(JavaClient[JavaConnectionFactory]):
    """Starlight, opened against one broker."""

    def __init__(self, broker: BrokerAddress, namespace: str) -> None:
        import jpype

        constants = jpype.JClass(f"{_PACKAGE}.PulsarJMSConstants")
        individual = int(constants.INDIVIDUAL_ACKNOWLEDGE)
        super().__init__(broker, namespace, VendorConstants(individual_acknowledge=individual))
        self._factory_class: Any = jpype.JClass(f"{_PACKAGE}.PulsarConnectionFactory")
        self._closing: list[threading.Thread] = []

    def connection_factory(self, settings: Mapping[str, object]) -> JavaConnectionFactory:
        """A factory for the broker; `settings` override how it is reached, too."""
        merged = {**connection_settings(self.broker), **settings}
        given = {key: value for key, value in merged.items() if value is not None}
        java = self.jms.run(self._factory_class, self.jms.values.to_java(given))
        return self.kept(JavaConnectionFactory(self.jms, java, self._close_later))

    def close(self) -> None:
        """Close every factory, and wait for their threads to end."""
        super().close()
        for thread in self._closing:
            thread.join(_CLOSED_WITHIN)

    def _close_later(self, factory: Any) -> None:
        """Close what a factory holds besides its connections: its threads take two seconds."""
        thread = threading.Thread(target=self._close, args=(factory,), daemon=True)
        self._closing = [each for each in self._closing if each.is_alive()] + [thread]
        thread.start()

    def _close(self, factory: Any) -> None:
        try:
            self.jms.run(factory.close)
        except Exception as error:
            _LOG.info("closing a factory failed: %r", error)


class StarlightProvider(JavaProvider):
    """One release of Starlight."""

    releases: ClassVar = RELEASES

    def client(self, broker: BrokerAddress) -> StarlightClient:
        """Starlight against `broker`."""
        return StarlightClient(broker, self.namespace)


def provider(variant: str | None = None, version: str | None = None) -> StarlightProvider:
    """The provider `starlight`, newest by default; `ProviderError` for one that there is not."""
    return StarlightProvider(
        version=RELEASES.chosen(variant, version),
        name=RELEASES.provider,
        documents=frozenset({"SLJ"}),
        broker_family="pulsar",
        capabilities=WITH_CONNECTION_CONSUMERS,
        presets=PRESETS,
    )
