"""What every client in Java shares as a provider: its releases, its JVM, the factories it made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, MutableSequence, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, Self, TypeVar

from jms_brokers.brokers.interface import BrokerAddress
from jms_clients.calls import Calls
from jms_clients.interface import Client, VendorConstants
from jms_clients.java import logging as java_logging
from jms_clients.java import runtime as java_runtime
from jms_clients.java.connections import JavaConnectionFactory, Jms
from jms_clients.java.releases import Releases
from jms_clients.memory import Memory, java_memory
from jms_clients.products import PRODUCTS, Product
from jmsapi import Value
from jvm_runtime.javas import JavaRange

F = TypeVar("F", bound=JavaConnectionFactory)


class JavaClient(ABC, Generic[F]):
    """A client in Java, opened against one broker, in the JVM of this process."""

    def __init__(
        self, broker: BrokerAddress, namespace: str, constants: VendorConstants | None = None
    ) -> None:
        """The client for `broker`, of the JMS in `namespace`; the JVM runs already."""
        self.broker = broker
        self.jms = Jms(namespace)
        self.constants = constants or VendorConstants()
        self._factories: list[F] = []

    @abstractmethod
    def connection_factory(self, settings: Mapping[str, object]) -> F:
        """See `Client`."""

    def kept(self, factory: F) -> F:
        """`factory`, to be closed with the client."""
        self._factories = [each for each in self._factories if not each.closed] + [factory]
        return factory

    def tell(self, calls: Calls) -> None:
        """Note in `calls` from now on what the client is asked."""
        self.jms.tell(calls, self.broker.service_url, self.broker.admin_url)

    def own_array(self, content: bytes) -> MutableSequence[int]:
        """A byte[] of Java."""
        array: MutableSequence[int] = self.jms.made(self.jms.values.bytes(content))
        return array

    def own_list(self, items: Sequence[Value]) -> MutableSequence[Value]:
        """A java.util.ArrayList."""
        made: MutableSequence[Value] = self.jms.made(self.jms.values.to_java(list(items)))
        return made

    def as_they_are(self) -> AbstractContextManager[None]:
        """Arrays and lists of Java come out of the adapter as they are, for a while."""
        return self.jms.values.as_they_are()

    def memory(self) -> AbstractContextManager[Memory]:
        """The heap of the JVM."""
        return java_memory()

    def close(self) -> None:
        """Close every factory."""
        while self._factories:
            self._factories.pop().close()


def java_text(value: object) -> str:
    """A setting as options of a URL have it: `true` and not `True`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


_CAPABILITIES = frozenset({"correlation-id-bytes"})
WITH_CONNECTION_CONSUMERS = _CAPABILITIES | {"connection-consumers"}
"""The capabilities of a client whose connections serve an application server as well."""


@dataclass(frozen=True)
class JavaProvider(ABC):
    """One release of a client in Java; see `Provider`."""

    releases: ClassVar[Releases]
    version: str
    name: str
    documents: frozenset[str]
    broker_family: str
    capabilities: frozenset[str] = _CAPABILITIES
    presets: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    lacks: frozenset[str] = frozenset()
    added: Mapping[str, object] = field(default_factory=dict)
    """Settings that each connection is given besides the address and the login."""
    transport: str = "java"
    other_families: tuple[str, ...] = ()
    """That the client can talk to besides its usual one."""
    own_protocol: str = ""
    """What it speaks, where the usual clients of its brokers speak another."""

    def on(self, family: str) -> Self:
        """The same release, judged on brokers of another family and on no others."""
        return replace(self, broker_family=family, other_families=())

    @property
    def product(self) -> Product:
        """What it is, for people."""
        name = self.releases.product
        return PRODUCTS.get(self.releases.provider) or Product(name, language="Java")

    @property
    def namespace(self) -> str:
        """`jakarta.jms` or `javax.jms`."""
        return self.releases.namespace(self.version)

    @property
    def program(self) -> str:
        """The lock of its jars."""
        return self.releases.program(self.version)

    @property
    def java_range(self) -> JavaRange:
        """The releases of Java that it runs on."""
        return self.releases.java_range(self.version)

    @property
    def versions(self) -> tuple[str, ...]:
        """Every version that can be asked for."""
        return self.releases.known

    @property
    def judged_releases(self) -> tuple[str, ...]:
        """Those that come with it: with these were deviations seen that name no versions."""
        return self.releases.brought

    @abstractmethod
    def client(self, broker: BrokerAddress) -> JavaClient[Any]:
        """The client against `broker`; the JVM of this process runs with its jars."""

    @contextmanager
    def open(self, broker: BrokerAddress) -> Iterator[Client]:
        """Open the client against `broker`; starts the JVM of this process."""
        java_runtime.start(self.name, self.program, self.java_range)
        java_logging.hand_over()
        client = self.client(broker)
        try:
            yield client
        finally:
            client.close()
