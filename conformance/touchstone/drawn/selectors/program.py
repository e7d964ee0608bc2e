"""A program on selectors as data: messages that are sent, and by what they are chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from jms_model.selectors.selector import Selector

NO_SELECTOR: Final = "none"
EMPTY_SELECTOR: Final = "empty"


@dataclass(frozen=True, slots=True)
class SendStep:
    """A message is sent; it is known by how many were sent before."""

    message: Mapping[str, object]
    """Its properties, and its header fields by their names."""
    method: str = "send"

    def __str__(self) -> str:
        given = (f"{name} = {value!r}" for name, value in self.message.items() if value is not None)
        return f"a message with {', '.join(given)}"


@dataclass(frozen=True, slots=True)
class Browse:
    """A browser with a selector shows what it chooses."""

    selector: Selector | str
    """Or NO_SELECTOR, or EMPTY_SELECTOR."""
    method: str = "browse"

    @property
    def text(self) -> str | None:
        """What is handed over."""
        if isinstance(self.selector, Selector):
            return self.selector.text
        return "" if self.selector == EMPTY_SELECTOR else None

    def __str__(self) -> str:
        return "browse" if self.text is None else f"browse {self.text!r}"


@dataclass(frozen=True, slots=True)
class Program:
    """What an application does with one queue, by the classic API or by the simplified one."""

    simplified: bool
    steps: Sequence[SendStep | Browse]

    def __str__(self) -> str:
        by = f"by {'contexts' if self.simplified else 'sessions'}"
        return "; ".join((by, *map(str, self.steps)))


def without(program: Program, at: int) -> Program:
    """The program without one step."""
    return replace(program, steps=[*program.steps[:at], *program.steps[at + 1 :]])
