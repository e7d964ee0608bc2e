"""A client of STOMP 1.2 that sends: the protocol that an OpenMQ broker speaks besides its own."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError
from jms_brokers.families.openmq.configuration import GUEST

_TIMEOUT = 20.0
_END = b"\0"


def send(address: BrokerAddress, port: int, queue: str, body: str | bytes) -> None:
    """A message to a queue: of text, or of bytes; raises BrokerError.

    The broker makes the queue if need be, and has the message when this returns.
    """
    payload, headers = body.encode() if isinstance(body, str) else body, {}
    if isinstance(body, bytes) or _END in payload:
        headers["content-length"] = str(len(payload))  # by which the broker takes it for bytes
    user = address.user_name or GUEST
    password = address.password or GUEST
    try:
        host = urlsplit(address.service_url).hostname
        with socket.create_connection((host, port), _TIMEOUT) as connection:
            login = {"accept-version": "1.2", "host": "localhost", "login": user}
            _ask(connection, "CONNECT", {**login, "passcode": password}, b"")
            _ask(
                connection,
                "SEND",
                {"destination": f"/queue/{queue}", "persistent": "true", "receipt": "1", **headers},
                payload,
            )
    except OSError as error:
        raise _stomp_error(address, str(error)) from error


def _ask(connection: socket.socket, command: str, headers: Mapping[str, str], body: bytes) -> None:
    lines = [command, *(f"{name}:{value}" for name, value in headers.items())]
    connection.sendall("\n".join(lines).encode() + b"\n\n" + body + _END)
    answer = b""
    while _END not in answer:
        received = connection.recv(65_536)
        if not received:
            raise OSError(f"the connection ended after {command}")
        answer += received
    if answer.lstrip().startswith(b"ERROR"):
        raise OSError(answer.partition(_END)[0].decode(errors="replace"))


def _stomp_error(address: BrokerAddress, why: str) -> BrokerError:
    return BrokerError(
        f"The broker {address.service_url} did not do what the independent client asked for "
        f"({why})",
        hint="Is it running? Its log may say more.",
    )
