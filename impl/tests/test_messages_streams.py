"""Stream messages: items one after another."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jmsapi import (
    Int,
    JMSException,
    MessageEOFException,
    MessageFormatException,
    MessageNotReadableException,
    MessageNotWriteableException,
)
from pulsar_jms.messages import (
    PulsarStreamMessage,
    decode,
)
from sample_messages import (
    ITEMS,
    QUEUE,
    a_stream,
    exactly,
    received,
    sent,
    stream_of,
)


def test_a_stream_is_written_or_read() -> None:
    message = a_stream()
    with pytest.raises(MessageNotReadableException):
        message.read_int()
    message.reset()
    with pytest.raises(MessageNotWriteableException):
        message.write_int(1)
    assert message.read_int() == 1
    with pytest.raises(MessageEOFException):
        message.read_int()
    message.reset()
    assert message.read_int() == 1


def test_a_byte_array_is_read_in_parts() -> None:
    message = stream_of(b"12345", Int(1), b"1234", b"", None, Int(2))
    assert [message.read_bytes(2) for _ in range(3)] == [b"12", b"34", b"5"]
    assert message.read_int() == 1
    assert [message.read_bytes(2) for _ in range(2)] == [b"12", b"34"]
    for read in (message.read_object, message.read_int, message.read_string):
        with pytest.raises(MessageFormatException, match="not read to its end"):
            read()
    assert message.read_bytes(2) is None
    assert message.read_bytes(2) == b""
    assert message.read_object() is None
    assert message.read_int() == 2


def test_a_null_byte_array_reads_as_its_end() -> None:
    message = stream_of(None, Int(2))
    assert message.read_bytes(2) is None
    assert message.read_int() == 2


def test_a_byte_array_is_not_read_beyond_its_end() -> None:
    """The real client swallows the items that follow."""
    message = stream_of(b"\x01\x02", Int(5))
    assert message.read_bytes(10) == b"\x01\x02"
    assert message.read_int() == 5


def test_a_string_reads_as_a_long_number() -> None:
    """The real client parses it as an int and fails."""
    assert stream_of("5000000000").read_long() == 5_000_000_000


def test_a_thousand_numbers_in_one_stream() -> None:
    message = received(stream_of(*(Int(number) for number in range(1000))))
    assert [message.read_int() for _ in range(1000)] == list(range(1000))


def test_a_string_beyond_the_length_field_is_refused() -> None:
    with pytest.raises(MessageFormatException, match="65535"):
        PulsarStreamMessage().write_string("x" * 65536)


@given(st.lists(ITEMS))
def test_items_of_a_stream_arrive(items: list[Any]) -> None:
    message = received(stream_of(*items))
    assert [exactly(message.read_object()) for _ in items] == [exactly(item) for item in items]
    with pytest.raises(MessageEOFException):
        message.read_object()


@given(st.binary(max_size=60))
def test_any_stream_is_read_or_refused(data: bytes) -> None:
    raw = sent(a_stream())._replace(payload=data)
    message: Any = decode(raw, QUEUE)
    with pytest.raises(JMSException):  # an item takes one byte at least, so an end comes
        [message.read_object() for _ in range(len(data) + 1)]
    assert message.encoded_body() == data, "reading changes nothing"
