"""Bodies by the schema of their topic: which JMS message each schema type becomes.

Encodings are those of Pulsar's Java client: numbers big-endian, JSON and AVRO as they are, a key
with its value in the payload (INLINE) or as the message's key (SEPARATED).
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from jmsapi.errors import MessageFormatException
from jmsapi.values import Byte, Double, Float, Int, Long, Short
from pulsar_jms.formats.avro import avro_reader
from pulsar_jms.formats.json_values import read_json
from pulsar_jms.formats.limits import DEFAULT_BODY_LIMITS, BodyLimits
from pulsar_jms.implements import implements
from pulsar_jms.mapping.bodies import MessageKind, decode_text
from pulsar_jms.mapping.properties import MESSAGE_TYPE

KEY_VALUE = "KEY_VALUE"
_KEY_VALUE_ENCODING = "kv.encoding.type"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 86_400 * 10**9
"""Nanoseconds."""


@dataclass(frozen=True)
class TopicSchema:
    """A schema as the broker's registry has it."""

    type: str
    """The name of Pulsar's schema type, such as AVRO."""
    definition: str = ""
    """JSON; empty where the type says everything."""
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def tells_nothing(self) -> bool:
        """Whether bodies are bytes to Pulsar, so that they are read as without a schema."""
        return self.type in ("NONE", "BYTES")

    @property
    def separated(self) -> bool:
        """Whether the key is the message's key, and only the value in the payload."""
        return (
            self.type == KEY_VALUE
            and self.properties.get(_KEY_VALUE_ENCODING, "").upper() == "SEPARATED"
        )


class SchemaBody(NamedTuple):
    """A body, and which message carries it."""

    kind: MessageKind
    value: Any


@implements("SLJ-SCH-002", "SLJ-SCH-003", "SLJ-SCH-004", "SLJ-SCH-005", "SLJ-SCH-006")
def schema_body(
    schema: TopicSchema,
    payload: bytes | None,
    key: str | None,
    limits: BodyLimits = DEFAULT_BODY_LIMITS,
) -> SchemaBody:
    """The body of a message by its schema; `MessageFormatException` where it does not follow it.

    A STRING is a text; an AVRO record and a KeyValue are maps, nested as deep as they are; any
    other type is an object. `payload` is None for a null value, `key` the message's key.
    """
    if schema.type == KEY_VALUE:
        return SchemaBody(MessageKind.MAP, _key_value(schema, payload, key, limits))
    value = None if payload is None else _value(schema.type, schema.definition, payload, limits)
    if schema.type == "STRING":
        return SchemaBody(MessageKind.TEXT, value)
    if schema.type == "AVRO" and isinstance(value, dict):
        return SchemaBody(MessageKind.MAP, value)
    return SchemaBody(MessageKind.OBJECT, value)


def schema_kind(body: SchemaBody, properties: Mapping[str, str]) -> MessageKind:
    """The message that carries a body; an object where its sender marked it as that."""
    marked = properties.get(MESSAGE_TYPE) == MessageKind.OBJECT.value
    return MessageKind.OBJECT if marked else body.kind


# -- a key and a value -------------------------------------------------------------------------


