"""A producer that speaks Pulsar's binary protocol itself: whatever metadata and bytes it is given.

Source: PulsarApi.proto of Pulsar 4.0.
"""

from __future__ import annotations

import socket
import ssl
import struct
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError
from jms_brokers.families.pulsar.protocol.frames import Splitter, frame, parts
from jms_brokers.families.pulsar.protocol.protobuf import fields, write_field

_PROTOCOL_VERSION = 15
_CONNECT, _PRODUCER, _SEND, _LOOKUP = (2, 3), (5, 17), (6, 7), (23, 24)
"""Commands by their numbers, each with that of its answer."""
_ERRORS = (8, 14)
_PING, _PONG = 18, 19
_WITHIN = 10.0
"""Seconds for each answer."""


class RawProducer:
    """The producer of one connection; each message waits for its receipt."""

    def __init__(self, connection: _Connection, name: bytes, version: int | bytes | None) -> None:
        self._connection = connection
        self._name = name
        self._schema = b"" if version is None else write_field(16, version)
        self._sent = 0

    def send(self, metadata: bytes, payload: bytes) -> tuple[int, int]:
        """Send what the caller has of metadata, and the payload; its ledger and entry.

        `BrokerError` when the broker does not take it.
        """
        number = self._sent
        self._sent += 1
        whole = (
            write_field(1, self._name)
            + write_field(2, number)
            + write_field(3, round(time.time() * 1000))
            + self._schema
            + metadata
        )
        receipt = self._connection.ask(
            _SEND,
            write_field(1, 1) + write_field(2, number) + write_field(3, 1),
            struct.pack(">I", len(whole)) + whole + payload,
        )
        where = {each.number: each.value for each in fields(_as_bytes(receipt[3]))}
        return int(where[1]), int(where[2])


@contextmanager
def raw_producer(
    address: BrokerAddress, topic: str, schema: bytes | None = None
) -> Iterator[RawProducer]:
    """A producer for a topic without partitions, which the broker makes if need be.

    A `schema` as the protocol has it is registered. `BrokerError` when the broker refuses.
    """
    with open_connection(address) as connection:
        name = topic.encode()
        connection.ask(_LOOKUP, write_field(1, name) + write_field(2, 1) + write_field(3, 0))
        brought = b"" if schema is None else write_field(7, schema)
        made = connection.ask(
            _PRODUCER, write_field(1, name) + write_field(2, 1) + write_field(3, 2) + brought
        )
        yield RawProducer(connection, _as_bytes(made[2]), None if schema is None else made[4])


class _Connection:
    """One connection to a broker, on which one question at a time waits for its answer."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._splitter = Splitter()
        self._frames: list[bytes] = []

    def ask(
        self, asked: tuple[int, int], body: bytes, payload: bytes = b""
    ) -> Mapping[int, int | bytes]:
        """The fields of the answer to a command; `BrokerError` for an error in place of it."""
        number, answered = asked
        self._write(number, body, payload)
        while True:
            kind, answer = self._next()
            if kind == answered:
                return answer
            if kind == _PING:
                self._write(_PONG, b"")
            if kind in _ERRORS:
                raise BrokerError(
                    f"The broker refused what the raw protocol asked for: {answer}",
                    hint="See the broker's log.",
                )

    def _write(self, number: int, body: bytes, payload: bytes = b"") -> None:
        command = write_field(1, number) + write_field(number, body)
        self._socket.sendall(frame(command, payload))

    def _next(self) -> tuple[int, Mapping[int, int | bytes]]:
        while not self._frames:
            data = self._socket.recv(65536)
            if not data:
                raise ConnectionError("the broker closed the connection")
            self._frames += self._splitter.feed(data)
        command, _ = parts(self._frames.pop(0))
        values = {each.number: each.value for each in fields(command)}
        kind = int(values[1])
        return kind, {each.number: each.value for each in fields(_as_bytes(values.get(kind, b"")))}


@contextmanager
def open_connection(address: BrokerAddress) -> Iterator[_Connection]:
    url = urlsplit(address.service_url)
    try:
        with socket.create_connection((url.hostname, address.service_port), _WITHIN) as plain:
            connection: socket.socket = plain
            if url.scheme == "pulsar+ssl":
                context = ssl.create_default_context(cafile=address.trust_certificate)
                connection = context.wrap_socket(plain, server_hostname=url.hostname)
            opened = _Connection(connection)
            body = write_field(1, b"touchstone") + write_field(4, _PROTOCOL_VERSION)
            if address.token:
                body += write_field(3, address.token.encode()) + write_field(5, b"token")
            opened.ask(_CONNECT, body)
            yield opened
    except OSError as error:
        raise BrokerError(
            f"The broker at {address.service_url} took no message of the raw protocol: {error!r}",
            hint="See the broker's log.",
        ) from error


def _as_bytes(value: int | bytes) -> bytes:
    assert isinstance(value, bytes)
    return value
