"""Received messages: bodies of every kind, properties, header fields; all is asked of them.

An input for properties and header fields is text: a line for each raw property, `name=value`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fuzz.mutations import structure, words
from fuzz.targets import Target
from jmsapi import (
    IllegalArgumentException,
    InvalidDestinationException,
    MessageEOFException,
    MessageFormatException,
    NullPointerException,
)
from jmsapi.conversions import PROPERTY_READS
from pulsar_jms.mapping.bodies import MessageKind, encode_item
from pulsar_jms.mapping.destinations import PulsarDestination
from pulsar_jms.mapping.expiration import is_expired
from pulsar_jms.mapping.headers import decode_correlation_id, encode_correlation_id
from pulsar_jms.mapping.properties import (
    MESSAGE_TYPE,
    Unreadable,
    read_property,
    received_names,
    received_property,
    write_properties,
)
from pulsar_jms.mapping.selectors import HEADER_VALUES
from pulsar_jms.messages import (
    PulsarBytesMessage,
    PulsarMapMessage,
    PulsarMessage,
    PulsarObjectMessage,
    PulsarStreamMessage,
    PulsarTextMessage,
    decode,
)
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition

_BROKEN = (MessageFormatException, MessageEOFException)
_UNREADABLE = (*_BROKEN, IllegalArgumentException, NullPointerException)
_KINDS = tuple(MessageKind)
_READ_AS = tuple(PROPERTY_READS)


def _received(payload: bytes, properties: dict[str, str]) -> PulsarMessage:
    incoming = IncomingMessage(payload, False, properties, MessagePosition(1, 2), "key", 5, 6)
    return decode(incoming, None)


def _tried(*reads: Callable[[], object]) -> None:
    """Each is right, or refused as JMS refuses it."""
    for read in reads:
        try:
            read()
        except _UNREADABLE:
            continue


def _body(data: bytes) -> None:
    if not data:
        return
    kind, payload = _KINDS[data[0] % len(_KINDS)], data[1:]
    message = _received(payload, {MESSAGE_TYPE: kind.value})
    match message:
        case PulsarTextMessage():
            assert (message.text or "").encode() == payload
        case PulsarBytesMessage():
            _bytes_body(message, payload)
        case PulsarStreamMessage():
            _stream_body(message)
        case PulsarMapMessage():
            ask_for_entries(message)
            written = message.encoded_body()
            if written is not None:
                again = _received(written, {MESSAGE_TYPE: kind.value})
                assert repr(again.body_value()) == repr(message.body_value())
        case PulsarObjectMessage():
            _tried(lambda: message.object, lambda: message.get_body(dict))
            assert message.encoded_body() == payload


def ask_for_entries(message: PulsarMapMessage) -> None:
    """Each entry as every type: it is one, or refused as JMS refuses it."""
    getters: tuple[Callable[[str], object], ...] = (
        *(message.get_boolean, message.get_byte, message.get_short, message.get_int),
        *(message.get_long, message.get_float, message.get_double, message.get_string),
        *(message.get_char, message.get_bytes, message.get_object),
    )
    for name in message.map_names():
        _tried(*(partial(read, name) for read in getters))


def _bytes_body(message: PulsarBytesMessage, payload: bytes) -> None:
    message.reset()
    assert message.body_length == len(payload)
    _tried(message.read_utf, message.read_char, message.read_double, message.read_boolean)
    message.reset()
    assert (message.read_bytes(len(payload)) or b"") == payload


def _stream_body(message: PulsarStreamMessage) -> None:
    """All items, each read as another type, and written again; up to the first that is broken."""
    message.reset()
    number = 0
    while True:
        try:
            item = message.read_object()
        except _BROKEN:
            return
        copy = PulsarStreamMessage()
        copy.load_body(encode_item(item))
        copy.reset()
        reads = (copy.read_boolean, copy.read_int, copy.read_double, copy.read_string)
        number += 1
        _tried(reads[number % len(reads)])
        copy.reset()
        assert repr(copy.read_object()) == repr(item)


def _wire(data: bytes) -> dict[str, str]:
    lines = (line.partition("=") for line in data.decode("utf-8", "replace").split("\n"))
    return {name: value for name, _, value in lines}


def _properties(data: bytes) -> None:
    wire = _wire(data)
    properties = {name: received_property(wire, name) for name in received_names(wire)}
    for number, name in enumerate(properties, start=len(data)):
        _tried(partial(read_property, properties, name, _READ_AS[number % len(_READ_AS)]))
    readable = {name: v for name, v in properties.items() if not isinstance(v, Unreadable)}
    written: dict[str, str] = {}
    write_properties(readable, written)
    for name, value in readable.items():
        if "_j" not in name:  # what looks like a companion may be one of another
            again = received_property(written, name)
            assert repr(again) == repr(value), (name, value, again)


def _headers(data: bytes) -> None:
    wire = _wire(data)
    incoming = IncomingMessage(b"", False, {**wire, MESSAGE_TYPE: "header"}, MessagePosition(1, 2))
    message = decode(incoming, None)
    assert 0 <= message.jms_priority <= 9
    assert message.jms_delivery_mode in (1, 2)
    assert -(1 << 63) <= message.jms_expiration < 1 << 63
    assert -(1 << 63) <= message.jms_delivery_time < 1 << 63
    assert message.jms_message_id is not None
    for value in HEADER_VALUES.values():
        value(incoming)
    if message.correlation is not None:
        text = encode_correlation_id(message.correlation)
        assert decode_correlation_id(text) == message.correlation
    is_expired(wire.get("JMSExpiration", ""), 1_000)
    names = list(message.property_names())
    _tried(*(partial(message.get_object_property, name) for name in names))
    if isinstance(message.jms_reply_to, PulsarDestination):
        _ = message.jms_reply_to.settings
        message.jms_reply_to.source("public/default")


_PROPERTY_WORDS = words(
    *("\n", "=", "_jsmtype", "_jmstype", "\nn_jsmtype=", "int", "integer", "string", "boolean"),
    *("byte", "short", "long", "float", "double", "true", "0x1p", "e", ".", "0" * 40, "9" * 40),
)
_HEADER_WORDS = words(
    *("\n", "=", "JMSReplyTo=", "JMSReplyToType=topic", "JMSCorrelationID=", "JMSPriority="),
    *("JMSDeliveryMode=", "JMSDeliveryTime=", "JMSExpiration=", "JMSMessageId=", "JMSType="),
    *("JMSXGroupID=", "JMSXGroupSeq=", "persistent://", "regex:", "multi:"),
    *("/", ":", "?", "&", ","),
)

TARGETS = (
    Target("message-body", "impl", _body, _BROKEN, structure, longest=2_048),
    Target("message-properties", "impl", _properties, (), _PROPERTY_WORDS, longest=2_048),
    Target("message-headers", "impl", _headers, (InvalidDestinationException,), _HEADER_WORDS),
)
