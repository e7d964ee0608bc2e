"""What a selector compares: literals, properties, header fields and sums (JMS 2.0, 3.8.1.1)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from jms_model.properties import HEADER_FIELDS

Message = Mapping[str, object]
"""The properties of a message, and its header fields by their names."""
_JMSX: Final = "JMSX"
OF_JMSX: Final = ("JMS-PROP-042", "JMS-PROP-041")
"""That a selector may name such properties, and that it does by their exact spelling."""
_BINDS: Final = {"+": 1, "-": 1, "*": 2}
_SIGN: Final = 3
_ALONE: Final = 4
"""How tight an expression holds together: JMS-SEL-030."""
_CALCULATED: Final[Mapping[str, Callable[[float, float], float]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}


class Open:
    """What comes of calculating with what is no number, or too big a one: JMS does not say."""


OPEN: Final = Open()
_SMALL: Final = 1000
"""What is calculated with has no bigger numbers, so that no type's range is left."""


class Keyword(str):
    """A word of the language, in whatever case."""

    __slots__ = ()


Tokens = Sequence[str]


class Value(Protocol):
    """An expression that has a value, or is NULL."""

    @property
    def binds(self) -> int: ...

    @property
    def tokens(self) -> Tokens:
        """Its text, in pieces between which there may be white space."""
        ...

    def of(self, message: Message) -> object:
        """Its value; None for NULL."""
        ...

    def ids(self, message: Message) -> Sequence[str]:
        """The statements by which it has this value."""
        ...

    def shape(self, message: Message) -> str:
        """What it is made of, without its values."""
        ...


def in_brackets(tokens: Tokens) -> Tokens:
    """With brackets around."""
    return ["(", *tokens, ")"]


def is_number(value: object) -> bool:
    """Whether a value is a number: TRUE and FALSE are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_small(value: object) -> bool:
    return is_number(value) and abs(value) <= _SMALL  # type: ignore[arg-type]


def of_null(message: Message, *values: Value) -> Sequence[str]:
    """The statements by which some of these are NULL."""
    return [id_ for each in values if each.of(message) is None for id_ in each.ids(message)]


@dataclass(frozen=True, slots=True)
class Literal:
    """A text, a number, TRUE or FALSE."""

    value: object
    written: str = ""
    """How a number is written, if not as usual."""
    binds: int = _ALONE

    @property
    def tokens(self) -> Tokens:
        """Its text."""
        if isinstance(self.value, str):
            quoted = self.value.replace("'", "''")
            return [f"'{quoted}'"]
        if isinstance(self.value, bool):
            return [Keyword(str(self.value).upper())]
        return [self.written or str(self.value)]

    def of(self, message: Message) -> object:
        """What it says."""
        return self.value

    def ids(self, message: Message) -> Sequence[str]:
        """By its type."""
        match self.value:
            case str():
                return ["JMS-SEL-004"]
            case bool():
                return ["JMS-SEL-007"]
            case int():
                return ["JMS-SEL-005"]
        return ["JMS-SEL-006"]

    def shape(self, message: Message) -> str:
        """Its type."""
        match self.value:
            case str():
                return "'text'"
            case bool():
                return str(self.value).upper()
            case int():
                return "exact"
        return "approximate"


@dataclass(frozen=True, slots=True)
class Identifier:
    """A property, or a header field."""

    name: str
    binds: int = _ALONE

    @property
    def tokens(self) -> Tokens:
        """Its name."""
        return [self.name]

    def of(self, message: Message) -> object:
        """What the message has of this name."""
        return message.get(self.name)

    def ids(self, message: Message) -> Sequence[str]:
        """Whether the message has it, and under which name."""
        is_there = message.get(self.name) is not None
        if self.name.startswith(_JMSX):
            return OF_JMSX if self._is_spelt_otherwise(message) else OF_JMSX[:1]
        if self.name in HEADER_FIELDS:
            ids = ["JMS-SEL-015"] if is_there else ["JMS-SEL-016"]
            return [*ids, "JMS-SEL-065"] if self.name == "JMSDeliveryMode" else ids
        if is_there:
            return ["JMS-SEL-012"] if self.name.isascii() else ["JMS-SEL-008", "JMS-SEL-012"]
        return ["JMS-SEL-014"] if self._is_spelt_otherwise(message) else ["JMS-SEL-011"]

    def _is_spelt_otherwise(self, message: Message) -> bool:
        """Whether the message has one that differs by its case alone."""
        return self.name.lower() in {name.lower() for name in message if name != self.name}

    def shape(self, message: Message) -> str:
        """What it is in the message."""
        if self.name in HEADER_FIELDS:
            return self.name
        value = message.get(self.name)
        if value is not None and self.name.startswith(_JMSX):
            return self.name
        match value:
            case None:
                return "missing"
            case str():
                return "text"
            case bool():
                return "boolean"
            case value:
                return type(value).__name__.lower()


@dataclass(frozen=True, slots=True)
class Signed:
    """A number with its sign changed, or not."""

    sign: str
    operand: Value
    binds: int = _SIGN

    @property
    def tokens(self) -> Tokens:
        """A sign before what binds tighter."""
        inner = self.operand.tokens
        return [self.sign, *(inner if self.operand.binds > self.binds else in_brackets(inner))]

    def of(self, message: Message) -> object:
        """NULL stays NULL."""
        value = self.operand.of(message)
        if value is None or not _is_small(value):
            return None if value is None else OPEN
        return -value if self.sign == "-" else value  # type: ignore[operator]

    def ids(self, message: Message) -> Sequence[str]:
        """That of signs, besides."""
        if self.operand.of(message) is None:
            return self.operand.ids(message)
        return ["JMS-SEL-019", "JMS-SEL-030", *self.operand.ids(message)]

    def shape(self, message: Message) -> str:
        """With its sign."""
        return f"{self.sign}{self.operand.shape(message)}"


@dataclass(frozen=True, slots=True)
class Sum:
    """Two numbers, combined: none is divided, which has two readings of whole numbers."""

    left: Value
    sign: str
    right: Value

    @property
    def binds(self) -> int:
        """* binds tighter than + and -."""
        return _BINDS[self.sign]

    @property
    def tokens(self) -> Tokens:
        """From left to right, with brackets where these are needed."""
        left, right = self.left.tokens, self.right.tokens
        return [
            *(left if self.left.binds >= self.binds else in_brackets(left)),
            self.sign,
            *(right if self.right.binds > self.binds else in_brackets(right)),
        ]

    def of(self, message: Message) -> object:
        """NULL if either is."""
        left, right = self.left.of(message), self.right.of(message)
        if not all(each is None or _is_small(each) for each in (left, right)):
            return OPEN
        if left is None or right is None:
            return None
        return _CALCULATED[self.sign](left, right)  # type: ignore[arg-type]

    def ids(self, message: Message) -> Sequence[str]:
        """By how they nest, besides."""
        if self.of(message) is None:
            return of_null(message, self.left, self.right)
        ids = ["JMS-SEL-019", "JMS-SEL-031"]
        inner = [each.binds for each in (self.left, self.right)]
        if any(binds < self.binds for binds in inner) or self.right.binds == self.binds:
            ids.append("JMS-SEL-021")
        if self.left.binds == self.binds:
            ids.append("JMS-SEL-022")
        if any(self.binds < binds < _ALONE for binds in inner):
            ids.append("JMS-SEL-030")
        return [*ids, *self.left.ids(message), *self.right.ids(message)]

    def shape(self, message: Message) -> str:
        """Both, and what combines them."""
        return f"{self.left.shape(message)} {self.sign} {self.right.shape(message)}"
