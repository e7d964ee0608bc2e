"""RabbitMQ JMS as a client under test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from jvm_runtime import locks
from touchstone.brokers.interface import BrokerAddress
from touchstone.errors import ProviderError
from touchstone.providers import java_logging, java_runtime
from touchstone.providers.interface import VendorConstants
from touchstone.providers.java_jms import JavaConnectionFactory, Jms
from touchstone.providers.java_process import process_property

_NAMESPACES: Final = {"2": "javax", "3": "jakarta"}
"""By the number that a version begins with."""
_FACTORY: Final = "com.rabbitmq.jms.admin.RMQConnectionFactory"
_SESSION: Final = "com.rabbitmq.jms.client.RMQSession"
_NEWEST: Final = "3.7.0"
_DEFAULT_USER: Final = "guest"
PROGRAM: Final = "rabbitmq-"
"""What the names of the locks begin with; the version follows."""
PRESETS: Final[Mapping[str, Mapping[str, object]]] = MappingProxyType(
    {"fair-shares": {"channelsQos": 1}}
)


class RabbitConnectionFactory(JavaConnectionFactory):
    """The client's factory, whose settings may change between two connections."""

    def setting(self, name: str) -> object:
        """What the getter of a setting gives; `ProviderError` for a name without a setter."""
        setter = _setter(self.java, name)
        return self.jms.values.from_java(self.call(f"get{setter.removeprefix('set')}"))

    def change(self, name: str, value: object) -> None:
        """Call the setter of a setting; `ProviderError` for a name without one."""
        self.call(_setter(self.java, name), self.jms.values.primitive(value))


@dataclass
class RabbitClient:
    """RabbitMQ JMS, opened against one broker, in the JVM of this process."""

    broker: BrokerAddress
    jms: Jms
    factory_class: Any
    constants: VendorConstants
    _factories: list[RabbitConnectionFactory] = field(default_factory=list, repr=False)

    def connection_factory(self, settings: Mapping[str, object]) -> RabbitConnectionFactory:
        """A factory for the broker; `settings` go by the setters' names, as `queueBrowserReadMax`.

        `ProviderError` for a name that the factory has no setter for.
        """
        return self._kept(self._made(settings))

    def looked_up_factory(self, settings: Mapping[str, object]) -> RabbitConnectionFactory:
        """The same factory, bound in JNDI as a reference and made anew by the look-up."""
        reference = self.jms.run(self._made(settings).getReference)
        found = self.jms.run(_naming().getObjectInstance, reference, None, None, None)
        return self._kept(self.jms.cast(found, _FACTORY))

    process_property = staticmethod(process_property)

    def close(self) -> None:
        """Close every factory."""
        while self._factories:
            self._factories.pop().close()

    def _made(self, settings: Mapping[str, object]) -> Any:
        java = self.jms.run(self.factory_class)
        for name, value in {**connection_settings(self.broker), **settings}.items():
            setter = _setter(java, name)
            if value is not None:
                self.jms.run(getattr(java, setter), self.jms.values.primitive(value))
        return java

    def _kept(self, java: Any) -> RabbitConnectionFactory:
        factory = RabbitConnectionFactory(self.jms, java, lambda _: None)
        self._factories = [each for each in self._factories if not each.closed] + [factory]
        return factory


@dataclass(frozen=True)
class RabbitProvider:
    """One version of RabbitMQ JMS."""

    version: str
    name: str = "rabbitmq"
    documents: frozenset[str] = frozenset({"RMQ"})
    capabilities: frozenset[str] = frozenset({"correlation-id-bytes"})
    broker_family: str = "rabbitmq"
    transport: str = "java"
    presets: Mapping[str, Mapping[str, object]] = field(default_factory=lambda: PRESETS)

    @property
    def namespace(self) -> str:
        """`jakarta.jms` or `javax.jms`."""
        return f"{_NAMESPACES[self.version.partition('.')[0]]}.jms"

    @property
    def program(self) -> str:
        """The lock of its jars."""
        return PROGRAM + self.version

    @property
    def versions(self) -> tuple[str, ...]:
        """Every version that can be asked for."""
        return versions()

    @contextmanager
    def open(self, broker: BrokerAddress) -> Iterator[RabbitClient]:
        """Open the client against `broker`; starts the JVM of this process with its jars."""
        java_runtime.start(self.name, self.program)
        java_logging.hand_over()
        import jpype

        session = jpype.JClass(_SESSION)
        client = RabbitClient(
            broker,
            Jms(self.namespace),
            jpype.JClass(_FACTORY),
            VendorConstants(individual_acknowledge=int(session.CLIENT_INDIVIDUAL_ACKNOWLEDGE)),
        )
        try:
            yield client
        finally:
            client.close()


def connection_settings(broker: BrokerAddress) -> dict[str, object]:
    """The factory's settings for reaching `broker` and getting in."""
    url = urlsplit(broker.service_url)
    settings: dict[str, object] = {
        "host": url.hostname or "",
        "port": broker.service_port,
        "username": broker.user_name or _DEFAULT_USER,
        "password": broker.password or _DEFAULT_USER,
    }
    if virtual_host := unquote(url.path[1:]):
        settings["virtualHost"] = virtual_host
    if url.scheme == "amqps":
        settings |= {"ssl": True, "useDefaultSslContext": True}
    return settings


def versions() -> tuple[str, ...]:
    """The versions whose jars are locked."""
    return tuple(
        name.removeprefix(PROGRAM).removesuffix(".lock")
        for name in locks.known()
        if name.startswith(PROGRAM)
    )


def provider(variant: str | None = None, version: str | None = None) -> RabbitProvider:
    """The provider `rabbitmq`, newest by default; `ProviderError` for one that there is not."""
    if variant is not None:
        raise ProviderError(
            f"The provider rabbitmq has no variant {variant!r}",
            hint="Ask for plain rabbitmq, or for a version: rabbitmq@2.13.0. The reference in this "
            "dialect is reference/rabbitmq.",
        )
    wanted = version or _NEWEST
    if wanted not in versions():
        raise ProviderError(
            f"There is no RabbitMQ JMS {wanted} here", hint=f"Locked are {', '.join(versions())}."
        )
    return RabbitProvider(wanted)


def _setter(java: Any, name: str) -> str:
    """The method of a factory that sets `name`; `ProviderError` where there is none."""
    methods = (str(each.getName()) for each in java.getClass().getMethods())
    setters = {f"{each[3].lower()}{each[4:]}": each for each in methods if each.startswith("set")}
    if name in setters:
        return setters[name]
    close = get_close_matches(name, setters, n=3)
    raise ProviderError(
        f"RabbitMQ JMS has no setting {name!r}",
        hint=f"Did you mean {' or '.join(close)}?"
        if close
        else f"There are: {', '.join(sorted(setters))}.",
    )


def _naming() -> Any:
    """What every JNDI context makes objects of references with."""
    import jpype

    return jpype.JClass("javax.naming.spi.NamingManager")
