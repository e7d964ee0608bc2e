"""RabbitMQ JMS as a client under test."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, ClassVar, Final
from urllib.parse import unquote, urlsplit

from jms_brokers.brokers.interface import BrokerAddress
from jms_clients.errors import ProviderError
from jms_clients.interface import VendorConstants
from jms_clients.java.client import JavaClient, JavaProvider
from jms_clients.java.connections import JavaConnectionFactory
from jms_clients.java.process import process_property
from jms_clients.java.releases import Releases
from jms_clients.lacking import DELIVERY_DELAY
from jvm_runtime.javas import JavaRange

"""By the number that a version begins with."""
_FACTORY: Final = "com.rabbitmq.jms.admin.RMQConnectionFactory"
_SESSION: Final = "com.rabbitmq.jms.client.RMQSession"
_DEFAULT_USER: Final = "guest"
# https://www.rabbitmq.com/client-libraries/java-versions
_JAVAS: Final = (("1.0.0", JavaRange(newest=8)), ("2.0.0", JavaRange(newest=25)))
RELEASES: Final = Releases("rabbitmq", "RabbitMQ JMS", newest="3.7.0", javas=_JAVAS)
PRESETS: Final[Mapping[str, Mapping[str, object]]] = MappingProxyType(
    {"fair-shares": {"channelsQos": 1}}
)


class RabbitConnectionFactory(JavaConnectionFactory):
    """The client's factory, whose settings may change between two connections."""

    def setting(self, name: str) -> object:
        """What the getter of a setting gives; `ProviderError` for a name without a setter."""
        getter = f"get{_setter(self.own, name).removeprefix('set')}"
        return self.jms.values.from_java(self.jms.run(getattr(self.own, getter)))

    def change(self, name: str, value: object) -> None:
        """Call the setter of a setting; `ProviderError` for a name without one."""
        setter = getattr(self.own, _setter(self.own, name))
        self.jms.run(setter, self.jms.values.primitive(value))


class RabbitClient(JavaClient[RabbitConnectionFactory]):
    """RabbitMQ JMS, opened against one broker."""

    process_property = staticmethod(process_property)

    def __init__(self, broker: BrokerAddress, namespace: str) -> None:
        import jpype

        individual = int(jpype.JClass(_SESSION).CLIENT_INDIVIDUAL_ACKNOWLEDGE)
        super().__init__(broker, namespace, VendorConstants(individual_acknowledge=individual))
        self._factory_class: Any = jpype.JClass(_FACTORY)

    def connection_factory(self, settings: Mapping[str, object]) -> RabbitConnectionFactory:
        """A factory for the broker; `settings` go by the setters' names, as `queueBrowserReadMax`.

        `ProviderError` for a name that the factory has no setter for.
        """
        return self._adapted(self._made(settings))

    def looked_up_factory(self, settings: Mapping[str, object]) -> RabbitConnectionFactory:
        """The same factory, bound in JNDI as a reference and made anew by the look-up."""
        reference = self.jms.run(self._made(settings).getReference)
        factory = self.jms.run(_naming().getObjectInstance, reference, None, None, None)
        return self._adapted(self.jms.cast(factory, _FACTORY))

    def _made(self, settings: Mapping[str, object]) -> Any:
        java = self.jms.run(self._factory_class)
        for name, value in {**connection_settings(self.broker), **settings}.items():
            setter = _setter(java, name)
            if value is not None:
                self.jms.run(getattr(java, setter), self.jms.values.primitive(value))
        return java

    def _adapted(self, java: Any) -> RabbitConnectionFactory:
        return self.kept(RabbitConnectionFactory(self.jms, java))


class RabbitProvider(JavaProvider):
    """One release of RabbitMQ JMS."""

    releases: ClassVar = RELEASES

    def client(self, broker: BrokerAddress) -> RabbitClient:
        """RabbitMQ JMS against `broker`."""
        return RabbitClient(broker, self.namespace)


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
        # Its own default believes a certificate of any host.
        settings |= {"ssl": True, "useDefaultSslContext": True, "hostnameVerification": True}
    return settings


def provider(variant: str | None = None, version: str | None = None) -> RabbitProvider:
    """The provider `rabbitmq`, newest by default; `ProviderError` for one that there is not."""
    return RabbitProvider(
        version=RELEASES.chosen(variant, version),
        name=RELEASES.provider,
        documents=frozenset({"RMQ"}),
        broker_family="rabbitmq",
        presets=PRESETS,
        lacks=frozenset({DELIVERY_DELAY}),  # a plug-in has it that the broker does not come with
    )


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
