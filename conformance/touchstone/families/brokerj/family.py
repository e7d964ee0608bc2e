"""Apache Qpid Broker-J."""

from __future__ import annotations

from pathlib import Path

from touchstone.brokers.interface import Broker, BrokerAddress
from touchstone.families.brokerj.product import LOCKED, NAME
from touchstone.families.cut_frames import CutFrames
from touchstone.families.interface import Family
from touchstone.families.probe import BrokerProbe
from touchstone.families.settings import BrokerSettings


def _embedded(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from touchstone.families.brokerj.embedded import EmbeddedBrokerJ

    return EmbeddedBrokerJ(profile, version=settings.version, offline=settings.offline, log=log)


def _probe(address: BrokerAddress, space: str) -> BrokerProbe:
    from touchstone.families.amqp.probe import AmqpProbe
    from touchstone.families.brokerj.queues import BrokerJQueues

    return AmqpProbe(address, BrokerJQueues(address))


def _frames() -> CutFrames:
    from touchstone.families.amqp.cuts import AmqpCutFrames

    return AmqpCutFrames()


FAMILY = Family(
    name=NAME,
    product=LOCKED.product,
    schemes={"amqp": 5672},
    ways={"embedded": _embedded},
    probe=_probe,
    obstacle=LOCKED.obstacle,
    limits={"connections": "broker", "sessions": "connection"},
    frames=_frames,
    locked=LOCKED,
)
