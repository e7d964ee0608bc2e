"""Apache Artemis."""

from __future__ import annotations

from pathlib import Path

from jms_brokers.brokers.container_engine import Images
from jms_brokers.brokers.interface import Broker, BrokerAddress
from jms_brokers.families.artemis.product import LOCKED, NAME
from jms_brokers.shared.cut_frames import CutFrames
from jms_brokers.shared.interface import Family
from jms_brokers.shared.probe import BrokerProbe
from jms_brokers.shared.settings import BrokerSettings


def _embedded_broker(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from jms_brokers.families.artemis.embedded import EmbeddedArtemis

    return EmbeddedArtemis(profile, version=settings.version, offline=settings.offline, log=log)


def _container(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from jms_brokers.families.artemis.container import ContainerArtemis

    return ContainerArtemis(profile, log=log)


def _external(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from jms_brokers.families.artemis.external import ExternalArtemis

    return ExternalArtemis(settings, profile)


def _probe(address: BrokerAddress, space: str) -> BrokerProbe:
    from jms_brokers.amqp.probe import AmqpProbe
    from jms_brokers.families.artemis.queues import ArtemisQueues

    return AmqpProbe(address, ArtemisQueues(address))


def _frames() -> CutFrames:
    from jms_brokers.amqp.cuts import AmqpCutFrames

    return AmqpCutFrames()


def _images() -> Images:
    from jms_brokers.families.artemis.container import ContainerArtemis

    return ContainerArtemis.images


FAMILY = Family(
    name=NAME,
    product=LOCKED.product,
    schemes={"amqp": 5672, "amqps": 5671},
    ways={"embedded": _embedded_broker, "container": _container, "external": _external},
    probe=_probe,
    obstacle=LOCKED.obstacle,
    limits={"connections": "broker", "consumers": "destination"},
    frames=_frames,
    images=_images,
    locked=LOCKED,
)
