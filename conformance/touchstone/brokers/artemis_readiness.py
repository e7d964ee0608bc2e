"""Asks a broker of AMQP 1.0 whether it is there: who it is, and by passing a message."""

from __future__ import annotations

import secrets
import ssl
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

from touchstone.amqp import messages
from touchstone.amqp.connection import AmqpConnection
from touchstone.amqp.messages import AmqpMessage
from touchstone.amqp.values import AmqpError
from touchstone.brokers.artemis_management import Management
from touchstone.brokers.interface import BrokerAddress
from touchstone.errors import BrokerError

T = TypeVar("T")
PRODUCT = "apache-activemq-artemis"
"""What Artemis says that it is."""
_NAME = ("broker", "name")


def connect(address: BrokerAddress, *, seconds: float = 10.0) -> AmqpConnection:
    """Opens a connection with the harness's own rights; raises AmqpError and OSError."""
    url = urlsplit(address.service_url)
    tls = None
    if url.scheme == "amqps":
        tls = ssl.create_default_context(cafile=address.trust_certificate)
    return AmqpConnection(
        url.hostname or "",
        address.service_port,
        user=address.user_name,
        password=address.password,
        timeout=seconds,
        tls=tls,
    )


def answers(address: BrokerAddress) -> bool:
    """Tells whether AMQP connections are opened; False also while nobody listens."""
    try:
        connect(address).close()
    except (AmqpError, OSError):
        return False
    return True


def version(address: BrokerAddress) -> str:
    """Returns the broker's version, such as `2.55.0`; BrokerError unless it is an Artemis."""
    about = _asked(address, lambda connection: connection.peer.get("properties", {}))
    told = {str(key): str(value) for key, value in about.items()}
    if told.get("product") != PRODUCT:
        raise BrokerError(
            f"The broker {address.service_url} is {told.get('product', 'unknown')}, not Artemis",
            hint="Name an Artemis broker's AMQP acceptor, as in --broker artemis=amqp://HOST:5672",
        )
    return told.get("version", "")


def name(address: BrokerAddress) -> str:
    """Returns the name in the broker's configuration; raises BrokerError."""
    return _asked(address, lambda connection: str(Management(connection).attribute(*_NAME)))


def pass_a_message(address: BrokerAddress) -> None:
    """Sends a message to a queue of its own and takes it from there; raises BrokerError."""
    queue, text = f"touchstone-ready-{secrets.token_hex(4)}", secrets.token_hex(4)
    try:
        with connect(address) as connection:
            sender = connection.sender(queue, "queue")
            connection.send(sender, messages.write(AmqpMessage(text)))
            delivery = connection.receive(connection.receiver(queue, "queue"))
            connection.accept(delivery)
    except (AmqpError, OSError) as error:
        raise BrokerError(
            f"No message goes through the broker {address.service_url} ({error})",
            hint=f"Its log may say why: {address.log}" if address.log else "Look at its log",
        ) from error
    if messages.read(delivery.payload).text != text:
        raise BrokerError(
            f"The broker {address.service_url} gave back another message than was sent",
            hint="Is this the broker that you mean?",
        )


def _asked(address: BrokerAddress, ask: Callable[[AmqpConnection], T]) -> T:
    try:
        with connect(address) as connection:
            return ask(connection)
    except (AmqpError, OSError) as error:
        raise BrokerError(
            f"The broker {address.service_url} does not answer ({error})",
            hint="Is it running, is the URL right, are user and password accepted?",
        ) from error
