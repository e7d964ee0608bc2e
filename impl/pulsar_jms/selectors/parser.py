"""Text to syntax tree, or `InvalidSelectorException` with the place and what belongs there."""

from __future__ import annotations

import enum
import math
import unicodedata
from functools import cache
from typing import Any, NamedTuple, cast

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken, v_args

from jmsapi.numbers_as_text import parse_java_double, parse_java_float
from jmsapi.values import Double, Float, Int, Long
from pulsar_jms.implements import implements
from pulsar_jms.selectors.refusal import SelectorRefusal, unexpected_character, unexpected_word
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
    LiteralValue,
    Negative,
    Not,
    Operator,
    Or,
    Positive,
    Relation,
)

MAX_LENGTH = 100_000
"""Characters of a selector; ten times the longest that the Java client is tested with."""
MAX_DEPTH = 100
"""Levels of nesting that evaluation, which recurses, is sure to have room for."""

RESERVED = frozenset(
    ("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE")
)
"""Words that are no identifiers, in any letter case."""
REFUSED_HEADERS = frozenset(
    ("JMSDestination", "JMSReplyTo", "JMSExpiration", "JMSRedelivered", "JMSDeliveryTime")
)
"""The header fields that a selector must not name (section 3.8.1.1)."""

_START_CATEGORIES = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Sc", "Pc"))
_PART_CATEGORIES = _START_CATEGORIES | {"Nd", "Mn", "Mc", "Cf", "Cc"}


def parse(text: str) -> Expression:
    """The syntax tree of `text`; `InvalidSelectorException` where it is no selector."""
    try:
        if len(text) > MAX_LENGTH:
            raise SelectorRefusal(MAX_LENGTH, f"at most {MAX_LENGTH} characters are allowed")
        built = _build(text)
        built.needs(_ValueKind.BOOLEAN, "a selector is a condition")
    except SelectorRefusal as refusal:
        raise refusal.exception(text) from refusal.__cause__
    return built.node


def _build(text: str) -> _Built:
    try:
        # The parser calls the builder instead of making a tree of its own.
        return cast("_Built", _parser().parse(text))
    except UnexpectedCharacters as error:
        raise unexpected_character(text, error.pos_in_stream or 0) from error
    except UnexpectedToken as error:
        at = len(text) if error.token.type == "$END" else error.token.start_pos or 0
        raise unexpected_word(text, at, error.accepts) from error


class _ValueKind(enum.Flag):
    """What an expression may turn out to be."""

    NUMBER = enum.auto()
    TEXT = enum.auto()
    BOOLEAN = enum.auto()
    ANYTHING = NUMBER | TEXT | BOOLEAN


class _Built(NamedTuple):
    """A part of the tree, and what the parts above it must know."""

    node: Expression
    kind: _ValueKind
    at: int
    depth: int = 0

    def needs(self, kind: _ValueKind, why: str) -> None:
        """Refuse the selector if this part can never be of `kind`."""
        if not self.kind & kind:
            raise SelectorRefusal(self.at, why)


def _node_above(node: Expression, kind: _ValueKind, *parts: _Built) -> _Built:
    """`node`, which is one level above `parts`, the first of which begins it."""
    depth = 1 + max(part.depth for part in parts)
    if depth > MAX_DEPTH:
        raise SelectorRefusal(parts[0].at, f"at most {MAX_DEPTH} levels of nesting are allowed")
    return _Built(node, kind, parts[0].at, depth)


