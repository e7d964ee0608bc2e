"""Damaged messages of AMQP 0-9-1 on the destinations of RabbitMQ JMS.

Such a message is a Java object stream: class, id, header fields, properties, body. See
`jms_brokers.families.rabbitmq.envelope`. Sizes stay small enough for the memory of any client.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType

from jms_brokers.damage import Part, Poison, cut_off, damaged, noise, nonsense, not_utf8
from jms_brokers.families.rabbitmq import envelope

_PACKAGE = "com.rabbitmq.jms.client.message.RMQ"
_INT, _LONG, _TEXT = b"\x04", b"\x05", b"\x08"


def _no_headers() -> Mapping[str, object]:
    return MappingProxyType({})


@dataclass(frozen=True)
class RabbitMessage:
    """The body of a message, its media type and its headers of AMQP 0-9-1."""

    body: bytes
    content_type: str = envelope.CONTENT_TYPE
    headers: Mapping[str, object] = field(default_factory=_no_headers)


def good(text: str) -> RabbitMessage:
    """A text message that every client can read."""
    return RabbitMessage(envelope.text_envelope(text))


def poisoned(poison: Poison) -> RabbitMessage:
    """The message that the poison stands for."""
    return _KINDS[poison.kind][1](poison.draw())


def kinds(part: Part) -> tuple[str, ...]:
    """The kinds of damage to a part of messages."""
    return tuple(kind for kind, (of, _) in _KINDS.items() if of == part)


def _text(content: str) -> bytes:
    return _TEXT + envelope.utf(content)


_FIELDS: Mapping[str, bytes] = {
    "rmq.jms.message.delivery.mode": _INT + struct.pack(">i", 2),
    "rmq.jms.message.timestamp": _LONG + struct.pack(">q", 1_700_000_000_000),
    "rmq.jms.message.priority": _INT + struct.pack(">i", 4),
    "rmq.jms.message.expiration": _LONG + struct.pack(">q", 0),
    "rmq.jms.message.id": _text("ID:1"),
}
_BODIES: Mapping[str, bytes] = {
    f"{_PACKAGE}TextMessage": b"\x00" + struct.pack(">i", 4) + b"text",
    f"{_PACKAGE}MapMessage": struct.pack(">i", 1) + envelope.utf("k") + _text("v"),
    f"{_PACKAGE}ObjectMessage": b"\x00" + struct.pack(">i", 8) + b"\xac\xed\x00\x05t\x00\x01a",
    f"{_PACKAGE}StreamMessage": struct.pack(">i", 8) + b"\xac\xed\x00\x05w\x02\x04\x01",
}


def _message(
    kind: str = f"{_PACKAGE}TextMessage",
    body: bytes | None = None,
    fields: Mapping[str, bytes] | None = None,
    properties: Mapping[str, bytes] | None = None,
) -> RabbitMessage:
    content = _BODIES[kind] if body is None else body
    return RabbitMessage(
        envelope.write_message(kind, "1", {**_FIELDS, **(fields or {})}, properties or {}, content)
    )


def _any_damage(draw: Random) -> RabbitMessage:
    return _message(draw.choice(sorted(_BODIES)))


def _damaged_envelope(draw: Random) -> RabbitMessage:
    return RabbitMessage(damaged(_any_damage(draw).body, draw))


def _cut_off_message(draw: Random) -> RabbitMessage:
    return RabbitMessage(cut_off(_any_damage(draw).body, draw))


def _native(draw: Random) -> RabbitMessage:
    kind = draw.choice(("text/plain", "application/json", "", "application/octet-stream"))
    return RabbitMessage(draw.choice((b"", b"hello", b"{}", noise(draw))), kind)


def _foreign_class(draw: Random) -> RabbitMessage:
    names = ("java.lang.String", "com.example.None", "", "com.rabbitmq.jms.client.RMQMessage")
    return _message(draw.choice(names), noise(draw))


def _text_not_utf8(draw: Random) -> RabbitMessage:
    raw = not_utf8(draw)
    return _message(body=b"\x00" + struct.pack(">i", len(raw)) + raw)


def _body_size(draw: Random) -> RabbitMessage:
    size = draw.choice((-1, -(2**31), 5, 100_000))
    return _message(body=b"\x00" + struct.pack(">i", size) + b"text")


def _body_of_another_class(draw: Random) -> RabbitMessage:
    claimed, written = draw.sample(sorted(_BODIES), 2)
    return _message(claimed, _BODIES[written])


def _damaged_content(draw: Random) -> RabbitMessage:
    """A body whose own bytes are damaged inside an envelope that is not."""
    kind = draw.choice([f"{_PACKAGE}{each}Message" for each in ("Map", "Object", "Stream")])
    return _message(kind, _BODIES[kind][:4] + damaged(_BODIES[kind][4:], draw))


def _value(draw: Random) -> bytes:
    """A value of a kind that the field is not of, or of none."""
    return draw.choice(
        (
            *(b"\xff", b"\x01\x01", b"\x02\x07", b"\x06\x3f\x80\x00\x00", b"\x09\x00\x41"),
            *(_text(nonsense(draw)[:1000]), _INT + draw.randbytes(4), _LONG + draw.randbytes(8)),
        )
    )


def _field(draw: Random) -> RabbitMessage:
    # The expiration stays: what has expired need not be delivered.
    names = sorted(_FIELDS.keys() - {"rmq.jms.message.expiration"})
    further = ("rmq.jms.message.type", "rmq.jms.message.correlation.id", "rmq.jms.message.reply.to")
    return _message(fields={draw.choice((*names, *further)): _value(draw)})


def _property(draw: Random) -> RabbitMessage:
    return _message(properties={"n": draw.choice((b"\x0b", b"\x63", b"\x00", b"\x70"))})


def _property_name(draw: Random) -> RabbitMessage:
    name = draw.choice(("", " ", "1a", "a b", "NULL", "JMSType", "JMSXDeliveryCount", "\ufffe"))
    return _message(properties={name: _value(draw)})


def _large_property(draw: Random) -> RabbitMessage:
    return _message(properties={"n": _text(chr(draw.randint(33, 126)) * 60_000)})


def _headers(draw: Random) -> RabbitMessage:
    names = ("JMSType", "JMSMessageID", "x-delivery-count", "x-acquired-count", "JMSXDeliveryCount")
    value = draw.choice((None, True, 7, "x", {"a": [1]}, [None], noise(draw)))
    return RabbitMessage(_any_damage(draw).body, headers={draw.choice(names): value})


_KINDS: Mapping[str, tuple[Part, Callable[[Random], RabbitMessage]]] = {
    "envelope-damaged": ("body", _damaged_envelope),
    "envelope-cut": ("body", _cut_off_message),
    "envelope-random": ("body", lambda draw: RabbitMessage(b"\xac\xed\x00\x05" + noise(draw))),
    "no-envelope": ("body", _native),
    "class-foreign": ("body", _foreign_class),
    "text-not-utf8": ("body", _text_not_utf8),
    "body-size": ("body", _body_size),
    "body-of-another-class": ("body", _body_of_another_class),
    "content-damaged": ("body", _damaged_content),
    "property-of-unknown-kind": ("properties", _property),
    "property-name-odd": ("properties", _property_name),
    "property-very-large": ("properties", _large_property),
    "field-of-another-type": ("headers", _field),
    "header-of-another-type": ("headers", _headers),
}
