"""As which types a value may be read (JMS 2.0, tables 3-5 and 3-6), and what that gives.

The table is written once more on purpose: the model shares nothing with `jmsapi.conversions`, by
which clients convert.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from jms_model.answers import JAVA_TYPES, Gave, Permitted, gives, gives_what, raises
from jmsapi.errors import MessageFormatException, NullPointerException, NumberFormatException
from jmsapi.values import Char, Double, Float

ALLOWED: Final[Mapping[str, tuple[str, ...]]] = {
    "boolean": ("String",),
    "byte": ("short", "int", "long", "String"),
    "short": ("int", "long", "String"),
    "char": ("String",),
    "int": ("long", "String"),
    "long": ("String",),
    "float": ("double", "String"),
    "double": ("String",),
    "String": ("boolean", "byte", "short", "int", "long", "float", "double"),
    "byte[]": (),
}
"""For each type that was written, the others that it may be read as."""
CLASSES: Final[Mapping[str, type]] = {name: kind for kind, name in JAVA_TYPES.items()}
BITS: Final = {"byte": 8, "short": 16, "int": 32, "long": 64}

_JAVA_NUMBER: Final = re.compile(
    r"[\x00-\x20]*([+-]?)"
    r"(NaN|Infinity|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFdD]?)[\x00-\x20]*"
)
"""What Double.valueOf reads, hexadecimal numbers aside: sign, all, decimal number."""
_JAVA_FORM: Final = re.compile(r"NaN|-?Infinity|-?\d+\.\d+(E-?\d+)?")


def type_of(value: object) -> str:
    """Java's name of a value's type; `null` of None."""
    return "null" if value is None else JAVA_TYPES[type(value)]


def reading(value: object, wanted: str) -> Permitted:
    """What is permitted of reading `value` as the type `wanted`."""
    if value is None:
        return _of_null(wanted)
    written = type_of(value)
    if wanted == written:
        return gives(value)
    if wanted not in ALLOWED[written]:
        return raises(MessageFormatException)
    if written == "String":
        return parsing(str(value), wanted)
    if wanted == "String":
        return _text(value)
    return gives(CLASSES[wanted](value))


def _of_null(wanted: str) -> Permitted:
    if wanted in ("String", "byte[]"):
        return gives(None)
    if wanted == "boolean":
        return gives(False)
    return raises(NumberFormatException if wanted in BITS else NullPointerException)


def parsing(text: str, wanted: str) -> Permitted:
    """What valueOf(String) of a type gives."""
    if wanted == "boolean":
        return gives(text.lower() == "true")
    if wanted in BITS:
        bound = 1 << (BITS[wanted] - 1)
        if re.fullmatch(r"[+-]?\d+", text) and -bound <= int(text) < bound:
            return gives(CLASSES[wanted](int(text)))
        return raises(NumberFormatException)
    match = _JAVA_NUMBER.fullmatch(text)
    if match is None:
        return raises(NumberFormatException)
    sign, word, decimal = match.groups()
    size = _nearest(decimal, wanted) if decimal else float(word.lower())
    return gives(CLASSES[wanted](-size if sign == "-" else size))


def _nearest(decimal: str, wanted: str) -> float:
    """The number of the type that is nearest to a decimal one, by exact arithmetic."""
    double = float(decimal)
    guess = Float(double)
    if wanted == "double" or math.isinf(guess):
        return Double(double)
    exact = Fraction(decimal)
    bits = struct.unpack(">i", struct.pack(">f", guess))[0]
    near = [
        (abs(Fraction(single) - exact), each & 1, single)
        for each in (bits - 1, bits, bits + 1)
        if each >= 0 and math.isfinite(single := struct.unpack(">f", struct.pack(">i", each))[0])
    ]
    return float(min(near)[2])


def _text(value: Any) -> Permitted:
    """What String.valueOf gives; of a fraction, each text of Java's form that is it again."""
    if isinstance(value, bool):
        return gives("true" if value else "false")
    if isinstance(value, Char):
        return gives(str(value))
    if isinstance(value, int):
        return gives(str(int(value)))
    kind = type_of(value)

    def is_it(text: object) -> bool:
        formed = isinstance(text, str) and _JAVA_FORM.fullmatch(text)
        return bool(formed) and parsing(str(text), kind).holds(Gave(value))

    return gives_what(f"the text of {value!r}", is_it)
