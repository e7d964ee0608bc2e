"""The ports on which a proxy listens."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from jms_brokers.faults.rules import FaultError

LOOPBACK = "127.0.0.1"


class ProxyListener:
    """A port of the proxy and the broker address behind it.

    The port belongs to the proxy for its whole life: while nothing listens, a second socket that
    is bound and never listens keeps it, so that connections are refused and nobody else gets it.
    """

    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        self.family, self.address = _resolve(*target)
        self._keeper = _bind(0)
        self.port: int = self._keeper.getsockname()[1]
        self.socket: socket.socket | None = None
        """None while connections are refused."""

    def open(self) -> socket.socket:
        """Listen."""
        if self.socket is None:
            self.socket = _bind(self.port)
            self.socket.listen()
        return self.socket

    def waiting(self) -> Iterator[socket.socket]:
        """The connections that clients made and nobody has accepted yet."""
        with suppress(BlockingIOError):
            while self.socket is not None:
                client, _ = self.socket.accept()
                client.setblocking(False)
                yield client

    def shut(self) -> None:
        """Refuse connections."""
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    def close(self) -> None:
        """Give the port back."""
        self.shut()
        self._keeper.close()


def _resolve(host: str, port: int) -> tuple[socket.AddressFamily, tuple[Any, ...]]:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise FaultError(
            f"no address for {host}:{port}: {error}", hint="name a broker that this machine knows"
        ) from error
    return family, address


def _bind(port: int) -> socket.socket:
    bound = socket.socket()
    bound.setblocking(False)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind((LOOPBACK, port))
    return bound
