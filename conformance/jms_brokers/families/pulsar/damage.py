"""Damaged messages of Pulsar: metadata and payload that do not fit each other, or nothing at all.

What is valid was written by Starlight for JMS 9.0.0. Source of the fields: PulsarApi.proto of
Pulsar 4.0.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from jms_brokers.damage import (
    Part,
    Poison,
    cut_off,
    damaged,
    no_number,
    noise,
    nonsense,
    not_utf8,
)
from jms_brokers.families.pulsar.protocol.protobuf import write_field

TYPE: Final = b"JMSPulsarMessageType"
_PROPERTY, _KEY, _NULL = 4, 6, 25
"""Fields of MessageMetadata."""
_LARGE = 70_000
"""Bytes of a property that is very large: more than two bytes can count."""
_MAP = base64.b64decode(
    "rO0ABXcHAAAAAQABa3NyABFqYXZhLmxhbmcuSW50ZWdlchLioKT3gYc4AgABSQAFdmFsdWV4cgAQamF2YS5sYW5nLk51"
    "bWJlcoaslR0LlOCLAgAAeHAAAAAB"
)
_OBJECT = base64.b64decode(
    "rO0ABXNyABFqYXZhLnV0aWwuSGFzaE1hcAUH2sHDFmDRAwACRgAKbG9hZEZhY3RvckkACXRocmVzaG9sZHhwP0AAAAAA"
    "AAx3CAAAABAAAAABdAABYXQAAWJ4"
)
_STREAM = base64.b64decode(
    "AQEI/wQBAgkAQQMAAAABBQAAAAAAAAACBj+AAAAHP/AAAAAAAAACAALDqQoAAAACCQgKAAAAAAsL"
)
_NUMBERS = (b"byte", b"short", b"integer", b"int", b"long", b"float", b"double", b"boolean")
_BODIES: Mapping[bytes, bytes] = {
    b"text": "text of some sense: é".encode(),
    b"bytes": b"\x00\x01\xff",
    b"map": _MAP,
    b"object": _OBJECT,
    b"stream": _STREAM,
}


@dataclass(frozen=True)
class PulsarMessage:
    """Payload and metadata as they are sent, where a text may be any bytes."""

    payload: bytes
    properties: tuple[tuple[bytes, bytes], ...] = ()
    key: bytes | None = None
    further: bytes = b""
    """Fields of the metadata that follow."""

    @property
    def metadata(self) -> bytes:
        """What of the metadata is the message's own."""
        pairs = (write_field(1, name) + write_field(2, value) for name, value in self.properties)
        key = b"" if self.key is None else write_field(_KEY, self.key)
        return b"".join(write_field(_PROPERTY, pair) for pair in pairs) + key + self.further


def good(text: str) -> PulsarMessage:
    """A text message that every client can read."""
    return PulsarMessage(text.encode(), ((TYPE, b"text"),))


def poisoned(poison: Poison) -> PulsarMessage:
    """The message that the poison stands for."""
    return _KINDS[poison.kind][1](poison.draw())


def kinds(part: Part) -> tuple[str, ...]:
    """The kinds of damage to a part of messages."""
    return tuple(kind for kind, (of, _) in _KINDS.items() if of == part)


def _of_type(type_: bytes, body: Callable[[Random], bytes]) -> Callable[[Random], PulsarMessage]:
    return lambda draw: PulsarMessage(body(draw), ((TYPE, type_),))


def _damaged_message(type_: bytes) -> Callable[[Random], PulsarMessage]:
    return _of_type(type_, lambda draw: draw.choice((damaged, cut_off))(_BODIES[type_], draw))


def _of_another_type(draw: Random) -> PulsarMessage:
    written, claimed = draw.sample(sorted(_BODIES), 2)
    return PulsarMessage(_BODIES[written], ((TYPE, claimed),))


def _random_body(draw: Random) -> PulsarMessage:
    return PulsarMessage(noise(draw), ((TYPE, draw.choice(sorted(_BODIES))),))


def _empty(draw: Random) -> PulsarMessage:
    return PulsarMessage(b"", ((TYPE, draw.choice(sorted(_BODIES))),))


def _no_value(draw: Random) -> PulsarMessage:
    payload = draw.choice((b"", noise(draw)))
    kind = draw.choice(sorted(_BODIES))
    return PulsarMessage(payload, ((TYPE, kind),), further=write_field(_NULL, 1))


