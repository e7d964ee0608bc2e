"""Asks a broker of AMQP 1.0 whether it is there, and passes a message through it."""

from __future__ import annotations

import secrets
import ssl
from urllib.parse import urlsplit

from jms_brokers.amqp import messages
from jms_brokers.amqp.connection import AmqpConnection
from jms_brokers.amqp.messages import AmqpMessage
from jms_brokers.amqp.values import AmqpError
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError


def connect(address: BrokerAddress, *, seconds: float = 10.0) -> AmqpConnection:
    """Open a connection with the harness's own rights; raises AmqpError and OSError."""
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
    """Return whether AMQP connections are opened; False also while nobody listens."""
    try:
        connect(address).close()
    except (AmqpError, OSError):
        return False
    return True


def pass_a_message(address: BrokerAddress) -> None:
    """Send a message to a queue of its own and take it from there; raises BrokerError."""
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
