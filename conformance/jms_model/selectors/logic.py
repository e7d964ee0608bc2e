"""Conditions that are made of others, by NOT, AND and OR (JMS 2.0, section 3.8.1.2)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from jms_model.selectors.conditions import ALONE, Condition, Truth
from jms_model.selectors.values import Keyword, Message, Tokens, in_brackets

_OR, _AND, _NOT = 1, 2, 3
"""How tight each holds together: JMS-SEL-023."""
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
        return [Keyword("NOT"), *_tokens_within(self, self.of, brackets=self.brackets)]

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
        left = _tokens_within(self, self.left, brackets=self.brackets)
        right = _tokens_within(self, self.right, brackets=self.brackets)
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


def _tokens_within(outer: Condition, inner: Condition, *, brackets: bool) -> Tokens:
    """The text of a part; in what binds alike the order is no matter."""
    is_bare = not (brackets or _needs_brackets(outer, inner))
    return inner.tokens if is_bare else in_brackets(inner.tokens)


def _needs_brackets(outer: Condition, inner: Condition) -> bool:
    """Whether it would mean something else without: NOT stands once before a condition."""
    return inner.binds < outer.binds or inner.binds == _NOT == outer.binds


def _nesting(outer: Not | Junction, message: Message) -> Sequence[str]:
    """By how the parts are written, and by what makes an unknown one unknown."""
    ids = ["JMS-SEL-020"]
    for inner in outer.parts:
        if inner.binds < ALONE:
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
