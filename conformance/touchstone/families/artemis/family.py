"""Apache Artemis."""

from __future__ import annotations

from pathlib import Path

from touchstone.brokers.container_engine import Images
from touchstone.brokers.interface import Broker, BrokerAddress
from touchstone.families.artemis.product import LOCKED, NAME
from touchstone.families.cut_frames import CutFrames
from touchstone.families.interface import Family
from touchstone.families.probe import BrokerProbe
from touchstone.families.settings import BrokerSettings


def _embedded(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from touchstone.families.artemis.embedded import EmbeddedArtemis

    return EmbeddedArtemis(profile, version=settings.version, offline=settings.offline, log=log)


def _container(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from touchstone.families.artemis.container import ContainerArtemis

    return ContainerArtemis(profile, log=log)


def _external(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from touchstone.families.artemis.external import ExternalArtemis

    return ExternalArtemis(settings, profile)


def _probe(address: BrokerAddress, space: str) -> BrokerProbe:
    from touchstone.families.amqp.probe import AmqpProbe
    from touchstone.families.artemis.queues import ArtemisQueues

    return AmqpProbe(address, ArtemisQueues(address))


def _frames() -> CutFrames:
    from touchstone.families.amqp.cuts import AmqpCutFrames

    return AmqpCutFrames()


def _images() -> Images:
    from touchstone.families.artemis.container import ContainerArtemis

    return ContainerArtemis.images


FAMILY = Family(
    name=NAME,
    product=LOCKED.product,
    schemes={"amqp": 5672, "amqps": 5671},
    ways={"embedded": _embedded, "container": _container, "external": _external},
    probe=_probe,
    obstacle=LOCKED.obstacle,
    limits={"connections": "broker", "consumers": "destination"},
    frames=_frames,
    images=_images,
    locked=LOCKED,
)
