"""Bodies by the schema of their topic: AVRO, JSON, a key with its value, single values."""

from __future__ import annotations

import json
import re
import struct
from datetime import datetime
from random import Random

from fuzz.mutations import structure, words
from fuzz.targets import Target
from fuzz_message import ask_for_entries
from jmsapi import MessageFormatException
from jmsapi.values import Byte, Double, Float, Int, Long, Short
from pulsar_jms.formats.limits import DEFAULT_BODY_LIMITS
from pulsar_jms.mapping.bodies import MessageKind
from pulsar_jms.mapping.schema import TopicSchema, schema_body
from pulsar_jms.messages import PulsarMapMessage, PulsarObjectMessage

_PROMISES = (MessageFormatException,)
_PLAIN = (type(None), bool, str, bytes, Byte, Short, Int, Long, Float, Double)

_INNER = {
    "type": "record",
    "name": "Inner",
    "namespace": "n",
    "fields": [
        {"name": "next", "type": ["null", "Inner"]},
        {"name": "fixed", "type": {"type": "fixed", "name": "F", "size": 3}},
        {"name": "kind", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}},
    ],
}
_NOTHINGS = {
    "type": "record",
    "name": "Nothings",
    "fields": [{"name": f"nothing{number}", "type": "null"} for number in range(50)],
}
_EVERYTHING = {
    "type": "record",
    "name": "Everything",
    "fields": [
        {"name": "flag", "type": "boolean"},
        {"name": "int", "type": "int"},
        {"name": "long", "type": "long"},
        {"name": "float", "type": "float"},
        {"name": "double", "type": "double"},
        {"name": "text", "type": ["null", "string"]},
        {"name": "bytes", "type": "bytes"},
        {"name": "inner", "type": _INNER},
        {"name": "list", "type": {"type": "array", "items": ["int", "n.Inner", "string"]}},
        {"name": "map", "type": {"type": "map", "values": {"type": "array", "items": "null"}}},
        {"name": "nothings", "type": {"type": "array", "items": _NOTHINGS}},
    ],
}
_AVRO = [TopicSchema("AVRO", json.dumps(each)) for each in (_EVERYTHING, _INNER)]
_SINGLE = (
    *("STRING", "BOOLEAN", "INT8", "INT16", "INT32", "INT64", "FLOAT", "DOUBLE", "DATE"),
    *("TIMESTAMP", "TIME", "INSTANT", "LOCAL_DATE", "LOCAL_TIME", "LOCAL_DATE_TIME", "PROTOBUF"),
)
_KEY_VALUE = [
    TopicSchema(
        "KEY_VALUE",
        json.dumps({"key": key.definition, "value": value.definition}),
        {
            "key.schema.type": key.type,
            "value.schema.type": value.type,
            "kv.encoding.type": encoding,
        },
    )
    for key, value in (
        (TopicSchema("STRING"), _AVRO[1]),
        (TopicSchema("INT32"), TopicSchema("JSON")),
    )
    for encoding in ("INLINE", "SEPARATED")
]


def _check(value: object) -> None:
    """Only plain values of Java's types, in lists and maps, within the limits."""
    elements, depth, level = 0, 0, [value]
    while level:
        inner: list[object] = []
        for each in level:
            if isinstance(each, dict):
                assert all(type(key) is str for key in each)
                inner += each.values()
            elif isinstance(each, list):
                inner += each
            else:
                assert type(each) in _PLAIN
        elements += len(inner)
        depth += bool(inner)
        level = inner
    assert elements <= DEFAULT_BODY_LIMITS.elements
    assert depth <= DEFAULT_BODY_LIMITS.depth


def _read(schema: TopicSchema, payload: bytes | None, key: str | None = None) -> object:
    """The body, of which all is asked that a message has."""
    body = schema_body(schema, payload, key)
    _check(body.value)
    if body.kind is MessageKind.MAP:
        entries = PulsarMapMessage()
        entries.load_value(body.value)
        ask_for_entries(entries)
    elif body.kind is MessageKind.OBJECT:
        message = PulsarObjectMessage()
        message.load_value(body.value)
        assert repr(message.object) == repr(body.value)
    return body.value


