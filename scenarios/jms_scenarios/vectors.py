"""Golden vectors: what the real client wrote to the wire and what it read from there.

`interop/starlight-wire.json` was recorded from Starlight for JMS 9.0.0 on Pulsar 4.0.7. This module
makes the messages that the vectors speak of and puts what was seen into the vectors' own terms.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from jmsapi import (
    Byte,
    Char,
    Destination,
    Double,
    Float,
    Int,
    Long,
    Message,
    MessageFormatException,
    Queue,
    Session,
    Short,
    Topic,
)
from touchstone.api import KINDS, compose, content_of, kind_of

Vector = Mapping[str, Any]
View = dict[str, object]

WRITTEN_FOR = {
    "hdr-corr": "SLJ-HDR-002",
    "hdr-groupid": "SLJ-PROP-019",
    "hdr-groupseq": "SLJ-PROP-002",
    "hdr-messageid-set": "SLJ-HDR-004",
    "hdr-nonpersistent": "SLJ-MODE-001",
    "hdr-replyto-full": "SLJ-HDR-005",
    "hdr-replyto-queue": "SLJ-HDR-005",
    "hdr-replyto-queue-query": "SLJ-HDR-005",
    "hdr-type": "SLJ-HDR-001",
    "prop-floats": "SLJ-PROP-011",
    "prop-odd-names": "SLJ-PROP-001",
}
"""What the vectors of sent messages answer that do not answer how a body is to be read."""
READ_FOR = {
    "hdr-corr-abcd": "SLJ-HDR-003",
    "hdr-deliverymode-1": "SLJ-MODE-003",
    "hdr-msgid": "SLJ-HDR-004",
    "hdr-replyto-queue": "SLJ-HDR-006",
    "stale-int": "SLJ-PROP-005",
    "untyped-bytes": "SLJ-INTR-003",
}
"""What the vectors of foreign messages answer that do not answer how a body is read."""
_DISPUTED = {
    "JMSMessageId": "SLJ-HDR-004: on every message; the real client writes what was set",
    "JMSReplyToType": "SLJ-HDR-006: says queue; the real client marks topics only",
    "JMSXGroupID": "SLJ-PROP-020: the key alone; the real client writes it twice",
}
"""Raw properties that documents want where the real client has none, or the other way round: either
is right here, what a document wants of them is judged by its own requirement."""
OVERRULED = {"hdr-replyto-TOPIC": "SLJ-HDR-009: another reply type is an error or a topic"}
"""Vectors of foreign messages that the documents contradict, and by what."""
MALFORMED = frozenset(
    {
        "TEXT-upper",
        "hdr-deliverymode-x",
        "hdr-expiration-bad",
        "hdr-priority--1",
        "hdr-priority-10",
        "map-empty-payload",
        "object-unknown-class",
        "props-badint",
        "stream-null",
        "text-bad-utf8",
        "type-empty",
        "untyped-null",
    }
)
"""Vectors of foreign messages of which no document says whether and how they can be read."""

_SEND_TIME = "<send-time-ms>"
_PULSAR_ID = "<ledger>:<entry>:-1"
_JAVA_NAMES = {
    Byte: "Byte",
    Short: "Short",
    Int: "Integer",
    Long: "Long",
    Float: "Float",
    Double: "Double",
}


@dataclass(frozen=True)
class Example:
    """A message of a vector: what the application sets before it sends it."""

    kind: str = "text"
    content: object = "h"
    headers: Mapping[str, object] = field(default_factory=dict)
    properties: Mapping[str, object] = field(default_factory=dict)
    reply_queue: str | None = None
    producer: Mapping[str, object] = field(default_factory=dict)

    def compose(self, session: Session) -> Message:
        """The message, made by `session`."""
        message = compose(session, self.kind, self.content)
        for name, value in self.headers.items():
            setattr(message, name, value)
        for name, value in self.properties.items():
            message.set_object_property(name, value)
        if self.reply_queue is not None:
            message.jms_reply_to = session.create_queue(self.reply_queue)
        return message


_DOUBLES = "1e-4 12345678 1e10 nan inf -inf -0.0 2e23 4.9e-324 1.7976931348623157e308 1e7 1e-3"
_FLOATS = "1e-4 16777216 1e10 0.1 3.4028235e38 1.4e-45"
_FLOATING = {
    **{f"d{n}": Double(text) for n, text in enumerate(f"{_DOUBLES} 9999999".split(), 1)},
    **{f"f{n}": Float(float(text)) for n, text in enumerate(_FLOATS.split(), 1)},
}
_ODD_NAMES = ["a b", "1x", "NULL", "y_jsmtype", "y_jmstype", "JMS_foo", "JMSXfoo"]
_ITEMS = [
    *(True, Byte(-1), Short(258), Char("A"), Int(1), Long(2), Float(1.0), Double(1.0)),
    *("é", b"\x09\x08", b"", None, None),
]

EXAMPLES: Mapping[str, Example] = {
    "text-hi": Example("text", "hi"),
    "text-empty": Example("text", ""),
    "text-lone-surrogate": Example("text", "a\ud83db"),
    "bytes-empty": Example("bytes", b""),
    "stream-seq": Example("stream", _ITEMS),
    "map-int": Example("map", {"k": Int(1)}),
    "map-long": Example("map", {"k": Long(1)}),
    "map-byte": Example("map", {"k": Byte(1)}),
    "map-char": Example("map", {"k": Char("A")}),
    "map-double": Example("map", {"k": Double(1.0)}),
    "map-null": Example("map", {"k": None}),
    "map-long-key": Example("map", {"q" * 300: Int(1)}),
    "object-null": Example("object", None),
    "object-int": Example("object", Int(1)),
    "object-double": Example("object", Double(1.5)),
    "object-hashmap": Example("object", {"a": "b"}),
    "object-bytes": Example("object", b"\x01\x02"),
    "hdr-type": Example(headers={"jms_type": "ty"}),
    "hdr-corr": Example(headers={"jms_correlation_id": "c-1 é"}),
    "hdr-replyto-queue": Example(reply_queue="rq"),
    "hdr-replyto-queue-query": Example(reply_queue="rq?consumerConfig.receiverQueueSize=1"),
    "hdr-replyto-full": Example(reply_queue="persistent://public/default/zz"),
    "hdr-nonpersistent": Example(producer={"delivery_mode": 1}),
    "hdr-messageid-set": Example(headers={"jms_message_id": "ID:mine"}),
    "hdr-groupid": Example(properties={"JMSXGroupID": "g1"}),
    "hdr-groupseq": Example(properties={"JMSXGroupSeq": Int(3)}),
    "prop-floats": Example(properties=_FLOATING),
    "prop-odd-names": Example(properties=dict.fromkeys(_ODD_NAMES, "v")),
}
"""The messages of the vectors from JMS to the wire, by the vector's name."""