@v_args(inline=True)
class _Builder(Transformer[Token, _Built]):
    """Called by the parser for each rule as it completes; the names are the grammar's."""

    def any_of(self, *parts: Any) -> _Built:
        return _junction(Or, parts[::2])

    def all_of(self, *parts: Any) -> _Built:
        return _junction(And, parts[::2])

    def negated(self, sign: Token, part: _Built) -> _Built:
        part.needs(_ValueKind.BOOLEAN, "NOT takes a condition")
        return _node_above(Not(part.node), _ValueKind.BOOLEAN, part)._replace(at=_start(sign))

    def compared(self, left: _Built, sign: Token, right: _Built) -> _Built:
        node = Comparison(left.node, Relation(sign), right.node)
        return _node_above(node, _ValueKind.BOOLEAN, left, right)

    def ordered(self, left: _Built, sign: Token, right: _Built) -> _Built:
        for side in (left, right):
            side.needs(
                _ValueKind.NUMBER, f"{sign} compares numbers; texts and booleans know = and <>"
            )
        return self.compared(left, sign, right)

    def is_null(self, operand: _Built, *_: Token) -> _Built:
        return _nullness(operand, negated=False)

    def is_not_null(self, operand: _Built, *_: Token) -> _Built:
        return _nullness(operand, negated=True)

    def between(self, operand: _Built, _: Token, low: _Built, __: Token, high: _Built) -> _Built:
        return _between(operand, low, high, negated=False)

    def not_between(self, operand: _Built, _: Token, *rest: Any) -> _Built:
        _, low, _, high = rest
        return _between(operand, low, high, negated=True)

    def like(self, operand: _Built, _: Token, *form: Any) -> _Built:
        return _like(operand, form, negated=False)

    def not_like(self, operand: _Built, _: Token, __: Token, *form: Any) -> _Built:
        return _like(operand, form, negated=True)

    def one_of(self, operand: _Built, _: Token, *texts: Token) -> _Built:
        return _one_of(operand, texts, negated=False)

    def not_one_of(self, operand: _Built, _: Token, __: Token, *texts: Token) -> _Built:
        return _one_of(operand, texts, negated=True)

    def calculated(self, first: _Built, *rest: Any) -> _Built:
        signs, others = rest[::2], rest[1::2]
        parts = (first, *others)
        kind = (
            _ValueKind.NUMBER | _ValueKind.TEXT
            if all(s == "+" for s in signs)
            else _ValueKind.NUMBER
        )
        for part in parts:
            part.needs(kind, "calculation takes numbers, and + joins texts")
            kind &= part.kind
        steps = tuple((Operator(s), part.node) for s, part in zip(signs, others, strict=True))
        return _node_above(Calculation(first.node, steps), kind, *parts)

    def positive(self, sign: Token, part: _Built) -> _Built:
        part.needs(_ValueKind.NUMBER, "a sign takes a number")
        if part.kind is _ValueKind.NUMBER:
            return part
        return _node_above(Positive(part.node), _ValueKind.NUMBER, part)._replace(at=_start(sign))

    def negative(self, sign: Token, part: _Built) -> _Built:
        part.needs(_ValueKind.NUMBER, "a sign takes a number")
        return _node_above(Negative(part.node), _ValueKind.NUMBER, part)._replace(at=_start(sign))

    def identifier(self, token: Token) -> _Built:
        return _Built(Identifier(str(token)), _ValueKind.ANYTHING, _start(token))

    def text(self, token: Token) -> _Built:
        return _literal(token, _unquote(token), _ValueKind.TEXT)

    def true(self, token: Token) -> _Built:
        return _literal(token, True, _ValueKind.BOOLEAN)

    def false(self, token: Token) -> _Built:
        return _literal(token, False, _ValueKind.BOOLEAN)

    def exact(self, *signed: Token) -> _Built:
        return _literal(signed[0], _exact(signed[0], "".join(signed)), _ValueKind.NUMBER)

    def approximate(self, *signed: Token) -> _Built:
        return _literal(signed[0], _approximate(signed[0], "".join(signed)), _ValueKind.NUMBER)


def _junction(kind: type[And | Or], parts: tuple[_Built, ...]) -> _Built:
    for part in parts:
        part.needs(_ValueKind.BOOLEAN, "AND and OR take conditions")
    return _node_above(kind(tuple(part.node for part in parts)), _ValueKind.BOOLEAN, *parts)


def _nullness(operand: _Built, negated: bool) -> _Built:
    _refuse_literal(operand, "IS NULL")
    return _node_above(IsNull(operand.node, negated), _ValueKind.BOOLEAN, operand)


def _between(operand: _Built, low: _Built, high: _Built, negated: bool) -> _Built:
    for part in (operand, low, high):
        part.needs(_ValueKind.NUMBER, "BETWEEN compares numbers")
    node = Between(operand.node, low.node, high.node, negated)
    return _node_above(node, _ValueKind.BOOLEAN, operand, low, high)


def _like(operand: _Built, form: tuple[Token | None, ...], negated: bool) -> _Built:
    pattern, _, escape = form
    _refuse_literal(operand, "LIKE")
    operand.needs(_ValueKind.TEXT, "LIKE takes a text")
    character = None if escape is None else _unquote(escape)
    if escape is not None and len(character or "") != 1:
        raise SelectorRefusal(_start(escape), "ESCAPE takes one character")
    node = Like(operand.node, _unquote(pattern or ""), character, negated)
    return _node_above(node, _ValueKind.BOOLEAN, operand)


