"""JSON as typed values: an object becomes a dict, a whole number an `Int` or a `Long`.

What fits neither is a `Double`, infinite beyond its range, as Java reads 1e400. A number of more
than 1,000 characters is refused, as by Jackson, which reads JSON for Pulsar's Java client.
"""

from __future__ import annotations

import json
import math
import re

from jmsapi.values import Double, Int, Long
from pulsar_jms.formats.limits import BodyLimits

_MAX_DIGITS = 1_000
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)


def read_json(payload: bytes, limits: BodyLimits) -> object:
    """The value of a JSON text; `ValueError` or `RecursionError` for what is none.

    `MessageFormatException` for one that exceeds the limits.
    """
    text = payload.decode(json.detect_encoding(payload), "surrogatepass")
    if text.count(",") > limits.elements:
        # A comma that is in no string stands between two elements: no need to make them first.
        limits.check(0, _STRING.sub("", text).count(","))
    value = json.loads(
        text, parse_int=_whole_number, parse_float=_number, parse_constant=_no_number
    )
    _check(value, limits)
    return value


def _check(value: object, limits: BodyLimits) -> None:
    elements, depth, level = 0, 0, [value]
    while level:
        inner: list[object] = []
        for each in level:
            if isinstance(each, dict):
                inner += each.values()
            elif isinstance(each, list):
                inner += each
        elements += len(inner)
        depth += bool(inner)
        limits.check(depth, elements)
        level = inner


def _whole_number(digits: str) -> Int | Long | Double:
    _check_length(digits)
    number = int(digits)
    for kind in (Int, Long):
        if -kind.BOUND <= number < kind.BOUND:
            return kind(number)
    try:
        return Double(number)
    except OverflowError:
        return Double(math.inf if number > 0 else -math.inf)


def _number(digits: str) -> Double:
    _check_length(digits)
    return Double(digits)


def _check_length(digits: str) -> None:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} characters, {_MAX_DIGITS} are allowed")


def _no_number(text: str) -> object:
    raise ValueError(f"{text} is no JSON")
