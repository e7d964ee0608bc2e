"""The conversion tables of JMS, pair by pair, on properties, maps and streams."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jmsapi import (
    Byte,
    Char,
    Double,
    Float,
    Int,
    Long,
    MessageFormatException,
    NullPointerException,
    NumberFormatException,
    Short,
)
from pulsar_jms.mapping.destinations import create_queue
from pulsar_jms.messages import (
    PulsarBytesMessage,
    PulsarMapMessage,
    PulsarMessage,
    PulsarStreamMessage,
    PulsarTextMessage,
    SendParameters,
    decode,
    encode,
)
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition

QUEUE = create_queue("q")
SAMPLES: dict[str, Any] = {
    "boolean": True,
    "byte": Byte(7),
    "short": Short(300),
    "char": Char("c"),
    "int": Int(70_000),
    "long": Long(5_000_000_000),
    "float": Float(1.5),
    "double": Double(2.5),
    "string": "5",
    "bytes": b"\x01\x02",
}
TEXTS = {
    "boolean": "true",
    "byte": "7",
    "short": "300",
    "char": "c",
    "int": "70000",
    "long": "5000000000",
    "float": "1.5",
    "double": "2.5",
    "string": "5",
}
PROPERTY_TABLE = {
    "boolean": "boolean string",
    "byte": "byte short int long string",
    "short": "short int long string",
    "int": "int long string",
    "long": "long string",
    "float": "float double string",
    "double": "double string",
    "string": "boolean byte short int long float double string",
}
BODY_TABLE = {**PROPERTY_TABLE, "char": "char string", "bytes": "bytes"}
FROM_FIVE = {
    "boolean": False,
    "byte": Byte(5),
    "short": Short(5),
    "int": Int(5),
    "long": Long(5),
    "float": Float(5),
    "double": Double(5),
    "string": "5",
}
PROPERTY_PAIRS = [(stored, read) for stored in PROPERTY_TABLE for read in PROPERTY_TABLE]
BODY_PAIRS = [(stored, read) for stored in BODY_TABLE for read in BODY_TABLE]


def expected(stored: str, read: str, table: dict[str, str]) -> Any:
    """The value that a read of the pair gives; None where it must be refused."""
    if read not in table[stored].split():
        return None
    if stored == "string":
        return FROM_FIVE[read]
    return TEXTS[stored] if read == "string" else type(SAMPLES[read])(SAMPLES[stored])


def forwarded(message: PulsarMessage) -> Any:
    """The message as another client receives it."""
    raw = encode(message, SendParameters(QUEUE, 1), "c", "public/default")
    incoming = IncomingMessage(
        raw.payload or b"", raw.null_value, raw.properties, MessagePosition(1, 1), raw.partition_key
    )
    return decode(incoming, QUEUE)


def property_of(value: Any) -> PulsarMessage:
    message = PulsarTextMessage()
    message.set_object_property("p", value)
    return message


def stream_of(*items: Any) -> PulsarStreamMessage:
    message = PulsarStreamMessage()
    for item in items:
        message.write_object(item)
    message.reset()
    return message


def map_of(value: Any) -> PulsarMapMessage:
    message = PulsarMapMessage()
    message.set_object("k", value)
    return message


def check(read: Callable[[], object], value: Any) -> None:
    if value is None:
        with pytest.raises(MessageFormatException):
            read()
    else:
        got = read()
        assert (type(got), got) == (type(value), value)


def stream_reader(message: Any, read: str) -> Callable[[], object]:
    if read == "bytes":
        return lambda: message.read_bytes(10)
    return getattr(message, f"read_{read}")  # type: ignore[no-any-return]


@pytest.mark.parametrize("arrived", [False, True])
@pytest.mark.parametrize(("stored", "read"), PROPERTY_PAIRS)
def test_property_pair(stored: str, read: str, arrived: bool) -> None:
    message = property_of(SAMPLES[stored])
    message = forwarded(message) if arrived else message
    get = getattr(message, f"get_{read}_property")
    check(lambda: get("p"), expected(stored, read, PROPERTY_TABLE))
    got = message.get_object_property("p")
    assert (type(got), got) == (type(SAMPLES[stored]), SAMPLES[stored])


@pytest.mark.parametrize("arrived", [False, True])
@pytest.mark.parametrize(("stored", "read"), BODY_PAIRS)
def test_map_pair(stored: str, read: str, arrived: bool) -> None:
    message = map_of(SAMPLES[stored])
    message = forwarded(message) if arrived else message
    get = getattr(message, f"get_{read}")
    check(lambda: get("k"), expected(stored, read, BODY_TABLE))


@pytest.mark.parametrize("arrived", [False, True])
@pytest.mark.parametrize(("stored", "read"), BODY_PAIRS)
def test_stream_pair_and_the_position_after_it(stored: str, read: str, arrived: bool) -> None:
    message = stream_of(SAMPLES[stored], "next")
    message = forwarded(message) if arrived else message
    value = expected(stored, read, BODY_TABLE)
    check(stream_reader(message, read), value)
    if value is None:
        got = message.read_object()
        assert (type(got), got) == (type(SAMPLES[stored]), SAMPLES[stored])
    assert message.read_string() == "next"


INTEGRALS = ("byte", "short", "int", "long")
FLOATING = ("float", "double")


def null_reads() -> list[tuple[str, type[Exception] | None]]:
    return [
        *((kind, NumberFormatException) for kind in INTEGRALS),
        *((kind, NullPointerException) for kind in FLOATING),
        ("boolean", None),
        ("string", None),
    ]


@pytest.mark.parametrize(("read", "error"), null_reads())
@pytest.mark.parametrize("missing", [False, True])
def test_null_and_missing_properties(
    read: str, error: type[Exception] | None, missing: bool
) -> None:
    message = PulsarTextMessage()
    if not missing:
        message.set_string_property("p", None)
    for each in (message, forwarded(message)):
        get = getattr(each, f"get_{read}_property")
        if error:
            with pytest.raises(error):
                get("p")
        else:
            assert get("p") is (False if read == "boolean" else None)
        assert not each.property_exists("p")
        assert each.get_object_property("p") is None


@pytest.mark.parametrize(
    ("read", "error"), [*null_reads(), ("char", NullPointerException), ("bytes", None)]
)
def test_null_items(read: str, error: type[Exception] | None) -> None:
    a_map, a_stream = forwarded(map_of(None)), forwarded(stream_of(None, 5))
    reads = [
        lambda: getattr(a_map, f"get_{read}")("k"),
        lambda: getattr(a_map, f"get_{read}")("missing"),
        stream_reader(a_stream, read),
    ]
    for call in reads:
        if error:
            with pytest.raises(error):
                call()
        else:
            assert call() is (False if read == "boolean" else None)
    if error:
        assert a_stream.read_object() is None
    assert a_stream.read_int() == 5
    assert a_map.item_exists("k")
    assert not a_map.item_exists("missing")


@pytest.mark.parametrize("read", [*INTEGRALS, *FLOATING])
def test_text_that_is_no_number(read: str) -> None:
    a_stream = stream_of("x1", 5)
    for call in (
        lambda: getattr(property_of("x1"), f"get_{read}_property")("p"),
        lambda: getattr(map_of("x1"), f"get_{read}")("k"),
        getattr(a_stream, f"read_{read}"),
    ):
        with pytest.raises(NumberFormatException, match="'x1' is no"):
            call()
    assert a_stream.read_string() == "x1"
    assert a_stream.read_int() == 5


@pytest.mark.parametrize("text", ["true", "TRUE", "tRue", "yes", "1", "", "false", " true"])
def test_text_read_as_boolean(text: str) -> None:
    value = text.lower() == "true"
    assert property_of(text).get_boolean_property("p") is value
    assert map_of(text).get_boolean("k") is value
    assert stream_of(text).read_boolean() is value


def test_text_beyond_the_range_is_no_number_of_the_type() -> None:
    with pytest.raises(NumberFormatException):
        property_of("300").get_byte_property("p")
    assert property_of("300").get_short_property("p") == 300


@pytest.mark.parametrize("value", [Char("c"), b"x", [], {}, object(), 1 << 63, 1j])
def test_other_property_values_are_refused(value: object) -> None:
    with pytest.raises(MessageFormatException):
        property_of(value)


@pytest.mark.parametrize("value", [[], {}, object(), 1 << 63, 1j])
def test_other_items_are_refused(value: object) -> None:
    for make in (map_of, stream_of):
        with pytest.raises(MessageFormatException):
            make(value)


@pytest.mark.parametrize(
    ("setter", "value"),
    [
        ("byte", 128),
        ("short", -32769),
        ("int", 1 << 31),
        ("long", 1 << 63),
        ("int", True),
        ("int", 1.0),
        ("int", "1"),
        ("boolean", 1),
        ("double", "1"),
        ("double", 10**400),
        ("string", 1),
        ("string", Char("c")),
    ],
)
def test_setters_refuse_values_of_other_types(setter: str, value: object) -> None:
    with pytest.raises(MessageFormatException):
        getattr(PulsarTextMessage(), f"set_{setter}_property")("p", value)


@pytest.mark.parametrize("value", [b"a", 97, None, True, [], "ab", "", "\U0001f600"])
def test_what_is_no_char_is_refused_as_one(value: Any) -> None:
    for write in (
        PulsarBytesMessage().write_char,
        PulsarStreamMessage().write_char,
        lambda char: PulsarMapMessage().set_char("k", char),
    ):
        with pytest.raises(MessageFormatException):
            write(value)


def test_plain_numbers_get_a_type() -> None:
    kinds = [type(property_of(value).get_object_property("p")) for value in (1, 1 << 40, 1.5)]
    assert kinds == [Int, Long, Double]


PROPERTY_VALUES = st.one_of(
    st.booleans(),
    st.integers(-(1 << 7), (1 << 7) - 1).map(Byte),
    st.integers(-(1 << 15), (1 << 15) - 1).map(Short),
    st.integers(-(1 << 31), (1 << 31) - 1).map(Int),
    st.integers(-(1 << 63), (1 << 63) - 1).map(Long),
    st.floats(width=32).map(Float),
    st.floats().map(Double),
    st.text(),
)


def exactly(value: Any) -> Any:
    if isinstance(value, float):
        return type(value), "NaN" if value != value else struct.pack(">d", value)
    return type(value), value


@given(st.dictionaries(st.text(min_size=1).map("p".__add__), PROPERTY_VALUES))
def test_properties_arrive_as_they_were_set(properties: dict[str, Any]) -> None:
    properties = {
        name: value
        for name, value in properties.items()
        if not name.endswith(("_jsmtype", "_jmstype"))
    }
    message = PulsarTextMessage()
    for name, value in properties.items():
        message.set_object_property(name, value)
    arrived = forwarded(message)
    assert {name: exactly(arrived.get_object_property(name)) for name in properties} == {
        name: exactly(value) for name, value in properties.items()
    }
    assert set(arrived.property_names()) == {*properties, "JMSConnectionID", "JMSXDeliveryCount"}