def _one_of(operand: _Built, texts: tuple[Token, ...], negated: bool) -> _Built:
    if not isinstance(operand.node, Identifier):
        raise SelectorRefusal(operand.at, "an identifier must stand before IN")
    node = In(operand.node, tuple(map(_unquote, texts)), negated)
    return _node_above(node, _ValueKind.BOOLEAN, operand)


def _refuse_literal(operand: _Built, where: str) -> None:
    if isinstance(operand.node, Literal):
        raise SelectorRefusal(operand.at, f"an identifier must stand before {where}")


def _literal(token: Token, value: LiteralValue, kind: _ValueKind) -> _Built:
    return _Built(Literal(value), kind, _start(token))


def _start(token: Token) -> int:
    return token.start_pos or 0


@implements("JMS-SEL-004")
def _unquote(text: str) -> str:
    """The text in a literal: two quotes in it are one."""
    return text[1:-1].replace("''", "'")


@implements("JMS-SEL-005")
def _exact(token: Token, text: str) -> Int | Long:
    """Java's integer literals; an int where it fits, unless it ends in L, else a long."""
    digits = text.rstrip("lL")
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    base = 16 if digits[:2] in ("0x", "0X") else 8 if digits.startswith("0") else 10
    significant = digits[2 if base == 16 else 0 :].lstrip("0") or "0"
    if base == 8 and not set(significant) <= set("01234567"):
        raise SelectorRefusal(
            _start(token), "a number that begins with 0 is octal: 0 to 7 are its digits"
        )
    # The longest are octal; int() refuses thousands of digits in its own way.
    value = int(sign + significant, base) if len(significant) <= 22 else Long.BOUND + 1
    if not -Long.BOUND <= value < Long.BOUND:
        raise SelectorRefusal(_start(token), "the number does not fit a long")
    is_long = text[-1] in "lL" or not -Int.BOUND <= value < Int.BOUND
    return Long(value) if is_long else Int(value)


@implements("JMS-SEL-006")
def _approximate(token: Token, text: str) -> Float | Double:
    """Java's floating-point literals, which neither overflow nor vanish."""
    is_float = text[-1] in "fF"
    value = parse_java_float(text) if is_float else parse_java_double(text)
    if math.isinf(value) or (not value and _significant(text.lower())):
        kind = "float" if is_float else "double"
        raise SelectorRefusal(_start(token), f"the number is beyond the range of a {kind}")
    return value


def _significant(text: str) -> bool:
    """Whether the digits of an approximate literal say more than zero."""
    _, mark, hexadecimal = text.partition("0x")
    digits = hexadecimal.partition("p")[0] if mark else text.partition("e")[0].rstrip("fd")
    return digits.strip("-.0") != ""


@implements("JMS-SEL-008..010", "JMS-SEL-014", "JMS-SEL-015", "JMS-SEL-040")
def _word(token: Token) -> Token:
    """A reserved word as a terminal of its own; an identifier if Java and JMS allow it."""
    start = _start(token)
    if token.isascii():
        name = token.upper()
        if name in RESERVED:
            return Token.new_borrow_pos(name, str(token), token)
    else:
        for offset, character in enumerate(token):
            if ord(character) > 0x7F and unicodedata.category(character) not in (
                _PART_CATEGORIES if offset else _START_CATEGORIES
            ):
                raise SelectorRefusal(start + offset, "this character is no part of an identifier")
    if token in REFUSED_HEADERS:
        raise SelectorRefusal(
            start,
            f"selectors do not see {token}; of the header fields they see JMSDeliveryMode, "
            "JMSPriority, JMSMessageID, JMSTimestamp, JMSCorrelationID and JMSType",
        )
    return token


@cache
@implements(
    "JMS-SEL-001", "JMS-SEL-007", "JMS-SEL-017", "JMS-SEL-019..024", "JMS-SEL-030", "JMS-SEL-066"
)
def _parser() -> Lark:
    """The parser of the grammar: literals, precedence, and operators from left to right."""
    return Lark.open_from_package(
        __package__,
        "grammar.lark",
        parser="lalr",
        lexer="basic",
        transformer=_Builder(),
        lexer_callbacks={"IDENTIFIER": _word},
    )
