"""One thing that is looked at, on the wire or at the receiver, and what it has to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from jms_model.answers import Answer, Expectation, Gave, Permitted, kind_of_answer

BODIES: Final[Mapping[str, str]] = {
    "text": "SLJ-BODY-001",
    "bytes": "SLJ-BODY-002",
    "stream": "SLJ-BODY-003",
    "map": "SLJ-BODY-004",
    "object": "SLJ-BODY-005",
}
"""For each kind of message, the statement that it arrives as it was sent."""
SUFFIXES: Final = ("_jsmtype", "_jmstype")
"""By which companions end: one section of the documents has the one, one the other."""
NUMBER: Final = "touchstone"
"""The property by which a message is known; a text, which has no companion."""
IGNORED: Final[Mapping[str, str]] = {
    "JMSXUserID": "SLJ-PROP-026",
    "JMSXAppID": "SLJ-PROP-027",
    "JMSXProducerTXID": "SLJ-PROP-028",
    "JMSXConsumerTXID": "SLJ-PROP-029",
    "JMSXRcvTimestamp": "SLJ-PROP-030",
    "JMSXState": "SLJ-PROP-031",
}
"""The properties that a client never supplies."""


class Raw(Protocol):
    """A message as the broker keeps it."""

    @property
    def properties(self) -> Mapping[str, str]: ...
    @property
    def payload(self) -> bytes: ...
    @property
    def null_value(self) -> bool: ...
    @property
    def key(self) -> str | None: ...
    @property
    def sequence_id(self) -> int: ...
    @property
    def partition(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Look:
    """What is looked at, and what is permitted of it."""

    method: str
    """Where: `raw_property`, or what is asked of the message that was received."""
    args: tuple[object, ...]
    expectation: Expectation
    answer: Answer | None = None
    """What there is; None: the message that was received has to be asked."""

    def __str__(self) -> str:
        return f"{self.method}({', '.join(map(repr, self.args))})"


def _describe(answer: object) -> str:
    """What was seen, in words without its value."""
    return "gave another text" if isinstance(answer, str) else kind_of_answer(Gave(answer))


def look_at_wire(
    method: str,
    args: Sequence[object],
    value: object,
    permitted: Permitted,
    ids: Sequence[str],
    situation: str = "",
) -> Look:
    """A look at the raw message, which shows this value."""
    expectation = Expectation([permitted], ids, situation, name=_describe)
    return Look(method, tuple(args), expectation, Gave(value))


def ask_message(
    method: str,
    args: Sequence[object],
    permitted: Permitted | Sequence[Permitted],
    ids: Sequence[str],
    situation: str = "",
    name: Callable[[object], str] = _describe,
) -> Look:
    """A question to the message that was received."""
    ends = [permitted] if isinstance(permitted, Permitted) else permitted
    return Look(method, tuple(args), Expectation(ends, ids, situation, name=name))
