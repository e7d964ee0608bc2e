"""What a consumer leaves out of its subscription's messages: by a selector, or as local ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

NUMBER: Final = "n"
"""The property that holds a message's number."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A selector, or none, and noLocal."""

    least: int = 0
    """Of the numbers that it selects; 0: all."""
    other_than: int = 0
    """The number that it does not select; 0: none."""
    besides: str | None = None
    """A condition that every message meets, or "", which is none."""
    no_local: bool | None = None
    """None: not said."""

    @property
    def selector(self) -> str | None:
        """The selector as an application writes it."""
        conditions = [
            *([f"{NUMBER} >= {self.least}"] if self.least else []),
            *([f"{NUMBER} <> {self.other_than}"] if self.other_than else []),
            *([self.besides] if self.besides else []),
        ]
        return " AND ".join(conditions) if conditions else self.besides

    def __str__(self) -> str:
        said = "" if self.no_local is None else f", noLocal {str(self.no_local).lower()}"
        return f"selector {self.selector!r}{said}"

    def selects(self, number: int) -> bool:
        """Whether a message meets the selector."""
        return number >= self.least and number != self.other_than

    @property
    def leaves_out(self) -> bool:
        """Whether anything has to be filtered at all."""
        return bool(self.selector or self.no_local)

    def differs_from(self, other: Filter) -> str:
        """The statement that nothing compares in what they differ; "": none, or two."""
        differing = [
            *(["SLJ-SUB-027"] if (self.selector or "") != (other.selector or "") else []),
            *(["SLJ-SUB-028"] if bool(self.no_local) != bool(other.no_local) else []),
        ]
        return differing[0] if len(differing) == 1 else ""


EVERYTHING: Final = Filter()
"""Leaves out nothing."""
