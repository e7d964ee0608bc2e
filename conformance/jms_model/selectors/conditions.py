"""Conditions on values: true, false or unknown for a message (JMS 2.0, section 3.8.1.1)."""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from jms_model.selectors.values import (
    OPEN,
    Keyword,
    Literal,
    Message,
    Tokens,
    Value,
    is_number,
    of_null,
)

Truth = frozenset[bool | None]
"""What a condition may be for a message: where there are several, JMS leaves it open."""
TRUE: Final[Truth] = frozenset({True})
FALSE: Final[Truth] = frozenset({False})
UNKNOWN: Final[Truth] = frozenset({None})
NOT_TRUE: Final[Truth] = FALSE | UNKNOWN
ANY: Final[Truth] = TRUE | NOT_TRUE
ALONE: Final = 4
"""How tight a condition holds together that is made of no others."""
RELATIONS: Final[Mapping[str, Callable[[object, object], bool]]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,  # type: ignore[dict-item]
    "<=": operator.le,  # type: ignore[dict-item]
    ">": operator.gt,  # type: ignore[dict-item]
    ">=": operator.ge,  # type: ignore[dict-item]
}
EQUALITY: Final = ("=", "<>")
"""What texts and booleans are compared by."""


class Condition(Protocol):
    """A condition, which may be made of others."""

    @property
    def binds(self) -> int: ...

    @property
    def kind(self) -> str:
        """What it is, for people."""
        ...

    @property
    def parts(self) -> Sequence[Condition]:
        """The conditions that it is made of."""
        ...

    @property
    def tokens(self) -> Tokens:
        """Its text, in pieces between which there may be white space."""
        ...

    def truth(self, message: Message) -> Truth:
        """What it is for a message."""
        ...

    def ids(self, message: Message) -> Sequence[str]:
        """The statements by which it is that, if its parts are what they have to be."""
        ...

    def shape(self, message: Message) -> str:
        """What it is made of, without its values."""
        ...


def _truth_of(holds: bool) -> Truth:
    return TRUE if holds else FALSE


def _of_another_type(*, inverse: bool) -> Truth:
    """What a text is asked that is none, or a number: JMS does not say what the complement is."""
    return ANY if inverse else NOT_TRUE


