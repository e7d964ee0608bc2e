"""Bodies by schema: which message each type becomes, and values of every type."""

from __future__ import annotations

import base64
import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jmsapi import BytesMessage, MapMessage, MessageFormatException, ObjectMessage, TextMessage
from jmsapi.values import Byte, Double, Float, Int, Long, Short
from pulsar_jms.mapping.bodies import MessageKind
from pulsar_jms.mapping.properties import MESSAGE_TYPE
from pulsar_jms.mapping.schema import SchemaBody, TopicSchema, schema_body
from pulsar_jms.messages import decode
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition

RECORD = json.dumps({"type": "record", "name": "R", "fields": [{"name": "id", "type": "int"}]})
NESTED = json.dumps(
    {
        "type": "record",
        "name": "N",
        "fields": [
            {"name": "addr", "type": json.loads(RECORD)},
            {"name": "tags", "type": {"type": "array", "items": "string"}},
        ],
    }
)


def key_value(key: str, value: str, encoding: str, definition: object) -> TopicSchema:
    return TopicSchema(
        "KEY_VALUE",
        json.dumps(definition),
        {"key.schema.type": key, "value.schema.type": value, "kv.encoding.type": encoding},
    )


AVRO_BOTH = {"key": json.loads(RECORD), "value": json.loads(RECORD)}


@pytest.mark.parametrize(
    ("schema", "payload", "value"),
    [
        ("INT8", "ff", Byte(-1)),
        ("INT16", "0102", Short(258)),
        ("INT32", "00000005", Int(5)),
        ("INT64", "ffffffffffffffff", Long(-1)),
        ("FLOAT", "3fc00000", Float(1.5)),
        ("DOUBLE", "3ff8000000000000", Double(1.5)),
        ("BOOLEAN", "01", True),
        ("BOOLEAN", "00", False),
        ("DATE", "0000000000000000", "1970-01-01T00:00:00Z"),
        ("DATE", "ffffffffffffffff", "1969-12-31T23:59:59.999Z"),
        ("TIMESTAMP", "00000000000003e9", "1970-01-01T00:00:01.001Z"),
        ("TIME", "0000000000000001", "00:00:00.001"),
        ("INSTANT", "000000000000000100000002", "1970-01-01T00:00:01.000000002Z"),
        ("LOCAL_DATE", "0000000000004756", "2020-01-01"),
        ("LOCAL_TIME", "000000000000000a", "00:00:00.00000001"),
        ("LOCAL_DATE_TIME", "0000000000004756000000003b9aca00", "2020-01-01T00:00:01"),
        ("PROTOBUF_NATIVE", "0801", b"\x08\x01"),
    ],
)
def test_single_values_are_objects_of_their_type(schema: str, payload: str, value: object) -> None:
    body = schema_body(TopicSchema(schema), bytes.fromhex(payload), None)
    assert body == SchemaBody(MessageKind.OBJECT, value)
    assert type(body.value) is type(value)


def test_a_string_is_a_text() -> None:
    assert schema_body(TopicSchema("STRING"), "é".encode(), None) == (MessageKind.TEXT, "é")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, "b": [true, null, "x"]}', {"a": Int(1), "b": [True, None, "x"]}),
        ("2147483648", Long(2**31)),
        ("-9223372036854775808", Long(-(2**63))),
        ("9223372036854775808", Double(2**63)),
        ("1.5e2", Double(150)),
        ("9" * 400, Double("inf")),
        ("-" + "9" * 400, Double("-inf")),
        ("1e400", Double("inf")),
        ('"x"', "x"),
    ],
)
def test_json_is_an_object_of_plain_data(text: str, value: object) -> None:
    body = schema_body(TopicSchema("JSON", RECORD), text.encode(), None)
    assert body == SchemaBody(MessageKind.OBJECT, value)
    assert type(body.value) is type(value)


@pytest.mark.parametrize("text", ["9" * 1001, "0." + "1" * 1000, "[1, NaN]", "[" * 100_000])
def test_json_that_is_refused(text: str) -> None:
    with pytest.raises(MessageFormatException, match="are no JSON"):
        schema_body(TopicSchema("JSON"), text.encode(), None)


@pytest.mark.parametrize(
    ("seconds", "nanoseconds", "text"),
    [
        (1, -1, "1970-01-01T00:00:00.999999999Z"),
        (0, 1_000_000_000, "1970-01-01T00:00:01Z"),
        (0, -1_500_000_000, "1969-12-31T23:59:58.5Z"),
    ],
)
def test_nanoseconds_of_an_instant_carry(seconds: int, nanoseconds: int, text: str) -> None:
    payload = struct.pack(">qi", seconds, nanoseconds)
    assert schema_body(TopicSchema("INSTANT"), payload, None).value == text


def test_a_nested_record_is_no_string() -> None:
    schema = TopicSchema("AVRO", NESTED)
    incoming = IncomingMessage(
        b"\x02\x02\x02x\x00", False, {}, MessagePosition(1, 1), schema_version=0
    )
    message = decode(incoming, None, schema)
    assert isinstance(message, MapMessage)
    for name, said in (("addr", "dict"), ("tags", "list")):
        with pytest.raises(MessageFormatException, match=f"is a {said} and cannot be read"):
            message.get_string(name)


def test_a_record_is_a_map_and_another_avro_value_an_object() -> None:
    assert schema_body(TopicSchema("AVRO", NESTED), b"\x02\x02\x02x\x00", None) == (
        MessageKind.MAP,
        {"addr": {"id": 1}, "tags": ["x"]},
    )
    assert schema_body(TopicSchema("AVRO", '"int"'), b"\x02", None) == (MessageKind.OBJECT, 1)


