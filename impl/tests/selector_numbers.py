"""Java's numbers, for the oracle of the selectors: literals, promotion, arithmetic.

From Java's own specification (JLS): numbers are exact fractions until Java would round them.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Final, NamedTuple


class NoSelector(Exception):
    """The text of this tree must be refused."""


class Typed(NamedTuple):
    """A number of one of Java's types; floats and doubles as Python's, exact ones as int."""

    type: str
    value: int | float


Value = Typed | str | bool | None
"""None is NULL."""

WIDER: Final = ("int", "long", "float", "double")
"""Java's binary numeric promotion: the later of the two types."""


def relations(left: Typed, right: Typed) -> tuple[str, ...]:
    """The operators that hold between two numbers, after promotion (JLS 5.6.2, 15.20, 15.21)."""
    promoted = wider(left, right)
    x, y = converted(left, promoted), converted(right, promoted)
    if math.isnan(x) or math.isnan(y):
        return ("<>",)
    if x == y:
        return ("=", "<=", ">=")
    return ("<>", "<", "<=") if x < y else ("<>", ">", ">=")


def wider(left: Typed, right: Typed) -> str:
    return WIDER[max(WIDER.index(left.type), WIDER.index(right.type))]


def converted(number: Typed, type_: str) -> int | float:
    """The number in a type that is as wide or wider (JLS 5.1.2)."""
    if isinstance(number.value, float) or type_ in ("int", "long"):
        return number.value
    return nearest(Fraction(number.value), type_)


def negated_number(number: Typed) -> Typed:
    if isinstance(number.value, float):
        return Typed(number.type, -number.value)
    return Typed(number.type, low_bits(-number.value, number.type))


def calculated(left: Value, operator: str, right: Value) -> Value:
    if isinstance(left, str) and isinstance(right, str) and operator == "+":
        return left + right
    if not isinstance(left, Typed) or not isinstance(right, Typed):
        return None
    type_ = wider(left, right)
    x, y = converted(left, type_), converted(right, type_)
    if isinstance(x, float) and isinstance(y, float):
        return Typed(type_, approximate(x, operator, y, type_))
    if y == 0 and operator in "/%":
        return None
    quotient = math.trunc(Fraction(x) / Fraction(y)) if operator in "/%" else 0
    exact = {"+": x + y, "-": x - y, "*": x * y, "/": quotient, "%": x - y * quotient}[operator]
    return Typed(type_, low_bits(int(exact), type_))


def low_bits(value: int, type_: str) -> int:
    """Two's complement of 32 or 64 bits: what is above is lost (JLS 15.18.2)."""
    bits = 32 if type_ == "int" else 64
    kept = value & ((1 << bits) - 1)
    return kept - (1 << bits) if kept >> (bits - 1) else kept


def approximate(x: float, operator: str, y: float, type_: str) -> float:
    """IEEE 754, from its rules: the exact result, rounded once (JLS 15.17, 15.18)."""
    if math.isnan(x) or math.isnan(y):
        return math.nan
    match operator:
        case "-":
            return approximate(x, "+", -y, type_)
        case "+":
            if math.isinf(x) or math.isinf(y):
                opposite = math.isinf(x) and math.isinf(y) and x != y
                return math.nan if opposite else x if math.isinf(x) else y
            total = Fraction(x) + Fraction(y)
            both_negative = sign_of(x) < 0 and sign_of(y) < 0
            return nearest(total, type_) if total else -0.0 if both_negative else 0.0
        case "*":
            sign = sign_of(x) * sign_of(y)
            if math.isinf(x) or math.isinf(y):
                return math.nan if 0.0 in (x, y) else sign * math.inf
            return math.copysign(nearest(Fraction(x) * Fraction(y), type_), sign)
        case "/":
            sign = sign_of(x) * sign_of(y)
            if math.isinf(x) or y == 0:
                undefined = math.isinf(y) if math.isinf(x) else x == 0
                return math.nan if undefined else sign * math.inf
            if math.isinf(y):
                return sign * 0.0
            return math.copysign(nearest(Fraction(x) / Fraction(y), type_), sign)
        case _:
            if math.isinf(x) or y == 0:
                return math.nan
            if math.isinf(y):
                return x
            rest = Fraction(x) - Fraction(y) * math.trunc(Fraction(x) / Fraction(y))
            return math.copysign(nearest(rest, type_), x)


def sign_of(x: float) -> float:
    return math.copysign(1.0, x)


PRECISION: Final = {"float": (24, -149, 128), "double": (53, -1074, 1024)}
"""Bits of the significand, the least exponent of a bit, the exponent that is infinite."""


def nearest(exact: Fraction, type_: str) -> float:
    """The float or double nearest to `exact`, of two the even one (IEEE 754, 4.3.1)."""
    bits, least, beyond = PRECISION[type_]
    size = abs(exact)
    if not size:
        return 0.0
    top = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** top:
        top -= 1
    unit = Fraction(2) ** max(top - bits + 1, least)
    rounded = round(size / unit) * unit
    if rounded >= Fraction(2) ** beyond:
        return math.inf if exact > 0 else -math.inf
    return float(rounded if exact > 0 else -rounded)


# Literals, as Java writes them (JLS 3.10.1, 3.10.2).

HEXADECIMAL_POINT: Final = re.compile(
    r"0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?[0-9]+)([fFdD]?)"
)
HEXADECIMAL: Final = re.compile(r"0[xX]([0-9a-fA-F]+)([lL]?)")
EXACT: Final = re.compile(r"([0-9]+)([lL]?)")
DECIMAL_POINT: Final = re.compile(r"([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?([fFdD]?)")


def literal(text: str, sign: str = "+") -> Typed:
    """The number that the literal names; `NoSelector` beyond the range of its type."""
    if matched := HEXADECIMAL_POINT.fullmatch(text):
        whole, fraction, power, suffix = matched.groups()
        scale = int(power) - 4 * len(fraction)
        return rounded_literal(int(f"0{whole}{fraction}", 16), 2, scale, suffix, sign)
    if matched := HEXADECIMAL.fullmatch(text):
        return exact_literal(matched[1], 16, matched[2], sign)
    if matched := EXACT.fullmatch(text):
        return exact_literal(matched[1], 8 if text.startswith("0") else 10, matched[2], sign)
    if matched := DECIMAL_POINT.fullmatch(text):
        whole, fraction, power, suffix = matched.groups()
        scale = int(power or 0) - len(fraction)
        return rounded_literal(int(f"0{whole}{fraction}"), 10, scale, suffix, sign)
    raise NoSelector(text)


def exact_literal(digits: str, base: int, suffix: str, sign: str) -> Typed:
    value = 0
    for digit in digits:
        if int(digit, 16) >= base:
            raise NoSelector(f"{digit} is no digit of base {base}")
        value = value * base + int(digit, 16)
    if sign == "-":
        value = -value
    if low_bits(value, "long") != value:
        raise NoSelector("the number does not fit a long")
    fits_int = low_bits(value, "int") == value
    return Typed("int" if fits_int and not suffix else "long", value)


def rounded_literal(digits: int, base: int, scale: int, suffix: str, sign: str) -> Typed:
    type_ = "float" if suffix in ("f", "F") else "double"
    if digits and abs(scale) > 5000 + digits.bit_length():
        raise NoSelector("far beyond the range of a double")
    value = nearest(digits * Fraction(base) ** (scale if digits else 0), type_)
    if math.isinf(value) or (digits and not value):
        raise NoSelector("an approximate literal must neither overflow nor vanish")
    return Typed(type_, -value if sign == "-" else value)
