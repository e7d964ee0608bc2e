"""What a body may stand for is limited, and the setting that an error names has it read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from jmsapi import MessageFormatException
from jmsapi.values import Int
from pulsar_jms.configuration import settings
from pulsar_jms.formats.java_classes import FIRST_HANDLE, REFERENCE
from pulsar_jms.formats.java_serialization import read_map, read_object, write_map, write_object
from pulsar_jms.formats.limits import (
    DEFAULT_BODY_LIMITS,
    MAX_DEPTH,
    MAX_ELEMENTS,
    MAX_SIZE,
    BodyLimits,
)
from pulsar_jms.mapping.schema import TopicSchema, schema_body
from pulsar_jms.messages import PulsarMessage, decode
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition

_LISTS = json.dumps(
    {
        "type": "record",
        "name": "N",
        "fields": [{"name": "n", "type": {"type": "array", "items": "N"}}],
    }
)


def nested(depth: int) -> list[Any]:
    return [nested(depth - 1)] if depth > 1 else [Int(1)]


def of_json(value: Any, limits: BodyLimits) -> object:
    return schema_body(TopicSchema("JSON"), json.dumps(value).encode(), None, limits).value


def of_avro(value: Any, limits: BodyLimits) -> object:
    """The same lists, each in a record of its own where it is inside another."""
    definition = json.dumps({"type": "array", "items": "int"})
    for _ in range(levels(value) - 1):
        definition = json.dumps({"type": "array", "items": json.loads(definition)})
    return schema_body(TopicSchema("AVRO", definition), avro(value), None, limits).value


def levels(value: Any) -> int:
    return 1 + levels(value[0]) if isinstance(value, list) else 0


def avro(value: Any) -> bytes:
    if not isinstance(value, list):
        return bytes((2 * value,))
    return bytes((2 * len(value),)) + b"".join(map(avro, value)) + b"\0"


def of_java(value: Any, limits: BodyLimits) -> object:
    return read_object(write_object(value, 1000), limits)


READERS = pytest.mark.parametrize("read", [of_json, of_avro, of_java])
Read = Callable[[Any, BodyLimits], object]


@READERS
def test_depth(read: Read) -> None:
    limits = replace(DEFAULT_BODY_LIMITS, depth=5)
    assert read(nested(5), limits) == nested(5)
    with pytest.raises(MessageFormatException, match=f"{MAX_DEPTH}=5 "):
        read(nested(6), limits)
    assert read(nested(6), replace(DEFAULT_BODY_LIMITS, depth=6)) == nested(6)


@READERS
def test_elements(read: Read) -> None:
    value = [[Int(1), Int(2)], [Int(3), Int(4)]]
    assert read(value, replace(DEFAULT_BODY_LIMITS, elements=6)) == value
    with pytest.raises(MessageFormatException, match=f"{MAX_ELEMENTS}=5 "):
        read(value, replace(DEFAULT_BODY_LIMITS, elements=5))


def test_the_commas_of_a_text_are_no_elements() -> None:
    limits = replace(DEFAULT_BODY_LIMITS, elements=2)
    assert of_json(["a,b,c,d", 'e\\",",'], limits) == ["a,b,c,d", 'e\\",",']


def test_entries_of_a_map() -> None:
    entries = {"a": Int(1), "b": Int(2), "c": Int(3)}
    assert read_map(write_map(entries), replace(DEFAULT_BODY_LIMITS, elements=3)) == entries
    with pytest.raises(MessageFormatException, match=MAX_ELEMENTS):
        read_map(write_map(entries), replace(DEFAULT_BODY_LIMITS, elements=2))


def referring(count: int) -> bytes:
    """A list of a list of 10, then `count` times that list again."""
    inner = [Int(number) for number in range(10)]
    stream = write_object([inner, *[None] * count])
    handle = 2  # after the class of lists and the outer list
    reference = bytes((REFERENCE,)) + (FIRST_HANDLE + handle).to_bytes(4, "big")
    return stream[: -count - 1] + reference * count + stream[-1:]


def test_what_is_referred_to_counts_each_time() -> None:
    expected = [[Int(number) for number in range(10)]] * 4
    assert read_object(referring(3), replace(DEFAULT_BODY_LIMITS, elements=44)) == expected
    with pytest.raises(MessageFormatException, match=MAX_ELEMENTS):
        read_object(referring(3), replace(DEFAULT_BODY_LIMITS, elements=43))
    with pytest.raises(MessageFormatException, match=MAX_DEPTH):
        read_object(referring(3), replace(DEFAULT_BODY_LIMITS, depth=1))


def test_records_without_content_count() -> None:
    schema = TopicSchema("AVRO", _LISTS)
    limits = replace(DEFAULT_BODY_LIMITS, elements=3)
    assert schema_body(schema, b"\x02\0\0", None, limits).value == {"n": [{"n": []}]}
    with pytest.raises(MessageFormatException, match=MAX_ELEMENTS):
        schema_body(schema, b"\x04\0\0\0", None, limits)


def received(payload: bytes, limits: BodyLimits) -> PulsarMessage:
    properties = {"JMSPulsarMessageType": "object"}
    return decode(
        IncomingMessage(payload, False, properties, MessagePosition(1, 1)), None, None, limits
    )


def test_size() -> None:
    payload = write_object("text")
    exact = replace(DEFAULT_BODY_LIMITS, size=len(payload))
    assert received(payload, exact).body_value() == "text"
    with pytest.raises(MessageFormatException, match=f"{len(payload)}, than {MAX_SIZE}="):
        received(payload, replace(DEFAULT_BODY_LIMITS, size=len(payload) - 1))


def test_what_was_read_with_greater_limits_can_be_looked_at() -> None:
    assert received(write_object(nested(200), 200), BodyLimits(depth=200)).body_value() == nested(
        200
    )


def test_the_settings() -> None:
    assert settings({}).limits == DEFAULT_BODY_LIMITS
    given = {"touchstone": {"limits": {"maxDepth": "5", "maxElements": 6, "maxSize": 7}}}
    assert settings(given).limits == BodyLimits(5, 6, 7)
