"""Java object streams: vectors that a Java runtime wrote, and properties over all values."""

from __future__ import annotations

import math
import struct
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from java_streams import JAVA, MAPS, OBJECTS, ONE_ENTRY
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
    Short,
)
from pulsar_jms.formats.java_classes import MAX_DEPTH
from pulsar_jms.formats.java_serialization import (
    OpaqueObject,
    read_map,
    read_object,
    write_map,
    write_object,
)

SCALARS = st.one_of(
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
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=20),
    max_leaves=20,
)


def exactly(value: Any) -> Any:
    """A value with its types and bits: NaN equals NaN, -0.0 is not 0.0, Int(1) is not Long(1)."""
    if isinstance(value, list):
        return [exactly(item) for item in value]
    if isinstance(value, dict):
        return {key: exactly(item) for key, item in value.items()}
    if isinstance(value, float):
        return type(value), "NaN" if math.isnan(value) else struct.pack(">d", value)
    return type(value), value


@pytest.mark.parametrize("name", MAPS)
def test_map_is_written_as_java_writes_it(name: str) -> None:
    entries, stream = MAPS[name]
    assert write_map(entries).hex() == stream


@pytest.mark.parametrize("name", MAPS)
def test_map_is_read(name: str) -> None:
    entries, stream = MAPS[name]
    assert exactly(read_map(bytes.fromhex(stream))) == exactly(entries)


@pytest.mark.parametrize("name", OBJECTS)
def test_object_is_written_and_read_as_by_java(name: str) -> None:
    value, stream = OBJECTS[name]
    assert write_object(value).hex() == stream
    assert read_object(bytes.fromhex(stream)) == value


def test_long_texts_and_keys() -> None:
    assert write_map({"q" * 300: None})[4:15].hex() == "7a0000013200000001012c"
    assert write_map({"k": "v" * 70_000})[13:22].hex() == "7c0000000000011170"
    chunks = write_map({"q" * 2000: None})
    assert chunks[4:9].hex() == "7a00000400"
    assert chunks[9 + 1024 :][:5].hex() == "7a000003d6"
    for entries in ({"q" * 2000: None}, {"k": "v" * 70_000}, {"é" * 700: "\0" * 70_000}):
        assert read_map(write_map(entries)) == entries


def test_nan_has_one_form() -> None:
    odd = struct.unpack(">d", bytes.fromhex("fff8000000000123"))[0]
    assert write_object(Double(odd))[-8:].hex() == "7ff8000000000000"
    assert write_object(Float(odd))[-4:].hex() == "7fc00000"


@given(st.dictionaries(st.text(), SCALARS, max_size=30))
def test_map_reads_back(entries: dict[str, Any]) -> None:
    assert exactly(read_map(write_map(entries))) == exactly(entries)


@given(VALUES)
def test_object_reads_back(value: Any) -> None:
    assert exactly(read_object(write_object(value))) == exactly(value)


def test_a_megabyte_reads_back() -> None:
    value = {"text": "ü" * (1 << 19), "bytes": bytes(range(256)) * 4096}
    assert read_object(write_object(value)) == value
    assert read_map(write_map(value)) == value


@settings(max_examples=300)
@given(st.binary(max_size=200), st.integers(0, 3))
def test_any_bytes_are_an_object_or_refused(data: bytes, kind: int) -> None:
    stream = [data, b"\xac\xed\x00\x05" + data, bytes.fromhex(ONE_ENTRY) + data][kind % 3]
    assert_read_or_refused(stream)


@given(st.sampled_from([stream for _, stream in [*MAPS.values(), *OBJECTS.values()]]), st.data())
def test_any_damage_is_read_or_refused(stream: str, data: st.DataObject) -> None:
    damaged = bytearray.fromhex(stream)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    assert_read_or_refused(bytes(damaged))


def assert_read_or_refused(stream: bytes) -> None:
    """What is read can be written and is then the same; types count, and a NaN is one."""
    with suppress(JMSException):
        entries = read_map(stream)
        assert repr(read_map(write_map(entries))) == repr(entries)
    with suppress(JMSException):
        value = read_object(stream)
        assert repr(read_object(write_object(value))) == repr(value)


@pytest.mark.parametrize("name", MAPS)
def test_every_cut_is_refused(name: str) -> None:
    stream = bytes.fromhex(MAPS[name][1])
    for length in range(len(stream)):
        with pytest.raises(JMSException):
            read_map(stream[:length])


def test_a_collection_of_negative_size_is_refused() -> None:
    for value, size in (([], b"\0\0\0\0w\4"), ({}, b"\0\0\0\0x")):
        stream = write_object(value)
        with pytest.raises(MessageFormatException, match="-1 elements"):
            read_object(stream.replace(size, b"\xff\xff\xff\xff" + size[4:]))
    with pytest.raises(MessageFormatException, match="-1 entries"):
        read_map(write_map({"a": Int(1)}).replace(b"\0\0\0\1", b"\xff\xff\xff\xff", 1))


