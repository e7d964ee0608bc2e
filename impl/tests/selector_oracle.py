"""What a selector means, written anew from section 3.8.1 of the specification.

The oracle of the selectors' tests: it shares nothing with the language that it judges. Its trees
and numbers are its own, a truth is one of three words, and nothing is fast. Where the
specification is silent it takes what DECISIONS.md says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from jmsapi import Byte, Double, Float, Int, Long, PropertyValue, Short
from selector_numbers import (
    NoSelector,
    Typed,
    Value,
    calculated,
    literal,
    negated_number,
    relations,
)


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
            truth_value = "false"
            for text in texts:
                truth_value = OR[truth_value, compared(valued(operand, values), "=", text)]
            return NOT[truth_value] if negated else truth_value
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
