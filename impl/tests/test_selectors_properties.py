"""Random selectors: read back as they were printed, and judged as a slow transcription of the
specification judges them (section 3.8.1)."""

from __future__ import annotations

import math
from ctypes import c_float, c_int32, c_int64
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jmsapi import Byte, Double, Float, Int, Long, PropertyValue, Short
from jmsapi.numbers_as_text import java_double_text, java_float_text
from pulsar_jms.selectors import Selector
from pulsar_jms.selectors.parser import parse
from pulsar_jms.selectors.syntax import (
    And,
    Between,
    Calculation,
    Comparison,
    Expression,
    Identifier,
    In,
    IsNull,
    Like,
    Literal,
    Negative,
    Not,
    Operator,
    Or,
    Relation,
)

NAMES = ("a", "größe", "$x1", "JMSPriority")
TEXTS = st.text("ab'%_\n\\é", max_size=3)


def integers(kind: type[Byte | Short | Int | Long]) -> st.SearchStrategy[Any]:
    bound = kind.BOUND
    edges = st.integers(-bound, -bound + 2) | st.integers(bound - 3, bound - 1)
    return (st.integers(-3, 3) | edges | st.integers(-bound, bound - 1)).map(kind)


FINITE_FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False).map(Float)
FINITE_DOUBLES = st.floats(allow_nan=False, allow_infinity=False).map(Double)
SMALL = st.sampled_from([0.0, -0.0, 0.5, 1.0, 2.0, -3.0, 16777216.0, 9007199254740992.0])
NUMBERS = (
    integers(Int)
    | integers(Long)
    | FINITE_FLOATS
    | FINITE_DOUBLES
    | SMALL.map(Float)
    | SMALL.map(Double)
)
VALUES = st.dictionaries(
    st.sampled_from(NAMES),
    st.none()
    | st.booleans()
    | TEXTS
    | NUMBERS
    | integers(Byte)
    | integers(Short)
    | st.sampled_from([math.nan, math.inf, -math.inf]).flatmap(
        lambda value: st.sampled_from([Float(value), Double(value)])
    ),
)

IDENTIFIERS = st.sampled_from(NAMES).map(Identifier)


