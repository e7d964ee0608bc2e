"""What is given to the calls of a program, beside plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Of:
    """An object that the program has made, by its name."""

    name: str

    def __repr__(self) -> str:
        return self.name


FOREIGN: Final = Of("foreign")
"""A destination of no client, neither a queue nor a topic."""


@dataclass(frozen=True, slots=True)
class Unique:
    """A text that nobody else has: of a destination, a subscription or a client."""

    label: str
    """Texts with the same label begin alike; with the same ending and length they are the same."""
    ending: str = ""
    """What it ends in."""
    length: int = 0
    """How long it is made."""

    @property
    def is_plain(self) -> bool:
        """Whether it is an identifier, as every provider takes it."""
        is_word = self.ending.isascii() and self.ending.isalnum()
        return not self.length and (not self.ending or is_word)

    def __repr__(self) -> str:
        return f"'{self.label}…{self.ending}'"


@dataclass(frozen=True, slots=True)
class Selector:
    """A message selector."""

    text: str | None
    refused_by: str = ""
    """The statement by which it is none; empty where it is one."""

    def __repr__(self) -> str:
        return "null" if self.text is None else repr(self.text)


NO_SELECTOR: Final = Selector(None)
Argument = Of | Unique | Selector | str | int | bool | None
"""One argument; `None` is null."""