def _recorded_vectors(direction: str) -> Mapping[str, Vector]:
    text = (files("jms_scenarios") / "interop" / "starlight-wire.json").read_text("utf-8")
    return {v["name"]: v for v in json.loads(text) if v["direction"] == direction}


SENT = {name: vector for name, vector in _recorded_vectors("jms->wire").items() if name in EXAMPLES}
"""What the real client sent for each of `EXAMPLES`."""
FOREIGN = {
    name: vector
    for name, vector in _recorded_vectors("wire->jms").items()
    if "raw" in vector and name not in OVERRULED
}
"""The raw messages of a foreign client, with what the real client read there."""


def raw_fields(vector: Vector) -> dict[str, Any]:
    """The vector's raw message as the independent client sends it: the arguments of `wire.send`."""
    raw = vector["raw"]
    return {
        "payload": None if raw["null_value"] else base64.b64decode(raw["payload_b64"]),
        "properties": raw["properties"],
        "key": raw["partition_key"],
        "event_time": raw["event_time"],
    }


def raw_view(raw: Any, since: int, until: int) -> View:
    """A raw message in the terms of a vector; times from `since` to `until` (ms) are send times.

    No document says how a JMSConnectionID looks, so any will do as the real client's. Floating
    point texts are compared as numbers: versions of Java differ in their last digits.
    """

    def time(text: str) -> str:
        return _SEND_TIME if since <= int(text) <= until else text

    properties = dict(raw.properties)
    if properties.get("JMSConnectionID"):
        properties["JMSConnectionID"] = "<uuid>"
    if "JMSDeliveryTime" in properties:
        properties["JMSDeliveryTime"] = time(properties["JMSDeliveryTime"])
    return {
        "properties": _numeric(properties),
        "payload_b64": base64.b64encode(raw.payload).decode(),
        "null_value": raw.null_value,
        "partition_key": raw.key or "",
        "event_time": time(str(raw.event_time)) if raw.event_time else None,
    }


