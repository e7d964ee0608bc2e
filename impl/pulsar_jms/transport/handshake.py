"""The greeting of Pulsar's binary protocol: whether a broker takes these credentials, and why not.

The native client only times out where a broker refuses it. Source: PulsarApi.proto and the
"Pulsar binary protocol specification", sections "Framing" and "Connection establishment".
"""

from __future__ import annotations

import socket

_CONNECT, _CONNECTED, _ERROR = 2, 3, 14
"""Types of commands, and the fields of BaseCommand that hold them."""
_TYPE = 1
_CLIENT_VERSION, _AUTH_DATA, _PROTOCOL_VERSION, _AUTH_METHOD_NAME = 1, 3, 4, 5
_ERROR_KIND, _ERROR_TEXT = 2, 3
_AUTHENTICATION, _AUTHORIZATION = 3, 4
_SPOKEN = 19
_LARGEST = 1 << 20
"""Bytes: far more than any answer to a greeting has."""


class RefusedError(Exception):
    """The broker does not want this client; the text is the broker's."""


class NoBrokerError(Exception):
    """What answers is no Pulsar broker."""


def greet(connection: socket.socket, method: str, data: bytes) -> None:
    """Introduce a client; the connection is of no use afterwards.

    `method` and `data` are Pulsar's auth_method_name and auth_data. Raises `RefusedError`,
    `NoBrokerError`, or OSError when the answer does not come.
    """
    connection.sendall(_frame(method, data))
    size = int.from_bytes(_read(connection, 4))
    if not 4 < size <= _LARGEST:
        raise NoBrokerError("it does not answer in Pulsar's protocol")
    frame = _read(connection, size)
    try:
        command = _fields(frame[4 : 4 + int.from_bytes(frame[:4])])
        kind = command[_TYPE]
        error = _fields(command[_ERROR]) if kind == _ERROR else {}
        reason = _text(error.get(_ERROR_TEXT, b""))
    except (KeyError, IndexError, TypeError, ValueError) as broken:
        raise NoBrokerError("it does not answer in Pulsar's protocol") from broken
    if error.get(_ERROR_KIND) in (_AUTHENTICATION, _AUTHORIZATION):
        raise RefusedError(reason)
    if kind == _ERROR:
        raise NoBrokerError(reason)


def _frame(method: str, data: bytes) -> bytes:
    connect = (
        _bytes_field(_CLIENT_VERSION, b"pulsar-jms")
        + _bytes_field(_AUTH_DATA, data)
        + _number_field(_PROTOCOL_VERSION, _SPOKEN)
        + _bytes_field(_AUTH_METHOD_NAME, method.encode())
    )
    command = _number_field(_TYPE, _CONNECT) + _bytes_field(_CONNECT, connect)
    return (len(command) + 4).to_bytes(4) + len(command).to_bytes(4) + command


def _read(connection: socket.socket, size: int) -> bytes:
    content = b""
    while len(content) < size:
        part = connection.recv(size - len(content))
        if not part:
            raise ConnectionError("it closed the connection without an answer")
        content += part
    return content


def _number_field(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes_field(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _fields(message: int | bytes) -> dict[int, int | bytes]:
    """The numbers and texts of a protobuf message by field; ValueError for other content."""
    if isinstance(message, int):
        raise ValueError("a number where a message is expected")
    values: dict[int, int | bytes] = {}
    at = 0
    while at < len(message):
        tag, at = _read_varint(message, at)
        number, at = _read_varint(message, at)
        if tag & 7 == 0:
            values[tag >> 3] = number
        elif tag & 7 == 2:
            values[tag >> 3] = message[at : at + number]
            at += number
        else:
            raise ValueError(f"wire type {tag & 7}")
    return values


def _text(value: int | bytes) -> str:
    """The text of a field; ValueError for a number, of which `bytes` would make so many zeros."""
    if isinstance(value, int):
        raise ValueError("a number where a text is expected")
    return value.decode(errors="replace")


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while message[at] > 0x7F:
        value |= (message[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return value | message[at] << shift, at + 1
