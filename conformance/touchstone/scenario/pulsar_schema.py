"""A producer with a schema, by Pulsar's binary protocol itself.

pulsar-client sends with few of the schema types, and never a KeyValue; this sends with all of them,
as the Java client does: the schema goes to the broker's registry when the producer is made, and the
version that the broker answers goes with each message. Source: PulsarApi.proto of Pulsar 4.0.
"""

from __future__ import annotations

import base64
import socket
import ssl
import struct
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlsplit

from touchstone.brokers.interface import BrokerAddress
from touchstone.errors import BrokerError
from touchstone.faults.protobuf import fields, write_field
from touchstone.faults.pulsar_frames import Splitter, frame, parts

_TYPES = (
    "NONE", "STRING", "JSON", "PROTOBUF", "AVRO", "BOOLEAN", "INT8", "INT16", "INT32", "INT64",
    "FLOAT", "DOUBLE", "DATE", "TIME", "TIMESTAMP", "KEY_VALUE", "INSTANT", "LOCAL_DATE",
    "LOCAL_TIME", "LOCAL_DATE_TIME", "PROTOBUF_NATIVE",
)  # fmt: skip
"""By their numbers in the protocol."""
_PROTOCOL_VERSION = 15
_CONNECT, _PRODUCER, _SEND, _LOOKUP = (2, 3), (5, 17), (6, 7), (23, 24)
"""Commands by their numbers, each with that of its answer."""
_ERRORS = (8, 14)
_WITHIN = 10.0
"""Seconds for each answer."""


@dataclass(frozen=True)
class Schema:
    """A schema as a producer brings it: the name of Pulsar's schema type, and its definition."""

    type: str
    definition: str = ""
    """JSON for AVRO and JSON."""
    data: bytes = b""
    """What is registered, where that is not the definition."""
    properties: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def key_value(cls, key: Schema, value: Schema, *, separated: bool) -> Self:
        """A KeyValue; separated, the key travels as the message's key, else in the payload."""
        parts_ = [part.definition.encode() for part in (key, value)]
        properties = {
            f"{name}.schema.{what}": text
            for name, part in (("key", key), ("value", value))
            for what, text in (("name", part.type), ("type", part.type), ("properties", "{}"))
        }
        return cls(
            "KEY_VALUE",
            data=b"".join(struct.pack(">i", len(part)) + part for part in parts_),
            properties=properties | {"kv.encoding.type": "SEPARATED" if separated else "INLINE"},
        )

    def encoded(self) -> bytes:
        """The schema as the protocol has it."""
        return (
            write_field(1, self.type.encode())
            + write_field(3, self.data or self.definition.encode())
            + write_field(4, _TYPES.index(self.type))
            + b"".join(write_field(5, _pair(*pair)) for pair in self.properties.items())
        )


def send_with_schema(
    address: BrokerAddress,
    topic: str,
    schema: Schema,
    payload: bytes | None,
    properties: Mapping[str, str],
    key: str | bytes | None,
    event_time: int | None,
) -> tuple[int, int]:
    """Send one message to a topic without partitions; its ledger and entry.

    A key of bytes goes in Base64 and is marked so. `BrokerError` when the broker does not take it.
    """
    with _connected(address) as connection:
        name = topic.encode()
        connection.ask(_LOOKUP, write_field(1, name) + write_field(2, 1) + write_field(3, 0))
        made = connection.ask(
            _PRODUCER,
            write_field(1, name)
            + write_field(2, 1)
            + write_field(3, 2)
            + write_field(7, schema.encoded()),
        )
        metadata = (
            write_field(1, made[2])
            + write_field(2, 0)
            + write_field(3, round(time.time() * 1000))
            + b"".join(write_field(4, _pair(*pair)) for pair in properties.items())
            + _key(key)
            + (write_field(12, event_time) if event_time is not None else b"")
            + write_field(16, made[4])
            + (write_field(25, 1) if payload is None else b"")
        )
        body = struct.pack(">I", len(metadata)) + metadata + (payload or b"")
        receipt = connection.ask(
            _SEND, write_field(1, 1) + write_field(2, 0) + write_field(3, 1), body
        )
        where = {each.number: each.value for each in fields(_as_bytes(receipt[3]))}
        return int(where[1]), int(where[2])


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
        command = write_field(1, number) + write_field(number, body)
        self._socket.sendall(frame(command, payload))
        while True:
            kind, answer = self._next()
            if kind == answered:
                return answer
            if kind in _ERRORS:
                raise BrokerError(
                    f"The broker refused a producer with a schema: {answer}",
                    hint="See the broker's log.",
                )

    def _next(self) -> tuple[int, Mapping[int, int | bytes]]:
        while not self._frames:
            data = self._socket.recv(65536)
            if not data:
                raise ConnectionError("the broker closed the connection")
            self._frames += self._splitter.feed(data)
        command, _ = parts(self._frames.pop(0))
        found = {each.number: each.value for each in fields(command)}
        kind = int(found[1])
        return kind, {each.number: each.value for each in fields(_as_bytes(found.get(kind, b"")))}


@contextmanager
def _connected(address: BrokerAddress) -> Iterator[_Connection]:
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
            f"The broker at {address.service_url} took no message with a schema: {error!r}",
            hint="See the broker's log.",
        ) from error


def _pair(name: str, value: str) -> bytes:
    return write_field(1, name.encode()) + write_field(2, value.encode())


def _key(key: str | bytes | None) -> bytes:
    if key is None:
        return b""
    if isinstance(key, str):
        return write_field(6, key.encode())
    return write_field(6, base64.b64encode(key)) + write_field(17, 1)


def _as_bytes(value: int | bytes) -> bytes:
    assert isinstance(value, bytes)
    return value
