"""Java's serialisation of objects and of MapMessage bodies, as plain data.

Known are null, boxed primitives, String, byte[], ArrayList, HashMap and LinkedHashMap of these.
Nothing is ever loaded: an object of any other class stays an `OpaqueObject`. What is written
equals Java's output byte for byte, but for the order of a HashMap's entries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jmsapi.errors import MessageFormatException
from pulsar_jms.formats import modified_utf8
from pulsar_jms.formats.java_classes import MAX_DEPTH, JavaValue
from pulsar_jms.formats.java_object_reader import ForeignClassError, ObjectReader
from pulsar_jms.formats.java_object_writer import ObjectWriter
from pulsar_jms.formats.limits import DEFAULT_BODY_LIMITS, BodyLimits


@dataclass(frozen=True)
class OpaqueObject:
    """A serialised object that is not loaded: its class, and the stream as it came."""

    class_name: str
    data: bytes


def write_object(value: JavaValue, depth: int = MAX_DEPTH) -> bytes:
    """The stream of one object, which may nest to that depth."""
    if isinstance(value, OpaqueObject):
        return value.data
    writer = ObjectWriter(depth)
    writer.value(value)
    return writer.stream()


def read_object(stream: bytes, limits: BodyLimits = DEFAULT_BODY_LIMITS) -> JavaValue:
    """The object of a stream, an `OpaqueObject` if plain data cannot stand for it."""
    reader = ObjectReader(stream, limits)
    try:
        return reader.value()
    except ForeignClassError as foreign:
        return OpaqueObject(str(foreign), stream)


def write_map(entries: Mapping[str, JavaValue]) -> bytes:
    """The stream of a MapMessage: the count, then each key as primitive data, then its value."""
    writer = ObjectWriter()
    pending = len(entries).to_bytes(4, "big")
    for key, value in entries.items():
        writer.block(pending + modified_utf8.encode_with_length(key, f"map key {key[:40]!r}"))
        writer.value(value)
        pending = b""
    writer.block(pending)
    return writer.stream()


def read_map(stream: bytes, limits: BodyLimits = DEFAULT_BODY_LIMITS) -> dict[str, JavaValue]:
    """The entries of a MapMessage; `MessageFormatException` for a value that JMS has not."""
    reader = ObjectReader(stream, limits)
    count = int.from_bytes(reader.block(4), "big", signed=True)
    if count < 0:
        raise MessageFormatException(f"the map has {count} entries")
    entries: dict[str, JavaValue] = {}
    for _ in range(count):
        reader.element()
        key = reader.block_text()
        try:
            value = reader.value()
        except ForeignClassError as foreign:
            raise MessageFormatException(
                f"map entry {key[:40]!r} is {foreign}, which JMS has not"
            ) from None
        if isinstance(value, (list, dict)):
            raise MessageFormatException(f"map entry {key[:40]!r} is a collection, no JMS value")
        entries[key] = value
    return entries
