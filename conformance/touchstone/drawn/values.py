"""The values that programs are drawn with: extreme ones often, others in between."""

from __future__ import annotations

import math
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from jms_model.bodies import PYTHON_TYPES
from jms_model.headers import Name
from jmsapi import Byte, Char, Double, Float, Int, Long, Short
from touchstone.scenario import strategies

TEXTS: Final = (
    *(
        "",
        "a",
        "5",
        "-1",
        "128",
        "70000",
        "1.5",
        "1e3",
        "9223372036854775808",
        "NaN",
        "+7",
        "x1",
        " 5",
        "0x10",
        "0042",
        "null",
        "None",
    ),
    *(
        "true",
        "TRUE",
        "yes",
        "größe",
        "\U0001f600",
        "a\0b",
        '{"a": 1}',
        "<a/>",
        "line\nline",
        "%s",
        "ß" * 300,
    ),
)
HEADER_TEXTS: Final = ("", "t", "größe.v2", "a b", "null", "0", "true", "a:b", "ID:1")
"""Short texts of header fields."""
PROPERTY_NAMES: Final = ("a", "größe", "$x_1")
NO_IDENTIFIERS: Final = ("1a", "a-b", "a b", "NOT", "true", "Between")
ENTRY_NAMES: Final = ("k", "l", "K", "a b", "1a", "NOT", "größe", " ", "a.b", "n" * 300)


def _drawn_values(extremes: Any, others: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return st.sampled_from(extremes) | others


_NUMBERS: Final = (0, 1, -1, 7)
BOOLEAN: Final = st.booleans()
BYTE: Final = _drawn_values([Byte(each) for each in (*_NUMBERS, -128, 127)], strategies.bytes_())
SHORT: Final = _drawn_values(
    [Short(each) for each in (*_NUMBERS, 300, -32768, 32767)], strategies.shorts()
)
INT: Final = _drawn_values(
    [Int(each) for each in (*_NUMBERS, 70_000, -Int.BOUND, Int.BOUND - 1)], strategies.ints()
)
LONG: Final = _drawn_values(
    [Long(each) for each in (*_NUMBERS, 5_000_000_000, -Long.BOUND, Long.BOUND - 1)],
    strategies.longs(),
)
FLOAT: Final = _drawn_values(
    [Float(each) for each in (0.0, -0.0, 1.5, 1e10, 2.0**-149, math.nan, math.inf)],
    strategies.floats(),
)
DOUBLE: Final = _drawn_values(
    [Double(each) for each in (0.0, -0.0, 2.5, 1e-5, 5e-324, math.nan, -math.inf)],
    strategies.doubles(),
)
CHAR: Final = _drawn_values(
    [Char(each) for each in "c€5"],
    st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]).map(Char),
)
TEXT: Final = _drawn_values(TEXTS, strategies.texts())
BYTES: Final = _drawn_values(
    [
        b"",
        b"\0",
        b"\1",
        b"\x80\xff",
        b"\0\1a",
        b"\0\2\xc3\xa4",
        b"\0\0",
        b"\1\2\3",
        bytes(range(120, 136)),
        bytes(range(256)) * 2,
    ],
    st.binary(max_size=20),
)
EQUALS: Final = st.sampled_from(
    [
        [True, Byte(1), Short(1), Int(1), Long(1), Float(1.0), Double(1.0), "1"],
        [False, Byte(0), Short(0), Int(0), Long(0), Float(0.0), Double(0.0), Double(-0.0), "0"],
        [Byte(7), Short(7), Int(7), Long(7), Float(7.0), Double(7.0), "7"],
    ]
).flatmap(lambda alike: st.permutations(alike).map(lambda values: values[:2]))
"""Two values that are equal to many a program, though their types are not."""
NULL: Final = st.none()
DESTINATION: Final = st.sampled_from(
    [Name(kind, name) for kind in ("queue", "topic") for name in ("a", "b")]
)
_FLAT: Final = st.one_of(
    st.lists(st.sampled_from(["a", "größe"]), min_size=1, max_size=3),
    st.dictionaries(st.sampled_from(["a", "b"]), TEXT, min_size=1),
)
CONTAINER: Final = st.one_of(
    _FLAT,
    st.lists(_FLAT, min_size=1, max_size=2),
    st.dictionaries(st.sampled_from(["a", "b"]), _FLAT, min_size=1),
)
"""Objects that hold others, which can be changed, to two levels."""
TIME: Final = _drawn_values([0, 1, 2**40], st.integers(0, 2**52))

_PROPERTY: Final = st.one_of(BOOLEAN, BYTE, SHORT, INT, LONG, FLOAT, DOUBLE, TEXT)
_ITEM: Final = st.one_of(_PROPERTY, CHAR, BYTES)

ARGUMENTS: Final[dict[str, SearchStrategy[Any]]] = {
    "boolean": BOOLEAN,
    "byte": BYTE,
    "short": SHORT,
    "char": CHAR,
    "int": INT,
    "long": LONG,
    "float": FLOAT,
    "double": DOUBLE,
    "text": TEXT,
    "text or null": st.one_of(TEXT, TEXT, TEXT, NULL),
    "bytes": BYTES,
    "bytes or null": st.one_of(BYTES, BYTES, BYTES, NULL),
    "property": st.one_of(_PROPERTY, _PROPERTY, _PROPERTY, NULL, CHAR, BYTES, st.just([Int(1)])),
    "item": st.one_of(_ITEM, _ITEM, _ITEM, NULL),
    "object": st.one_of(TEXT, INT, BOOLEAN, DOUBLE, NULL, CONTAINER, CONTAINER),
    "name": st.sampled_from(PROPERTY_NAMES * 30 + NO_IDENTIFIERS + ("", None)),
    "property name": st.sampled_from((*PROPERTY_NAMES * 3, "none")),
    "entry": st.sampled_from(ENTRY_NAMES * 4 + ENTRY_NAMES[:2] * 20 + ("", None)),
    "entry name": st.sampled_from(ENTRY_NAMES + ENTRY_NAMES[:2] * 4),
    "length": st.sampled_from([1, 2, 3, 4, 10, 600]),
    "length and room": st.sampled_from(
        [(3, 3), (3, 8), (0, 4), (-1, 4), (5, 4), (10, 10), (600, 600)]
    ),
    "body type": st.sampled_from([*PYTHON_TYPES]),
    "jms_message_id": st.sampled_from(["ID:1", "ID:größe", None]),
    "jms_timestamp": TIME,
    "jms_correlation_id": _drawn_values(HEADER_TEXTS, st.sampled_from([None, "x" * 300])),
    "jms_correlation_id_as_bytes": st.sampled_from([b"\x01", b"last"]),
    "jms_reply_to": DESTINATION,
    "jms_destination": DESTINATION,
    "jms_delivery_mode": st.sampled_from([1, 2]),
    "jms_redelivered": BOOLEAN,
    "jms_type": _drawn_values(HEADER_TEXTS, NULL),
    "jms_expiration": TIME,
    "jms_delivery_time": TIME,
    "jms_priority": st.integers(0, 9),
}
"""What arguments are drawn from, by what they mean."""
TUPLES: Final = ("length and room",)
"""Meanings of several arguments together."""
