"""Conditions: true, false or unknown for a message (JMS 2.0, sections 3.8.1.1 and 3.8.1.2)."""

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
    Message,
    Tokens,
    Value,
    bracketed,
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
_OR, _AND, _NOT, _ALONE = 1, 2, 3, 4
"""How tight a condition holds together: JMS-SEL-023."""
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


def _known(holds: bool) -> Truth:
    return TRUE if holds else FALSE


def _of_another_type(*, inverse: bool) -> Truth:
    """What a text is asked that is none, or a number: JMS does not say what the complement is."""
    return ANY if inverse else NOT_TRUE


def _negated(tokens: Tokens, *, inverse: bool) -> Tokens:
    return [Keyword("NOT"), *tokens] if inverse else tokens


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two values, compared."""

    left: Value
    relation: str
    right: Value
    parts: Sequence[Condition] = ()
    binds: int = _ALONE
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
        return _known(RELATIONS[self.relation](left, right))

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


def _are_alike(one: object, other: object) -> bool:
    return (is_number(one) and is_number(other)) or type(one) is type(other)


@dataclass(frozen=True, slots=True)
class Flag:
    """A boolean property that is a condition by itself."""

    of: Value
    parts: Sequence[Condition] = ()
    binds: int = _ALONE
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
        return _known(value) if isinstance(value, bool) else NOT_TRUE

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
    binds: int = _ALONE
    kind: str = "BETWEEN"

    @property
    def tokens(self) -> Tokens:
        """Its text."""
        ends = [*self.low.tokens, Keyword("AND"), *self.high.tokens]
        tested = [Keyword("BETWEEN"), *ends]
        return [*self.tested.tokens, *_negated(tested, inverse=self.inverse)]

    def truth(self, message: Message) -> Truth:
        """Both ends are between them."""
        value, low, high = (each.of(message) for each in (self.tested, self.low, self.high))
        if None in (value, low, high):
            return UNKNOWN
        if value is OPEN:
            return ANY
        if not (is_number(value) and is_number(low) and is_number(high)):
            return _of_another_type(inverse=self.inverse)
        return _known((low <= value <= high) != self.inverse)  # type: ignore[operator]

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
    binds: int = _ALONE
    kind: str = "IN"

    @property
    def tokens(self) -> Tokens:
        """Its text."""
        quoted = ["'" + text.replace("'", "''") + "'" for text in self.texts]
        listed = itertools.chain(*([",", text] for text in quoted))
        tested = [Keyword("IN"), "(", *[*listed][1:], ")"]
        return [*self.tested.tokens, *_negated(tested, inverse=self.inverse)]

    def truth(self, message: Message) -> Truth:
        """Unknown for NULL."""
        value = self.tested.of(message)
        if value is None:
            return UNKNOWN
        if not _is_text(value):
            return _of_another_type(inverse=self.inverse)
        return _known((value in self.texts) != self.inverse)

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
    binds: int = _ALONE
    kind: str = "LIKE"

    @property
    def tokens(self) -> Tokens:
        """Its text."""
        quoted = self.pattern.replace("'", "''")
        tested = [Keyword("LIKE"), f"'{quoted}'"]
        if self.escape:
            tested += [Keyword("ESCAPE"), f"'{self.escape}'"]
        return [*self.tested.tokens, *_negated(tested, inverse=self.inverse)]

    def truth(self, message: Message) -> Truth:
        """Unknown for NULL."""
        value = self.tested.of(message)
        if value is None:
            return UNKNOWN
        if not isinstance(value, str):
            return _of_another_type(inverse=self.inverse)
        found = re.fullmatch(_expression(self.pattern, self.escape), value, re.DOTALL)
        return _known((found is not None) != self.inverse)

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
    found, characters = [], iter(pattern)
    for character in characters:
        if character == escape:
            found.append(re.escape(next(characters)))
        else:
            found.append({"%": ".*", "_": "."}.get(character, re.escape(character)))
    return "".join(found)


@dataclass(frozen=True, slots=True)
class IsNull:
    """Whether there is a value."""

    tested: Value
    inverse: bool
    parts: Sequence[Condition] = ()
    binds: int = _ALONE
    kind: str = "IS NULL"

    @property
    def tokens(self) -> Tokens:
        """Its text."""
        null = _negated([Keyword("NULL")], inverse=self.inverse)
        return [*self.tested.tokens, Keyword("IS"), *null]

    def truth(self, message: Message) -> Truth:
        """Known of every message."""
        return _known((self.tested.of(message) is None) != self.inverse)

    def ids(self, message: Message) -> Sequence[str]:
        """By what is asked."""
        return ["JMS-SEL-038" if self.inverse else "JMS-SEL-037", *self.tested.ids(message)]

    def shape(self, message: Message) -> str:
        """What is tested."""
        return f"{self.tested.shape(message)} IS {'NOT ' if self.inverse else ''}NULL"


_TRUTHS: Final = (True, False, None)
_PAIRS: Final = [*itertools.product(_TRUTHS, _TRUTHS)]
_IDS_OF_PAIRS: Final = {
    "AND": {pair: f"JMS-SEL-{number:03}" for number, pair in enumerate(_PAIRS, start=42)},
    "OR": {pair: f"JMS-SEL-{number:03}" for number, pair in enumerate(_PAIRS, start=52)},
}
"""The statements of the tables, in the order of the specification: true, false, unknown."""
_IDS_OF_NOT: Final = {True: "JMS-SEL-062", False: "JMS-SEL-063", None: "JMS-SEL-064"}
_COMBINED: Final = {
    "AND": lambda pair: False if False in pair else None if None in pair else True,
    "OR": lambda pair: True if True in pair else None if None in pair else False,
}


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a condition."""

    of: Condition
    brackets: bool = True
    binds: int = _NOT
    kind: str = "NOT"

    @property
    def parts(self) -> Sequence[Condition]:
        """The one that it is the opposite of."""
        return [self.of]

    @property
    def tokens(self) -> Tokens:
        """With brackets, where it is asked for or needed."""
        return [Keyword("NOT"), *_within(self, self.of, brackets=self.brackets)]

    def truth(self, message: Message) -> Truth:
        """Unknown stays unknown."""
        return frozenset(None if each is None else not each for each in self.of.truth(message))

    def ids(self, message: Message) -> Sequence[str]:
        """By its place in the table."""
        table = [_IDS_OF_NOT[each] for each in self.of.truth(message)]
        return [*table, "JMS-SEL-061", *_nesting(self, message)]

    def shape(self, message: Message) -> str:
        """What it is the opposite of."""
        return f"NOT ({_shape(self.of, message)})"


