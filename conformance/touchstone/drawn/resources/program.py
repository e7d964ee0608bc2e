"""Such a program as data: what is called, on which object, and what the result is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from jms_model.resources.arguments import Of
from jms_model.resources.rules import FACTORY
from jms_model.resources.things import World


@dataclass(frozen=True, slots=True)
class Step:
    """One call."""

    on: str
    method: str
    args: tuple[Any, ...] = ()
    makes: str = ""
    """The name of what it gives, if that is an object."""

    def __str__(self) -> str:
        given = ", ".join("null" if each is None else repr(each) for each in self.args)
        on = "" if self.on == FACTORY else f"{self.on}."
        called = f"{on}{self.method}({given})"
        return f"{self.makes} = {called}" if self.makes else called


@dataclass(frozen=True, slots=True)
class Program:
    """What an application makes of a factory."""

    steps: Sequence[Step]
    administered: bool = False
    """Whether the factory gives each connection a client id."""

    def __str__(self) -> str:
        return "; ".join(map(str, self.steps))

    def world(self) -> World:
        """What is there before it."""
        return World(administered=self.administered)


def without(program: Program, at: int) -> Program:
    """The program without one step, and without what was done with what came of it."""
    gone: set[str] = set()
    steps = []
    for number, step in enumerate(program.steps):
        needed = {step.on, *(each.name for each in step.args if isinstance(each, Of))}
        if number == at or needed & gone:
            gone |= {step.makes} - {""}
        else:
            steps.append(step)
    return replace(program, steps=steps)