def _unknown_type(draw: Random) -> PulsarMessage:
    kind = draw.choice((b"", b"Text", b"TEXT", b"xml", b"bytes ", b"0", nonsense(draw).encode()))
    return PulsarMessage(draw.choice(sorted(_BODIES.values())), ((TYPE, kind),))


def _foreign_class(draw: Random) -> PulsarMessage:
    name = draw.choice((b"com.example.None", b"java.lang.Runtime", b"[Lno.such.Thing;", b""))
    described = b"\xac\xed\x00\x05sr" + len(name).to_bytes(2, "big") + name
    return PulsarMessage(described + bytes(8) + b"\x02\x00\x00xp", ((TYPE, b"object"),))


def _text_with(*properties: tuple[bytes, bytes], key: bytes | None = None) -> PulsarMessage:
    return PulsarMessage(b"a text with damage", ((TYPE, b"text"), *properties), key)


def _number(draw: Random) -> PulsarMessage:
    value = no_number(draw).encode()
    return _text_with((b"n", value), (b"n_jsmtype", draw.choice(_NUMBERS)))


def _type_of_property(draw: Random) -> PulsarMessage:
    return _text_with((b"n", b"7"), (b"n_jsmtype", nonsense(draw).encode()))


def _name_of_property(draw: Random) -> PulsarMessage:
    name = draw.choice((b"", b" ", b"1a", b"a b", b"\0", b"_jsmtype", "größe".encode(), b"NULL"))
    return _text_with((name, b"v"), (name, b"twice"))


def _many_properties(draw: Random) -> PulsarMessage:
    return _text_with(*((b"p%d" % n, noise(draw).hex().encode()) for n in range(500)))


def _header(
    name: bytes, value: Callable[[Random], str] = nonsense
) -> tuple[Part, Callable[[Random], PulsarMessage]]:
    return "headers", lambda draw: _text_with((name, value(draw).encode()))


def _reply_to(draw: Random) -> PulsarMessage:
    kind = draw.choice(("queue", "topic", nonsense(draw)))
    return _text_with((b"JMSReplyTo", nonsense(draw).encode()), (b"JMSReplyToType", kind.encode()))


def _header_not_utf8(draw: Random) -> PulsarMessage:
    names = (b"JMSType", b"JMSReplyTo", b"JMSCorrelationID", b"JMSMessageId", b"JMSPriority", TYPE)
    return _text_with((draw.choice(names), not_utf8(draw)))


_KINDS: Mapping[str, tuple[Part, Callable[[Random], PulsarMessage]]] = {
    "text-not-utf8": ("body", _of_type(b"text", not_utf8)),
    "map-damaged": ("body", _damaged_message(b"map")),
    "object-damaged": ("body", _damaged_message(b"object")),
    "object-of-foreign-class": ("body", _foreign_class),
    "stream-damaged": ("body", _damaged_message(b"stream")),
    "body-of-another-type": ("body", _of_another_type),
    "body-random": ("body", _random_body),
    "body-empty": ("body", _empty),
    "body-null": ("body", _no_value),
    "type-unknown": ("body", _unknown_type),
    "property-no-number": ("properties", _number),
    "property-of-unknown-type": ("properties", _type_of_property),
    "property-name-odd": ("properties", _name_of_property),
    "property-name-not-utf8": ("properties", lambda draw: _text_with((not_utf8(draw), b"v"))),
    "property-value-not-utf8": ("properties", lambda draw: _text_with((b"n", not_utf8(draw)))),
    "property-very-large": (
        "properties",
        lambda draw: _text_with((b"n", bytes([draw.randint(33, 126)]) * _LARGE)),
    ),
    "properties-very-many": ("properties", _many_properties),
    "key-not-utf8": ("properties", lambda draw: _text_with(key=not_utf8(draw))),
    "reply-to": ("headers", _reply_to),
    "correlation-id": _header(b"JMSCorrelationID"),
    "delivery-mode": _header(b"JMSDeliveryMode"),
    "delivery-time": _header(b"JMSDeliveryTime", no_number),
    "expiration": _header(b"JMSExpiration", no_number),
    "priority": _header(b"JMSPriority"),
    "group-sequence": _header(b"JMSXGroupSeq"),
    "message-id": _header(b"JMSMessageId"),
    "delivery-count": _header(b"JMSXDeliveryCount"),
    "header-not-utf8": ("headers", _header_not_utf8),
}  # fmt: skip
