"""Random selectors, as trees of the oracle and as the texts in which a person could write them."""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from jmsapi import Byte, Double, Float, Int, Long, PropertyValue, Short
from selector_oracle import (
    Arithmetic,
    Between,
    Brackets,
    Comparison,
    In,
    IsNull,
    Junction,
    Like,
    Name,
    Not,
    Number,
    Signed,
    Text,
    Tree,
    Truth,
)

Trees = st.SearchStrategy[Tree]

# Texts. Brackets stand only where the specification's precedence asks for them, or the tree has
# some of its own; so the order of evaluation is judged as well.


@dataclass(frozen=True)
class Style:
    """Blanks where some are needed and where they are not, and the letters of words."""

    needed: str = " "
    free: str = ""
    cased: Callable[[str], str] = str.upper


STYLES = st.sampled_from(
    [
        Style(),
        Style(free=" "),
        Style("\t", "", str.lower),
        Style("\r\n", " \f", str.title),
        Style(cased=lambda word: word[0].lower() + word[1:]),
    ]
)
_SIGNS = frozenset("()=<>+-*/%,'")
_KEYWORDS = frozenset(
    ("TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "NULL", "ESCAPE")
)


def written(tree: Tree, style: Style) -> str:
    """The tree as a selector's text."""
    text = ""
    for token in tokens(tree, 0):
        shown = style.cased(token) if token in _KEYWORDS else token
        if text:
            words_meet = text[-1] not in _SIGNS and shown[0] not in _SIGNS
            comment_begins = text[-1] == shown[0] == "-"
            text += style.needed if words_meet or comment_begins else style.free
        text += shown
    return text


def tokens(tree: Tree, level: int) -> Iterator[str]:
    """The words and signs of `tree`, in brackets if it binds less than `level` asks for."""
    binds = binding(tree)
    if binds < level:
        yield "("
    match tree:
        case Number(text):
            yield text
        case Text(characters):
            yield quoted(characters)
        case Truth(holds):
            yield "TRUE" if holds else "FALSE"
        case Name(name):
            yield name
        case Brackets(inner):
            yield from ("(", *tokens(inner, 0), ")")
        case Signed(sign, operand):
            yield from (sign, *tokens(operand, binds))
        case Arithmetic(left, sign, right):
            yield from (*tokens(left, binds), sign, *tokens(right, binds + 1))
        case Comparison(left, sign, right):
            yield from (*tokens(left, binds + 1), sign, *tokens(right, binds + 1))
        case Between(operand, negated, low, high):
            yield from (*tokens(operand, binds + 1), *("NOT",) * negated, "BETWEEN")
            yield from (*tokens(low, binds + 1), "AND", *tokens(high, binds + 1))
        case In(operand, negated, (first, *others)):
            yield from (*tokens(operand, binds + 1), *("NOT",) * negated, "IN", "(", quoted(first))
            for text in others:
                yield from (",", quoted(text))
            yield ")"
        case Like(operand, negated, pattern, escape):
            yield from (*tokens(operand, binds + 1), *("NOT",) * negated, "LIKE", quoted(pattern))
            yield from () if escape is None else ("ESCAPE", quoted(escape))
        case IsNull(operand, negated):
            yield from (*tokens(operand, binds + 1), "IS", *("NOT",) * negated, "NULL")
        case Not(operand):
            yield from ("NOT", *tokens(operand, binds))
        case Junction(left, word, right):
            yield from (*tokens(left, binds), word, *tokens(right, binds + 1))
    if binds < level:
        yield ")"


def binding(tree: Tree) -> int:
    """How strongly the parts hold together (section 3.8.1.1): the higher, the stronger."""
    match tree:
        case Junction(_, "OR", _):
            return 0
        case Junction():
            return 1
        case Not():
            return 2
        case Comparison() | Between() | In() | Like() | IsNull():
            return 3
        case Arithmetic(_, "+" | "-", _):
            return 4
        case Arithmetic():
            return 5
        case Signed():
            return 6
        case _:
            return 7


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# Trees.

NAMES = ("a", "b", "größe", "$x1", "JMSPriority")
names: Trees = st.sampled_from(NAMES).map(Name)
TEXTS = st.text("ab'%_\n\\é", max_size=3)
PATTERNS = st.text("a%_\\", max_size=4)


def exact_numbers() -> st.SearchStrategy[str]:
    """Decimal, octal and hexadecimal, with and without L; around the ends of int and long too."""
    edges = st.sampled_from([2**31, 2**32, 2**63, 2**64]).flatmap(
        lambda edge: st.integers(edge - 2, edge + 1)
    )
    values = st.integers(0, 9) | edges | st.integers(0, 2**63 - 1)
    forms = st.sampled_from(["{:d}", "{:d}", "0{:o}", "000{:o}", "0x{:x}", "0X{:X}", "0x00{:x}"])
    return st.builds(
        lambda form, value, suffix: form.format(value) + suffix,
        forms,
        values,
        st.sampled_from(["", "", "l", "L"]),
    )


def approximate_numbers() -> st.SearchStrategy[str]:
    """With a point, an exponent, a suffix, or several of these; hexadecimal ones as well."""
    digits = st.text(string.digits, max_size=4)
    some_digits = st.text(string.digits, min_size=1, max_size=20)
    with_point = st.builds(lambda a, b: f"{a}.{b}", some_digits, digits) | some_digits.map(
        lambda b: f".{b}"
    )
    powers = st.integers(-3, 3) | st.integers(-50, 50) | st.integers(-400, 400)
    exponents = st.builds(
        lambda mark, sign, power: f"{mark}{sign if power >= 0 else ''}{power}",
        st.sampled_from("eE"),
        st.sampled_from(["", "+"]),
        powers,
    )
    suffixes = st.sampled_from("fFdD")
    maybe = st.just("")
    hexadecimal = st.builds(
        lambda a, b, power, suffix: f"0x{a}.{b}p{power}{suffix}",
        st.text(string.hexdigits, min_size=1, max_size=8),
        st.text(string.hexdigits, max_size=8),
        powers,
        suffixes | maybe,
    )
    # Single precision is where a text can be rounded twice: halfway between two of its numbers.
    halves = st.builds(
        lambda half, tail: f"{2**24 + half:d}.{tail}f",
        st.integers(0, 99),
        st.sampled_from(["0", "5", f"{'0' * 20}1", "9" * 20]),
    )
    return st.one_of(
        st.builds(str.__add__, with_point, suffixes | maybe),
        st.builds(lambda a, b, c: a + b + c, with_point | some_digits, exponents, suffixes | maybe),
        st.builds(str.__add__, some_digits, suffixes),
        hexadecimal,
        halves,
    )


NUMBER_TEXTS = st.integers(0, 4).map(str) | exact_numbers() | approximate_numbers()
SIGNS = st.sampled_from("+-")


def bracketed(parts: Trees) -> Trees:
    """Some in brackets that nothing asks for."""
    return parts | parts | parts.map(Brackets)


def arithmetic(operands: Trees) -> Trees:
    return st.builds(Signed, SIGNS, operands) | st.builds(
        Arithmetic, operands, st.sampled_from("+-*/%"), operands
    )


numbers: Trees = NUMBER_TEXTS.map(Number)


@st.composite
def a_number(draw: st.DrawFn) -> Tree:
    return draw(names | numbers)


operations: Trees = st.builds(Arithmetic, names, st.sampled_from("+-*/%"), names)
numeric: Trees = st.recursive(a_number(), lambda o: bracketed(arithmetic(o)), max_leaves=5)
joined: Trees = st.recursive(
    names,
    lambda o: bracketed(st.builds(Arithmetic, o, st.just("+"), o | TEXTS.map(Text))),
    max_leaves=3,
)
OPERATORS = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
EQUALITY = st.sampled_from(["=", "<>"])
ESCAPES = st.none() | st.sampled_from("\\a%_'")
_simple: Trees = bracketed(
    st.one_of(
        names,
        st.booleans().map(Truth),
        st.builds(Comparison, numeric, OPERATORS, numeric),
        st.builds(Comparison, names, OPERATORS, names),
        st.builds(Comparison, joined, EQUALITY, joined | TEXTS.map(Text)),
        st.builds(Between, numeric, st.booleans(), numeric, numeric),
        st.builds(Between, names, st.booleans(), names, names),
        st.builds(
            In,
            bracketed(names),
            st.booleans(),
            st.lists(TEXTS, min_size=1, max_size=3).map(tuple),
        ),
        st.builds(Like, joined, st.booleans(), TEXTS, ESCAPES),
        st.builds(Like, names, st.booleans(), PATTERNS, ESCAPES),
        st.builds(IsNull, joined | names, st.booleans()),
    )
)


@st.composite
def a_simple_condition(draw: st.DrawFn) -> Tree:
    return draw(_simple)


def combined(parts: Trees) -> Trees:
    return bracketed(
        st.one_of(
            st.builds(Junction, parts, st.sampled_from(["AND", "OR"]), parts),
            parts.map(Not),
            st.builds(Comparison, parts.map(Brackets), EQUALITY, parts.map(Brackets)),
            st.builds(IsNull, parts.map(Not).map(Brackets), st.booleans()),
        )
    )


selectors: Trees = st.recursive(a_simple_condition(), combined, max_leaves=6)
"""Conditions that hold together: refused only for a number beyond its range."""


def careless(parts: Trees) -> Trees:
    return st.one_of(
        bracketed(arithmetic(parts)),
        st.builds(Comparison, parts, OPERATORS, parts),
        st.builds(Between, parts, st.booleans(), parts, parts),
        st.builds(In, parts, st.booleans(), st.just(("a", "b"))),
        st.builds(Like, parts, st.booleans(), TEXTS, ESCAPES | st.sampled_from(["", "ab"])),
        st.builds(IsNull, parts, st.booleans()),
        parts.map(Not),
        st.builds(Junction, parts, st.sampled_from(["AND", "OR"]), parts),
    )


@st.composite
def an_operand(draw: st.DrawFn) -> Tree:
    return draw(st.one_of(names, numbers, TEXTS.map(Text), st.booleans().map(Truth)))


careless_selectors: Trees = st.recursive(an_operand(), careless, max_leaves=5)
"""Any part in any place, whatever its type."""

# Messages.


def integers(kind: type[Byte | Short | Int | Long]) -> st.SearchStrategy[Any]:
    bound = kind.BOUND
    edges = st.integers(-bound, -bound + 2) | st.integers(bound - 3, bound - 1)
    return (st.integers(-3, 3) | edges | st.integers(-bound, bound - 1)).map(kind)


_SPECIAL = st.sampled_from(
    [0.0, -0.0, 0.5, 1.0, 2.0, -3.0, 2.0**24, 2.0**53, math.nan, math.inf, -math.inf]
)
_numbers: st.SearchStrategy[PropertyValue | None] = st.one_of(
    integers(Byte),
    integers(Short),
    integers(Int),
    integers(Long),
    _SPECIAL.map(Float),
    _SPECIAL.map(Double),
    st.floats(width=32).map(Float),
    st.floats().map(Double),
)
MESSAGES = st.fixed_dictionaries(
    dict.fromkeys(NAMES, st.none() | st.booleans() | TEXTS | PATTERNS | _numbers | _numbers)
)
"""Each name with a value of any type, or NULL."""
NUMBER_MESSAGES = st.fixed_dictionaries(
    dict.fromkeys(NAMES, _numbers | st.integers(-9, 9).map(Int) | st.integers(-9, 9).map(Long))
)
"""Each name with a number."""
