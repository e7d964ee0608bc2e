"""Such a program as data: what is called, on which object, and what the result is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from jms_model.resources.arguments import Of
from jms_model.resources.rules import FACTORY
from jms_model.resources.things import World
from touchstone.drawn import lockstep


@dataclass(frozen=True, slots=True)
class Step(lockstep.Step):
    """One call."""

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


def needed_by(step: Step) -> set[str]:
    """The names of what a step needs."""
    return {step.on, *(each.name for each in step.args if isinstance(each, Of))}


def without(program: Program, at: int) -> Program:
    """The program without one step, and without what was done with what came of it."""
    return cast(Program, lockstep.without(program, at, needed_by))
