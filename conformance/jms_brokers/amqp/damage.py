"""Damaged messages of AMQP 1.0: sections that do not fit each other or the JMS mapping.

Brokers read headers, properties and application properties, so those stay well-formed; a broker
that refuses one all the same has kept it from the client.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from random import Random

from jms_brokers.amqp.composites import composite, plain
from jms_brokers.amqp.values import Byte as AmqpByte
from jms_brokers.amqp.values import (
    Char,
    Decimal,
    Described,
    Float,
    Symbol,
    Timestamp,
    UByte,
    UInt,
    ULong,
    UShort,
    Value,
    encode,
)
from jms_brokers.damage import Part, Poison, cut_off, damaged, noise, nonsense, not_utf8

_ANNOTATIONS, _APPLICATION, _DATA, _SEQUENCE, _VALUE = 0x72, 0x74, 0x75, 0x76, 0x77
_TYPE = Symbol("x-opt-jms-msg-type")
_KIND_CODES = (0, 1, 2, 3, 4, 5)
"""Of x-opt-jms-msg-type: message, object, map, bytes, stream, text."""
_OBJECT_TYPE = Symbol("application/x-java-serialized-object")
_OBJECT = (
    bytes.fromhex("aced000573720011")
    + b"java.lang.Integer"
    + bytes.fromhex("12e2a0a4f781873802000149000576616c756578720010")
    + b"java.lang.Number"
    + bytes.fromhex("86ac951d0b94e08b020000787000000001")
)
_NOW = 1_700_000_000_000


def good(text: str) -> bytes:
    """A text message that every client can read, and know where it is given as bytes."""
    return _message(_section(_VALUE, text), application={"good": text})


def poisoned(poison: Poison) -> bytes:
    """The payload that the poison stands for."""
    return _KINDS[poison.kind][1](poison.draw())


def kinds(part: Part) -> tuple[str, ...]:
    """The kinds of damage to a part of messages."""
    return tuple(kind for kind, (of, _) in _KINDS.items() if of == part)


def _section(code: int, value: Value) -> bytes:
    return encode(Described(ULong(code), value))


def _message(
    body: bytes,
    *,
    type_: Value = None,
    annotations: Mapping[Value, Value] | None = None,
    properties: Mapping[str, Value] | None = None,
    application: Mapping[Value, Value] | None = None,
) -> bytes:
    noted = {**({} if type_ is None else {_TYPE: type_}), **(annotations or {})}
    told = composite("properties", **(properties or {}))
    return b"".join(
        (
            encode(plain(composite("header", durable=True))),
            _section(_ANNOTATIONS, noted) if noted else b"",
            encode(plain(told)) if told.fields else b"",
            _section(_APPLICATION, dict(application)) if application else b"",
            body,
        )
    )


def _odd(draw: Random) -> Value:
    """A value that AMQP has and JMS has not, or not there."""
    return draw.choice(
        (
            *(None, True, UByte(7), UShort(7), UInt(7), ULong(2**64 - 1), Float(0.5), Char("é")),
            *(Symbol("sym"), Timestamp(_NOW), uuid.UUID(int=7), noise(draw), [], {}, [1, [2, {}]]),
            *({1: 2}, {"a": {"b": [None]}}, Decimal(draw.randbytes(draw.choice((4, 8, 16))))),
            Described(Symbol("no:such:type"), "x"),
        )
    )


def _odd_value(draw: Random) -> bytes:
    type_ = draw.choice((None, *map(AmqpByte, _KIND_CODES)))
    return _message(_section(_VALUE, _odd(draw)), type_=type_)


def _sequence(draw: Random) -> bytes:
    sections = (
        _section(_SEQUENCE, [_odd(draw)] * draw.randint(0, 3)) for _ in range(draw.randint(1, 3))
    )
    return _message(b"".join(sections), type_=draw.choice((None, AmqpByte(4), AmqpByte(5))))


def _several_data(draw: Random) -> bytes:
    sections = (_section(_DATA, noise(draw)) for _ in range(draw.randint(2, 4)))
    return _message(b"".join(sections), type_=draw.choice((None, *map(AmqpByte, _KIND_CODES))))


def _mixed_sections(draw: Random) -> bytes:
    sections = [_section(_VALUE, "x"), _section(_DATA, b"x"), _section(_SEQUENCE, ["x"])]
    return _message(b"".join(draw.sample(sections, 2)))


def _no_body(draw: Random) -> bytes:
    return _message(b"", type_=draw.choice((None, *map(AmqpByte, _KIND_CODES))))


def _another_type(draw: Random) -> bytes:
    code, body = draw.choice(
        (
            (AmqpByte(2), _section(_VALUE, "text")),
            (AmqpByte(4), _section(_VALUE, {"a": 1})),
            (AmqpByte(5), _section(_DATA, noise(draw))),
            (AmqpByte(3), _section(_VALUE, "text")),
            (AmqpByte(1), _section(_SEQUENCE, [1])),
            (AmqpByte(0), _section(_VALUE, {"a": 1})),
        )
    )
    return _message(body, type_=code)


def _unknown_type(draw: Random) -> bytes:
    type_ = draw.choice(
        (AmqpByte(6), AmqpByte(-3), AmqpByte(127), "text", 5, None, [5], Symbol("5"))
    )
    return _message(_section(_VALUE, "text"), annotations={_TYPE: type_})


def _content_type(draw: Random) -> bytes:
    kind = draw.choice(
        ("", "/", "text", "text/plain;charset=no-such", "text/plain;charset=", ";;;", "a/b/c")
    )
    return _message(_section(_DATA, not_utf8(draw)), properties={"content_type": Symbol(kind)})


def _text_in_data(draw: Random) -> bytes:
    charset = draw.choice(("utf-8", "us-ascii", "utf-16"))
    kind = Symbol(f"text/plain;charset={charset}")
    return _message(_section(_DATA, not_utf8(draw)), properties={"content_type": kind})


def _text_not_utf8(draw: Random) -> bytes:
    raw = not_utf8(draw)
    return _message(b"\x00\x53\x77\xa1" + bytes([len(raw)]) + raw, type_=AmqpByte(5))


def _object(draw: Random) -> bytes:
    body = draw.choice((damaged(_OBJECT, draw), cut_off(_OBJECT, draw), noise(draw), b""))
    told = {"content_type": _OBJECT_TYPE}
    return _message(_section(_DATA, body), type_=AmqpByte(1), properties=told)


def _map_keys(draw: Random) -> bytes:
    keys = (7, Symbol("s"), True, b"bytes", UInt(1))
    return _message(_section(_VALUE, {draw.choice(keys): "v", "k": _odd(draw)}), type_=AmqpByte(2))


def _list_items(draw: Random) -> bytes:
    items = [_odd(draw) for _ in range(draw.randint(1, 5))]
    return _message(_section(_VALUE, items), type_=AmqpByte(4))


def _damaged_body(draw: Random) -> bytes:
    """A body section whose bytes are wrong, or end too early."""
    body = draw.choice(
        (
            _section(_VALUE, {"key": "value", "n": 7}),
            _section(_VALUE, ["a", 1, True]),
            _section(_VALUE, "some text"),
            _section(_SEQUENCE, ["a", 1]),
            _section(_DATA, b"some bytes"),
        )
    )
    return _message(body[:3] + damaged(body[3:], draw))


def _application(draw: Random) -> bytes:
    told = {f"p{number}": _odd(draw) for number in range(draw.randint(1, 4))}
    return _message(_section(_VALUE, "a text with damage"), application=told)


def _application_name(draw: Random) -> bytes:
    name = draw.choice(
        ("", " ", "1a", "a b", "\0", "NULL", "JMSType", "JMS_AMQP_TTL", "x" * 70_000)
    )
    return _message(_section(_VALUE, "a text with damage"), application={name: "v"})


def _large_property(draw: Random) -> bytes:
    told = {"n": chr(draw.randint(33, 126)) * 80_000}
    return _message(_section(_VALUE, "a text with damage"), application=told)


def _destinations(draw: Random) -> bytes:
    names = (Symbol("x-opt-jms-dest"), Symbol("x-opt-jms-reply-to"))
    kind = draw.choice((AmqpByte(9), AmqpByte(-1), "queue", 1, None, ["x"]))
    told = {"reply_to": nonsense(draw), "to": nonsense(draw)}
    return _message(
        _section(_VALUE, "a text with damage"),
        annotations=dict.fromkeys(names, kind),
        properties=told,
    )


def _ids(draw: Random) -> bytes:
    values = (ULong(7), uuid.UUID(int=7), noise(draw), "", "ID:", "ID:AMQP_UUID:x", nonsense(draw))
    told = {"message_id": draw.choice(values), "correlation_id": draw.choice(values)}
    return _message(_section(_VALUE, "a text with damage"), properties=told)


def _further(draw: Random) -> bytes:
    told: dict[str, Value] = {
        "subject": nonsense(draw),
        "user_id": noise(draw),
        "creation_time": Timestamp(draw.choice((-1, 0, 2**63 - 1))),
        "group_id": nonsense(draw),
        "group_sequence": UInt(2**32 - 1),
        "reply_to_group_id": nonsense(draw),
        "content_encoding": Symbol(draw.choice(("gzip", "", "no-such"))),
    }
    chosen = dict(draw.sample(sorted(told.items(), key=lambda item: item[0]), 3))
    return _message(_section(_VALUE, "a text with damage"), properties=chosen)


def _other_annotations(draw: Random) -> bytes:
    told = {Symbol(f"x-opt-{noise(draw).hex()}"): _odd(draw) for _ in range(3)}
    return _message(_section(_VALUE, "a text with damage"), annotations=told)


_KINDS: Mapping[str, tuple[Part, Callable[[Random], bytes]]] = {
    "value-outside-jms": ("body", _odd_value),
    "sequence": ("body", _sequence),
    "several-data-sections": ("body", _several_data),
    "sections-mixed": ("body", _mixed_sections),
    "no-body": ("body", _no_body),
    "body-of-another-type": ("body", _another_type),
    "type-unknown": ("body", _unknown_type),
    "content-type": ("body", _content_type),
    "text-in-data-not-utf8": ("body", _text_in_data),
    "text-not-utf8": ("body", _text_not_utf8),
    "object-damaged": ("body", _object),
    "map-keys": ("body", _map_keys),
    "list-items": ("body", _list_items),
    "body-damaged": ("body", _damaged_body),
    "property-outside-jms": ("properties", _application),
    "property-name-odd": ("properties", _application_name),
    "property-very-large": ("properties", _large_property),
    "destinations": ("headers", _destinations),
    "ids": ("headers", _ids),
    "fields": ("headers", _further),
    "annotations": ("headers", _other_annotations),
}
