"""BytesMessage: what each read makes of bytes, what each write makes of values, and the end."""

import math
import struct

import pytest

from jms_scenarios.api.rows import by_method
from jms_scenarios.refusals import outcome
from jmsapi import (
    Byte,
    Char,
    Double,
    Float,
    IndexOutOfBoundsException,
    Int,
    Long,
    MessageEOFException,
    MessageNotWriteableException,
    Short,
)
from touchstone.api import refuses, requirement, strategies


def packed(form, *values):
    """Each value with its bytes, high byte first."""
    return [(value, struct.pack(f">{form}", value)) for value in values]


def extremes(form, kind):
    return packed(form, kind(-kind.BOUND), kind(-1), kind(0), kind(1), kind(kind.BOUND - 1))


BOOLEANS = [(True, b"\1"), (False, b"\0"), (True, b"\1")]
CHARS = [
    (Char(unit), ord(unit).to_bytes(2, "big")) for unit in ("c", "\u20ac", "\ud83d", "\uffff", "\0")
]
FLOATS = [(Float(number), raw) for number, raw in packed("f", 1.0, -2.0, -0.0, 2.0**-149, math.inf)]
DOUBLES = [(Double(number), raw) for number, raw in packed("d", 1.0, -2.0, -0.0, 5e-324, -math.inf)]
TEXTS = [
    ("", b"\0\0"),
    ("a", b"\0\1a"),
    ("ß€", b"\0\5\xc3\x9f\xe2\x82\xac"),
    ("\0", b"\0\2\xc0\x80"),
    ("\U0001f600", b"\0\6\xed\xa0\xbd\xed\xb8\x80"),
]
UNSIGNED = {"b": [0x80, 0xFF, 0, 0x7F], "h": [0x8000, 0xFFFF, 0, 0x100, 0x7FFF]}
SIGNED = {
    "byte": extremes("b", Byte),
    "short": [*extremes("h", Short), (Short(256), b"\1\0")],
    "int": [*extremes("i", Int), (Int(256), b"\0\0\1\0")],
    "long": [*extremes("q", Long), (Long(256), b"\0\0\0\0\0\0\1\0")],
}
READS = {
    "readBoolean": (1, "boolean", BOOLEANS),
    "readByte": (2, "byte", SIGNED["byte"]),
    "readUnsignedByte": (3, "unsigned_byte", packed("B", *UNSIGNED["b"])),
    "readShort": (4, "short", SIGNED["short"]),
    "readUnsignedShort": (5, "unsigned_short", packed("H", *UNSIGNED["h"])),
    "readChar": (6, "char", CHARS),
    "readInt": (7, "int", SIGNED["int"]),
    "readLong": (8, "long", SIGNED["long"]),
    "readFloat": (9, "float", FLOATS),
    "readDouble": (10, "double", DOUBLES),
    "readUTF": (11, "utf", TEXTS),
}
"""By method: its statement, its name here, and values with the bytes that stand for them."""


@pytest.fixture(params=["reset", "received"])
def to_read(request, jms, delivered):
    """`to_read(raw)`: a message with these bytes, reset or received."""

    def to_read(raw):
        message = jms.session().create_bytes_message()
        message.write_bytes(raw)
        if request.param == "received":
            return delivered(message)
        message.reset()
        return message

    return to_read


def is_same(left, right):
    return (
        strategies.identical(float(left), float(right))
        if isinstance(left, float)
        else left == right
    )


@by_method("API-BYTES", READS, "kind", "rows")
def test_bytes_are_read_as_a_value(to_read, kind, rows):
    """Each value is read from its bytes, one behind the other, and nothing is left."""
    message = to_read(b"".join(raw for _, raw in rows))

    values = [outcome(getattr(message, f"read_{kind}")) for _ in rows]

    assert [
        f"{raw.hex()}: {value!r}"
        for value, (expected, raw) in zip(values, rows, strict=True)
        if isinstance(value, type) or not is_same(value, expected)
    ] == []
    assert message.read_bytes(1) is None


ENDING = {
    method: (number, READS[method][1], READS[method][2][-1])
    for number, method in enumerate([each for each in READS if READS[each][0] > 3], 12)
}


@by_method("API-BYTES", ENDING, "kind", "row")
def test_value_that_is_not_all_there_is_not_read(to_read, kind, row):
    """With any smaller number of bytes left the read raises MessageEOFException."""
    value, raw = row
    short = {
        length: outcome(getattr(to_read(raw[:length]), f"read_{kind}"))
        for length in range(len(raw))
    }

    assert short == dict.fromkeys(range(len(raw)), MessageEOFException)
    assert is_same(getattr(to_read(raw), f"read_{kind}")(), value)


