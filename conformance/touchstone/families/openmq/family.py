"""Eclipse OpenMQ."""

from __future__ import annotations

from pathlib import Path

from touchstone.brokers.interface import Broker, BrokerAddress
from touchstone.families.interface import Family
from touchstone.families.openmq.product import LOCKED, NAME
from touchstone.families.probe import BrokerProbe
from touchstone.families.settings import BrokerSettings


def _embedded(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from touchstone.families.openmq.embedded import EmbeddedOpenMq

    return EmbeddedOpenMq(profile, version=settings.version, offline=settings.offline, log=log)


def _probe(address: BrokerAddress, space: str) -> BrokerProbe:
    from touchstone.families.openmq.probe import OpenMqProbe

    return OpenMqProbe(address)


FAMILY = Family(
    name=NAME,
    product=LOCKED.product,
    schemes={"mqtcp": 7676},
    ways={"embedded": _embedded},
    probe=_probe,
    obstacle=LOCKED.obstacle,
    limits={"connections": "broker", "consumers": "destination", "producers": "destination"},
    locked=LOCKED,
)
