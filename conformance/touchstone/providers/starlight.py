"""Starlight for JMS as a client under test."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from jvm_runtime import locks
from touchstone.brokers.interface import BrokerAddress
from touchstone.errors import ProviderError
from touchstone.providers import java_logging, java_runtime
from touchstone.providers.interface import VendorConstants
from touchstone.providers.java_jms import JavaConnectionFactory, Jms
from touchstone.providers.reference import PRESETS, connection_settings

_LOG = logging.getLogger(__name__)
_NAMESPACE: Final = "jakarta.jms"
_PACKAGE: Final = "com.datastax.oss.pulsar.jms"
_NEWEST: Final = "9.0.0"
PROGRAM: Final = "starlight-"
"""What the names of the locks begin with; the version follows."""
_CLOSED_WITHIN: Final = 10.0


@dataclass
class StarlightClient:
    """Starlight, opened against one broker, in the JVM of this process."""

    broker: BrokerAddress
    jms: Jms
    factory_class: Any
    constants: VendorConstants
    _factories: list[JavaConnectionFactory] = field(default_factory=list, repr=False)
    _closing: list[threading.Thread] = field(default_factory=list, repr=False)

    def connection_factory(self, settings: Mapping[str, object]) -> JavaConnectionFactory:
        """A factory for the broker; `settings` override how it is reached, too."""
        merged = {**connection_settings(self.broker), **settings}
        kept = {key: value for key, value in merged.items() if value is not None}
        java = self.jms.run(self.factory_class, self.jms.values.to_java(kept))
        factory = JavaConnectionFactory(self.jms, java, self._close_later)
        self._factories.append(factory)
        return factory

    def close(self) -> None:
        """Close every factory, and wait for their threads to end."""
        while self._factories:
            self._factories.pop().close()
        for thread in self._closing:
            thread.join(_CLOSED_WITHIN)

    def _close_later(self, factory: Any) -> None:
        """Close what a factory holds besides its connections: its threads take two seconds."""
        self._factories = [each for each in self._factories if not each.closed]
        thread = threading.Thread(target=self._close, args=(factory,), daemon=True)
        self._closing = [each for each in self._closing if each.is_alive()] + [thread]
        thread.start()

    def _close(self, factory: Any) -> None:
        try:
            self.jms.run(factory.close)
        except Exception as error:
            _LOG.info("closing a factory failed: %r", error)


@dataclass(frozen=True)
class StarlightProvider:
    """One version of Starlight."""

    version: str
    name: str = "starlight"
    documents: frozenset[str] = frozenset({"SLJ"})
    capabilities: frozenset[str] = frozenset({"correlation-id-bytes"})
    broker_family: str = "pulsar"
    transport: str = "java"
    presets: Mapping[str, Mapping[str, object]] = field(default_factory=lambda: PRESETS)
    namespace: str = _NAMESPACE

    @property
    def program(self) -> str:
        """The lock of its jars."""
        return PROGRAM + self.version

    @property
    def versions(self) -> tuple[str, ...]:
        """Every version that can be asked for."""
        return versions()

    @contextmanager
    def open(self, broker: BrokerAddress) -> Iterator[StarlightClient]:
        """Open Starlight against `broker`; starts the JVM of this process with its jars."""
        java_runtime.start(self.name, self.program)
        java_logging.hand_over()
        import jpype

        constants = jpype.JClass(f"{_PACKAGE}.PulsarJMSConstants")
        client = StarlightClient(
            broker,
            Jms(_NAMESPACE),
            jpype.JClass(f"{_PACKAGE}.PulsarConnectionFactory"),
            VendorConstants(individual_acknowledge=int(constants.INDIVIDUAL_ACKNOWLEDGE)),
        )
        try:
            yield client
        finally:
            client.close()


def versions() -> tuple[str, ...]:
    """The versions whose jars are locked."""
    return tuple(
        name.removeprefix(PROGRAM).removesuffix(".lock")
        for name in locks.known()
        if name.startswith(PROGRAM) and name[len(PROGRAM)].isdigit()
    )


def provider(variant: str | None = None, version: str | None = None) -> StarlightProvider:
    """The provider `starlight`, newest by default; `ProviderError` for one that there is not."""
    if variant is not None:
        raise ProviderError(
            f"The provider starlight has no variant {variant!r}",
            hint="Ask for plain starlight, or for a version: starlight@7.0.15.",
        )
    wanted = version or _NEWEST
    if wanted not in versions():
        raise ProviderError(
            f"There is no Starlight {wanted} here", hint=f"Locked are {', '.join(versions())}."
        )
    return StarlightProvider(wanted)
