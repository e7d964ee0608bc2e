"""Numbers as Java writes and reads them, each way round."""

from __future__ import annotations

import math
from typing import Any

from fuzz.mutations import words
from fuzz.targets import Target
from jmsapi import NumberFormatException
from jmsapi.numbers_as_text import (
    java_double_text,
    java_float_text,
    parse_java_double,
    parse_java_float,
    parse_java_integral,
)
from jmsapi.values import Byte, Int, Long, Short

_WORDS = words("0x", "1p", "e", "E", ".", "+", "-", "f", "d", "NaN", "Infinity", "0" * 40, "9" * 40)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _same(left: float, right: float) -> bool:
    return left == right or (math.isnan(left) and math.isnan(right))


def _double(data: bytes) -> None:
    value = parse_java_double(_text(data))
    assert _same(parse_java_double(java_double_text(value)), value)


def _float(data: bytes) -> None:
    value = parse_java_float(_text(data))
    assert _same(parse_java_float(java_float_text(value)), value)


def _integral(data: bytes) -> None:
    text = _text(data)
    value = parse_java_integral(text, Long)
    assert parse_java_integral(int.__repr__(value), Long) == value
    for kind in _SMALLER:
        assert parse_java_integral(text, kind) == value


_SMALLER: tuple[Any, ...] = (Byte, Short, Int)
_PROMISES = (NumberFormatException,)
TARGETS = (
    Target("numbers-double", "impl", _double, _PROMISES, _WORDS),
    Target("numbers-float", "impl", _float, _PROMISES, _WORDS),
    Target("numbers-integral", "impl", _integral, _PROMISES, _WORDS),
)
