"""RabbitMQ."""

from __future__ import annotations

from pathlib import Path

from jms_brokers.brokers.container_engine import Images
from jms_brokers.brokers.interface import Broker, BrokerAddress
from jms_brokers.families.rabbitmq.product import NAME
from jms_brokers.shared.interface import Family
from jms_brokers.shared.probe import BrokerProbe
from jms_brokers.shared.settings import BrokerSettings


def _embedded_broker(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from jms_brokers.families.rabbitmq.embedded import LocalRabbitMQ

    return LocalRabbitMQ(profile, log=log)


def _container(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from jms_brokers.families.rabbitmq.container import ContainerRabbitMQ

    return ContainerRabbitMQ(profile, log=log)


def _external(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
    from jms_brokers.families.rabbitmq.external import ExternalRabbitMQ

    return ExternalRabbitMQ(settings, profile)


def _probe(address: BrokerAddress, space: str) -> BrokerProbe:
    from jms_brokers.families.rabbitmq.probe import RabbitProbe
    from jms_brokers.families.rabbitmq.queues import RabbitQueues

    return RabbitProbe(address, RabbitQueues(address))


def _probe_of_amqp(address: BrokerAddress, space: str) -> BrokerProbe:
    from jms_brokers.families.rabbitmq.amqp_queues import QueuesOfAmqp
    from jms_brokers.families.rabbitmq.probe import RabbitProbe

    return RabbitProbe(address, QueuesOfAmqp(address))


def _obstacle() -> str:
    from jms_brokers.families.rabbitmq import server

    return server.obstacle()


def _images() -> Images:
    from jms_brokers.families.rabbitmq.container import ContainerRabbitMQ

    return ContainerRabbitMQ.images


FAMILY = Family(
    name=NAME,
    product="RabbitMQ",
    schemes={"amqp": 5672, "amqps": 5671},
    ways={"embedded": _embedded_broker, "container": _container, "external": _external},
    probe=_probe,
    probes={"AMQP 1.0": _probe_of_amqp},
    obstacle=_obstacle,
    limits={"connections": "broker", "sessions": "connection"},
    images=_images,
)
