"""Values and messages of AMQP 1.0, by properties and by the specification."""

from __future__ import annotations

import struct
import tracemalloc
import uuid
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brokers.amqp_values import names, simple, texts, typed, values
from jms_brokers.amqp import messages
from jms_brokers.amqp.composites import compose, composite, plain
from jms_brokers.amqp.decoding import decode
from jms_brokers.amqp.messages import AmqpMessage
from jms_brokers.amqp.values import (
    AmqpError,
    Array,
    Byte,
    Char,
    Decimal,
    Described,
    Float,
    Int,
    Long,
    Short,
    Symbol,
    Timestamp,
    UByte,
    UInt,
    ULong,
    UShort,
    encode,
)


@given(values)
def test_a_value_survives_the_round_trip_with_its_type(value: Any) -> None:
    raw = encode(value)
    again, end = decode(raw)
    assert end == len(raw)
    assert typed(again) == typed(value)


@given(values, st.data())
def test_a_value_that_ends_too_early_is_refused(value: Any, data: st.DataObject) -> None:
    raw = encode(value)
    with pytest.raises(AmqpError):
        decode(raw[: data.draw(st.integers(0, len(raw) - 1))])


@given(st.binary(max_size=80))
@example(b"\x73\x00\x11\x00\x00")  # a char beyond the last code point
def test_any_bytes_are_read_or_refused(noise: bytes) -> None:
    try:
        value, end = decode(noise)
        compose(value)
    except AmqpError:
        return
    assert 0 < end <= len(noise)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        # Part 1, types, 1.6: each encoding, by its code.
        ("40", None),
        ("41", True),
        ("5600", False),
        ("50ff", UByte(255)),
        ("60ffff", UShort(65535)),
        ("43", UInt(0)),
        ("52ff", UInt(255)),
        ("70ffffffff", UInt(2**32 - 1)),
        ("44", ULong(0)),
        ("80ffffffffffffffff", ULong(2**64 - 1)),
        ("51ff", Byte(-1)),
        ("61ffff", Short(-1)),
        ("54ff", Int(-1)),
        ("7180000000", Int(-(2**31))),
        ("55ff", Long(-1)),
        ("817fffffffffffffff", Long(2**63 - 1)),
        ("723fc00000", Float(1.5)),
        ("823ff8000000000000", 1.5),
        ("7422500000", Decimal(bytes.fromhex("22500000"))),
        ("730001f600", Char("\N{GRINNING FACE}")),
        ("830000000000000001", Timestamp(1)),
        ("98" + "00" * 15 + "01", uuid.UUID(int=1)),
        ("a003000102", b"\x00\x01\x02"),
        ("b000000001ff", b"\xff"),
        ("a102c3a9", "é"),
        ("a30161", Symbol("a")),
        ("45", []),
        ("c003024142", [True, False]),
        ("d00000000600000002" + "4142", [True, False]),
        ("c10502a1016141", {"a": True}),
        ("e0040250" + "0102", Array([UByte(1), UByte(2)])),
        ("f0000000070000000250" + "0102", Array([UByte(1), UByte(2)])),
        ("005324c00100", Described(ULong(0x24), [])),
    ],
)
def test_encodings_of_the_specification_are_read(raw: str, value: Any) -> None:
    assert typed(decode(bytes.fromhex(raw))[0]) == typed(value)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ("3f", "0x3f"),
        ("a1ff61", "255 bytes announced"),
        ("c0040141", "4 bytes announced"),
        ("c0030041" + "41", "2 bytes behind the last"),
        ("c003ff4141", "255 values"),
        ("f000000009ffffffff4041414141", "array of 4294967295 values without a byte"),
        ("c10301a1", "3 bytes announced"),
        ("c1020141", "key and no value"),
        ("00" * 200, "deeper than"),
        ("a102ff41", "no utf-8"),
        ("a301ff", "no ascii"),
        ("7300110000", "no character has the code 1114112"),
        ("c103024540", "a key that is a list"),
        ("e004ff500102", "255 values in 2 bytes"),
        ("e0050250010203", "1 bytes behind the last"),
        ("00454540", "a list as descriptor"),
        ("", "1 bytes announced, 0 there"),
    ],
)
def test_malformed_values_are_refused_with_what_is_wrong(raw: str, says: str) -> None:
    with pytest.raises(AmqpError, match=says):
        decode(bytes.fromhex(raw))


