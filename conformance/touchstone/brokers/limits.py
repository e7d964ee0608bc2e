"""What an administrator limits, and how brokers of each family are told, as data.

A limit holds at something: at each destination, in each connection, or at the broker as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from touchstone.brokers.interface import Family

Resource = Literal["connections", "sessions", "consumers", "producers"]
Place = Literal["broker", "connection", "destination"]

PLACES: Mapping[Family, Mapping[Resource, Place]] = MappingProxyType(
    {
        "pulsar": {
            "connections": "broker",
            "consumers": "destination",
            "producers": "destination",
        },
        "artemis": {"connections": "broker", "consumers": "destination"},
        "activemq": {
            "connections": "broker",
            "consumers": "connection",
            "producers": "connection",
        },
        "rabbitmq": {"connections": "broker", "sessions": "connection"},
    }
)
"""What brokers of each family let an administrator limit, and where the limit holds."""


@dataclass(frozen=True)
class Limits:
    """The limits of a broker; None for what is not limited.

    `connections` to the broker, the harness's own included; `each` is the number of sessions,
    consumers and producers where a family limits these; `time_to_live`, in milliseconds, is the
    longest that a message may live, whatever its sender said.
    """

    connections: int | None = None
    each: int | None = None
    time_to_live: int | None = None

    def of(self, family: Family) -> Mapping[Resource, tuple[int, Place]]:
        """How many there may be of what is limited, and where."""
        allowed = {
            resource: (self.connections if resource == "connections" else self.each, place)
            for resource, place in PLACES[family].items()
        }
        return {
            resource: (count, place)
            for resource, (count, place) in allowed.items()
            if count is not None
        }


NONE = Limits()


def pulsar_settings(limits: Limits) -> dict[str, str | int]:
    """The settings of `standalone.conf`."""
    live = None if limits.time_to_live is None else limits.time_to_live // 1000
    return _given(
        brokerMaxConnections=limits.connections,
        maxConsumersPerTopic=limits.each,
        maxProducersPerTopic=limits.each,
        ttlDurationDefaultInSeconds=live,
    )


def artemis_address_settings(limits: Limits) -> str:
    """The lines of `broker.xml` for every address."""
    settings = {"default-max-consumers": limits.each, "max-expiry-delay": limits.time_to_live}
    return "".join(
        f"        <{name}>{value}</{name}>\n" for name, value in settings.items() if value
    )


def artemis_acceptor(limits: Limits) -> str:
    """The end of the acceptor's URL."""
    return f";connectionsAllowed={limits.connections}" if limits.connections else ""


def activemq_connector(limits: Limits) -> str:
    """The end of the connector's URL in `activemq.xml`, and what follows this attribute."""
    option = f"?maximumConnections={limits.connections}" if limits.connections else ""
    attributes = _given(
        maximumConsumersAllowedPerConnection=limits.each,
        maximumProducersAllowedPerConnection=limits.each,
    )
    return f'{option}"' + "".join(f' {name}="{value}"' for name, value in attributes.items())


def activemq_plugin(limits: Limits) -> str:
    """The line of `activemq.xml` for the plug-in that shortens times to live."""
    if limits.time_to_live is None:
        return ""
    return f'      <timeStampingBrokerPlugin ttlCeiling="{limits.time_to_live}"/>\n'


def rabbitmq_settings(limits: Limits) -> str:
    """The lines of `rabbitmq.conf`."""
    return f"channel_max = {limits.each}\n" if limits.each else ""


def rabbitmq_definitions(limits: Limits, host: str) -> dict[str, object]:
    """What the node loads when it starts, for the virtual host `host`."""
    loaded: dict[str, object] = {}
    if limits.connections is not None:
        value = {"max-connections": limits.connections}
        limit = {"vhost": host, "component": "vhost-limits", "name": "limits", "value": value}
        loaded["parameters"] = [limit]
    if limits.time_to_live is not None:
        policy = {"pattern": ".*", "apply-to": "queues", "priority": 0}
        definition = {"message-ttl": limits.time_to_live}
        loaded["policies"] = [{"vhost": host, "name": "limits", **policy, "definition": definition}]
    return loaded


def _given(**settings: int | None) -> dict[str, str | int]:
    return {name: value for name, value in settings.items() if value is not None}
