"""Qpid JMS, upstream of Red Hat AMQ JMS, as a client under test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote

from jvm_runtime import locks
from touchstone.brokers.interface import BrokerAddress
from touchstone.errors import ProviderError
from touchstone.providers import java_logging, java_runtime
from touchstone.providers.interface import VendorConstants
from touchstone.providers.java_jms import JavaConnectionFactory, Jms

PROGRAM: Final = "qpid-"
"""What the names of the locks begin with; the version follows."""
_NEWEST: Final = "2.10.0"
FAILOVER: Final = "failover:"
"""What a service URL begins with for a client that reconnects: `failover:(amqp://HOST:PORT)`."""
CONSTANTS: Final = VendorConstants(individual_acknowledge=101, no_acknowledge=(100, 257))
"""The client has these numbers without names for them; they are those of its document."""
_DEFAULTS: Final[Mapping[str, object]] = MappingProxyType(
    {
        # Its own time-outs are a minute or none at all.
        "jms.requestTimeout": 20_000,
        "jms.sendTimeout": 20_000,
        "jms.closeTimeout": 2_000,
        # Other threads would keep the process alive.
        "jms.useDaemonThread": True,
    }
)
_OF_ONE_ADDRESS: Final = ("amqp.", "transport.")
"""Options that belong to each address of a failover URL, not to the whole."""
_PREFIXES: Final = ("jms.", "failover.", *_OF_ONE_ADDRESS)
_PRESETS: Final[Mapping[str, Mapping[str, object]]] = MappingProxyType(
    {"fair-shares": {"jms.prefetchPolicy.all": 1}}
)


@dataclass
class QpidClient:
    """Qpid JMS, opened against one broker, in the JVM of this process."""

    broker: BrokerAddress
    jms: Jms
    factory_class: Any
    constants: VendorConstants = CONSTANTS
    _factories: list[JavaConnectionFactory] = field(default_factory=list, repr=False)

    def connection_factory(self, settings: Mapping[str, object]) -> JavaConnectionFactory:
        """A factory for the broker; `settings` are options of the client's URL, by their names."""
        java = self.jms.run(self.factory_class, connection_url(self.broker, settings))
        factory = JavaConnectionFactory(self.jms, java, lambda _: None)
        self._factories.append(factory)
        return factory

    def close(self) -> None:
        """Close every factory."""
        while self._factories:
            self._factories.pop().close()


@dataclass(frozen=True)
class QpidProvider:
    """One version of Qpid JMS."""

    version: str
    name: str = "qpid"
    documents: frozenset[str] = frozenset({"AMQ"})
    capabilities: frozenset[str] = frozenset({"correlation-id-bytes"})
    broker_family: str = "artemis"
    transport: str = "java"
    presets: Mapping[str, Mapping[str, object]] = field(default_factory=lambda: _PRESETS)

    @property
    def namespace(self) -> str:
        """Versions of the line 1 are for `javax.jms`."""
        return "javax.jms" if self.version.startswith("1.") else "jakarta.jms"

    @property
    def program(self) -> str:
        """The lock of its jars."""
        return PROGRAM + self.version

    @property
    def versions(self) -> tuple[str, ...]:
        """Every version that can be asked for."""
        return versions()

    @contextmanager
    def open(self, broker: BrokerAddress) -> Iterator[QpidClient]:
        """Open Qpid JMS against `broker`; starts the JVM of this process with its jars."""
        java_runtime.start(self.name, self.program)
        java_logging.hand_over()
        import jpype

        factory = jpype.JClass("org.apache.qpid.jms.JmsConnectionFactory")
        client = QpidClient(broker, Jms(self.namespace), factory)
        try:
            yield client
        finally:
            client.close()


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
    merged = {**_DEFAULTS, **login, **settings}
    options = {key: value for key, value in merged.items() if value is not None}
    address = broker.service_url.removeprefix(FAILOVER).strip("()")
    of_address = {key: value for key, value in options.items() if key.startswith(_OF_ONE_ADDRESS)}
    others = {key: value for key, value in options.items() if key not in of_address}
    if address == broker.service_url and not any(key.startswith("failover.") for key in options):
        return address + _query(options)
    return f"{FAILOVER}({address}{_query(of_address)}){_query(others)}"


def _query(options: Mapping[str, object]) -> str:
    pairs = (f"{quote(key)}={quote(_text(value), safe='')}" for key, value in options.items())
    return "?" + "&".join(pairs) if options else ""


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def versions() -> tuple[str, ...]:
    """The versions whose jars are locked."""
    return tuple(
        name.removeprefix(PROGRAM).removesuffix(".lock")
        for name in locks.known()
        if name.startswith(PROGRAM)
    )


def provider(variant: str | None = None, version: str | None = None) -> QpidProvider:
    """The provider `qpid`, newest by default; `ProviderError` for one that there is not."""
    if variant is not None:
        raise ProviderError(
            f"The provider qpid has no variant {variant!r}",
            hint="Ask for plain qpid, or for a version: qpid@1.16.0.",
        )
    wanted = version or _NEWEST
    if wanted not in versions():
        raise ProviderError(
            f"There is no Qpid JMS {wanted} here", hint=f"Locked are {', '.join(versions())}."
        )
    return QpidProvider(wanted)
