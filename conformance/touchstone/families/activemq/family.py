"""ActiveMQ Classic."""

from __future__ import annotations

from pathlib import Path

from touchstone.brokers.interface import Broker, BrokerAddress
from touchstone.families.activemq.product import LOCKED, NAME
from touchstone.families.interface import Family
from touchstone.families.probe import BrokerProbe
from touchstone.families.settings import BrokerSettings


def _embedded(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from touchstone.families.activemq.embedded import EmbeddedActiveMq

    return EmbeddedActiveMq(profile, version=settings.version, offline=settings.offline, log=log)


def _probe(address: BrokerAddress, space: str) -> BrokerProbe:
    from touchstone.families.activemq.queues import ActiveMqQueues
    from touchstone.families.amqp.probe import AmqpProbe

    return AmqpProbe(address, ActiveMqQueues(address))


FAMILY = Family(
    name=NAME,
    product=LOCKED.product,
    schemes={"amqp": 5672},
    ways={"embedded": _embedded},
    probe=_probe,
    obstacle=LOCKED.obstacle,
    limits={"connections": "broker", "consumers": "connection", "producers": "connection"},
    locked=LOCKED,
)
