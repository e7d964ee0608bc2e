"""Apache Pulsar."""

from __future__ import annotations

from pathlib import Path

from jms_brokers.brokers.container_engine import Images
from jms_brokers.brokers.interface import Broker, BrokerAddress
from jms_brokers.families.pulsar import checks
from jms_brokers.families.pulsar.product import LOCKED, NAME
from jms_brokers.families.pulsar.profiles import PROFILES, SERIAL_DISPATCH
from jms_brokers.shared.cut_frames import CutFrames
from jms_brokers.shared.interface import Family
from jms_brokers.shared.probe import BrokerProbe
from jms_brokers.shared.settings import BrokerSettings

_ADMIN = {"pulsar": ("http", 8080), "pulsar+ssl": ("https", 8443)}


def _embedded_broker(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from jms_brokers.families.pulsar.embedded import EmbeddedPulsar

    return EmbeddedPulsar(profile, version=settings.version, offline=settings.offline, log=log)


def _container(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from jms_brokers.families.pulsar.container import ContainerPulsar

    return ContainerPulsar(profile, offline=settings.offline, log=log)


def _external(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from jms_brokers.families.pulsar.external import ExternalPulsar

    return ExternalPulsar(settings, profile)


def _detached_broker(settings: BrokerSettings, profile: str, folder: Path) -> Broker:
    from jms_brokers.families.pulsar.embedded import EmbeddedPulsar

    version, offline = settings.version, settings.offline
    return EmbeddedPulsar(profile, version=version, offline=offline, folder=folder)


def _probe(address: BrokerAddress, space: str) -> BrokerProbe:
    from jms_brokers.families.pulsar.probe import PulsarProbe

    return PulsarProbe(address, space)


def _frames() -> CutFrames:
    from jms_brokers.families.pulsar.cuts import PulsarCutFrames

    return PulsarCutFrames()


def _images() -> Images:
    from jms_brokers.families.pulsar.container import ContainerPulsar

    return ContainerPulsar.images


def _admin_url(scheme: str, host: str) -> str:
    admin, port = _ADMIN[scheme]
    return f"{admin}://{host}:{port}"


FAMILY = Family(
    name=NAME,
    product=LOCKED.product,
    schemes={"pulsar": 6650, "pulsar+ssl": 6651},
    ways={"embedded": _embedded_broker, "container": _container, "external": _external},
    probe=_probe,
    obstacle=LOCKED.obstacle,
    profiles=PROFILES,
    limits={"connections": "broker", "consumers": "destination", "producers": "destination"},
    frames=_frames,
    images=_images,
    locked=LOCKED,
    detached=_detached_broker,
    admin_url=_admin_url,
    tells_where=True,
    views=frozenset({"admin", "wire"}),
    workload_profile=SERIAL_DISPATCH,
    checks=checks.of(LOCKED),
)