@pytest.mark.parametrize(
    ("schema", "payload", "key", "value"),
    [
        (
            key_value("AVRO", "AVRO", "INLINE", AVRO_BOTH),
            b"\0\0\0\1\x02\0\0\0\1\x04",
            "unused",
            {"key": {"id": 1}, "value": {"id": 2}},
        ),
        (
            key_value("AVRO", "AVRO", "SEPARATED", AVRO_BOTH),
            b"\x04",
            base64.b64encode(b"\x02").decode(),
            {"key": {"id": 1}, "value": {"id": 2}},
        ),
        (
            key_value("STRING", "INT32", "INLINE", {"key": "", "value": ""}),
            b"\0\0\0\1k\0\0\0\4\0\0\0\7",
            None,
            {"key": "k", "value": 7},
        ),
        (
            key_value("STRING", "JSON", "INLINE", {"key": "", "value": json.loads(RECORD)}),
            b"\xff\xff\xff\xff\xff\xff\xff\xff",
            None,
            {"key": None, "value": None},
        ),
        (
            key_value("STRING", "STRING", "SEPARATED", {"key": "", "value": ""}),
            None,
            "k!",
            {"key": "k!", "value": None},
        ),
    ],
)
def test_key_and_value_are_entries(
    schema: TopicSchema, payload: bytes | None, key: str | None, value: object
) -> None:
    assert schema_body(schema, payload, key) == SchemaBody(MessageKind.MAP, value)


@pytest.mark.parametrize(
    ("schema", "payload", "says"),
    [
        (TopicSchema("INT32"), b"\0", "no INT32"),
        (TopicSchema("INT64"), bytes(9), "no INT64"),
        (TopicSchema("STRING"), b"\xff", "no UTF-8"),
        (TopicSchema("JSON"), b"{", "no JSON"),
        (TopicSchema("JSON"), b"NaN", "no JSON"),
        (TopicSchema("JSON"), b"\xff", "no JSON"),
        (TopicSchema("JSON"), b"[" * 100_000, "no JSON"),
        (TopicSchema("DATE"), b"\x7f" + bytes(7), "no DATE"),
        (TopicSchema("LOCAL_DATE"), b"\x7f" + bytes(7), "no LOCAL_DATE"),
        (TopicSchema("LOCAL_TIME"), b"\xff" * 8, "no LOCAL_TIME"),
        (TopicSchema("AVRO", RECORD), b"", "do not follow the AVRO schema"),
        (TopicSchema("AVRO", "{"), b"", "AVRO schema cannot be understood"),
        (TopicSchema("KEY_VALUE", "{}"), b"\0" * 8, "KeyValue schema cannot be understood"),
        (TopicSchema("KEY_VALUE", ""), b"\0" * 8, "KeyValue schema cannot be understood"),
        (key_value("AVRO", "AVRO", "INLINE", AVRO_BOTH), b"\0\0\0\2\x02", "no key and value"),
        (key_value("AVRO", "AVRO", "INLINE", AVRO_BOTH), b"", "no key and value"),
    ],
)
def test_payloads_that_do_not_follow_their_schema(
    schema: TopicSchema, payload: bytes, says: str
) -> None:
    with pytest.raises(MessageFormatException, match=says):
        schema_body(schema, payload, None)


@given(
    st.sampled_from(["STRING", "JSON", "INT8", "INT64", "DATE", "TIME", "INSTANT", "LOCAL_TIME"]),
    st.binary(max_size=20),
)
def test_any_payload_is_a_value_or_refused(kind: str, payload: bytes) -> None:
    try:
        body = schema_body(TopicSchema(kind), payload, None)
    except MessageFormatException:
        return
    assert body.kind in (MessageKind.TEXT, MessageKind.OBJECT)


# -- messages ----------------------------------------------------------------------------------


def message(schema: TopicSchema | None, payload: bytes | None, **properties: str) -> object:
    raw = IncomingMessage(
        payload or b"", payload is None, properties, MessagePosition(1, 2), schema_version=0
    )
    return decode(raw, None, schema)


def test_messages_carry_what_the_schema_tells() -> None:
    text = message(TopicSchema("STRING"), b"x")
    assert isinstance(text, TextMessage)
    assert text.text == "x"
    record = message(TopicSchema("AVRO", NESTED), b"\x02\x02\x02x\x00")
    assert isinstance(record, MapMessage)
    assert record.get_object("addr") == {"id": 1}
    assert record.get_body(dict) == {"addr": {"id": 1}, "tags": ["x"]}
    number = message(TopicSchema("INT32"), b"\0\0\0\5")
    assert isinstance(number, ObjectMessage)
    assert type(number.object) is Int


def test_what_the_sender_marked_as_an_object_is_one() -> None:
    marked = {MESSAGE_TYPE: "object"}
    record = message(TopicSchema("AVRO", RECORD), b"\x02", **marked)
    assert isinstance(record, ObjectMessage)
    assert record.object == {"id": 1}
    text = message(TopicSchema("STRING"), b"x", **{MESSAGE_TYPE: "map"})
    assert isinstance(text, TextMessage)


@pytest.mark.parametrize("kind", ["NONE", "BYTES"])
def test_no_schema_but_in_name_reads_as_without_one(kind: str) -> None:
    assert isinstance(message(TopicSchema(kind), b"x"), BytesMessage)
    text = message(TopicSchema(kind), b"x", **{MESSAGE_TYPE: "text"})
    assert isinstance(text, TextMessage)


def test_a_null_value_is_read_without_its_schema() -> None:
    null = message(TopicSchema("STRING"), None, **{MESSAGE_TYPE: "text"})
    assert isinstance(null, TextMessage)
    assert null.text is None
