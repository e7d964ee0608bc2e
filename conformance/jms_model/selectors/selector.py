"""A selector: a condition, and how it is written (JMS 2.0, section 3.8.1.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from jms_model.answers import Answer, Expectation, Gave, Permitted
from jms_model.selectors.conditions import TRUE, Condition, Truth
from jms_model.selectors.values import OF_JMSX, Keyword, Message, Tokens

SPACE: Final = " "
TIGHT: Final = ""
"""No white space where none is needed."""
CASES: Final[Mapping[str, Callable[[str], str]]] = {
    "upper": str.upper,
    "lower": str.lower,
    "mixed": lambda word: word[:1].lower() + word[1:].upper(),
}
"""How keywords may be written."""
_SYMBOLS: Final = frozenset(["=", "<>", "<", "<=", ">", ">=", "(", ")", ",", "+", "-", "*"])


@dataclass(frozen=True, slots=True)
class Selector:
    """A condition, its white space, and the case of its keywords."""

    condition: Condition
    space: str = SPACE
    case: str = "upper"

    @property
    def text(self) -> str:
        """What an application hands over."""
        return _join(self.condition.tokens, self.space, CASES[self.case])

    @property
    def ids(self) -> Sequence[str]:
        """The statements that it may be written so; none where it is written as usual."""
        space = ["JMS-SEL-017"] if self.space != SPACE else []
        return [*space, "JMS-SEL-040"] if self.case != "upper" else space

    @property
    def manner(self) -> str:
        """How it is written, where that is not as usual."""
        space = " with other white space" if self.space != SPACE else ""
        return f"{space} with keywords in {self.case} case" if self.case != "upper" else space


def _join(tokens: Tokens, space: str, written: Callable[[str], str]) -> str:
    text = before = ""
    for token in tokens:
        is_apart = not {before, token} & _SYMBOLS or (before, token[:1]) == ("-", "-")
        if before and (is_apart or space):
            text += space or SPACE
        text += written(token) if isinstance(token, Keyword) else token
        before = token
    return text


def everything(messages: Sequence[Message], id_: str, situation: str) -> Expectation:
    """What a browser shows that has no selector."""
    return Expectation([_shows([TRUE] * len(messages))], [id_], situation)


def expect_choice(selector: Selector, messages: Sequence[Message]) -> Expectation:
    """The numbers of the messages that a browser shows: those for which the condition is true.

    What is written in an unusual way is held against the way alone: the usual one is asked first.
    """
    condition = selector.condition
    truths = [condition.truth(message) for message in messages]
    ids = [selector.ids or _accused(condition, message) for message in messages]

    def accused(value: object) -> Sequence[str]:
        wrong = _first_wrong(value, truths)
        return [] if wrong is None else ids[wrong]

    def named(value: object) -> str:
        wrong = _first_wrong(value, truths)
        if wrong is None:
            return "gave no list of messages"
        done = "chose" if wrong in _numbers(value) else "left out"
        return f"{done} a message with {condition.shape(messages[wrong])}"

    return Expectation(
        [_shows(truths)],
        selector.ids or ["JMS-SEL-001"],
        f"by {condition.kind}{selector.manner}",
        besides=[*dict.fromkeys(id_ for each in ids for id_ in each)],
        accuse=accused,
        name=named,
    )


def _accused(condition: Condition, message: Message) -> Sequence[str]:
    """The statements of a condition; where it asks for a JMSX property, that on these alone."""
    ids = condition.ids(message)
    return [id_ for id_ in ids if id_ in OF_JMSX] or ids


def _shows(truths: Sequence[Truth]) -> Permitted:
    def holds(answer: Answer) -> bool:
        given = answer.value if isinstance(answer, Gave) else None
        return isinstance(given, list) and _first_wrong(given, truths) is None

    certain = [number for number, truth in enumerate(truths) if truth == TRUE]
    open_ = [number for number, truth in enumerate(truths) if truth > TRUE]
    return Permitted(f"{certain} and perhaps {open_}" if open_ else str(certain), holds)


def _numbers(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else []


def _first_wrong(value: object, truths: Sequence[Truth]) -> int | None:
    """The first message that is shown though it must not be, or is not though it must be."""
    shown = _numbers(value)
    for number, truth in enumerate(truths):
        if (number in shown and True not in truth) or (number not in shown and truth == TRUE):
            return number
    return None
