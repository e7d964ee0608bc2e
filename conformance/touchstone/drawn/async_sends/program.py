"""A program on asynchronous sends as data: what is called, on which object, by which name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from jms_model.async_sends.rules import LISTENERS, OUTSIDE
from jms_model.async_sends.state import CONNECTION
from jms_model.delivery.provider import QUEUE
from jmsapi import SessionMode
from touchstone.drawn import lockstep

_WORDS: Final = {
    "told": "which method its listener was told by",
    "message": "the message that its listener was told of",
    "failure": "the exception that its listener was told",
    "times": "how often listeners were told",
    "does": "what its callback does",
    "headers": "header fields in the callback, later, and where it arrives",
    "turns": "the order of its callbacks",
    "overlaps": "whether callbacks overlap",
    "by_the_sender": "whether a callback ran on the sending thread",
}


@dataclass(frozen=True, slots=True)
class Step(lockstep.Step):
    """One call, or a look at what was told."""

    def __str__(self) -> str:
        if self.method in _WORDS:
            return f"{self.on}: {_WORDS[self.method]}"
        return f"{self.makes} = {self._called}" if self.makes else self._called

    @property
    def _called(self) -> str:
        match self.method, self.args:
            case "listener", (act,):
                return f"a listener that {act}"
            case "create_session", (mode,):
                return f"{self.on}.create_session({SessionMode(mode).name})"
            case "send", (what, to, options, by):
                given = [*([to] if to else []), " ".join(map(repr, what)).replace("'", "", 2)]
                given += [repr(options)] * (options is not None) + [by] * bool(by)
                return f"{self.on}.send({', '.join(given)})"
        given = [str(each) for each in self.args]
        on = {OUTSIDE: "another connection", LISTENERS: "", CONNECTION: "c"}.get(self.on, self.on)
        return f"{on}.{self.method}({', '.join(given)})"


@dataclass(frozen=True, slots=True)
class Program:
    """What an application does, by the classic API or by the simplified one."""

    simplified: bool
    steps: Sequence[Step]
    domain: str = ""
    """QUEUE: by the interfaces that are for queues alone."""

    def __str__(self) -> str:
        made = "queue sessions" if self.domain == QUEUE else "sessions"
        return "; ".join((f"by {'contexts' if self.simplified else made}", *map(str, self.steps)))


def _needed_by(step: Step) -> set[str]:
    """The names of what a step needs: of a send its message and its listener, too."""
    given = step.args if step.method == "send" else ()
    return {step.on, *(each for each in given if isinstance(each, str))}


def without(program: Program, at: int) -> Program:
    """The program without one step, and without what was done with what came of it."""
    return cast(Program, lockstep.without(program, at, _needed_by))
