"""The reference implementation as a client under test, on each of its transports."""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from jms_brokers.brokers.interface import BrokerAddress
from jms_clients.errors import ProviderError
from jms_clients.interface import VendorConstants
from jms_clients.memory import Memory, python_memory
from jms_clients.products import PRODUCTS, Product
from pulsar_jms import INDIVIDUAL_ACKNOWLEDGE, PulsarConnectionFactory
from pulsar_jms.dialects import amq
from pulsar_jms.dialects.rabbitmq import READ_MAX_VARIABLE
from pulsar_jms.transport.java_client.classes import PROGRAM

_CONSTANTS = VendorConstants(individual_acknowledge=INDIVIDUAL_ACKNOWLEDGE)
_DIALECTS: Mapping[str, tuple[frozenset[str], VendorConstants]] = {
    "rabbitmq": (frozenset({"RMQ"}), _CONSTANTS),
    "amq": (
        frozenset({"AMQ"}),
        VendorConstants(amq.INDIVIDUAL_ACKNOWLEDGE, amq.NO_ACKNOWLEDGE),
    ),
}
"""The documents of each dialect, and its constants."""
_VARIABLES: Mapping[tuple[str, str], str] = {
    ("rabbitmq", "rabbit.jms.queueBrowserReadMax"): READ_MAX_VARIABLE,
}
"""By dialect and property of a Java process, the environment variable of the same meaning."""
PRESETS: Mapping[str, Mapping[str, object]] = {
    "impatient-sends": {"producerConfig": {"sendTimeoutMs": 1_000}},
    "transactions": {"enableTransaction": "true"},
    "quick-redelivery": {"consumerConfig": {"negativeAckRedeliveryDelayMicros": 1_000}},
    "fair-shares": {"consumerConfig": {"receiverQueueSize": 1}},
    "shared-selectors": {"jms.enableClientSideEmulation": "true"},
    "priorities": {"jms.enableJMSPriority": "true"},
    "few-tries": {"jms.waitForServerStartupTimeout": 1_000},
    "logins": {"jms.useCredentialsFromCreateConnection": "true"},
    "client-id": {"jms.clientId": "administered"},
}
"""In Starlight's configuration keys."""
_NATIVE_PRESETS: Mapping[str, Mapping[str, object]] = {
    **PRESETS,
    "transactions": {"jms.emulateTransactions": "true"},
}
_TOKEN_PLUGIN = "org.apache.pulsar.client.impl.auth.AuthenticationToken"  # noqa: S105 (a class)


@dataclass
class ReferenceClient:
    """The reference, opened against one broker; it closes the factories that it made."""

    broker: BrokerAddress
    transport: str = "native"
    constants: VendorConstants = _CONSTANTS
    dialect: str = "starlight"
    _factories: list[PulsarConnectionFactory] = field(default_factory=list, repr=False)

    def connection_factory(self, settings: Mapping[str, object]) -> PulsarConnectionFactory:
        """A factory for the broker; `settings` override how it is reached, too."""
        merged = {**connection_settings(self.broker), **settings}
        factory = PulsarConnectionFactory(
            {key: value for key, value in merged.items() if value is not None},
            transport=self.transport,
            dialect=self.dialect,
        )
        self._factories.append(factory)
        return factory

    @contextmanager
    def process_property(self, name: str, value: str | None) -> Iterator[None]:
        """The environment variable that stands for a property of a Java process, for a while.

        `ProviderError` for one that the dialect does not know.
        """
        if (self.dialect, name) not in _VARIABLES:
            raise ProviderError(
                f"No environment variable stands for the property {name!r}",
                hint="See the dialects in impl/pulsar_jms/dialects.",
            )
        variable = _VARIABLES[self.dialect, name]
        before = os.environ.get(variable)
        _put(variable, value)
        try:
            yield
        finally:
            _put(variable, before)

    def memory(self) -> AbstractContextManager[Memory]:
        """Python's memory: on either transport messages are objects of Python."""
        return python_memory()

    def close(self) -> None:
        """Close every factory."""
        while self._factories:
            self._factories.pop().close()


