"""What the real Java client made of raw messages, and what the reference makes of the same.

Header fields, body and typed properties are those of the real client. The list of properties
differs by rule: bookkeeping of header fields is not shown, JMSXGroupID is absent without a key,
and JMSXDeliveryCount and the supplied JMSXGroupSeq are numbers.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from jmsapi import (
    Byte,
    BytesMessage,
    Char,
    Double,
    Float,
    Int,
    JMSException,
    Long,
    MapMessage,
    Message,
    MessageEOFException,
    MessageFormatException,
    ObjectMessage,
    Queue,
    Short,
    StreamMessage,
    TextMessage,
    Topic,
)
from pulsar_jms.mapping.destinations import create_queue
from pulsar_jms.mapping.properties import BOOKKEEPING, COMPANION
from pulsar_jms.messages import PulsarMessage, decode
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition

RECORDED = Path(__file__).parents[2] / "scenarios/jms_scenarios/interop/starlight-wire.json"
CASES = {
    case["name"]: case
    for case in json.loads(RECORDED.read_text("utf-8"))
    if case["direction"] == "wire->jms"
}
CLASSES = (TextMessage, BytesMessage, MapMessage, StreamMessage, ObjectMessage)
TYPES = {
    "Boolean": bool,
    "Byte": Byte,
    "Short": Short,
    "Character": Char,
    "Integer": Int,
    "Long": Long,
    "Float": Float,
    "Double": Double,
}
QUEUE = create_queue("q")

SAME = [
    name
    for name, case in CASES.items()
    if "raw" in case
    and name
    not in (
        "untyped-null",
        "stream-null",
        "text-bad-utf8",
        "TEXT-upper",
        "type-empty",
        "map-empty-payload",
        "object-unknown-class",
        "stream-truncated",
        "props-badint",
        "hdr-replyto-TOPIC",
    )
]
DIFFERENT = {
    "untyped-null": "documents: without a type it is a BytesMessage; test_null_values",
    "stream-null": "an empty stream is better than a stuck message; test_null_values",
    "text-bad-utf8": "refused, so that nothing is lost; test_undecodable_messages_are_refused",
    "TEXT-upper": "an unknown type is refused; test_undecodable_messages_are_refused",
    "type-empty": "an unknown type is refused; test_undecodable_messages_are_refused",
    "map-empty-payload": "test_undecodable_messages_are_refused, the same exception",
    "object-unknown-class": "delivered, and opaque; test_object_of_unknown_class_is_delivered",
    "stream-truncated": "test_truncated_stream_fails_where_it_is_read, the same exception",
    "hdr-replyto-TOPIC": "documents: topic is the default; test_other_reply_types_are_topics",
    "props-badint": "test_property_that_does_not_fit_its_type, the same exception",
}
WITHOUT_SCHEMA = {
    "schema-INT8-off": "05",
    "schema-INT32-off": "00000005",
    "schema-FLOAT-off": "3fc00000",
    "schema-BOOLEAN-off": "01",
    "schema-LOCAL-DATE-off": "0000000000004756",
    "schema-JSON-off": b'{"a":1,"b":"x"}'.hex(),
    "schema-KeyValue-STRING-INT32-separated-off": "00000001",
    "schema-AVRO-record-off": "02020202060204027002710002000000000000f83f0201020201",
}
LATER = {name: "consumerConfig.useSchema is to come" for name in CASES if name.endswith("-on")} | {
    "schema-none-JMS-map-a-1-off": "the same as map-int, without schema"
}


def test_every_case_is_driven_or_explained() -> None:
    assert set(SAME) | set(DIFFERENT) | set(WITHOUT_SCHEMA) | set(LATER) == set(CASES)


def raw_message(name: str) -> IncomingMessage:
    raw = CASES[name]["raw"]
    return IncomingMessage(
        base64.b64decode(raw["payload_b64"] or ""),
        raw["null_value"],
        raw["properties"],
        MessagePosition(7, 8),
        raw["partition_key"],
        raw["event_time"],
        sequence_id=0,
    )


def received(name: str) -> PulsarMessage:
    return decode(raw_message(name), QUEUE)


def from_java(value: Any) -> Any:
    """A value of the golden file in Python."""
    if isinstance(value, dict) and "bytes_hex" in value:
        return bytes.fromhex(value["bytes_hex"])
    if isinstance(value, dict) and len(value) == 1 and next(iter(value)) in TYPES:
        [(name, text)] = value.items()
        kind = TYPES[name]
        return text == "true" if kind is bool else kind(text if kind is Char else float(text))
    if value == {"java.util.HashMap": "{a=b}"}:
        return {"a": "b"}
    return value


def exactly(value: object) -> object:
    """A value with its type, where equality alone takes Int(1) for 1.0."""
    return type(value).__name__, value


def body_of(message: Message) -> object:
    if isinstance(message, TextMessage):
        return message.text
    if isinstance(message, BytesMessage):
        return message.get_body(bytes)
    if isinstance(message, MapMessage):
        return {name: exactly(message.get_object(name)) for name in message.map_names()}
    if isinstance(message, ObjectMessage):
        return message.object
    return None


def assert_stream(message: StreamMessage, items: list[Any]) -> None:
    for item in items[:-1]:
        assert exactly(message.read_object()) == exactly(from_java(item))
    assert items[-1] == "END"
    with pytest.raises(MessageEOFException):
        message.read_object()


@pytest.mark.parametrize("name", SAME)
def test_received_message_is_that_of_the_real_client(name: str) -> None:
    message, seen = received(name), CASES[name]["observed"]

    assert [kind.__name__ for kind in CLASSES if isinstance(message, kind)] == [
        kind for kind in [seen["class"]] if kind != "Message"
    ]
    if isinstance(message, StreamMessage):
        assert_stream(message, seen["body"])
    elif isinstance(message, MapMessage):
        assert body_of(message) == {
            name: exactly(from_java(value)) for name, value in seen["body"].items()
        }
    else:
        assert exactly(body_of(message)) == exactly(from_java(seen.get("body")))
    assert_header_fields(message, seen)
    assert_properties(message, CASES[name]["raw"], seen["properties"])


def assert_header_fields(message: PulsarMessage, seen: dict[str, Any]) -> None:
    expected_id = seen["JMSMessageID"].replace("<ledger>", "7").replace("<entry>", "8")
    assert message.jms_message_id == expected_id
    assert message.jms_timestamp == seen["JMSTimestamp"]
    assert message.jms_delivery_time == seen["JMSDeliveryTime"]
    assert message.jms_expiration == seen["JMSExpiration"]
    assert message.jms_priority == seen["JMSPriority"]
    assert message.jms_delivery_mode == seen["JMSDeliveryMode"]
    assert message.jms_type == seen["JMSType"]
    assert message.jms_correlation_id == seen["JMSCorrelationID"]
    assert message.jms_correlation_id_as_bytes == from_java(seen["JMSCorrelationIDAsBytes"])
    assert message.jms_redelivered is seen["JMSRedelivered"]
    assert message.jms_destination is QUEUE
    reply_to = message.jms_reply_to
    if isinstance(reply_to, Queue):
        assert {"queue": reply_to.queue_name} == seen["JMSReplyTo"]
    elif isinstance(reply_to, Topic):
        assert {"topic": reply_to.topic_name} == seen["JMSReplyTo"]
    else:
        assert seen["JMSReplyTo"] is None


def assert_properties(message: PulsarMessage, raw: dict[str, Any], seen: dict[str, Any]) -> None:
    shown = {name: value for name, value in seen.items() if name not in BOOKKEEPING}
    if not raw["partition_key"]:
        assert shown.pop("JMSXGroupID") == ""
        assert not message.property_exists("JMSXGroupID")
    assert set(message.property_names()) == set(shown)
    for name, value in shown.items():
        if isinstance(value, dict):
            assert exactly(message.get_object_property(name)) == exactly(from_java(value))
        else:
            assert message.get_string_property(name) == value


@pytest.mark.parametrize("name", WITHOUT_SCHEMA)
def test_native_message_is_its_bytes(name: str) -> None:
    payload = bytes.fromhex(WITHOUT_SCHEMA[name])
    assert CASES[name]["observed"]["class"] == "BytesMessage"
    message = decode(
        IncomingMessage(payload, False, {}, MessagePosition(1, 2), schema_version=0), QUEUE
    )
    assert body_of(message) == payload


@pytest.mark.parametrize("name", ["untyped-null", "stream-null"])
def test_null_values(name: str) -> None:
    """The real client fails with NullPointerException, and the message comes again and again."""
    assert "NullPointerException" in CASES[name]["error"][0]
    message = received(name)
    if isinstance(message, BytesMessage):
        assert message.body_length == 0
    else:
        assert_stream(message, ["END"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("text-bad-utf8", MessageFormatException, "no UTF-8: byte FF at 0"),
        ("TEXT-upper", MessageFormatException, "JMSPulsarMessageType='TEXT' is unknown"),
        ("type-empty", MessageFormatException, "JMSPulsarMessageType='' is unknown"),
        ("map-empty-payload", MessageEOFException, "map cannot be read.*cut off"),
    ],
)
def test_undecodable_messages_are_refused(name: str, error: type[JMSException], says: str) -> None:
    with pytest.raises(error, match=says):
        received(name)


def test_object_of_unknown_class_is_delivered() -> None:
    """The real client cannot deliver it, and the message comes again and again."""
    message = received("object-unknown-class")
    assert isinstance(message, ObjectMessage)
    assert not message.is_body_assignable_to(object)
    with pytest.raises(MessageFormatException, match=r"no\.Such"):
        _ = message.object
    assert message.encoded_body() == raw_message("object-unknown-class").payload


def test_truncated_stream_fails_where_it_is_read() -> None:
    message = received("stream-truncated")
    assert isinstance(message, StreamMessage)
    for _ in range(2):
        with pytest.raises(MessageEOFException, match="cut off"):
            message.read_int()


def test_property_that_does_not_fit_its_type() -> None:
    message = received("props-badint")
    assert message.text == "h"  # type: ignore[attr-defined]
    assert set(message.property_names()) == {"i", "JMSXDeliveryCount", "JMSXGroupSeq"}
    for read in (
        message.get_int_property,
        message.get_string_property,
        message.get_object_property,
        message.get_boolean_property,
    ):
        with pytest.raises(MessageFormatException, match=r"property 'i' is marked int.*abc"):
            read("i")


def test_documented_companions_are_read_too() -> None:
    """_jmstype and integer are the documents' spellings; the real client shows such a property."""
    wire = {
        "JMSPulsarMessageType": "text",
        "my-key": "1234",
        "my-key_jmstype": "integer",
        "other": "7",
        "other_jsmtype": "integer",
        "note_jmstype": "int",
        "x": "1",
        "x_jmstype": "no type",
    }
    message = decode(IncomingMessage(b"", False, wire, MessagePosition(1, 2)), QUEUE)
    assert exactly(message.get_object_property("my-key")) == ("Int", 1234)
    assert exactly(message.get_object_property("other")) == ("Int", 7)
    assert set(message.property_names()) == {
        "my-key",
        "other",
        "note_jmstype",
        "x",
        "x_jmstype",
        "JMSXDeliveryCount",
    }
    assert not any(name.endswith(COMPANION) for name in message.property_names())


def test_redelivered_message_counts() -> None:
    raw = raw_message("bytes")._replace(redelivery_count=2)
    message = decode(raw, QUEUE)
    assert message.jms_redelivered
    assert exactly(message.get_object_property("JMSXDeliveryCount")) == ("Int", 3)


def test_empty_group_id_arrives() -> None:
    raw = raw_message("text-bad-utf8")._replace(
        payload=b"", properties={"JMSPulsarMessageType": "text", "JMSXGroupID": ""}
    )
    assert decode(raw, QUEUE).get_string_property("JMSXGroupID") == ""


def test_other_reply_types_are_topics() -> None:
    reply = decode(raw_message("hdr-replyto-TOPIC"), QUEUE).jms_reply_to
    assert isinstance(reply, Topic)
    assert reply.topic_name == "persistent://public/default/rq"


def test_reply_destination_can_be_used_whatever_its_name() -> None:
    raw = raw_message("hdr-replyto-queue")
    raw = raw._replace(properties={**raw.properties, "JMSReplyTo": "regex:(", "JMSType": "t"})
    message = decode(raw, QUEUE)
    assert isinstance(message.jms_reply_to, Queue)
    assert message.jms_type == "t"
