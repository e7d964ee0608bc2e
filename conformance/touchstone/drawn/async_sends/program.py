"""A program on asynchronous sends as data: what is called, on which object, by which name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from jms_model.async_sends.rules import LISTENERS, OUTSIDE
from jms_model.async_sends.state import CONNECTION
from jms_model.delivery.provider import QUEUE
from jmsapi import SessionMode

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
class Step:
    """One call, or a look at what was told."""

    on: str
    method: str
    args: tuple[Any, ...] = ()
    makes: str = ""
    """The name of what it gives."""

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


def without(program: Program, at: int) -> Program:
    """The program without one step, and without what was done with what came of it."""
    gone: set[str] = set()
    steps = []
    for number, step in enumerate(program.steps):
        named = {each for each in step.args if isinstance(each, str)}
        needs = step.on in gone or (step.method == "send" and bool(named & gone - {""}))
        if number == at or needs:
            gone |= {step.makes} - {""}
        else:
            steps.append(step)
    return replace(program, steps=steps)