@dataclass(frozen=True)
class ReferenceProvider:
    """The reference on one transport."""

    version: str
    name: str = "reference"
    documents: frozenset[str] = frozenset({"SLJ"})
    capabilities: frozenset[str] = frozenset({"correlation-id-bytes"})
    broker_family: str = "pulsar"
    transport: str = "native"
    built_on: str = ""
    """The provider whose deviations are this one's as well."""
    dialect: str = "starlight"
    constants: VendorConstants = _CONSTANTS

    @property
    def product(self) -> Product:
        """What it is, for people."""
        return PRODUCTS["reference"]

    @property
    def program(self) -> str:
        """The lock of the jars of Pulsar's client, where it runs on that."""
        return PROGRAM if self.transport == "java" else ""

    @property
    def variants(self) -> tuple[str, ...]:
        """The dialects, of the plain reference."""
        return tuple(_DIALECTS) if self.name == "reference" else ()

    @property
    def presets(self) -> Mapping[str, Mapping[str, object]]:
        """Settings by neutral names; pulsar-client has no transactions, so they are emulated."""
        return PRESETS if self.transport == "java" else _NATIVE_PRESETS

    @contextmanager
    def open(self, broker: BrokerAddress) -> Iterator[ReferenceClient]:
        """Open the reference against `broker`."""
        client = ReferenceClient(broker, self.transport, self.constants, self.dialect)
        try:
            yield client
        finally:
            client.close()


def _put(variable: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = value


def connection_settings(broker: BrokerAddress) -> dict[str, object]:
    """Starlight's configuration keys for reaching `broker` and getting in."""
    settings: dict[str, object] = {
        "webServiceUrl": broker.admin_url,
        "brokerServiceUrl": broker.service_url,
    }
    if broker.token is not None:
        settings["authPlugin"] = _TOKEN_PLUGIN
        settings["authParams"] = f"token:{broker.token}"
    if broker.service_url.startswith("pulsar+ssl"):  # Starlight's default believes any host's
        settings["tlsEnableHostnameVerification"] = True
    if broker.trust_certificate is not None:
        settings["tlsTrustCertsFilePath"] = broker.trust_certificate
    return settings


def provider(variant: str | None = None, version: str | None = None) -> ReferenceProvider:
    """The provider `reference`, or one of its dialects as variant.

    `ProviderError` for a variant or version that there is not. The dialects are judged on the java
    transport.
    """
    if variant is None:
        return ReferenceProvider(_installed("reference", version))
    if variant not in _DIALECTS:
        raise ProviderError(
            f"The provider reference has no variant {variant!r}",
            hint=f"Ask for plain reference, or for {' or '.join(_DIALECTS)}.",
        )
    name = f"reference/{variant}"
    documents, constants = _DIALECTS[variant]
    installed = _installed(name, version)
    return ReferenceProvider(
        installed,
        name=name,
        documents=documents,
        transport="java",
        built_on="reference",
        dialect=variant,
        constants=constants,
    )


def java_provider(variant: str | None = None, version: str | None = None) -> ReferenceProvider:
    """The provider `reference-java`; `ProviderError` for a variant or version that there is not."""
    if variant is not None:
        raise ProviderError(
            f"The provider reference-java has no variant {variant!r}",
            hint="Ask for plain reference-java.",
        )
    installed = _installed("reference-java", version)
    return ReferenceProvider(
        installed, name="reference-java", transport="java", built_on="reference"
    )


def _installed(name: str, version: str | None) -> str:
    installed = importlib.metadata.version("jms-touchstone-reference")
    if version not in (None, installed):
        raise ProviderError(
            f"{name} is installed in version {installed}, not {version}",
            hint="Install that version of jms-touchstone-reference, or ask without a version.",
        )
    return installed
