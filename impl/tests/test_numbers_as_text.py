"""Numbers as text, against a table that a Java 25 runtime printed (data/java-numbers.tsv)."""

from __future__ import annotations

import math
import re
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jmsapi import Byte, Double, Float, Int, Long, NumberFormatException, Short
from jmsapi.numbers_as_text import (
    java_double_text,
    java_float_text,
    parse_java_double,
    parse_java_float,
    parse_java_integral,
)

ROWS = [
    line.split("\t")
    for line in (Path(__file__).parent / "data/java-numbers.tsv").read_text("ascii").splitlines()
]
SINGLES = [row[1:] for row in ROWS if row[0] == "float"]
DOUBLES = [row[1:] for row in ROWS if row[0] == "double"]


def unescaped(text: str) -> str:
    return text.encode("ascii").decode("unicode_escape")


def single(bits: str) -> float:
    return float(struct.unpack(">f", bytes.fromhex(bits))[0])


def double(bits: str) -> float:
    return float(struct.unpack(">d", bytes.fromhex(bits))[0])


def double_bits(value: float) -> str:
    return "7ff8000000000000" if math.isnan(value) else struct.pack(">d", value).hex()


def single_bits(value: float) -> str:
    return "7fc00000" if math.isnan(value) else struct.pack(">f", value).hex()


def test_float_text_is_that_of_java() -> None:
    assert len(SINGLES) > 700
    assert [[bits, java_float_text(single(bits))] for bits, _ in SINGLES] == SINGLES
    assert all(java_float_text(-single(bits)) == "-" + text for bits, text in SINGLES)


def test_double_text_is_that_of_java() -> None:
    assert len(DOUBLES) > 1000
    assert [[bits, java_double_text(double(bits))] for bits, _ in DOUBLES] == DOUBLES
    assert all(java_double_text(-double(bits)) == "-" + text for bits, text in DOUBLES)


@pytest.mark.parametrize(
    ("value", "text"),
    [(math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity"), (-0.0, "-0.0")],
)
def test_text_of_the_special_numbers(value: float, text: str) -> None:
    assert java_double_text(value) == java_float_text(value) == text


@pytest.mark.parametrize("row", [row[1:] for row in ROWS if row[0] == "parse"], ids=repr)
def test_floating_text_is_parsed_as_by_java(row: list[str]) -> None:
    text, as_float, as_double = unescaped(row[0]), row[1], row[2]
    if as_double == "refused":
        with pytest.raises(NumberFormatException):
            parse_java_double(text)
        with pytest.raises(NumberFormatException):
            parse_java_float(text)
    else:
        assert double_bits(parse_java_double(text)) == as_double
        assert single_bits(parse_java_float(text)) == as_float


@pytest.mark.parametrize("row", [row[1:] for row in ROWS if row[0] == "integral"], ids=repr)
def test_integral_text_is_parsed_as_by_java(row: list[str]) -> None:
    text = unescaped(row[0])
    kinds: tuple[Any, ...] = (Byte, Short, Int, Long)
    for kind, expected in zip(kinds, row[1:], strict=True):
        if expected == "refused":
            with pytest.raises(NumberFormatException, match=r"is no (byte|short|int|long)"):
                parse_java_integral(text, kind)
        else:
            value = parse_java_integral(text, kind)
            assert (type(value), int(value)) == (kind, int(expected))


@given(st.floats())
def test_double_text_reads_back(value: float) -> None:
    assert double_bits(parse_java_double(java_double_text(value))) == double_bits(value)


@given(st.floats(width=32))
def test_float_text_reads_back(value: float) -> None:
    assert single_bits(parse_java_float(java_float_text(value))) == single_bits(value)


@given(st.integers(0, (1 << 31) - 1), st.sampled_from(["5", "49", "51", "500001", "499999"]))
def test_float_is_rounded_once(bits: int, beyond: str) -> None:
    """Texts beside the middle of two singles, where rounding twice would err."""
    low, high = single(f"{bits:08x}"), single(f"{min(bits + 1, 0x7F7FFFFF):08x}")
    if not (math.isfinite(low) and math.isfinite(high)):
        return
    middle = (low + high) / 2
    exact = f"{middle:.200f}".rstrip("0")
    assert parse_java_float(exact) in (low, high)
    assert parse_java_float(exact + "0" * 30 + beyond) == high


@given(st.integers(-(1 << 64), 1 << 64), st.integers(0, 40))
def test_integral_text_with_zeros_in_front(value: int, zeros: int) -> None:
    text = f"{'-' if value < 0 else ''}{'0' * zeros}{abs(value)}"
    if -(1 << 63) <= value < 1 << 63:
        assert parse_java_integral(text, Long) == value
    else:
        with pytest.raises(NumberFormatException):
            parse_java_integral(text, Long)


FLOATING_POINT = re.compile(
    r"""[+-]? (?: (?-i:NaN | Infinity)
        | (?: [0-9]+ \.? [0-9]* | \. [0-9]+ ) (?: e [+-]? [0-9]+ )? [fd]?
        | 0x (?: [0-9a-f]+ \.? [0-9a-f]* | \. [0-9a-f]+ ) p [+-]? [0-9]+ [fd]? )""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
"""The grammar in the documentation of Double.valueOf."""


@given(st.text() | st.text("+-.019aefEdxXpP_ \t", max_size=8))
def test_any_text_of_another_form_is_refused(text: str) -> None:
    if FLOATING_POINT.fullmatch(text.strip("".join(map(chr, range(0x21))))):
        assert isinstance(parse_java_double(text), Double)
    else:
        with pytest.raises(NumberFormatException):
            parse_java_double(text)
    if re.fullmatch("[+-]?[0-9]{1,8}", text):
        assert parse_java_integral(text, Int) == int(text)
    elif not text.lstrip("+-").isdecimal():
        with pytest.raises(NumberFormatException):
            parse_java_integral(text, Int)


@pytest.mark.parametrize("sign", ["", "+", "-"])
def test_an_exponent_may_have_thousands_of_zeros(sign: str) -> None:
    zeros = "0" * 5000
    expected = Float(0.5 if sign == "-" else 2.0)
    assert float(parse_java_double(f"0x1p{sign}{zeros}1")) == float(expected)
    assert parse_java_float(f"0x1p{sign}{zeros}1") == expected
    assert parse_java_float(f"1e{sign}{zeros}") == Float(1.0)


def test_huge_texts_are_read_or_refused_at_once() -> None:
    digits = "1" * 200_000
    assert parse_java_double(digits) == math.inf
    assert parse_java_float(f"{digits}e-199999") == Float(10 / 9)
    for text in (digits + "x", "0x" + digits, "." * 200_000, digits):
        with pytest.raises(NumberFormatException):
            parse_java_integral(text, Long)
    with pytest.raises(NumberFormatException):
        parse_java_double(digits + "x")