@dataclass(frozen=True, slots=True)
class Junction:
    """Two conditions, combined by AND or by OR."""

    left: Condition
    word: str
    right: Condition
    brackets: bool = True

    @property
    def binds(self) -> int:
        """AND binds tighter."""
        return _AND if self.word == "AND" else _OR

    @property
    def kind(self) -> str:
        """AND or OR."""
        return self.word

    @property
    def parts(self) -> Sequence[Condition]:
        """Both."""
        return [self.left, self.right]

    @property
    def tokens(self) -> Tokens:
        """With brackets, where it is asked for or needed."""
        left = _within(self, self.left, brackets=self.brackets)
        right = _within(self, self.right, brackets=self.brackets)
        return [*left, Keyword(self.word), *right]

    def truth(self, message: Message) -> Truth:
        """By the table."""
        pairs = itertools.product(self.left.truth(message), self.right.truth(message))
        return frozenset(_COMBINED[self.word](pair) for pair in pairs)

    def ids(self, message: Message) -> Sequence[str]:
        """By its place in the table."""
        pairs = itertools.product(self.left.truth(message), self.right.truth(message))
        table = [_IDS_OF_PAIRS[self.word][pair] for pair in pairs]
        combines = "JMS-SEL-041" if self.word == "AND" else "JMS-SEL-051"
        return [*table, combines, *_nesting(self, message)]

    def shape(self, message: Message) -> str:
        """Both, as what they are."""
        return f"({_shape(self.left, message)}) {self.word} ({_shape(self.right, message)})"


def _within(outer: Condition, inner: Condition, *, brackets: bool) -> Tokens:
    """The text of a part; in what binds alike the order is no matter."""
    is_bare = not (brackets or _needs_brackets(outer, inner))
    return inner.tokens if is_bare else bracketed(inner.tokens)


def _needs_brackets(outer: Condition, inner: Condition) -> bool:
    """Whether it would mean something else without: NOT stands once before a condition."""
    return inner.binds < outer.binds or inner.binds == _NOT == outer.binds


def _nesting(outer: Not | Junction, message: Message) -> Sequence[str]:
    """By how the parts are written, and by what makes an unknown one unknown."""
    ids = ["JMS-SEL-020"]
    for inner in outer.parts:
        if inner.binds < _ALONE:
            written = outer.brackets or _needs_brackets(outer, inner)
            ids.append("JMS-SEL-021" if written else "JMS-SEL-023")
        elif None in inner.truth(message):
            ids += inner.ids(message)
    return ids


def _shape(part: Condition, message: Message) -> str:
    """A part that is no longer looked into is what it is for the message."""
    if part.parts:
        words = {True: "true", False: "false", None: "unknown"}
        return " or ".join(words[each] for each in _TRUTHS if each in part.truth(message))
    return part.shape(message)
