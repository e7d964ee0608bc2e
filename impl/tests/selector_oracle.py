"""What a selector means, written anew from section 3.8.1 of the specification and from Java's.

The oracle of the selectors' tests: it shares nothing with the language that it judges. Its trees
are its own, numbers are exact fractions until Java would round them, a truth is one of three
words, and nothing is fast. Where the specification is silent it takes what DECISIONS.md says.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

from jmsapi import Byte, Double, Float, Int, Long, PropertyValue, Short


class NoSelector(Exception):
    """The text of this tree must be refused."""


@dataclass(frozen=True)
class Number:
    """A literal as it is written, without sign: 7, 0x1F, 017L, .5, 6e2f."""

    text: str


@dataclass(frozen=True)
class Text:
    characters: str


@dataclass(frozen=True)
class Truth:
    holds: bool


@dataclass(frozen=True)
class Name:
    name: str


@dataclass(frozen=True)
class Brackets:
    inner: Tree


@dataclass(frozen=True)
class Signed:
    """A + or - in front; right before a number it belongs to the literal."""

    sign: str
    operand: Tree


@dataclass(frozen=True)
class Arithmetic:
    left: Tree
    operator: str
    right: Tree


@dataclass(frozen=True)
class Comparison:
    left: Tree
    operator: str
    right: Tree


@dataclass(frozen=True)
class Between:
    operand: Tree
    negated: bool
    low: Tree
    high: Tree


@dataclass(frozen=True)
class In:
    operand: Tree
    negated: bool
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Like:
    operand: Tree
    negated: bool
    pattern: str
    escape: str | None


@dataclass(frozen=True)
class IsNull:
    operand: Tree
    negated: bool


@dataclass(frozen=True)
class Not:
    operand: Tree


@dataclass(frozen=True)
class Junction:
    """AND or OR."""

    left: Tree
    word: str
    right: Tree


Tree = (
    Number | Text | Truth | Name | Brackets | Signed | Arithmetic | Comparison | Between | In
    | Like | IsNull | Not | Junction
)  # fmt: skip


class Typed(NamedTuple):
    """A number of one of Java's types; floats and doubles as Python's, exact ones as int."""

    type: str
    value: int | float


Value = Typed | str | bool | None
"""None is NULL."""

WIDER: Final = ("int", "long", "float", "double")
"""Java's binary numeric promotion: the later of the two types."""
AND: Final = {
    ("true", "true"): "true",
    ("true", "false"): "false",
    ("true", "unknown"): "unknown",
    ("false", "true"): "false",
    ("false", "false"): "false",
    ("false", "unknown"): "false",
    ("unknown", "true"): "unknown",
    ("unknown", "false"): "false",
    ("unknown", "unknown"): "unknown",
}
OR: Final = {
    ("true", "true"): "true",
    ("true", "false"): "true",
    ("true", "unknown"): "true",
    ("false", "true"): "true",
    ("false", "false"): "false",
    ("false", "unknown"): "unknown",
    ("unknown", "true"): "true",
    ("unknown", "false"): "unknown",
    ("unknown", "unknown"): "unknown",
}
NOT: Final = {"true": "false", "false": "true", "unknown": "unknown"}


def judged(selector: Tree, values: dict[str, PropertyValue | None]) -> str:
    """true, false or unknown; `NoSelector` where the text has to be refused."""
    if "boolean" not in possible(selector):
        raise NoSelector("a selector is a condition")
    return truth(selector, values)


def unbracketed(tree: Tree) -> Tree:
    return unbracketed(tree.inner) if isinstance(tree, Brackets) else tree


# What may be refused when it is read: the type that a part can have, whatever the message.


def possible(tree: Tree) -> set[str]:
    """Which of number, text, boolean the part can turn out to be; `NoSelector` if none may be."""
    match tree:
        case Number():
            literal(tree.text)
            return {"number"}
        case Text():
            return {"text"}
        case Truth():
            return {"boolean"}
        case Name():
            return {"number", "text", "boolean"}
        case Brackets(inner):
            return possible(inner)
        case Signed(sign, Number(digits)):
            literal(digits, sign)
            return {"number"}
        case Signed(_, operand):
            return require("number", operand)
        case Arithmetic(left, "+", right):
            return at_least_one(possible(left) & possible(right) & {"number", "text"})
        case Arithmetic(left, _, right):
            return require("number", left, right)
        case Comparison(left, "=" | "<>", right):
            possible(left), possible(right)
        case Comparison(left, _, right):
            require("number", left, right)
        case Between(operand, _, low, high):
            require("number", operand, low, high)
        case In(operand):
            if not isinstance(unbracketed(operand), Name):
                raise NoSelector("IN asks for an identifier")
        case Like(operand, _, _, escape):
            require("text", operand)
            if isinstance(unbracketed(operand), Text) or (escape is not None and len(escape) != 1):
                raise NoSelector("LIKE asks for an identifier and for one escape character")
        case IsNull(operand):
            possible(operand)
            if is_literal(unbracketed(operand)):
                raise NoSelector("a literal has a value")
        case Not(operand):
            require("boolean", operand)
        case Junction(left, _, right):
            require("boolean", left, right)
    return {"boolean"}