def _key_value(
    schema: TopicSchema, payload: bytes | None, key: str | None, limits: BodyLimits
) -> dict[str, object]:
    parts = (_decode_key(key), payload) if schema.separated else _split_key_value(payload or b"")
    try:
        definitions = json.loads(schema.definition)
        both = [
            (name, schema.properties[f"{name}.schema.type"].upper(), _text_of(definitions[name]))
            for name in ("key", "value")
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise MessageFormatException(
            f"the KeyValue schema cannot be understood: {error!r}"
        ) from error
    within = replace(limits, depth=limits.depth - 1)
    decoded = {
        name: None if part is None else _value(kind, definition, part, within)
        for (name, kind, definition), part in zip(both, parts, strict=True)
    }
    limits.check(0, _elements(decoded))
    return decoded


def _elements(value: object) -> int:
    """How many items, entries and fields there are in a value, however deep."""
    count, left = 0, [value]
    while left:
        outer = left.pop()
        if isinstance(outer, (dict, list)):
            inner = outer.values() if isinstance(outer, dict) else outer
            count += len(outer)
            left += inner
    return count


def _text_of(definition: object) -> str:
    return definition if isinstance(definition, str) else json.dumps(definition)


def _decode_key(key: str | None) -> bytes | None:
    if key is None:
        return None
    try:
        return base64.b64decode(key, validate=True)
    except (binascii.Error, ValueError):
        return key.encode()


def _split_key_value(payload: bytes) -> tuple[bytes | None, bytes | None]:
    """Two parts, each after its length; a negative length stands for null."""
    parts: list[bytes | None] = []
    at = 0
    for _ in range(2):
        size = int.from_bytes(payload[at : at + 4], "big", signed=True)
        end = at + 4 + max(size, 0)
        if at + 4 > len(payload) or end > len(payload):
            raise MessageFormatException(
                f"the payload of {len(payload)} bytes is no key and value with their lengths"
            )
        parts.append(payload[at + 4 : end] if size >= 0 else None)
        at = end
    return parts[0], parts[1]


# -- single values -----------------------------------------------------------------------------


def _value(kind: str, definition: str, payload: bytes, limits: BodyLimits) -> object:
    """The value of one schema type; the bytes themselves for a type that is not known."""
    if kind == "AVRO":
        return avro_reader(definition)(payload, limits)
    read = partial(read_json, limits=limits) if kind == "JSON" else _READ.get(kind)
    if read is None:
        return payload
    try:
        return read(payload)
    except (struct.error, ValueError, OverflowError, RecursionError) as error:
        raise MessageFormatException(
            f"the {len(payload)} bytes are no {kind} of this schema: {error}"
        ) from error


def _instant(seconds: int, nanoseconds: int) -> str:
    """As in Java's Instant.ofEpochSecond any number of nanoseconds counts, also a negative one."""
    more, rest = divmod(nanoseconds, 10**9)
    moment = (_EPOCH + timedelta(seconds=seconds + more)).replace(tzinfo=None)
    return f"{moment.isoformat()}{_fraction(rest)}Z"


def _milliseconds(payload: bytes) -> str:
    seconds, rest = divmod(struct.unpack(">q", payload)[0], 1000)
    return _instant(seconds, rest * 10**6)


def _time_of_day(nanoseconds: int) -> str:
    if not 0 <= nanoseconds < _DAY:
        raise ValueError(f"{nanoseconds} ns are no time of a day")
    seconds, rest = divmod(nanoseconds, 10**9)
    return f"{(_EPOCH + timedelta(seconds=seconds)).time().isoformat()}{_fraction(rest)}"


def _local_date(days: int) -> str:
    return (date(1970, 1, 1) + timedelta(days=days)).isoformat()


def _local_date_time(payload: bytes) -> str:
    days, nanoseconds = struct.unpack(">qq", payload)
    return f"{_local_date(days)}T{_time_of_day(nanoseconds)}"


def _fraction(nanoseconds: int) -> str:
    return f".{nanoseconds:09d}".rstrip("0") if nanoseconds else ""


def _single(form: str, kind: Callable[[Any], object]) -> Callable[[bytes], object]:
    return lambda payload: kind(*struct.unpack(form, payload))


_READ: Mapping[str, Callable[[bytes], object]] = {
    "STRING": decode_text,
    "BOOLEAN": _single(">?", bool),
    "INT8": _single(">b", Byte),
    "INT16": _single(">h", Short),
    "INT32": _single(">i", Int),
    "INT64": _single(">q", Long),
    "FLOAT": _single(">f", Float),
    "DOUBLE": _single(">d", Double),
    "DATE": _milliseconds,
    "TIMESTAMP": _milliseconds,
    "TIME": lambda payload: _time_of_day(struct.unpack(">q", payload)[0] * 10**6 % _DAY),
    "INSTANT": lambda payload: _instant(*struct.unpack(">qi", payload)),
    "LOCAL_DATE": lambda payload: _local_date(*struct.unpack(">q", payload)),
    "LOCAL_TIME": lambda payload: _time_of_day(*struct.unpack(">q", payload)),
    "LOCAL_DATE_TIME": _local_date_time,
}
"""By the schema type; dates and times are texts of ISO 8601."""
