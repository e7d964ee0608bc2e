"""ActiveMQ Classic."""

from __future__ import annotations

from pathlib import Path

from jms_brokers.brokers.interface import Broker, BrokerAddress
from jms_brokers.families.activemq.product import LOCKED, NAME
from jms_brokers.shared.interface import Family
from jms_brokers.shared.probe import BrokerProbe
from jms_brokers.shared.settings import BrokerSettings


def _embedded_broker(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from jms_brokers.families.activemq.embedded import EmbeddedActiveMq

    return EmbeddedActiveMq(profile, version=settings.version, offline=settings.offline, log=log)


def _probe(address: BrokerAddress, space: str) -> BrokerProbe:
    from jms_brokers.amqp.probe import AmqpProbe
    from jms_brokers.families.activemq.queues import ActiveMqQueues

    return AmqpProbe(address, ActiveMqQueues(address))


FAMILY = Family(
    name=NAME,
    product=LOCKED.product,
    schemes={"amqp": 5672},
    ways={"embedded": _embedded_broker},
    probe=_probe,
    obstacle=LOCKED.obstacle,
    limits={"connections": "broker", "consumers": "connection", "producers": "connection"},
    locked=LOCKED,
)
