"""A program on messages as data: what is called, on which of them, with which values."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from jms_clients.calls import unit_of

SEND: Final = "send"
"""The step by which a message is sent and received: what arrives is one message more."""
AGAIN: Final = "delivered_again"
"""The step by which a message that was received is given back and received again: another one."""
ARRIVE: Final = (SEND, AGAIN)
"""The steps of which one message more comes."""
PRODUCER: Final = -1
"""What the steps are on that call the program's producer."""
NO_PRODUCER: Final = ""
"""Messages are sent by a plain producer."""
FOR_A_QUEUE: Final = "a producer for a queue"
FOR_NONE: Final = "a producer without a destination"
OF_A_CONTEXT: Final = "a JMSProducer"
_LONGEST_SHOWN: Final = 1000
_BEGINNING: Final = 20
"""Characters of a text or bytes of an array that are shown of one that is longer."""
ATTRIBUTES: Final = ("text", "object")
"""Bodies that are attributes; so are header fields, and the length of bytes."""


@dataclass(frozen=True, slots=True)
class At:
    """A message of the program, as an argument."""

    number: int

    def __repr__(self) -> str:
        return f"m{self.number}"


@dataclass(frozen=True, slots=True)
class Step:
    """One call."""

    on: int
    """Which message: 0 was made first, the others have arrived. Or the producer."""
    method: str
    args: tuple[Any, ...] = ()

    def __str__(self) -> str:
        given = ", ".join(map(in_short, self.args))
        if self.on == PRODUCER:
            return f"producer.{self.method}({given})"
        if self.method == SEND:
            return f"m{self.on} is sent and received"
        if self.method == AGAIN:
            return f"m{self.on} is given back and received again"
        if is_attribute(self.method, self.args):
            called = f"m{self.on}.{attribute_of(self.method)}"
            return f"{called} = {given}" if self.args else called
        return f"m{self.on}.{self.method}({given})"


@dataclass(frozen=True, slots=True)
class Program:
    """A message that is made, and what is done with it."""

    kind: str
    steps: Sequence[Step]
    producer: str = NO_PRODUCER
    """What its messages are sent by."""
    by_context: bool = False
    """Whether a context makes its message, and not a session."""
    body: tuple[Any, ...] = ()
    """What its message is made of: one value, or none."""

    def __str__(self) -> str:
        made = f"m0 is a new {self.kind} message{' of a context' * self.by_context}"
        if self.body:
            made += f", made of {in_short(*self.body)}"
        if self.producer:
            made += f", producer is {self.producer}"
        return "; ".join((made, *map(str, self.steps)))

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        """In short for Hypothesis, too, which would write out what is long."""
        printer.text(str(self))

    @property
    def numbered(self) -> Sequence[int | None]:
        """For each step the number of the message that comes of it, if one does."""
        numbers = itertools.count(1)
        return [next(numbers) if step.method in ARRIVE else None for step in self.steps]


def in_short(value: object) -> str:
    """A value for people: what is long and repeats itself as the unit and how often."""
    if not isinstance(value, str | bytes) or len(value) <= _LONGEST_SHOWN:
        return repr(value)
    if unit := unit_of(value):
        return f"{value[:unit]!r} * {len(value) // unit}"
    return f"{value[:_BEGINNING]!r}... of length {len(value)}"


def is_attribute(method: str, args: Sequence[Any]) -> bool:
    """Whether a method of the model is an attribute in Python: `get_text`, `set_jms_type`."""
    verb, _, name = method.partition("_")
    if method == "body_length" or name.startswith("jms_"):
        return True
    return name in ATTRIBUTES and (verb, len(args)) in (("get", 0), ("set", 1))


def attribute_of(method: str) -> str:
    """The name of the attribute."""
    return method if method == "body_length" else method.partition("_")[2]


def without(program: Program, at: int) -> Program:
    """The program without one step, and without what was done with the message that came of it."""
    numbers = {PRODUCER: PRODUCER, 0: 0}
    steps = []
    for number, (step, sent) in enumerate(zip(program.steps, program.numbered, strict=True)):
        needed = {step.on, *(arg.number for arg in step.args if isinstance(arg, At))}
        if number == at or not needed <= numbers.keys():
            continue
        args = tuple(At(numbers[arg.number]) if isinstance(arg, At) else arg for arg in step.args)
        steps.append(replace(step, on=numbers[step.on], args=args))
        if sent is not None:
            numbers[sent] = len(numbers) - 1
    return replace(program, steps=steps)