def _avro(data: bytes) -> None:
    _read(_AVRO[len(data) % 2], data)


def _avro_definition(data: bytes) -> None:
    definition, _, payload = data.partition(b"\0")
    _read(TopicSchema("AVRO", definition.decode("utf-8", "replace")), payload)


def _json(data: bytes) -> None:
    try:
        value = _read(TopicSchema("JSON"), data)
    except MessageFormatException as error:
        if "touchstone.limits" not in error.reason:
            assert not _is_json(data)
        return
    assert value == json.loads(data, parse_int=_twin)


def _twin(digits: str) -> float:
    number = int(digits)
    if -(1 << 63) <= number < 1 << 63:
        return number
    return float(digits)


def _is_json(data: bytes) -> bool:
    """Whether Python takes it; numbers of more than 1,000 characters are beyond it here, too."""
    if re.search(rb"[-+.0-9eE]{1001}", data):
        return False
    try:
        json.loads(data, parse_constant=_refused)
    except (ValueError, RecursionError):
        return False
    return True


def _refused(text: str) -> None:
    raise ValueError(text)


def _key_value(data: bytes) -> None:
    if not data:
        return
    key, _, payload = data[1:].partition(b"\0")
    schema = _KEY_VALUE[data[0] % len(_KEY_VALUE)]
    text = key.decode("utf-8", "replace") if schema.separated else None
    _read(schema, payload if schema.separated else data[1:], text)


def _single(data: bytes) -> None:
    if not data:
        return
    kind, payload = _SINGLE[data[0] % len(_SINGLE)], data[1:]
    value = _read(TopicSchema(kind), payload)
    if kind == "INSTANT":
        seconds, nanoseconds = struct.unpack(">qi", payload)
        assert _nanoseconds(value) == seconds * 10**9 + nanoseconds
    elif kind in ("DATE", "TIMESTAMP"):
        assert _nanoseconds(value) == struct.unpack(">q", payload)[0] * 10**6


def _nanoseconds(text: object) -> int:
    """Nanoseconds since 1970 of an instant in ISO 8601."""
    match = re.fullmatch(r"(.{19})(?:\.(\d{1,9}))?Z", str(text))
    assert match
    seconds = (datetime.fromisoformat(match[1]) - datetime(1970, 1, 1)).total_seconds()
    return int(seconds) * 10**9 + int((match[2] or "0").ljust(9, "0"))


def _definition(data: bytes, random: Random) -> bytes:
    """Another definition with the same data, or other data with the same definition."""
    definition, _, payload = data.partition(b"\0")
    if random.random() < 0.7:
        return b"\0".join((_AVRO_WORDS(definition, random), payload))
    return b"\0".join((definition, structure(payload, random)))


_AVRO_WORDS = words(
    *('"type"', '"name"', '"fields"', '"items"', '"values"', '"symbols"', '"size"', '"namespace"'),
    *('"record"', '"enum"', '"array"', '"map"', '"fixed"', '"null"', '"int"', '"string"'),
    *('{"type":"array","items":"null"}', "{", "}", "[", "]", ":", ",", "1e400"),
)
_JSON_WORDS = words(
    "{", "}", "[", "]", ":", ",", '""', "null", "true", "9" * 400, "1e400", '"\\ud800"'
)

TARGETS = (
    Target("schema-avro", "impl", _avro, _PROMISES, structure),
    Target(
        "schema-avro-definition", "impl", _avro_definition, _PROMISES, _definition, longest=16_384
    ),
    Target("schema-json", "impl", _json, _PROMISES, _JSON_WORDS),
    Target("schema-key-value", "impl", _key_value, _PROMISES, structure),
    Target("schema-single", "impl", _single, _PROMISES, structure, longest=64),
)
