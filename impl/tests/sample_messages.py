"""Messages of each type for tests, and the way to the wire and back without a broker."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from jmsapi import (
    Byte,
    BytesMessage,
    Char,
    Double,
    Float,
    Int,
    Long,
    MapMessage,
    Message,
    ObjectMessage,
    Short,
    StreamMessage,
    TextMessage,
)
from pulsar_jms.mapping.destinations import create_queue
from pulsar_jms.messages import (
    PulsarBytesMessage,
    PulsarMapMessage,
    PulsarMessage,
    PulsarObjectMessage,
    PulsarStreamMessage,
    PulsarTextMessage,
    SendParameters,
    decode,
    encode,
)
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition

QUEUE = create_queue("q")
INTERFACES = (TextMessage, BytesMessage, MapMessage, StreamMessage, ObjectMessage)


def sent(message: PulsarMessage) -> IncomingMessage:
    raw = encode(message, SendParameters(QUEUE, 1_700_000_000_000), "connection", "public/default")
    return IncomingMessage(
        raw.payload or b"",
        raw.null_value,
        raw.properties,
        MessagePosition(1, 2),
        raw.partition_key,
        raw.event_time,
    )


def received(message: PulsarMessage) -> Any:
    return decode(sent(message), QUEUE)


def text() -> PulsarTextMessage:
    return PulsarTextMessage("a text")


def some_bytes() -> PulsarBytesMessage:
    message = PulsarBytesMessage()
    message.write_bytes(b"\x01\x02")
    return message


def a_map() -> PulsarMapMessage:
    message = PulsarMapMessage()
    message.set_int("k", 1)
    return message


def a_stream() -> PulsarStreamMessage:
    message = PulsarStreamMessage()
    message.write_int(1)
    return message


def an_object() -> PulsarObjectMessage:
    return PulsarObjectMessage([1])


KINDS: list[Callable[[], PulsarMessage]] = [
    PulsarMessage,
    text,
    some_bytes,
    a_map,
    a_stream,
    an_object,
]
WRITES: dict[type, Callable[[Any], object]] = {
    TextMessage: lambda message: setattr(message, "text", "b"),
    BytesMessage: lambda message: message.write_int(1),
    MapMessage: lambda message: message.set_int("k", 2),
    StreamMessage: lambda message: message.write_int(1),
    ObjectMessage: lambda message: setattr(message, "object", 1),
}


def write(message: Message) -> None:
    for interface, call in WRITES.items():
        if isinstance(message, interface):
            call(message)


def stream_of(*items: Any) -> PulsarStreamMessage:
    message = PulsarStreamMessage()
    for item in items:
        message.write_object(item)
    message.reset()
    return message


ITEMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 7), (1 << 7) - 1).map(Byte),
    st.integers(-(1 << 15), (1 << 15) - 1).map(Short),
    st.integers(-(1 << 31), (1 << 31) - 1).map(Int),
    st.integers(-(1 << 63), (1 << 63) - 1).map(Long),
    st.floats(width=32).map(Float),
    st.floats().map(Double),
    st.integers(0, 0xFFFF).map(lambda unit: Char(chr(unit))),
    st.text(),
    st.binary(),
)


def exactly(value: Any) -> Any:
    if isinstance(value, float):
        return type(value), "NaN" if value != value else struct.pack(">d", value)
    return type(value), value
