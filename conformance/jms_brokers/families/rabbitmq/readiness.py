"""Is a RabbitMQ broker ready, and who is it? Asked over AMQP 0-9-1 by pika (extra `rabbitmq`)."""

from __future__ import annotations

import logging
import secrets
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError

if TYPE_CHECKING:
    from pika import BlockingConnection

_ANSWERS_WITHIN = 20.0


@dataclass(frozen=True)
class Identity:
    """What a broker says of itself: its product, version, and the name of its cluster."""

    product: str
    version: str
    cluster: str


def virtual_host(address: BrokerAddress) -> str:
    """The virtual host that the service URL names, `/` by default."""
    return unquote(urlsplit(address.service_url).path[1:]) or "/"


def connect(address: BrokerAddress) -> BlockingConnection:
    """A connection with the harness's own credentials; `BrokerError` says why there is none."""
    try:
        import pika
    except ImportError as error:
        raise BrokerError(
            "pika, the independent client for RabbitMQ, is not installed",
            hint="pip install 'jms-touchstone[rabbitmq]'",
        ) from error
    logging.getLogger("pika").setLevel(logging.CRITICAL)  # it logs what it raises as well
    url = urlsplit(address.service_url)
    login: dict[str, Any] = {}
    if address.user_name is not None:
        login["credentials"] = pika.PlainCredentials(address.user_name, address.password or "")
    parameters = pika.ConnectionParameters(
        host=url.hostname or "",
        port=address.service_port,
        virtual_host=virtual_host(address),
        ssl_options=_tls(address, url.hostname or "") if url.scheme == "amqps" else None,
        heartbeat=0,  # nobody serves the connection between two scenarios
        socket_timeout=_ANSWERS_WITHIN,
        stack_timeout=_ANSWERS_WITHIN,
        blocked_connection_timeout=_ANSWERS_WITHIN,
        **login,
    )
    try:
        return pika.BlockingConnection(parameters)
    except (pika.exceptions.AMQPError, OSError) as error:
        raise BrokerError(
            f"The broker {address.service_url} does not let us in ({_reason(error)})",
            hint="Is it running, are the URL's virtual host, user name and password right?",
        ) from error


@contextmanager
def connection(address: BrokerAddress) -> Iterator[BlockingConnection]:
    """A connection for a while; what the broker refuses, its end too, is a `BrokerError`."""
    import pika

    opened = connect(address)
    try:
        try:
            yield opened
        finally:
            if opened.is_open:
                opened.close()  # which fails where the broker goes away meanwhile
    except pika.exceptions.AMQPError as error:
        raise BrokerError(
            f"The broker {address.service_url} refused or broke off ({_reason(error)})",
            hint=f"Its log may say why: {address.log}" if address.log else "Look at its log",
        ) from error


def identity(opened: BlockingConnection) -> Identity:
    """Who answers on this connection."""
    told: dict[str, Any] = opened._impl.server_properties or {}
    return Identity(*(str(told.get(key, "")) for key in ("product", "version", "cluster_name")))


def pass_a_message(address: BrokerAddress) -> Identity:
    """Send a message, read it back, and remove its queue; raises BrokerError."""
    content = secrets.token_bytes(8)
    with connection(address) as opened:
        _, arrived = _through_a_queue(opened, content)
        of_broker = identity(opened)
    if arrived != content:
        raise BrokerError(
            f"The broker {address.service_url} gave back another message than was sent",
            hint="Is this the broker that you mean?",
        )
    return of_broker


def round_trip(address: BrokerAddress) -> float:
    """Seconds that a message on a queue of its own takes; raises BrokerError when it is lost."""
    with connection(address) as opened:
        taken, arrived = _through_a_queue(opened, b"round trip")
    if arrived is None:
        raise BrokerError(
            f"The broker {address.service_url} lost a message", hint="Look at its log"
        )
    return taken


def _through_a_queue(opened: BlockingConnection, content: bytes) -> tuple[float, bytes | None]:
    """The seconds of a message on a queue of its own, and what came out of that."""
    channel = opened.channel()
    channel.confirm_delivery()
    queue = channel.queue_declare("", exclusive=True).method.queue
    began = time.monotonic()
    channel.basic_publish("", queue, content, mandatory=True)
    _, _, arrived = channel.basic_get(queue, auto_ack=True)
    taken = time.monotonic() - began
    channel.queue_delete(queue)
    return taken, arrived


def _tls(address: BrokerAddress, host: str) -> Any:
    import pika

    context = ssl.create_default_context(cafile=address.trust_certificate)
    return pika.SSLOptions(context, host)


def _reason(error: BaseException) -> str:
    return str(error) or repr(error)
