"""The syntax tree of a selector: frozen values, brackets and white space gone.

A condition is a value too: true, false, or unknown, which is NULL.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from jmsapi.values import Double, Float, Int, Long

LiteralValue = bool | Int | Long | Float | Double | str


class Operator(StrEnum):
    """The arithmetic operators; plus joins texts as well."""

    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    DIVIDED_BY = "/"
    MODULO = "%"


class Relation(StrEnum):
    """The comparison operators."""

    EQUAL = "="
    UNEQUAL = "<>"
    LESS = "<"
    MORE = ">"
    AT_MOST = "<="
    AT_LEAST = ">="


@dataclass(frozen=True, slots=True)
class Literal:
    """A number with its sign, a text without its quotes, TRUE or FALSE."""

    value: LiteralValue


@dataclass(frozen=True, slots=True)
class Identifier:
    """The name of a property or of a header field."""

    name: str


@dataclass(frozen=True, slots=True)
class Positive:
    """The unary plus before what might be no number."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Negative:
    """The unary minus."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Calculation:
    """Operators of one level, worked from left to right."""

    first: Expression
    rest: tuple[tuple[Operator, Expression], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two values and the relation asked for."""

    left: Expression
    relation: Relation
    right: Expression


@dataclass(frozen=True, slots=True)
class Between:
    """Within two bounds, both included; or, `negated`, outside of them."""

    operand: Expression
    low: Expression
    high: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class In:
    """One of the texts listed; or, `negated`, none of them."""

    identifier: Identifier
    texts: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Like:
    """A text of the pattern's form; or, `negated`, of another."""

    operand: Expression
    pattern: str
    escape: str | None = None
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsNull:
    """Without a value; or, `negated`, with one."""

    operand: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a condition."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class And:
    """All of two or more conditions."""

    conditions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of two or more conditions."""

    conditions: tuple[Expression, ...]


Expression = (
    Literal
    | Identifier
    | Positive
    | Negative
    | Calculation
    | Comparison
    | Between
    | In
    | Like
    | IsNull
    | Not
    | And
    | Or
)


def parts(expression: Expression) -> tuple[Expression, ...]:
    """The expressions right under `expression`, from left to right."""
    match expression:
        case Literal() | Identifier():
            return ()
        case Positive(operand) | Negative(operand) | Not(operand):
            return (operand,)
        case Like(operand) | IsNull(operand) | In(operand):
            return (operand,)
        case Calculation(first, rest):
            return (first, *(operand for _, operand in rest))
        case Comparison(left, _, right):
            return (left, right)
        case Between(operand, low, high):
            return (operand, low, high)
        case And(conditions) | Or(conditions):
            return conditions


def identifiers(expression: Expression) -> frozenset[str]:
    """The names that `expression` asks for."""
    return frozenset(part.name for part in _every_part(expression) if isinstance(part, Identifier))


def _every_part(expression: Expression) -> Iterator[Expression]:
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        yield part
        waiting.extend(parts(part))