def _negate(tokens: Tokens, *, inverse: bool) -> Tokens:
    return [Keyword("NOT"), *tokens] if inverse else tokens


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two values, compared."""

    left: Value
    relation: str
    right: Value
    parts: Sequence[Condition] = ()
    binds: int = ALONE
    kind: str = "a comparison"

    @property
    def tokens(self) -> Tokens:
        """From left to right."""
        return [*self.left.tokens, self.relation, *self.right.tokens]

    def truth(self, message: Message) -> Truth:
        """Unknown with NULL; never true of unlike types, nor of an order of what has none."""
        left, right = self.left.of(message), self.right.of(message)
        if left is None or right is None:
            return UNKNOWN
        if OPEN in (left, right):
            return ANY
        has_order = is_number(left) or self.relation in EQUALITY
        if not (_are_alike(left, right) and has_order):
            return NOT_TRUE
        if is_number(left) and isinstance(left, float) != isinstance(right, float):
            left, right = float(left), float(right)  # type: ignore[arg-type]
        return _truth_of(RELATIONS[self.relation](left, right))

    def ids(self, message: Message) -> Sequence[str]:
        """By what is compared: a value that is there is no matter beside one that is not."""
        left, right = self.left.of(message), self.right.of(message)
        if left is None or right is None:
            return ["JMS-SEL-027", *of_null(message, self.left, self.right)]
        if not _are_alike(left, right):
            is_of_a_text = isinstance(left, str) != isinstance(right, str)
            return ["JMS-SEL-025", *(["JMS-SEL-013"] if is_of_a_text else [])]
        ids = ["JMS-SEL-024"]
        if isinstance(left, str):
            ids += ["JMS-SEL-028", "JMS-SEL-029"]
        elif isinstance(left, bool):
            ids += ["JMS-SEL-028"]
        elif isinstance(left, float) != isinstance(right, float):
            ids += ["JMS-SEL-026"]
        return [*ids, *self.left.ids(message), *self.right.ids(message)]

    def shape(self, message: Message) -> str:
        """Both, and how they are compared."""
        return f"{self.left.shape(message)} {self.relation} {self.right.shape(message)}"


def _are_alike(left: object, right: object) -> bool:
    return (is_number(left) and is_number(right)) or type(left) is type(right)


@dataclass(frozen=True, slots=True)
class Flag:
    """A boolean property that is a condition by itself."""

    of: Value
    parts: Sequence[Condition] = ()
    binds: int = ALONE
    kind: str = "a boolean property"

    @property
    def tokens(self) -> Tokens:
        """Its name."""
        return self.of.tokens

    def truth(self, message: Message) -> Truth:
        """Its value; never true if it has another type."""
        value = self.of.of(message)
        if value is None:
            return UNKNOWN
        return _truth_of(value) if isinstance(value, bool) else NOT_TRUE

    def ids(self, message: Message) -> Sequence[str]:
        """That boolean properties can be combined like comparisons."""
        return ["JMS-SEL-020", *self.of.ids(message)]

    def shape(self, message: Message) -> str:
        """What it is."""
        return self.of.shape(message)


@dataclass(frozen=True, slots=True)
class Between:
    """A number and the ends between which it lies."""

    tested: Value
    low: Value
    high: Value
    inverse: bool
    parts: Sequence[Condition] = ()
    binds: int = ALONE
    kind: str = "BETWEEN"

    @property
    def tokens(self) -> Tokens:
        """Its text."""
        ends = [*self.low.tokens, Keyword("AND"), *self.high.tokens]
        tested = [Keyword("BETWEEN"), *ends]
        return [*self.tested.tokens, *_negate(tested, inverse=self.inverse)]

    def truth(self, message: Message) -> Truth:
        """Both ends are between them."""
        value, low, high = (each.of(message) for each in (self.tested, self.low, self.high))
        if None in (value, low, high):
            return UNKNOWN
        if value is OPEN:
            return ANY
        if not (is_number(value) and is_number(low) and is_number(high)):
            return _of_another_type(inverse=self.inverse)
        return _truth_of((low <= value <= high) != self.inverse)  # type: ignore[operator]

    def ids(self, message: Message) -> Sequence[str]:
        """By what is tested."""
        parts = (self.tested, self.low, self.high)
        if null := of_null(message, *parts):
            return ["JMS-SEL-032", *null]
        unlike = ["JMS-SEL-025"] if self.truth(message) >= NOT_TRUE else []
        return ["JMS-SEL-032", *unlike, *(id_ for each in parts for id_ in each.ids(message))]

    def shape(self, message: Message) -> str:
        """What is tested."""
        return f"{self.tested.shape(message)} {'NOT ' if self.inverse else ''}BETWEEN"


@dataclass(frozen=True, slots=True)
class In:
    """A text and those that it may be."""

    tested: Value
    texts: Sequence[str]
    inverse: bool
    parts: Sequence[Condition] = ()
    binds: int = ALONE
    kind: str = "IN"

    @property
    def tokens(self) -> Tokens:
        """Its text."""
        listed = itertools.chain(*([",", *Literal(text).tokens] for text in self.texts))
        tested = [Keyword("IN"), "(", *[*listed][1:], ")"]
        return [*self.tested.tokens, *_negate(tested, inverse=self.inverse)]

    def truth(self, message: Message) -> Truth:
        """Unknown for NULL."""
        value = self.tested.of(message)
        if value is None:
            return UNKNOWN
        if not _is_text(value):
            return _of_another_type(inverse=self.inverse)
        return _truth_of((value in self.texts) != self.inverse)

    def ids(self, message: Message) -> Sequence[str]:
        """By what is tested."""
        return ["JMS-SEL-033", *_of_a_text(self.tested, message)]

    def shape(self, message: Message) -> str:
        """What is tested."""
        return f"{self.tested.shape(message)} {'NOT ' if self.inverse else ''}IN"


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _of_a_text(tested: Value, message: Message) -> Sequence[str]:
    value = tested.of(message)
    unlike = ["JMS-SEL-025"] if value is not None and not _is_text(value) else []
    return [*unlike, *tested.ids(message)]


@dataclass(frozen=True, slots=True)
class Like:
    """A text and a pattern."""

    tested: Value
    pattern: str
    escape: str
    """The character that takes the special meaning from the next one; empty: there is none."""
    inverse: bool
    parts: Sequence[Condition] = ()
    binds: int = ALONE
    kind: str = "LIKE"

    @property
    def tokens(self) -> Tokens:
        """Its text."""
        tested = [Keyword("LIKE"), *Literal(self.pattern).tokens]
        if self.escape:
            tested += [Keyword("ESCAPE"), *Literal(self.escape).tokens]
        return [*self.tested.tokens, *_negate(tested, inverse=self.inverse)]

    def truth(self, message: Message) -> Truth:
        """Unknown for NULL."""
        value = self.tested.of(message)
        if value is None:
            return UNKNOWN
        if not isinstance(value, str):
            return _of_another_type(inverse=self.inverse)
        match = re.fullmatch(_expression(self.pattern, self.escape), value, re.DOTALL)
        return _truth_of((match is not None) != self.inverse)

    def ids(self, message: Message) -> Sequence[str]:
        """By what is tested."""
        ids = ["JMS-SEL-036"] if self.tested.of(message) is None else ["JMS-SEL-034"]
        if self.escape:
            ids.append("JMS-SEL-035")
        return [*ids, *_of_a_text(self.tested, message)]

    def shape(self, message: Message) -> str:
        """What is tested."""
        words = f"{self.tested.shape(message)} {'NOT ' if self.inverse else ''}LIKE"
        return f"{words} ESCAPE" if self.escape else words


def _expression(pattern: str, escape: str) -> str:
    """The regular expression that means the same."""
    parts, characters = [], iter(pattern)
    for character in characters:
        if character == escape:
            parts.append(re.escape(next(characters)))
        else:
            parts.append({"%": ".*", "_": "."}.get(character, re.escape(character)))
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class IsNull:
    """Whether there is a value."""

    tested: Value
    inverse: bool
    parts: Sequence[Condition] = ()
    binds: int = ALONE
    kind: str = "IS NULL"

    @property
    def tokens(self) -> Tokens:
        """Its text."""
        null = _negate([Keyword("NULL")], inverse=self.inverse)
        return [*self.tested.tokens, Keyword("IS"), *null]

    def truth(self, message: Message) -> Truth:
        """Known of every message."""
        return _truth_of((self.tested.of(message) is None) != self.inverse)

    def ids(self, message: Message) -> Sequence[str]:
        """By what is asked."""
        return ["JMS-SEL-038" if self.inverse else "JMS-SEL-037", *self.tested.ids(message)]

    def shape(self, message: Message) -> str:
        """What is tested."""
        return f"{self.tested.shape(message)} IS {'NOT ' if self.inverse else ''}NULL"
