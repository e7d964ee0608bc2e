"""Drawn programs that are listed, so that many clients can be tried with the same."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hypothesis.strategies import SearchStrategy

from touchstone.drawn.driving import Asks, Disagreement, unasked
from touchstone.drawn.hunting import Hunt


@dataclass
class _Listing:
    """Lists programs instead of running them."""

    programs: list[Any] = field(default_factory=list)
    decided: Counter[str] = field(default_factory=Counter)
    trips_left: float = math.inf
    begins: Asks = unasked

    def disagreements(self, program: Any) -> Iterator[Disagreement]:
        """None."""
        self.programs.append(program)
        return iter(())

    def holds(self, each: Disagreement, *, doubted: bool) -> bool:
        """There is none."""
        return True


def listed(programs: SearchStrategy[Any], count: int, seed: int) -> list[Any]:
    """The programs that a hunt draws by a seed."""
    listing = _Listing()
    Hunt(listing, frozenset({"each"})).draw(programs, count, seed)
    return listing.programs