def test_cut_map_says_so() -> None:
    with pytest.raises(MessageEOFException, match="cut off at byte 17"):
        read_map(bytes.fromhex(MAPS["int"][1])[:20])


@pytest.mark.parametrize(
    ("name", "class_name"),
    [
        ("date", "java.util.Date"),
        ("list with a date", "java.util.Date"),
        ("int array", "[I"),
        ("string array", "[Ljava.lang.String;"),
        ("object array", "[Ljava.lang.Object;"),
        ("enum", "an object of type code 7E"),
        ("class", "an object of type code 76"),
        ("proxy", "a class of type code 7D"),
        ("immutable list", "java.util.CollSer"),
        ("big decimal", "java.math.BigDecimal"),
        ("keys alike", "a map whose keys Python cannot tell apart"),
        ("list as key", "a map whose keys Python cannot tell apart"),
        ("list in itself", "an object that contains itself"),
    ],
)
def test_other_objects_stay_opaque(name: str, class_name: str) -> None:
    opaque = read_object(JAVA[name])
    assert opaque == OpaqueObject(class_name, JAVA[name])
    assert write_object(opaque) == JAVA[name]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("null", None),
        ("empty list", []),
        ("empty map", {}),
        ("list of three", [Int(0), Int(1), Int(2)]),
        ("thirteen in a map", {Byte(number): Int(1000 + number) for number in range(13)}),
        (
            "nested",
            [{"k": [Float(1.5), Double(-0.0), Char("é"), Short(5)]}, b"\x01"],
        ),
    ],
)
def test_collections_are_written_and_read_as_by_java(name: str, value: Any) -> None:
    assert exactly(read_object(JAVA[name])) == exactly(value)
    assert write_object(value).hex() == JAVA[name].hex()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("linked hash map", {"b": Int(1), "a": ["x", Long(2), None]}),
        ("shared items", ["x", "x", Int(1000), Int(1000), [True], [True]]),
    ],
)
def test_collections_that_python_writes_otherwise_are_read(name: str, value: Any) -> None:
    assert exactly(read_object(JAVA[name])) == exactly(value)
    assert exactly(read_object(write_object(value))) == exactly(value)


@pytest.mark.parametrize("name", ["linked hash map", "shared items", "nested", "thirteen in a map"])
def test_every_cut_of_an_object_is_refused(name: str) -> None:
    for length in range(len(JAVA[name])):
        with pytest.raises(JMSException):
            read_object(JAVA[name][:length])


def test_known_name_with_another_shape_is_not_trusted() -> None:
    stream = write_object(Int(1)).replace(bytes.fromhex("12e2a0a4f7818738"), bytes(8))
    assert isinstance(read_object(stream), OpaqueObject)


def test_unknown_value_in_a_map_is_refused() -> None:
    stream = bytes.fromhex(ONE_ENTRY + "73720007" + b"no.Such".hex() + "00" * 8 + "0200007870")
    with pytest.raises(MessageFormatException, match=r"map entry 'k' is no\.Such"):
        read_map(stream)


def test_reference_in_the_place_of_a_value_is_refused() -> None:
    with pytest.raises(MessageFormatException, match="reference"):
        read_map(bytes.fromhex(ONE_ENTRY + "71007e0000"))


def test_list_that_contains_itself_is_not_written() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(MessageFormatException, match="contains itself"):
        write_object(endless)


def test_depth_has_a_limit() -> None:
    deep: object = None
    for _ in range(MAX_DEPTH):
        deep = [deep]
    assert read_object(write_object(deep)) == deep
    with pytest.raises(MessageFormatException, match="nests"):
        write_object([deep])


def test_bomb_is_refused() -> None:
    """Lists of twice the same list, a hundred deep: small to send, endless to write out."""
    bomb: object = "x" * 1000
    for _ in range(60):
        bomb = [bomb, bomb]
    with pytest.raises(MessageFormatException, match="too large"):
        write_object(bomb)


def test_huge_sizes_are_refused() -> None:
    list_header = write_object([])[:-11]
    for size in ("7fffffff", "00ffffff"):
        stream = list_header + bytes.fromhex(size + "7704" + size + "70" * 10)
        with pytest.raises(JMSException):
            read_object(stream)
    with pytest.raises(MessageEOFException):
        read_object(bytes.fromhex("aced00057c7fffffffffffffff61"))


@pytest.mark.parametrize("value", [object(), {1, 2}, 1 << 63, 1j, [object()], {"k": {1}}])
def test_other_values_are_refused(value: object) -> None:
    with pytest.raises(MessageFormatException):
        write_object(value)


def test_plain_numbers_get_their_type() -> None:
    assert exactly(read_object(write_object([1, 1 << 40, 1.5, (2,)]))) == exactly(
        [Int(1), Long(1 << 40), Double(1.5), [Int(2)]]
    )
