"""Asks an Artemis broker who it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from jms_brokers.amqp.connection import AmqpConnection
from jms_brokers.amqp.readiness import connect
from jms_brokers.amqp.values import AmqpError
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError
from jms_brokers.families.artemis.management import Management

T = TypeVar("T")
PRODUCT = "apache-activemq-artemis"
"""What Artemis says that it is."""
_NAME = ("broker", "name")


def version(address: BrokerAddress) -> str:
    """Return the broker's version, such as `2.55.0`; BrokerError unless it is an Artemis."""
    about = _ask(address, lambda connection: connection.peer.get("properties", {}))
    told = {str(key): str(value) for key, value in about.items()}
    if told.get("product") != PRODUCT:
        raise BrokerError(
            f"The broker {address.service_url} is {told.get('product', 'unknown')}, not Artemis",
            hint="Name an Artemis broker's AMQP acceptor, as in --broker artemis=amqp://HOST:5672",
        )
    return told.get("version", "")


def name(address: BrokerAddress) -> str:
    """Return the name in the broker's configuration; raises BrokerError."""
    return _ask(address, lambda connection: str(Management(connection).attribute(*_NAME)))


def _ask(address: BrokerAddress, ask: Callable[[AmqpConnection], T]) -> T:
    try:
        with connect(address) as connection:
            return ask(connection)
    except (AmqpError, OSError) as error:
        raise BrokerError(
            f"The broker {address.service_url} does not answer ({error})",
            hint="Is it running, is the URL right, are user and password accepted?",
        ) from error
