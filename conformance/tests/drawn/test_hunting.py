"""Programs are made shorter for as long as there is time for that, and all is told nevertheless."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

import pytest
from hypothesis import strategies as st

from touchstone.drawn.driving import Asks, Disagreement, ask_nobody
from touchstone.drawn.hunting import Hunt

KINDS: Final = 8
PROGRAMS: Final = st.lists(st.integers(0, KINDS - 1), min_size=1, max_size=12).map(
    lambda steps: Program(tuple(steps))
)


@dataclass(frozen=True)
class Program:
    """Numbers."""

    steps: tuple[int, ...]


@dataclass(frozen=True)
class Wrong:
    """A number that has been there before: each breaks a statement of its own."""

    program: Program

    @property
    def signature(self) -> str:
        return f"of {self.program.steps[-1]}"

    @property
    def ids(self) -> frozenset[str]:
        return frozenset({f"S-{self.program.steps[-1]}"})


@dataclass
class Runner:
    """Runs programs, each number a second of its clock."""

    now: float = 0.0
    decided: Counter[str] = field(default_factory=Counter)
    trips_left: float = 0.0
    begins: Asks = ask_nobody

    def disagreements(self, program: Any) -> Iterator[Any]:
        for at, number in enumerate(program.steps):
            self.now += 1
            if number in program.steps[:at]:
                yield Wrong(Program(program.steps[: at + 1]))
                return

    def holds(self, each: Disagreement, *, doubted: bool) -> bool:
        return True


def hunted(*, shrinking_left: float = math.inf, until: float = math.inf) -> tuple[Hunt, Runner]:
    runner = Runner()
    statements = frozenset(f"S-{kind}" for kind in range(KINDS))
    hunt = Hunt(
        runner,
        statements,
        without=lambda program, at: replace(
            program, steps=program.steps[:at] + program.steps[at + 1 :]
        ),
        clock=lambda: runner.now,
        shrinking_left=shrinking_left,
        until=until,
    )
    hunt.draw(PROGRAMS, 200, 0)
    return hunt, runner


def lengths(hunt: Hunt) -> list[int]:
    return sorted(len(each.program.steps) for each in hunt.found.values())


def test_each_is_as_short_as_can_be_where_there_is_time() -> None:
    hunt, _ = hunted()
    assert lengths(hunt) == [2] * KINDS


@pytest.mark.parametrize("left", [0.0, 40.0])
def test_all_are_told_when_the_time_for_making_them_shorter_is_used_up(left: float) -> None:
    hunt, _ = hunted(shrinking_left=left)
    whole, _ = hunted()
    assert hunt.found.keys() == whole.found.keys()
    assert sum(lengths(hunt)) > sum(lengths(whole))


def test_nothing_is_drawn_when_the_time_is_over() -> None:
    hunt, runner = hunted(until=-1.0)
    assert (hunt.found, runner.now) == ({}, 0.0)
