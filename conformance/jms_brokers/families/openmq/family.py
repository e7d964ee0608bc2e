"""Eclipse OpenMQ."""

from __future__ import annotations

from pathlib import Path

from jms_brokers.brokers.interface import Broker, BrokerAddress
from jms_brokers.families.openmq.product import LOCKED, NAME
from jms_brokers.shared.interface import Family
from jms_brokers.shared.probe import BrokerProbe
from jms_brokers.shared.settings import BrokerSettings


def _embedded_broker(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from jms_brokers.families.openmq.embedded import EmbeddedOpenMq

    return EmbeddedOpenMq(profile, version=settings.version, offline=settings.offline, log=log)


def _probe(address: BrokerAddress, space: str) -> BrokerProbe:
    from jms_brokers.families.openmq.probe import OpenMqProbe

    return OpenMqProbe(address)


FAMILY = Family(
    name=NAME,
    product=LOCKED.product,
    schemes={"mqtcp": 7676},
    ways={"embedded": _embedded_broker},
    probe=_probe,
    obstacle=LOCKED.obstacle,
    limits={"connections": "broker", "consumers": "destination", "producers": "destination"},
    locked=LOCKED,
)