ARRAYS = [(raw, raw) for raw in (b"", b"\x05", b"\0\xff", bytes(range(256)) * 8)]
WRITES = {
    "writeBoolean": (20, "boolean", BOOLEANS),
    "writeByte": (21, "byte", SIGNED["byte"]),
    "writeShort": (22, "short", SIGNED["short"]),
    "writeChar": (23, "char", CHARS),
    "writeInt": (24, "int", SIGNED["int"]),
    "writeLong": (25, "long", SIGNED["long"]),
    "writeFloat": (26, "float", FLOATS),
    "writeDouble": (27, "double", DOUBLES),
    "writeUTF": (28, "utf", TEXTS),
    "writeBytes": (29, "bytes", ARRAYS),
    "writeObject": (
        30,
        "object",
        [
            *BOOLEANS,
            *(row for rows in SIGNED.values() for row in rows),
            *(*CHARS, *FLOATS, *DOUBLES, *TEXTS, *ARRAYS),
        ],
    ),
}


@by_method("API-BYTES", WRITES, "kind", "rows")
@pytest.mark.parametrize("state", ["reset", "received"])
def test_value_is_written_as_its_bytes(jms, delivered, state, kind, rows):
    """Values that are written one behind the other are the bytes that stand for them."""
    wrong = []
    for value, raw in rows:
        message = jms.session().create_bytes_message()
        getattr(message, f"write_{kind}")(value)
        message.write_byte(0x55)
        if state == "received":
            message = delivered(message)
        else:
            message.reset()
        written = message.read_bytes(len(raw) + 2)
        if written != raw + b"\x55":
            wrong.append(f"{value!r:.40}: {written!r:.60}")

    assert wrong == []


TEN = bytes(range(10))


@requirement("API-BYTES-031")
def test_array_is_filled_by_what_is_next(to_read):
    """Ten bytes are read by arrays of three as 3, 3, 3 and 1."""
    message = to_read(TEN)

    assert [message.read_bytes(3) for _ in range(4)] == [TEN[:3], TEN[3:6], TEN[6:9], TEN[9:]]


@requirement("API-BYTES-032")
def test_longer_array_gets_what_is_left(to_read):
    """Four bytes are all that an array of ten gets; then there are none, and none again."""
    message = to_read(TEN[:4])

    assert message.read_bytes(10) == TEN[:4]
    assert [message.read_bytes(10) for _ in range(2)] == [None, None]


@requirement("API-BYTES-033")
def test_array_of_all_that_is_left_is_filled(to_read):
    """Four bytes fill an array of four; then there are none."""
    message = to_read(TEN[:4])

    assert message.read_bytes(4) == TEN[:4]
    assert message.read_bytes(4) is None


@requirement("API-BYTES-034")
def test_end_of_the_bytes_is_told(to_read):
    """An empty body, and one that other reads have read, give -1 to any array."""
    empty, read = to_read(b""), to_read(b"\0\0\0\1")
    assert read.read_int() == 1

    assert [message.read_bytes(length) for message in (empty, read) for length in (1, 8)] == (
        [None] * 4
    )


@requirement("API-BYTES-035")
def test_length_says_how_much_is_read(to_read):
    """Three of an array of eight are read, then the seven that are left, then none."""
    message = to_read(TEN)

    assert message.read_bytes(3, room=8) == TEN[:3]
    assert message.read_bytes(8, room=8) == TEN[3:]
    assert message.read_bytes(8, room=8) is None


@requirement("API-BYTES-036")
def test_negative_length_is_refused(to_read):
    """It raises IndexOutOfBoundsException, and what is read next is the first byte."""
    message = to_read(b"\x07\x08")

    with refuses(IndexOutOfBoundsException):
        message.read_bytes(-1, room=4)

    assert message.read_byte() == 7


@requirement("API-BYTES-037")
def test_length_beyond_the_array_is_refused(to_read):
    """It raises IndexOutOfBoundsException, and what is read next are the first bytes."""
    message = to_read(TEN)

    with refuses(IndexOutOfBoundsException):
        message.read_bytes(5, room=4)

    assert message.read_bytes(4, room=4) == TEN[:4]


@requirement("API-BYTES-038")
def test_length_of_the_body_is_that_of_the_whole(to_read):
    """Before any read, behind the first and behind the last it is the same."""
    for length in (0, 1, 2048):
        message = to_read(bytes(length))
        told = [message.body_length]
        if length:
            message.read_byte()
        told.append(message.body_length)
        message.read_bytes(length + 1)
        told.append(message.body_length)
        assert told == [length] * 3


@requirement("API-BYTES-039")
def test_reset_leads_back_to_the_beginning(jms, shown):
    """As often as it is called all is read again, and nothing is written."""
    written = jms.session().create_bytes_message()
    written.write_bytes(TEN)
    message = shown(written)

    for _ in range(3):
        message.reset()
        assert message.read_bytes(10) == TEN
        with refuses(MessageNotWriteableException):
            message.write_byte(1)
    message.reset()
    assert message.read_byte() == 0
    message.reset()
    assert message.read_byte() == 0
