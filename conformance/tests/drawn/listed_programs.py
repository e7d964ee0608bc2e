"""Drawn programs that are listed, so that many clients can be tried with the same."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hypothesis.strategies import SearchStrategy

from touchstone.drawn.driving import Asks, Disagreement, ask_nobody
from touchstone.drawn.hunting import Hunt


@dataclass
class _Listing:
    """Lists programs instead of running them."""

    programs: list[Any] = field(default_factory=list)
    decided: Counter[str] = field(default_factory=Counter)
    trips_left: float = math.inf
    begins: Asks = ask_nobody

    def disagreements(self, program: Any) -> Iterator[Disagreement]:
        """None."""
        self.programs.append(program)
        return iter(())

    def holds(self, each: Disagreement, *, doubted: bool) -> bool:
        """There is none."""
        return True


@cache
def listed(programs: SearchStrategy[Any], count: int, seed: int) -> Sequence[Any]:
    """The programs that a hunt draws by a seed: drawn once, whoever asks for them."""
    listing = _Listing()
    Hunt(listing, frozenset({"each"})).draw(programs, count, seed)
    return listing.programs


class ListedHunt(Hunt):
    """A hunt that goes through what is listed, where most of the time is spent on drawing.

    What shows something is shortened by leaving steps out, not by drawing less.
    """

    def _next(
        self, programs: SearchStrategy[Any], count: int, drawn_by: int
    ) -> Sequence[Disagreement]:
        self.driver.trips_left = self.trips
        for program in listed(programs, count, drawn_by):
            for each in self.driver.disagreements(program):
                if self._is_new(each, drawn_by):
                    self.driver.trips_left = math.inf
                    return [each]
        return []
