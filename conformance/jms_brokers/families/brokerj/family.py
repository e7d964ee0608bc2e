"""Apache Qpid Broker-J."""

from __future__ import annotations

from pathlib import Path

from jms_brokers.brokers.interface import Broker, BrokerAddress
from jms_brokers.families.brokerj.product import LOCKED, NAME
from jms_brokers.shared.cut_frames import CutFrames
from jms_brokers.shared.interface import Family
from jms_brokers.shared.probe import BrokerProbe
from jms_brokers.shared.settings import BrokerSettings


def _embedded_broker(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from jms_brokers.families.brokerj.embedded import EmbeddedBrokerJ

    return EmbeddedBrokerJ(profile, version=settings.version, offline=settings.offline, log=log)


def _probe(address: BrokerAddress, space: str) -> BrokerProbe:
    from jms_brokers.amqp.probe import AmqpProbe
    from jms_brokers.families.brokerj.queues import BrokerJQueues

    return AmqpProbe(address, BrokerJQueues(address))


def _frames() -> CutFrames:
    from jms_brokers.amqp.cuts import AmqpCutFrames

    return AmqpCutFrames()


FAMILY = Family(
    name=NAME,
    product=LOCKED.product,
    schemes={"amqp": 5672},
    ways={"embedded": _embedded_broker},
    probe=_probe,
    obstacle=LOCKED.obstacle,
    limits={"connections": "broker", "sessions": "connection"},
    frames=_frames,
    locked=LOCKED,
)