def require(type_: str, *parts: Tree) -> set[str]:
    for part in parts:
        at_least_one(possible(part) & {type_})
    return {type_}


def at_least_one(types: set[str]) -> set[str]:
    if not types:
        raise NoSelector("no value has the type that is asked for")
    return types


def is_literal(tree: Tree) -> bool:
    """A sign before a number is part of the literal, and so is a + before a signed one."""
    match tree:
        case Signed("-", Number()) | Number() | Text() | Truth():
            return True
        case Signed("+", operand):
            return is_literal(unbracketed(operand))
        case _:
            return False


# Truths.


def truth(tree: Tree, values: dict[str, PropertyValue | None]) -> str:
    """The part where a condition stands; a value that is no boolean is not true there."""
    match tree:
        case Brackets(inner):
            return truth(inner, values)
        case Junction(left, "AND", right):
            return AND[truth(left, values), truth(right, values)]
        case Junction(left, _, right):
            return OR[truth(left, values), truth(right, values)]
        case Not(operand):
            return NOT[truth(operand, values)]
        case Comparison(left, operator, right):
            return compared(valued(left, values), operator, valued(right, values))
        case Between(operand, negated, low, high):
            value = valued(operand, values)
            lower, upper = valued(low, values), valued(high, values)
            if negated:
                return OR[compared(value, "<", lower), compared(value, ">", upper)]
            return AND[compared(value, ">=", lower), compared(value, "<=", upper)]
        case In(operand, negated, texts):
            found = "false"
            for text in texts:
                found = OR[found, compared(valued(operand, values), "=", text)]
            return NOT[found] if negated else found
        case Like(operand, negated, pattern, escape):
            value = valued(operand, values)
            if value is None:
                return "unknown"
            like = isinstance(value, str) and fits(forms(pattern, escape), value)
            return word(like is not negated)
        case IsNull(operand, negated):
            return word((valued(operand, values) is None) is not negated)
        case _:
            value = valued(tree, values)
            return "unknown" if value is None else word(value is True)


def word(holds: bool) -> str:
    return "true" if holds else "false"


def forms(pattern: str, escape: str | None) -> list[tuple[str, bool]]:
    """The pattern's characters, each with whether it has its special meaning."""
    made = []
    while pattern:
        if pattern[0] == escape and pattern[1:2] in ("%", "_", escape):
            made.append((pattern[1], False))
            pattern = pattern[2:]
        else:
            made.append((pattern[0], pattern[0] in "%_"))
            pattern = pattern[1:]
    return made


def fits(form: list[tuple[str, bool]], value: str) -> bool:
    """Whether the whole value has the form, each choice of what % stands for tried in turn."""
    if not form:
        return not value
    character, special = form[0]
    if special and character == "%":
        return any(fits(form[1:], value[taken:]) for taken in range(len(value) + 1))
    return value != "" and (special or value[0] == character) and fits(form[1:], value[1:])


def compared(left: Value, operator: str, right: Value) -> str:
    if left is None or right is None:
        return "unknown"
    if isinstance(left, Typed) and isinstance(right, Typed):
        return word(operator in relations(left, right))
    if isinstance(left, Typed) or isinstance(right, Typed) or type(left) is not type(right):
        return "false"
    return word(operator == ("=" if left == right else "<>"))


def relations(left: Typed, right: Typed) -> tuple[str, ...]:
    """The operators that hold between two numbers, after promotion (JLS 5.6.2, 15.20, 15.21)."""
    promoted = wider(left, right)
    x, y = converted(left, promoted), converted(right, promoted)
    if math.isnan(x) or math.isnan(y):
        return ("<>",)
    if x == y:
        return ("=", "<=", ">=")
    return ("<>", "<", "<=") if x < y else ("<>", ">", ">=")


# Values.

TYPES: Final = {
    Byte: "int", Short: "int", Int: "int", Long: "long", Float: "float", Double: "double",
}  # fmt: skip


def valued(tree: Tree, values: dict[str, PropertyValue | None]) -> Value:
    """The part where a value stands; an unknown condition is NULL."""
    match tree:
        case Number(digits):
            return literal(digits)
        case Signed(sign, Number(digits)):
            return literal(digits, sign)
        case Text(characters):
            return characters
        case Truth(holds):
            return holds
        case Name(name):
            held = values.get(name)
            if held is None or isinstance(held, str | bool):
                return held
            exact = isinstance(held, int)
            return Typed(TYPES[type(held)], int(held) if exact else float(held))
        case Brackets(inner):
            return valued(inner, values)
        case Signed(sign, operand):
            value = valued(operand, values)
            if not isinstance(value, Typed):
                return None
            return negated_number(value) if sign == "-" else value
        case Arithmetic(left, operator, right):
            return calculated(valued(left, values), operator, valued(right, values))
        case _:
            return {"true": True, "false": False, "unknown": None}[truth(tree, values)]


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
