"""Numbers as Java writes and reads them: Double.toString, Integer.parseInt and their kin.

The forms are those of JDK 19 and newer, which print the shortest decimal that reads back as the
same number. Older JDKs print a longer one for some doubles; both parse to the same value.
"""

from __future__ import annotations

import math
import re
import struct
from decimal import Decimal
from typing import TypeVar

from jmsapi.errors import NumberFormatException
from jmsapi.values import Byte, Double, Float, Int, Long, Short

Integral = TypeVar("Integral", Byte, Short, Int, Long)

_SMALLEST_PLAIN, _LARGEST_PLAIN = 1e-3, 1e7
_DOUBLE_BITS = struct.Struct(">q")
_JAVA_BLANKS = "".join(map(chr, range(0x21)))
_DECIMAL = re.compile(
    r"[+-]?(?:NaN|Infinity|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)", re.ASCII
)
_HEXADECIMAL = re.compile(
    r"([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?\d+)[fFdD]?", re.ASCII
)


def java_double_text(value: float) -> str:
    """`value` as Double.toString writes it: a decimal point always, E outside 1e-3 to 1e7."""
    if _SMALLEST_PLAIN <= abs(value) < _LARGEST_PLAIN or value == 0.0:
        return float.__repr__(value)
    if not math.isfinite(value):
        return _non_finite_text(value)
    shortest = float.__repr__(value)
    two_digits = format(value, ".1e")
    # Java picks among decimals of two digits where one would do; only subnormals can tell.
    return _java_form(two_digits if float(two_digits) == value else shortest)


def java_float_text(value: float) -> str:
    """`value`, rounded to single precision, as Float.toString writes it."""
    single = float(Float(value))
    if single == 0.0:
        return float.__repr__(single)
    if not math.isfinite(single):
        return _non_finite_text(single)
    return _java_form(_shortest_single(single))


def _non_finite_text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _shortest_single(single: float) -> str:
    """The decimal of fewest digits, two at least, that rounds to `single`; the closest of them."""
    for places in range(1, 9):
        closest = format(single, f".{places}e")
        if _rounds_to(closest, single):
            return closest
        # Below a power of two the neighbours are nearer than above it: the closest decimal can
        # miss where the next one still hits.
        further = _next_decimal(closest)
        if _rounds_to(further, single):
            return further
    return format(single, ".8e")


def _rounds_to(text: str, single: float) -> bool:
    return float(Float(float(text))) == single


def _next_decimal(text: str) -> str:
    """The decimal one unit of the last digit away from zero."""
    mantissa, exponent = text.split("e")
    digits = Decimal(mantissa)
    sign, _, places = digits.as_tuple()
    unit = Decimal((sign, (1,), int(places)))
    return f"{digits + unit}e{exponent}"


def _java_form(text: str) -> str:
    """Any finite decimal text in Java's form, its digits kept."""
    sign = "-" if text.startswith("-") else ""
    mantissa, _, exponent_text = text.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    exponent = int(exponent_text or 0) + len(whole) - 1
    digits = whole + fraction
    leading = len(digits) - len(digits.lstrip("0"))
    exponent -= leading
    digits = digits.strip("0") or "0"
    if -3 <= exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    if 0 <= exponent < 7:
        digits = digits.ljust(exponent + 1, "0")
        return f"{sign}{digits[: exponent + 1]}.{digits[exponent + 1 :] or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{exponent}"


def parse_java_integral(text: str, kind: type[Integral]) -> Integral:
    """`text` as Integer.parseInt and its kin read it; `NumberFormatException` for any other text.

    An optional sign and decimal digits: no blanks, no underscores, no other base.
    """
    sign, digits = (text[0], text[1:]) if text[:1] in ("+", "-") else ("", text)
    if len(digits) >= 25:
        # Longer than any range without zeros in front; int() refuses thousands in its own way.
        digits = digits.lstrip("0")[:25] or "0"
    # As in Java any decimal digit of the basic plane counts, not just 0 to 9.
    if digits.isdecimal() and (digits.isascii() or max(digits) <= "\uffff"):
        value = int(sign + digits)
        bound = kind.BOUND
        if len(digits) < 25 and -bound <= value < bound:
            return int.__new__(kind, value)
    raise NumberFormatException(f"{_excerpt(text)} is no {kind.__name__.lower()}")


def parse_java_double(text: str) -> Double:
    """`text` as Double.parseDouble reads it; `NumberFormatException` for any other text.

    Blanks around it, a suffix f or d, and hexadecimal forms with a p exponent are allowed.
    """
    trimmed = text.strip(_JAVA_BLANKS)
    if _DECIMAL.fullmatch(trimmed):
        return Double(float(trimmed.rstrip("fFdD")))
    hexadecimal = _HEXADECIMAL.fullmatch(trimmed)
    if hexadecimal and (hexadecimal[2] or hexadecimal[3]):
        try:
            return Double(float.fromhex(trimmed.rstrip("fFdD")))
        except OverflowError:
            return Double(-math.inf if hexadecimal[1] == "-" else math.inf)
    raise NumberFormatException(f"{_excerpt(text)} is no floating-point number")


def parse_java_float(text: str) -> Float:
    """`text` as Float.parseFloat reads it: rounded once, from the text to single precision."""
    double = float(parse_java_double(text))
    if double == 0.0 or not math.isfinite(double):
        return Float(double)
    # Rounding twice errs only when the double in between lies halfway between two singles; such
    # a double has 28 zero bits at its end.
    if _DOUBLE_BITS.unpack(struct.pack(">d", double))[0] & 0x0FFFFFFF == 0:
        order = _compare_exactly(text.strip(_JAVA_BLANKS).rstrip("fFdD"), double)
        if order:
            double = math.nextafter(double, math.inf * order)
    return Float(double)


def _compare_exactly(text: str, double: float) -> int:
    """Whether the number written is less (-1), equal (0) or more (1) than `double`, not zero."""
    hexadecimal = _HEXADECIMAL.fullmatch(text)
    if not hexadecimal:
        exact, rounded = Decimal(text), Decimal(double)
        return (exact > rounded) - (exact < rounded)
    sign, whole, fraction, exponent = hexadecimal.groups("")
    mantissa = int(f"{sign}{whole}{fraction}", 16)
    shift = int(Decimal(exponent)) - 4 * len(fraction)  # int() refuses thousands of zeros
    numerator, denominator = double.as_integer_ratio()
    left = (mantissa << max(shift, 0)) * denominator
    right = numerator << max(-shift, 0)
    return (left > right) - (left < right)


def _excerpt(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
