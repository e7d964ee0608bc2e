"""Bodies on the wire: the payload of each message type, and the property that names the type.

Decoding raises `MessageFormatException` or `MessageEOFException`, and nothing else, on any bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from jmsapi.errors import JMSException, MessageEOFException, MessageFormatException
from jmsapi.values import Byte, Char, Double, Float, Int, Long, Short, Value
from pulsar_jms.formats import java_primitives as primitives
from pulsar_jms.formats import modified_utf8
from pulsar_jms.formats.java_classes import MAX_DEPTH
from pulsar_jms.formats.java_serialization import (
    read_map,
    read_object,
    write_map,
    write_object,
)
from pulsar_jms.formats.limits import DEFAULT_BODY_LIMITS, BodyLimits
from pulsar_jms.implements import implements, implements_rows


class MessageKind(Enum):
    """The six message types, by the value of the property JMSPulsarMessageType."""

    TEXT = "text"
    BYTES = "bytes"
    MAP = "map"
    STREAM = "stream"
    OBJECT = "object"
    HEADER = "header"


implements_rows(
    __name__,
    "MessageKind",
    [
        ("a TextMessage is marked text", ("SLJ-BODY-001", "SLJ-BODY-006")),
        ("a BytesMessage is marked bytes", ("SLJ-BODY-002", "SLJ-BODY-006")),
        ("a StreamMessage is marked stream", ("SLJ-BODY-003", "SLJ-BODY-006")),
        ("a MapMessage is marked map", ("SLJ-BODY-004", "SLJ-BODY-006")),
        ("an ObjectMessage is marked object", ("SLJ-BODY-005", "SLJ-BODY-006")),
    ],
)


@implements("SLJ-INTR-001")
def encode_text(text: str | None) -> bytes | None:
    """UTF-8, a lone surrogate as a question mark; None for a null text."""
    if text is None:
        return None
    try:
        return text.encode()
    except UnicodeEncodeError:
        return modified_utf8.as_utf8_allows(text).encode()


def decode_text(payload: bytes | None) -> str | None:
    """The text; `MessageFormatException` where it is not UTF-8, so that nothing is lost."""
    if payload is None:
        return None
    try:
        return payload.decode()
    except UnicodeDecodeError as error:
        raise MessageFormatException(
            f"the text is no UTF-8: byte {payload[error.start]:02X} at {error.start}, "
            f"{len(payload)} bytes in all"
        ) from error


# -- stream items: a tag, then data ------------------------------------------------------------

_TAGS: Mapping[type, int] = {
    bool: 1,
    str: 2,
    Int: 3,
    Short: 4,
    Long: 5,
    Float: 6,
    Double: 7,
    Byte: 8,
    Char: 9,
    bytes: 10,
    type(None): 11,
}
_TYPES = {tag: kind for kind, tag in _TAGS.items()}


@implements("SLJ-BODY-007")
def encode_item(value: Value | None) -> bytes:
    """One stream item; `MessageFormatException` for a String beyond 65535 bytes."""
    kind = type(value)
    tag = bytes((_TAGS[kind],))
    if value is None:
        return tag
    if kind is str:
        return tag + modified_utf8.encode_with_length(value, "a stream item")  # type: ignore[arg-type]
    if kind is bytes:
        return tag + len(value).to_bytes(4, "big") + value  # type: ignore[arg-type,operator]
    return tag + primitives.WRITE[kind](value)


@implements("JMS-ERR-003", "JMS-BODY-034")
def decode_item(payload: bytes, at: int) -> tuple[Value | None, int]:
    """The stream item at `at` and where the next one starts.

    Raises `MessageEOFException` at the end and where the item is cut off,
    `MessageFormatException` for an unknown tag.
    """
    if at >= len(payload):
        raise MessageEOFException(f"the stream ends after {len(payload)} bytes")
    kind = _TYPES.get(payload[at])
    start = at + 1
    if kind is None:
        raise MessageFormatException(f"tag {payload[at]} at byte {at} starts no stream item")
    if kind is type(None):
        return None, start
    if kind is str:
        return modified_utf8.decode_with_length(payload, start)
    if kind is bytes:
        end = start + 4 + int.from_bytes(_take_bytes(payload, start, 4), "big", signed=True)
        if end < start + 4:
            raise MessageFormatException(f"a byte array of negative length at byte {at}")
        return _take_bytes(payload, start + 4, end - start - 4), end
    size = primitives.SIZE[kind]
    value: Any = primitives.READ[kind](_take_bytes(payload, start, size))
    return value, start + size


def _take_bytes(payload: bytes, start: int, size: int) -> bytes:
    taken = payload[start : start + size]
    if len(taken) < size:
        raise MessageEOFException(
            f"the stream is cut off: {size} bytes expected at {start}, {len(taken)} left"
        )
    return taken


# -- maps and objects --------------------------------------------------------------------------


def encode_map(entries: Mapping[str, Value | None]) -> bytes | None:
    """A Java object stream of the entries; None for an empty map."""
    return write_map(entries) if entries else None


def decode_map(
    payload: bytes | None, limits: BodyLimits = DEFAULT_BODY_LIMITS
) -> dict[str, Value | None]:
    """The entries of a map; an empty one for a null value."""
    if payload is None:
        return {}
    try:
        return read_map(payload, limits)
    except JMSException as error:
        raise type(error)(f"the map cannot be read: {error.reason}") from error


def encode_object(value: object, depth: int = MAX_DEPTH) -> bytes | None:
    """A Java object stream of the value, which may nest to that depth; None for null."""
    return None if value is None else write_object(value, depth)


def decode_object(payload: bytes | None, limits: BodyLimits = DEFAULT_BODY_LIMITS) -> object:
    """The value, or an `OpaqueObject` for a class that is not loaded here; None for null."""
    if payload is None:
        return None
    try:
        return read_object(payload, limits)
    except JMSException as error:
        raise type(error)(f"the object cannot be read: {error.reason}") from error