@pytest.mark.parametrize(
    "value", [object(), Array([UInt(1)]), Array([]), Array(["a", Symbol("b")]), 2**64]
)
def test_what_amqp_has_no_form_for_is_refused(value: Any) -> None:
    with pytest.raises(AmqpError):
        encode(value)


def test_a_number_out_of_range_is_refused() -> None:
    with pytest.raises(AmqpError, match="256 is no UByte: 0 to 255"):
        UByte(256)


# -- messages


@given(
    values,
    st.dictionaries(names, simple, max_size=3),
    st.dictionaries(texts, simple, max_size=3),
    st.none() | st.binary(max_size=20),
)
def test_a_message_survives_the_round_trip(
    value: Any, annotations: dict[Any, Any], application: dict[Any, Any], data: bytes | None
) -> None:
    message = AmqpMessage(
        None if data is not None else value,
        data,
        header=composite("header", durable=True),
        annotations=annotations,
        application=application,
    )
    again = messages.read(messages.write(message))
    assert again.data == data
    assert typed(plain(again.value)) == typed(None if data is not None else value)
    assert typed(dict(again.annotations)) == typed(annotations)
    assert typed(dict(again.application)) == typed(application)
    assert again.header.get("durable") is True


def test_what_is_no_section_is_refused() -> None:
    with pytest.raises(AmqpError, match="no section of a message"):
        messages.read(encode("text"))
    with pytest.raises(AmqpError, match="no section of a message"):
        messages.read(encode(Described(ULong(0x75), "text")))


@pytest.mark.parametrize(
    "sections",
    [
        [Described(ULong(0x77), 5), Described(ULong(0x76), [6])],
        [Described(ULong(0x77), "a"), Described(ULong(0x76), ["b"])],
        [Described(ULong(0x77), 5), Described(ULong(0x77), 6)],
        [Described(ULong(0x75), b"a"), Described(ULong(0x77), "b")],
    ],
    ids=["number and sequence", "text and sequence", "two values", "data and value"],
)
def test_a_body_of_sections_that_do_not_go_together_is_refused(sections: list[Described]) -> None:
    with pytest.raises(AmqpError, match="do not go together"):
        messages.read(b"".join(map(encode, sections)))


def nested(inner: bytes, times: int) -> bytes:
    """A list of so many values."""
    content = struct.pack(">I", times) + inner * times
    return b"\xd0" + struct.pack(">I", len(content)) + content


VALUE = b"\0\x53\x77"
"""What an amqp-value begins with."""
BOMBS = {
    "arrays of nulls": VALUE + nested(b"\xf0" + struct.pack(">IIB", 5, 0xFFFF, 0x40), 1_000),
    "arrays of empty lists": VALUE + nested(b"\xe0\x02\xff\x45", 10_000),
    "described nulls": VALUE + nested(b"\xe0\x05\xff\0\x53\x77\x40", 10_000),
    "sequences of nulls": b"\0\x53\x76\xe0\x02\xff\x40" * 1_000,
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_many_values_of_no_byte_are_refused_before_they_take_memory(bomb: bytes) -> None:
    """10 KB of them once made 517 MiB."""
    tracemalloc.start()
    try:
        with pytest.raises(AmqpError, match="without a byte"):
            messages.read(bomb)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 8 * 1024 * 1024


def test_a_body_in_several_data_sections_is_one() -> None:
    sections = [encode(Described(Symbol("amqp:data:binary"), part)) for part in (b"a", b"b")]
    assert messages.read(b"".join(sections)).data == b"ab"
    rows = [encode(Described(ULong(0x76), [part])) for part in (1, 2)]
    assert messages.read(b"".join(rows)).value == [1, 2]
