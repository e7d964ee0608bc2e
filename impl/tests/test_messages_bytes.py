"""Bytes messages: written or read, in Java's forms."""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jmsapi import (
    Byte,
    Char,
    Double,
    Float,
    Int,
    JMSException,
    Long,
    MessageEOFException,
    MessageFormatException,
    MessageNotReadableException,
    MessageNotWriteableException,
    NullPointerException,
    Short,
)
from pulsar_jms.messages import (
    PulsarBytesMessage,
    message_for,
)
from sample_messages import (
    received,
    some_bytes,
)


def test_bytes_of_each_type_are_those_of_java() -> None:
    message = PulsarBytesMessage()
    message.write_boolean(True)
    message.write_byte(-1)
    message.write_short(258)
    message.write_char("A")
    message.write_int(1)
    message.write_long(2)
    message.write_float(1)
    message.write_double(1)
    message.write_utf("é")
    message.write_bytes(b"\x09")
    for value in ("x", b"\x07", Char("z")):
        message.write_object(value)
    assert message.encoded_body() == bytes.fromhex(
        "01ff010200410000000100000000000000023f8000003ff00000000000000002c3a90900017807007a"
    )
    arrived = received(message)
    reads = [
        arrived.read_boolean(),
        arrived.read_byte(),
        arrived.read_short(),
        arrived.read_char(),
        arrived.read_int(),
        arrived.read_long(),
        arrived.read_float(),
        arrived.read_double(),
        arrived.read_utf(),
        arrived.read_bytes(1),
        arrived.read_utf(),
        arrived.read_unsigned_byte(),
        arrived.read_unsigned_short(),
        arrived.read_bytes(1),
    ]
    assert reads == [
        True,
        Byte(-1),
        Short(258),
        Char("A"),
        Int(1),
        Long(2),
        Float(1),
        Double(1),
        "é",
        b"\x09",
        "x",
        7,
        ord("z"),
        None,
    ]


def test_bytes_are_written_or_read() -> None:
    message = some_bytes()
    for read in (
        message.read_int,
        message.read_utf,
        lambda: message.read_bytes(1),
        lambda: message.body_length,
    ):
        with pytest.raises(MessageNotReadableException, match="reset"):
            read()
    message.reset()
    assert message.body_length == 2
    with pytest.raises(MessageNotWriteableException):
        message.write_int(1)
    message.clear_body()
    message.write_byte(5)
    message.reset()
    assert (message.body_length, message.read_byte()) == (1, 5)


def test_a_failed_read_of_bytes_leaves_the_position() -> None:
    message = some_bytes()
    message.reset()
    for read in (message.read_int, message.read_long, message.read_double, message.read_utf):
        with pytest.raises(MessageEOFException):
            read()
    assert message.read_unsigned_short() == 0x0102
    with pytest.raises(MessageEOFException):
        message.read_byte()


def test_reading_bytes_in_parts() -> None:
    message = message_for(b"12345")
    message.reset()  # type: ignore[attr-defined]
    reads = [message.read_bytes(size) for size in (2, 0, 2, 2, 2)]  # type: ignore[attr-defined]
    assert reads == [b"12", b"", b"34", b"5", None]


def test_null_is_not_written_into_bytes() -> None:
    message = some_bytes()
    for call in (message.write_object, message.write_bytes):
        with pytest.raises(NullPointerException):
            call(None)  # type: ignore[arg-type]
    assert message.encoded_body() == b"\x01\x02"


@given(st.floats())
def test_doubles_in_bytes_are_bit_for_bit(value: float) -> None:
    message = PulsarBytesMessage()
    message.write_double(value)
    body = message.encoded_body()
    assert body == (
        struct.pack(">d", value) if value == value else bytes.fromhex("7ff8" + "00" * 6)
    )


@given(
    st.binary(max_size=30), st.lists(st.sampled_from(["boolean", "char", "utf", "long", "double"]))
)
def test_any_bytes_are_read_or_refused(data: bytes, reads: list[str]) -> None:
    message: Any = message_for(data)
    message.reset()
    for read in reads:
        with suppress(JMSException):
            getattr(message, f"read_{read}")()
    message.reset()
    assert message.get_body(bytes) == data, "reading changes nothing"


def test_getting_bytes_resets_the_message() -> None:
    message = some_bytes()
    assert message.get_body(bytes) == b"\x01\x02"
    assert message.read_byte() == 1
    assert message.get_body(bytes) == b"\x01\x02"
    assert message.read_byte() == 1


@pytest.mark.parametrize("value", [5, 1.5, b"a", True, Int(1), Char("c"), [], object()])
def test_only_a_text_is_written_as_utf(value: Any) -> None:
    with pytest.raises(MessageFormatException, match="is no String"):
        PulsarBytesMessage().write_utf(value)


def test_null_is_not_written_as_utf() -> None:
    with pytest.raises(NullPointerException, match="null cannot be written"):
        PulsarBytesMessage().write_utf(cast(str, None))
