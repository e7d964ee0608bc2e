"""A program on messages as data: what is called, on which of them, with which values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

SEND: Final = "send"
"""The step by which a message is sent and received: what arrives is one message more."""
ATTRIBUTES: Final = ("text", "object")
"""Bodies that are attributes; so are header fields, and the length of bytes."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call."""

    on: int
    """Which message: 0 was made first, the others have arrived."""
    method: str
    args: tuple[Any, ...] = ()

    def __str__(self) -> str:
        given = ", ".join(map(repr, self.args))
        if self.method == SEND:
            return f"m{self.on} is sent and received"
        if is_attribute(self.method, self.args):
            called = f"m{self.on}.{attribute_of(self.method)}"
            return f"{called} = {given}" if self.args else called
        return f"m{self.on}.{self.method}({given})"


@dataclass(frozen=True, slots=True)
class Program:
    """A message that is made, and what is done with it."""

    kind: str
    steps: Sequence[Step]

    def __str__(self) -> str:
        return "; ".join((f"m0 is a new {self.kind} message", *map(str, self.steps)))


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
    numbers = {0: 0}
    sent = 0
    steps = []
    for number, step in enumerate(program.steps):
        sent += step.method == SEND
        if number == at or step.on not in numbers:
            continue
        steps.append(replace(step, on=numbers[step.on]))
        if step.method == SEND:
            numbers[sent] = len(numbers)
    return replace(program, steps=steps)