def expected_on_the_wire(vector: Vector, raw: Any) -> View:
    """The raw message that the real client sent for the vector's example.

    Where the documents dispute a property, it is there if it is in `raw`.
    """
    (observed,) = vector["observed"]
    properties = _numeric(observed["properties"])
    for name in _DISPUTED:
        if name not in raw.properties:
            properties.pop(name, None)
        elif name not in properties:
            properties[name] = raw.properties[name]
    return {**observed, "properties": properties}


def read(message: Message) -> View:
    """A received message in the terms of a vector; of the properties, the application's own."""
    kind = kind_of(message)
    own = [name for name in message.property_names() if not name.startswith("JMS")]
    view: View = {
        "class": KINDS[kind].__name__ if kind in KINDS else "Message",
        "JMSMessageID": message.jms_message_id,
        "JMSTimestamp": message.jms_timestamp,
        "JMSDeliveryTime": message.jms_delivery_time,
        "JMSExpiration": message.jms_expiration,
        "JMSPriority": message.jms_priority,
        "JMSDeliveryMode": message.jms_delivery_mode,
        "JMSType": message.jms_type,
        "JMSCorrelationID": message.jms_correlation_id,
        "JMSCorrelationIDAsBytes": _java(message.jms_correlation_id_as_bytes),
        "JMSReplyTo": _destination(message.jms_reply_to),
        "JMSDestination": _destination(message.jms_destination),
        "JMSRedelivered": message.jms_redelivered,
        "properties": {name: _property(message, name) for name in own},
    }
    if kind == "stream":
        view["body"] = [*map(_java, content_of(message)), "END"]
    elif kind == "map":
        view["body"] = {name: _java(value) for name, value in content_of(message).items()}
    elif kind != "header":
        view["body"] = _java(content_of(message))
    return view


def expected_by_jms(vector: Vector, queue: Queue, message_id: str) -> View:
    """What the real client read from the vector's raw message, had it come from `queue`."""
    observed = vector["observed"]
    return {
        **observed,
        "JMSMessageID": observed["JMSMessageID"].replace(_PULSAR_ID, message_id),
        "JMSDestination": _destination(queue),
        "properties": {
            name: MessageFormatException.__name__ if isinstance(value, list) else value
            for name, value in observed["properties"].items()
            if not name.startswith("JMS")
        },
    }


def _java(value: object) -> object:
    match value:
        case bool():
            return {"Boolean": str(value).lower()}
        case bytes():
            return {"bytes_hex": value.hex()}
        case int():
            return {_JAVA_NAMES[type(value)]: str(int(value))}
        case float():
            return {_JAVA_NAMES[type(value)]: str(float(value))}
        case Char():
            return {"Character": str(value)}
        case dict():
            return {"java.util.HashMap": f"{{{', '.join(f'{k}={v}' for k, v in value.items())}}}"}
    return value


def _property(message: Message, name: str) -> object:
    try:
        return _java(message.get_object_property(name))
    except MessageFormatException as refusal:
        return type(refusal).__name__


def _destination(destination: Destination | None) -> object:
    match destination:
        case Queue():
            return {"queue": destination.queue_name}
        case Topic():
            return {"topic": destination.topic_name}
    return None


def _numeric(properties: Mapping[str, str]) -> dict[str, str]:
    floating = {
        name for name in properties if properties.get(f"{name}_jsmtype") in ("float", "double")
    }
    return {
        name: repr(float(text)) if name in floating else text for name, text in properties.items()
    }
