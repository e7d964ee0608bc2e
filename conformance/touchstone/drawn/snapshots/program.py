"""A program with snapshots as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from jms_model.snapshots.rules import PROGRAM
from touchstone.drawn import lockstep

_WORDS: Final = {
    "change": "setQueueBrowserReadMax",
    "limit": "getQueueBrowserReadMax",
    "enumeration": "getEnumeration",
    "more": "hasMoreElements",
    "next": "nextElement",
}


@dataclass(frozen=True, slots=True)
class Step(lockstep.Step):
    """One call."""

    def __str__(self) -> str:
        given = ", ".join(repr(each) for each in self.args if each is not None)
        called = f"{_WORDS.get(self.method, self.method)}({given})"
        on = "" if self.on == PROGRAM else f"{self.on}."
        return f"{self.makes} = {on}{called}" if self.makes else f"{on}{called}"


@dataclass(frozen=True, slots=True)
class Program:
    """What applications do, by the classic API or by the simplified one."""

    simplified: bool
    steps: Sequence[Step]

    def __str__(self) -> str:
        made = "contexts" if self.simplified else "sessions"
        return "; ".join((f"by {made}", *map(str, self.steps)))