def calculations(operands: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    def level(*signs: Operator) -> st.SearchStrategy[Any]:
        steps = st.lists(st.tuples(st.sampled_from(signs), operands), min_size=1, max_size=3)
        return st.builds(Calculation, operands, steps.map(tuple))

    sums = level(Operator.PLUS, Operator.MINUS)
    products = level(Operator.TIMES, Operator.DIVIDED_BY, Operator.MODULO)
    return sums | products | st.builds(Negative, operands)


NUMERIC = st.recursive(NUMBERS.map(Literal) | IDENTIFIERS, calculations, max_leaves=5)
TEXTUAL = IDENTIFIERS | st.builds(
    lambda first, rest: Calculation(first, tuple((Operator.PLUS, part) for part in rest)),
    IDENTIFIERS,
    st.lists(IDENTIFIERS | TEXTS.map(Literal), min_size=1, max_size=2),
)
EQUAL_OR_NOT = st.sampled_from([Relation.EQUAL, Relation.UNEQUAL])


def conditions(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return (
        several.map(And)
        | several.map(Or)
        | inner.map(Not)
        | st.builds(Comparison, inner, EQUAL_OR_NOT, inner)
        | st.builds(IsNull, inner.filter(lambda part: not isinstance(part, Literal)), st.booleans())
    )


SIMPLE = (
    IDENTIFIERS
    | st.booleans().map(Literal)
    | st.builds(Comparison, NUMERIC, st.sampled_from(list(Relation)), NUMERIC)
    | st.builds(Comparison, TEXTUAL, EQUAL_OR_NOT, TEXTUAL | TEXTS.map(Literal))
    | st.builds(Between, NUMERIC, NUMERIC, NUMERIC, st.booleans())
    | st.builds(Between, IDENTIFIERS, IDENTIFIERS, IDENTIFIERS, st.booleans())
    | st.builds(Comparison, IDENTIFIERS, st.sampled_from(list(Relation)), IDENTIFIERS)
    | st.builds(In, IDENTIFIERS, st.lists(TEXTS, min_size=1, max_size=3).map(tuple), st.booleans())
    | st.builds(Like, TEXTUAL, TEXTS, st.none() | st.sampled_from("\\a%'"), st.booleans())
    | st.builds(IsNull, TEXTUAL, st.booleans())
)
CONDITIONS = st.recursive(SIMPLE, conditions, max_leaves=6)


def printed(expression: Expression) -> str:
    """`expression` as a selector's text, every part but names and literals in brackets."""
    match expression:
        case Literal(value):
            return printed_literal(value)
        case Identifier(name):
            return name
        case Negative(operand):
            sign_binds_the_digits = isinstance(operand, Literal)
            return f"-({printed(operand)})" if sign_binds_the_digits else f"-{bracketed(operand)}"
        case Calculation(first, rest):
            steps = (f" {sign} {bracketed(operand)}" for sign, operand in rest)
            return bracketed(first) + "".join(steps)
        case Comparison(left, relation, right):
            return f"{bracketed(left)}{relation}{bracketed(right)}"
        case Between(operand, low, high, negated):
            word = "NOT BETWEEN" if negated else "between"
            return f"{bracketed(operand)} {word} {bracketed(low)} AND {bracketed(high)}"
        case In(identifier, texts, negated):
            word = "not IN" if negated else "IN"
            return f"{identifier.name} {word} ({', '.join(map(quoted, texts))})"
        case Like(operand, pattern, escape, negated):
            word = "NOT LIKE" if negated else "Like"
            ending = "" if escape is None else f" ESCAPE {quoted(escape)}"
            return f"{bracketed(operand)} {word} {quoted(pattern)}{ending}"
        case IsNull(operand, negated):
            return f"{bracketed(operand)} IS {'NOT NULL' if negated else 'NULL'}"
        case Not(condition):
            return f"NOT {bracketed(condition)}"
        case And(parts):
            return " AND ".join(map(bracketed, parts))
        case Or(parts):
            return "\tor\n".join(map(bracketed, parts))


def bracketed(expression: Expression) -> str:
    text = printed(expression)
    signed = text.startswith("-")
    return text if isinstance(expression, Literal | Identifier) and not signed else f"({text})"


def printed_literal(value: PropertyValue) -> str:
    match value:
        case bool():
            return str(value)
        case str():
            return quoted(value)
        case Float():
            return java_float_text(value) + "f"
        case Double():
            return java_double_text(value)
        case Long():
            return f"{int(value)}L"
        case _:
            return str(int(value))


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@given(CONDITIONS)
def test_a_printed_selector_reads_back(expression: Expression) -> None:
    """JMS-SEL-001: every form is accepted, for what it is."""
    read = parse(printed(expression))
    assert read == expression
    assert repr(read) == repr(expression), "types and signs of zero count, which == does not tell"


@given(CONDITIONS, VALUES)
def test_a_selector_is_judged_as_the_specification_says(
    expression: Expression, values: dict[str, PropertyValue | None]
) -> None:
    """JMS-SEL-019, -020, -026, -031, -041, -051, -061: conditions of any shape on any values."""
    text = printed(expression)
    truth = judged(expression, values)
    assert Selector.parse(text).matches(values) is (truth == "true")
    assert Selector.parse(f"NOT ({text})").matches(values) is (truth == "false")


# The specification, transcribed. A truth is one of three words; a value carries its Java type.

AND_TABLE = {
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
OR_TABLE = {
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
NOT_TABLE = {"true": "false", "false": "true", "unknown": "unknown"}
TRUTHS = {True: "true", False: "false", None: "unknown"}
Values = dict[str, PropertyValue | None]


def judged(expression: Expression, values: Values) -> str:
    match expression:
        case And(parts):
            truth = "true"
            for part in parts:
                truth = AND_TABLE[truth, judged(part, values)]
            return truth
        case Or(parts):
            truth = "false"
            for part in parts:
                truth = OR_TABLE[truth, judged(part, values)]
            return truth
        case Not(condition):
            return NOT_TABLE[judged(condition, values)]
        case Between(operand, low, high, False):
            above = Comparison(operand, Relation.AT_LEAST, low)
            return judged(And((above, Comparison(operand, Relation.AT_MOST, high))), values)
        case Between(operand, low, high, True):
            below = Comparison(operand, Relation.LESS, low)
            return judged(Or((below, Comparison(operand, Relation.MORE, high))), values)
        case In(identifier, texts, negated):
            equal = [Comparison(identifier, Relation.EQUAL, Literal(text)) for text in texts]
            return judged(Not(Or(tuple(equal))) if negated else Or(tuple(equal)), values)
        case Like(operand, pattern, escape, True):
            return NOT_TABLE[judged(Like(operand, pattern, escape), values)]
        case Like(operand, pattern, escape):
            value = valued(operand, values)
            if value is None:
                return "unknown"
            return TRUTHS[isinstance(value, str) and fits(pattern, escape, value)]
        case IsNull(operand, negated):
            return TRUTHS[(valued(operand, values) is None) != negated]
        case Comparison(left, relation, right):
            return compared(valued(left, values), relation, valued(right, values))
        case _:
            value = valued(expression, values)
            return "unknown" if value is None else TRUTHS[value is True]


def valued(expression: Expression, values: Values) -> PropertyValue | None:
    match expression:
        case Literal(literal):
            return literal
        case Identifier(name):
            return values.get(name)
        case Negative(operand):
            return negated(valued(operand, values))
        case Calculation(first, rest):
            value = valued(first, values)
            for sign, operand in rest:
                value = calculated(value, sign, valued(operand, values))
            return value
        case _:
            return {"true": True, "false": False, "unknown": None}[judged(expression, values)]


def fits(pattern: str, escape: str | None, value: str) -> bool:
    if not pattern:
        return not value
    if pattern[0] == escape and pattern[1:2] in ("%", "_", escape):
        return value[:1] == pattern[1] and fits(pattern[2:], escape, value[1:])
    if pattern[0] == "%":
        return any(fits(pattern[1:], escape, value[skip:]) for skip in range(len(value) + 1))
    first_fits = value != "" and pattern[0] in ("_", value[0])
    return first_fits and fits(pattern[1:], escape, value[1:])


def java_type(value: PropertyValue) -> str:
    for kind, name in {bool: "boolean", str: "text", Double: "double", Float: "float"}.items():
        if isinstance(value, kind):
            return name
    return "long" if isinstance(value, Long) else "int"


def promoted_type(left: PropertyValue, right: PropertyValue) -> str | None:
    """Java's binary numeric promotion (JLS 5.6.2); None where one is no number."""
    types = {java_type(left), java_type(right)}
    if types & {"boolean", "text"}:
        return None
    return next(name for name in ("double", "float", "long", "int") if name in types)


def as_type(value: Any, name: str) -> Any:
    """The number nearest to `value`: to even from halfway."""
    if name in ("int", "long"):
        return int(value)
    if name == "double" or isinstance(value, float):
        return float(value)
    near = float(c_float(float(value)).value)
    step = 2.0 ** max(math.frexp(near)[1] - 24, -149)
    choices = [c_float(near + offset).value for offset in (-step, -step / 2, 0.0, step / 2, step)]
    return min(
        choices,
        key=lambda single: (abs(Fraction(single) - value), (Fraction(single) / Fraction(step)) % 2),
    )


def compared(left: PropertyValue | None, relation: Relation, right: PropertyValue | None) -> str:
    if left is None or right is None:
        return "unknown"
    name = promoted_type(left, right)
    if name is None:
        if java_type(left) != java_type(right):
            return "false"
        same = str(left) == str(right)
        return TRUTHS[{Relation.EQUAL: same, Relation.UNEQUAL: not same}.get(relation, False)]
    x, y = as_type(left, name), as_type(right, name)
    return TRUTHS[
        {
            Relation.EQUAL: x == y,
            Relation.UNEQUAL: x != y,
            Relation.LESS: x < y,
            Relation.MORE: y < x,
            Relation.AT_MOST: x < y or x == y,
            Relation.AT_LEAST: y < x or x == y,
        }[relation]
    ]


def negated(value: PropertyValue | None) -> PropertyValue | None:
    if value is None or java_type(value) in ("boolean", "text"):
        return None
    name = java_type(value)
    number: Any = value
    return typed(-number, name)


def typed(value: Any, name: str) -> PropertyValue:
    """A result as Java keeps it: low bits, or rounded."""
    match name:
        case "int":
            return Int(c_int32(value).value)
        case "long":
            return Long(c_int64(value).value)
        case "float":
            return Float(c_float(value).value)
        case _:
            return Double(value)


def calculated(
    left: PropertyValue | None, sign: Operator, right: PropertyValue | None
) -> PropertyValue | None:
    if left is None or right is None:
        return None
    if sign is Operator.PLUS and java_type(left) == java_type(right) == "text":
        return str(left) + str(right)
    name = promoted_type(left, right)
    if name is None:
        return None
    x, y = as_type(left, name), as_type(right, name)
    exact = name in ("int", "long")
    if exact and y == 0 and sign in (Operator.DIVIDED_BY, Operator.MODULO):
        return None
    match sign:
        case Operator.PLUS:
            return typed(x + y, name)
        case Operator.MINUS:
            return typed(x - y, name)
        case Operator.TIMES:
            return typed(x * y, name)
        case Operator.DIVIDED_BY:
            return typed(math.trunc(Fraction(x, y)) if exact else divided(x, y), name)
        case Operator.MODULO:
            return typed(x - y * math.trunc(Fraction(x, y)) if exact else remainder(x, y), name)


def divided(x: float, y: float) -> float:
    """IEEE 754: also by zero."""
    if y:
        return x / y
    return math.nan if not x or math.isnan(x) else math.inf * sign_of(x) * sign_of(y)


def remainder(x: float, y: float) -> float:
    """JLS 15.17.3: what the truncated quotient leaves, with the dividend's sign."""
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0:
        return math.nan
    if math.isinf(y):
        return x
    rest = Fraction(x) - Fraction(y) * math.trunc(Fraction(x) / Fraction(y))
    return math.copysign(float(rest), x)


def sign_of(x: float) -> float:
    return math.copysign(1.0, x)
