"""AVRO's binary encoding: examples of its specification, and values against an encoder."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jmsapi import MessageFormatException
from jmsapi.values import Double, Float, Int, Long
from pulsar_jms.formats.avro import avro_reader

NODE = {
    "type": "record",
    "name": "Node",
    "fields": [
        {"name": "value", "type": "long"},
        {"name": "next", "type": ["null", "Node"]},
    ],
}


def record(*types: Any) -> dict[str, Any]:
    fields = [{"name": f"f{number}", "type": type_} for number, type_ in enumerate(types)]
    return {"type": "record", "name": "R", "fields": fields}


@pytest.mark.parametrize(
    ("schema", "data", "value"),
    [
        ("null", "", None),
        ("boolean", "01", True),
        ("boolean", "00", False),
        ("int", "00", 0),
        ("int", "01", -1),
        ("int", "02", 1),
        ("int", "7f", -64),
        ("int", "8001", 64),
        ("int", "ffffffff0f", -(2**31)),
        ("long", "feffffffffffffffff01", 2**63 - 1),
        ("float", "0000c03f", 1.5),
        ("double", "000000000000f83f", 1.5),
        ("bytes", "0400ff", b"\x00\xff"),
        ("string", "06666f6f", "foo"),
        (record("long", "string"), "3606666f6f", {"f0": 27, "f1": "foo"}),
        ({"type": "enum", "name": "E", "symbols": ["A", "B"]}, "02", "B"),
        ({"type": "fixed", "name": "F", "size": 2}, "0102", b"\x01\x02"),
        ({"type": "array", "items": "long"}, "04063600", [3, 27]),
        ({"type": "array", "items": "long"}, "03040636020200", [3, 27, 1]),
        ({"type": "array", "items": "long"}, "00", []),
        ({"type": "map", "values": "int"}, "02026102" + "00", {"a": 1}),
        (["null", "string"], "00", None),
        (["null", "string"], "020261", "a"),
        ({"type": "string", "avro.java.string": "String"}, "0261", "a"),
        ({"type": {"type": "int", "logicalType": "date"}}, "02", 1),
        ({"type": "long", "logicalType": "timestamp-millis"}, "02", 1),
        (NODE, "020204" + "00", {"value": 1, "next": {"value": 2, "next": None}}),
        (
            record(
                {"type": "fixed", "name": "x.F", "size": 1},
                "x.F",
                {"type": "enum", "name": "G", "namespace": "y", "symbols": ["S"]},
                "y.G",
            ),
            "01020000",
            {"f0": b"\x01", "f1": b"\x02", "f2": "S", "f3": "S"},
        ),
        (
            {**record({**record("int"), "name": "Inner"}, "Inner"), "namespace": "a.b"},
            "0204",
            {"f0": {"f0": 1}, "f1": {"f0": 2}},
        ),
        ("int", "02ffff", 1),
    ],
)
def test_examples(schema: Any, data: str, value: object) -> None:
    assert avro_reader(json.dumps(schema))(bytes.fromhex(data)) == value


@pytest.mark.parametrize(
    ("schema", "kind"), [("int", Int), ("long", Long), ("float", Float), ("double", Double)]
)
def test_numbers_have_their_type(schema: str, kind: type) -> None:
    assert type(avro_reader(json.dumps(schema))(bytes(8))) is kind


@pytest.mark.parametrize(
    ("schema", "data", "says"),
    [
        ("int", "", "1 bytes are expected"),
        ("int", "80", "expected"),
        ("int", "8080808010", "does not fit a int"),
        ("long", "ff" * 11, "more than 10 bytes"),
        ("boolean", "02", "no boolean"),
        ("float", "0000", "expected"),
        ("string", "0661", "expected"),
        ("string", "0361", "-2 bytes"),
        ("string", "02ff", "no UTF-8"),
        ("bytes", "feffffffffffffffff01", "expected"),
        (["null", "int"], "04", "branch 2"),
        (["null", "int"], "01", "branch -1"),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, "02", "symbol 1"),
        ({"type": "array", "items": "null"}, "feffffffffffffffff01", "items where fewer bytes"),
        ({"type": "array", "items": "int"}, "0402", "fewer bytes"),
        ({"type": "map", "values": "int"}, "0202", "expected"),
        (NODE, "0202" * 3000, "touchstone.limits.maxDepth=100"),
    ],
)
def test_bytes_that_do_not_follow_the_schema(schema: Any, data: str, says: str) -> None:
    with pytest.raises(MessageFormatException, match=says):
        avro_reader(json.dumps(schema))(bytes.fromhex(data))


@pytest.mark.parametrize(
    "definition",
    [
        "",
        "{",
        "1",
        "null",
        '"no such type"',
        "{}",
        '{"type": "record", "name": "R"}',
        '{"type": "record", "fields": []}',
        '{"type": "record", "name": "R", "fields": [{"name": "a", "type": "S"}]}',
        '{"type": "array"}',
        '{"type": "fixed", "name": "F", "size": "x"}',
        "[" * 5000,
    ],
)
def test_schemas_that_are_none(definition: str) -> None:
    with pytest.raises(MessageFormatException, match="cannot be understood"):
        avro_reader(definition)


# -- any value of any schema, against an encoder ---------------------------------------------


def number(value: int) -> bytes:
    rest = (value << 1) ^ (value >> 63)
    out = b""
    while rest > 0x7F:
        out += bytes([rest & 0x7F | 0x80])
        rest >>= 7
    return out + bytes([rest])


def text(value: str) -> bytes:
    return number(len(value.encode())) + value.encode()


Case = tuple[Any, object, bytes]
"""A schema, a value, its bytes."""


def case_of(schema: str, values: st.SearchStrategy[Any], encode: Any) -> st.SearchStrategy[Case]:
    return values.map(lambda value: (schema, value, encode(value)))


single = st.one_of(
    st.just(("null", None, b"")),
    case_of("boolean", st.booleans(), lambda value: bytes([value])),
    case_of("int", st.integers(-(2**31), 2**31 - 1), number),
    case_of("long", st.integers(-(2**63), 2**63 - 1), number),
    case_of("float", st.floats(width=32, allow_nan=False), lambda v: struct.pack("<f", v)),
    case_of("double", st.floats(allow_nan=False), lambda value: struct.pack("<d", value)),
    case_of("bytes", st.binary(), lambda value: number(len(value)) + value),
    case_of("string", st.text(st.characters(codec="utf-8")), text),
)


def nested(cases: st.SearchStrategy[Case]) -> st.SearchStrategy[Case]:
    def of_record(fields: list[Case]) -> Case:
        types = record(*(schema for schema, _, _ in fields))
        named = {**types, "name": f"R{abs(hash(json.dumps(types)))}"}
        values = {f"f{n}": value for n, (_, value, _) in enumerate(fields)}
        return named, values, b"".join(data for _, _, data in fields)

    def of_array(case: Case, size: int) -> Case:
        schema, value, data = case
        block = number(size) + data * size if size and data else b""
        return {"type": "array", "items": schema}, [value] * (size if block else 0), block + b"\0"

    def of_map(case: Case, key: str) -> Case:
        schema, value, data = case
        entry = text(key) + data
        block = number(-1) + number(len(entry)) + entry
        return {"type": "map", "values": schema}, {key: value}, block + b"\0"

    def of_union(case: Case) -> Case:
        schema, value, data = case
        return [{"type": "fixed", "name": "Other", "size": 3}, schema], value, b"\x02" + data

    unionable = cases.filter(lambda case: not isinstance(case[0], list))
    return st.one_of(
        st.lists(cases, max_size=3).map(of_record),
        st.builds(of_array, cases, st.integers(0, 3)),
        st.builds(of_map, cases, st.text(st.characters(codec="utf-8"))),
        unionable.map(of_union),
    )


@given(st.recursive(single, nested, max_leaves=6))
def test_any_value_of_any_schema(case: Case) -> None:
    schema, value, data = case
    assert avro_reader(json.dumps(schema))(data) == value


@given(st.binary(max_size=40))
def test_any_bytes_are_a_value_or_refused(data: bytes) -> None:
    schema = record("int", ["null", "string"], {"type": "map", "values": "bytes"}, "double")
    try:
        value = avro_reader(json.dumps(schema))(data)
    except MessageFormatException:
        return
    assert isinstance(value, dict)
