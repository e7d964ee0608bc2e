"""Conversions of the model: the two tables of the specification, and texts as numbers."""

from __future__ import annotations

import math

import pytest

from jms_model.answers import Gave, Raised, are_same
from jms_model.conversions import ALLOWED, CLASSES, parsing, reading
from jmsapi import Byte, Char, Double, Float, Int, Long, Short
from jmsapi.errors import MessageFormatException, NullPointerException, NumberFormatException

VALUES = {
    "boolean": True,
    "byte": Byte(7),
    "short": Short(7),
    "char": Char("c"),
    "int": Int(7),
    "long": Long(7),
    "float": Float(1.5),
    "double": Double(1.5),
    "String": "7",
    "byte[]": b"7",
}


def test_the_tables_have_as_many_pairs_as_in_the_specification() -> None:
    """Table 3-5 has 29 of 64, table 3-6 has 32 of 100; a type is read as itself in each."""
    body = [(written, wanted) for written in ALLOWED for wanted in (written, *ALLOWED[written])]
    properties = [pair for pair in body if not {"char", "byte[]"} & {*pair}]
    assert (len(set(properties)), len(set(body))) == (29, 32)


@pytest.mark.parametrize("written", VALUES)
@pytest.mark.parametrize("wanted", VALUES)
def test_what_the_table_does_not_allow_is_refused(written: str, wanted: str) -> None:
    permitted = reading(VALUES[written], wanted)
    refused = permitted.holds(Raised(MessageFormatException("no")))
    assert refused is (wanted != written and wanted not in ALLOWED[written])


@pytest.mark.parametrize(
    ("text", "wanted", "value"),
    [
        ("127", "byte", Byte(127)),
        ("-128", "byte", Byte(-128)),
        ("+7", "int", Int(7)),
        ("007", "long", Long(7)),
        ("TRUE", "boolean", True),
        ("yes", "boolean", False),
        ("", "boolean", False),
        (" 1.5 ", "double", Double(1.5)),
        ("1e3", "float", Float(1000)),
        ("2.5f", "double", Double(2.5)),
        (".5", "float", Float(0.5)),
        ("-0", "double", Double(-0.0)),
        ("NaN", "float", Float(math.nan)),
        ("-Infinity", "double", Double(-math.inf)),
        ("1e400", "double", Double(math.inf)),
        # above the middle of two floats by less than a double can say
        ("1.00000005960464477540", "float", Float(1.0000001192092896)),
        ("1.000000059604644775390625", "float", Float(1.0)),
    ],
)
def test_texts_are_read_as_by_value_of(text: str, wanted: str, value: object) -> None:
    assert parsing(text, wanted).holds(Gave(value))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        *(("128", "byte"), ("-129", "byte"), ("2147483648", "int"), ("", "int"), (" 5", "int")),
        *(("1.0", "long"), ("0x10", "int"), ("", "double"), ("x1", "float"), ("1_0", "long")),
        *(("nan", "double"), ("Infinit", "double"), ("1e", "float")),
    ],
)
def test_other_texts_are_no_numbers(text: str, wanted: str) -> None:
    assert parsing(text, wanted).holds(Raised(NumberFormatException("no")))


def test_null_is_what_value_of_makes_of_it() -> None:
    assert reading(None, "boolean").holds(Gave(False))
    assert reading(None, "String").holds(Gave(None))
    assert reading(None, "byte[]").holds(Gave(None))
    for kind in ("byte", "short", "int", "long"):
        assert reading(None, kind).holds(Raised(NumberFormatException("null")))
    for kind in ("float", "double", "char"):
        assert reading(None, kind).holds(Raised(NullPointerException("null")))


@pytest.mark.parametrize(
    ("value", "text", "right"),
    [
        (Double(1.5), "1.5", True),
        (Double(1.5), "1.50", True),
        (Double(1.5), "15E-1", False),
        (Double(1e10), "1.0E10", True),
        (Double(1e10), "10000000000", False),
        (Float(1.1), "1.1", True),
        (Float(1.1), "1.100000023841858", True),
        (Float(1.1), "1.2", False),
        (Double(math.nan), "NaN", True),
    ],
)
def test_a_fraction_as_text_is_the_number_again(value: object, text: str, right: bool) -> None:
    assert reading(value, "String").holds(Gave(text)) is right


def test_values_are_the_same_in_type_and_bits() -> None:
    kinds = [*CLASSES.values()]
    assert all(are_same(kind("7"), kind("7")) for kind in kinds if kind is str)
    assert are_same([Int(1), {"a": b"x"}], [Int(1), {"a": b"x"}])
    for left, right in [
        (Double(0.0), Double(-0.0)),
        (Int(1), Long(1)),
        (True, Int(1)),
        (Char("a"), "a"),
        (Float(1.0), Double(1.0)),
        (None, False),
        (b"", ""),
        ([Int(1)], [Long(1)]),
    ]:
        assert not are_same(left, right)
