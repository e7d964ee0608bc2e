"""The texts of numbers in Java: Double.toString and Float.toString.

Versions of Java differ in their last digits, so each text is right that has the form and means the
number.
"""

from __future__ import annotations

import math
import re
import struct
from typing import Final

from jmsapi.values import Double, Float

_PLAIN: Final = re.compile(r"-?(0|[1-9]\d*)\.(\d+)")
_SCIENTIFIC: Final = re.compile(r"-?([1-9])\.(\d+)E(-?[1-9]\d*)")
_DIGITS: Final = {Double: 17, Float: 9}


def is_text_of(text: object, number: Double | Float) -> bool:
    """Whether Java's toString may give this text of a number."""
    if not isinstance(text, str):
        return False
    if math.isnan(number):
        return text == "NaN"
    if math.isinf(number):
        return text == ("Infinity" if number > 0 else "-Infinity")
    size = abs(float(number))
    is_plain = size == 0 or 1e-3 <= size < 1e7
    match = (_PLAIN if is_plain else _SCIENTIFIC).fullmatch(text)
    if match is None:
        return False
    if len((match[1] + match[2]).strip("0")) > _DIGITS[type(number)]:
        return False
    kind = ">f" if isinstance(number, Float) else ">d"
    try:
        return struct.pack(kind, float(text)) == struct.pack(kind, float(number))
    except OverflowError:
        return False
