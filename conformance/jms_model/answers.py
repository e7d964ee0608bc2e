"""How a call ends, and what is permitted of it."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from jmsapi.values import Byte, Char, Double, Float, Int, Long, Short


@dataclass(frozen=True, slots=True)
class Gave:
    """The call returned this; None is null, or nothing."""

    value: object = None


@dataclass(frozen=True, slots=True)
class Raised:
    """The call raised this."""

    error: Exception


Answer = Gave | Raised
Effect = Callable[[], None]
Field = tuple[object, ...]
"""What of a message can be read: its scope (`property`, `header` or `body`), then which."""
MODE: Final[Field] = ("body", "mode")
"""Whether the body can be read or written, which is always known to be as it has to be."""


def _do_nothing() -> None:
    """No effect."""


@dataclass(frozen=True, slots=True)
class Permitted:
    """One way in which a call may end, and what is so afterwards."""

    words: str
    """In a message to people: `null`, `MessageFormatException`."""
    holds: Callable[[Answer], bool]
    effect: Effect = _do_nothing
    learn: Callable[[object], None] | None = None
    """Takes what the call gave, where only that says it."""
    errors: tuple[type[Exception], ...] = ()
    """What the call raises, if it ends so by raising one of these."""


@dataclass(frozen=True, slots=True)
class Keeps:
    """Fields of a scope stay as they are."""

    scope: str
    ids: Sequence[str] = ()
    """The statements that say so."""
    leaves_doubt: bool = True
    """Whether nobody can know what was wrong with fields that were not read before."""


@dataclass(slots=True)
class Expectation:
    """What is permitted of one call, and which statements say so."""

    permitted: Sequence[Permitted]
    ids: Sequence[str]
    """Each of them is broken by any other end of the call."""
    situation: str = ""
    """What of the message's state decides: `of a null entry`."""
    reads: Sequence[Field] = ()
    """The fields that the call shows; where there are any, it changes nothing else."""
    relies: Sequence[Field] = ()
    """The fields that decide how it ends, though it does not show them."""
    changes: Sequence[Field | str] = ()
    """The fields that it changes, all that begin so, or whole scopes, if it ends as permitted."""
    keeps: Sequence[Keeps] = ()
    """What stays as it is, though the call might have touched it."""
    accuse: Callable[[object], Sequence[str]] | None = None
    """What of `ids` is broken where the call gave this; None: all of them."""
    besides: Sequence[str] = ()
    """Statements that some other ends break, and this does not."""
    betrays: Sequence[type[Exception]] | None = None
    """What it raises where a field that it relies on is another; None: any exception may be so."""
    instead: Sequence[str] | None = None
    """The statements that other exceptions break, if these are not `ids`."""
    of: str = ""
    """The kind of message, where the call is about its body."""
    name: Callable[[object], str] | None = None
    """What else the call gave, in words without its value; None: its type."""

    def ending(self, answer: Answer) -> Permitted | None:
        """The first of the permitted ends that this is; None: it is none."""
        return next((permitted for permitted in self.permitted if permitted.holds(answer)), None)

    def broken_by(self, answer: Answer) -> Sequence[str]:
        """The statements that an end which is not permitted breaks."""
        if self.instead is not None and isinstance(answer, Raised):
            return self.ids if isinstance(answer.error, tuple(self.betrays or ())) else self.instead
        if self.accuse is None or isinstance(answer, Raised):
            return self.ids
        return self.accuse(answer.value)

    def words_of(self, answer: Answer) -> str:
        """An answer without its value: the same for every run that meets the same fault."""
        if self.name is not None and isinstance(answer, Gave):
            return self.name(answer.value)
        return kind_of_answer(answer)

    @property
    def words(self) -> str:
        """What is permitted, for people."""
        return (
            " or ".join(dict.fromkeys(permitted.words for permitted in self.permitted))
            or "anything"
        )


def gives(value: object, effect: Effect = _do_nothing) -> Permitted:
    """The call gives just this value, in its type and every bit."""
    return gives_what(text_of(value), lambda given: are_same(given, value), effect)


def gives_what(
    words: str, holds: Callable[[object], bool], effect: Effect = _do_nothing
) -> Permitted:
    """The call gives a value for which this holds."""
    return Permitted(words, lambda answer: isinstance(answer, Gave) and holds(answer.value), effect)


def succeeds(effect: Effect = _do_nothing) -> Permitted:
    """The call comes back."""
    return Permitted("success", lambda answer: isinstance(answer, Gave), effect)


def raises(*kinds: type[Exception], effect: Effect = _do_nothing) -> Permitted:
    """The call raises one of these, or a class below it; of none: any exception."""
    words = " or ".join(kind.__name__ for kind in kinds) or "a refusal"
    wanted = kinds or (Exception,)
    return Permitted(
        words,
        lambda answer: isinstance(answer, Raised) and isinstance(answer.error, wanted),
        effect,
        errors=kinds,
    )


def anything(
    effect: Effect = _do_nothing, learn: Callable[[object], None] | None = None
) -> Permitted:
    """JMS does not say."""
    return Permitted("anything", lambda _: True, effect, learn)


JAVA_TYPES = {
    bool: "boolean",
    Byte: "byte",
    Short: "short",
    Int: "int",
    Long: "long",
    Float: "float",
    Double: "double",
    Char: "char",
    str: "String",
    bytes: "byte[]",
}
"""Java's names of the types of values."""


def are_same(left: object, right: object) -> bool:
    """Whether both are the same value of the same type, to any depth.

    Numbers agree in every bit, and a NaN is every NaN of its type. A plain int or float, such as
    the length of a body, is the same as a number of any type.
    """
    match left, right:
        case bool(), bool():
            return left is right
        case (bool(), _) | (_, bool()):
            return False
        case int(), int():
            return left == right and (type(left) is type(right) or int in (type(left), type(right)))
        case float(), float():
            alike = type(left) is type(right) or float in (type(left), type(right))
            if math.isnan(left) or math.isnan(right):
                return alike and math.isnan(left) and math.isnan(right)
            return alike and struct.pack(">d", left) == struct.pack(">d", right)
        case list(), list():
            return len(left) == len(right) and all(map(are_same, left, right))
        case dict(), dict():
            return left.keys() == right.keys() and all(
                are_same(left[key], right[key]) for key in left
            )
        case str(), str():
            return (type(left) is Char) is (type(right) is Char) and left == right
    return type(left) is type(right) and left == right


def text_of(value: object) -> str:
    """A value in a few characters."""
    if value is None:
        return "null"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def kind_of_answer(answer: Answer) -> str:
    """An answer without its value: the same for every run that meets the same fault."""
    match answer:
        case Raised(error):
            return f"raised {type(error).__name__}"
        case Gave(None):
            return "gave null"
        case Gave(bool() as value):
            return f"gave {str(value).lower()}"
        case Gave(value):
            return f"gave a {JAVA_TYPES.get(type(value), type(value).__name__)}"
