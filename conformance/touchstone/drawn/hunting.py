"""The hunt: programs are drawn until they show nothing new, and what they show is shrunk."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import FlakyFailure
from hypothesis.strategies import SearchStrategy

from touchstone.drawn.driving import Asks, Disagreement
from touchstone.drawn.plain_draws import BACKEND
from touchstone.drawn.program import without

TRIPS: Final = 100
"""So many messages are sent and received by the programs of a seed; on a busy machine each takes
a quarter of a second."""
SHRINKING: Final = 20.0
"""Seconds after which a program is short enough, for each of two ways to make it shorter: each
try may be a wait."""
ROUNDS: Final = 60
"""After so many new disagreements nobody looks for more."""


Key = tuple[str, frozenset[str]]
"""The signature of a disagreement, and what it breaks of the statements that are judged."""


class _Shown(Exception):
    """Tells Hypothesis that a program shows what is being shrunk."""


class ProgramRunner(Protocol):
    """Runs programs on one client."""

    decided: Counter[str]
    """How often the client answered as the statement wants it."""
    trips_left: float
    """How many messages may still be received."""
    begins: Asks
    """Told of each step before it is made."""

    def disagreements(self, program: Any) -> Iterator[Disagreement]:
        """What the model does not permit of a program."""
        ...

    def holds(self, each: Disagreement, *, doubted: bool) -> bool:
        """Whether one that may come of too little time is shown in more; `doubted`: any may."""
        ...


@dataclass
class Hunt:
    """A search for calls that end as the model does not permit, on one client."""

    driver: ProgramRunner
    judged: frozenset[str]
    """The statements that it is about."""
    is_known: Callable[[Disagreement], bool] = lambda _: False
    """What is noted and passed by."""
    is_heard: Callable[[Disagreement], bool] = lambda _: True
    """What is looked at at all."""
    shrinks: bool = True
    """If not, the first that is new will do."""
    shrinking: float = SHRINKING
    """Seconds after which a program is short enough, for each of two ways."""
    shrinking_left: float = math.inf
    """Seconds for making all programs shorter; those found later are told as they are."""
    trips: float = TRIPS
    """How many messages are received by the programs of a seed."""
    without: Callable[[Any, int], Any] = without
    """A program without one of its steps."""
    slips: bool = False
    """Whether a shorter program may show another disagreement of the same call: what is wrong is
    then told by as few events as show it."""
    until: float = math.inf
    """When to stop, by the clock: what is shrunk then is shrunk to its end."""
    clock: Callable[[], float] = time.monotonic
    found: dict[Key, Disagreement] = field(default_factory=dict)
    """The shortest program of each disagreement."""
    drawn_by: dict[Key, int] = field(default_factory=dict)
    """The seed that each of them comes of."""
    passed: set[str] = field(default_factory=set)
    """The signatures of what slipped into another."""
    broken: set[str] = field(default_factory=set)
    """The statements that something new breaks: one disagreement is enough for each."""

    @property
    def is_over(self) -> bool:
        """Whether each statement is broken already."""
        return self.judged <= self.broken

    def key(self, each: Disagreement) -> Key:
        """By what it is known: what is wrong in one way may break other statements elsewhere."""
        return each.signature, each.ids & self.judged

    def against(self, id_: str) -> Sequence[Disagreement]:
        """What breaks a statement, the shortest programs first."""
        against = [each for each in self.found.values() if id_ in each.ids]
        return sorted(against, key=lambda each: (len(each.program.steps), each.signature))

    def draw(self, programs: SearchStrategy[Any], count: int, drawn_by: int) -> None:
        """Draw so many programs by a seed, again and again, until nothing new is shown or left.

        What is new is shrunk, as far as its signature stays the same.
        """
        for _ in range(ROUNDS):
            if self.is_over or self.clock() > self.until:
                return
            shown = self._next(programs, count, drawn_by)
            if not shown:
                return
            shortest = self._shortened(shown[-1]) if self.shrinks else shown[-1]
            if shortest is not shown[0] and not self.driver.holds(shortest, doubted=True):
                shortest = shown[0]
            self._note(shortest, drawn_by)
            self.passed.add(shown[0].signature)
            self.broken |= shortest.ids
            if not self.shrinks:
                return

    def _next(
        self, programs: SearchStrategy[Any], count: int, drawn_by: int
    ) -> Sequence[Disagreement]:
        """Something new, as the first and then ever shorter programs show it; or nothing."""
        shown: list[Disagreement] = []
        begun = end = math.inf
        self.driver.trips_left = self.trips

        def judge(program: Any) -> None:
            if self.clock() > (end if shown else self.until):
                return
            for each in self.driver.disagreements(program):
                if self._shows(each, shown[0]) if shown else self._is_new(each, drawn_by):
                    if self.shrinks and not shown and self.shrinking_left <= 0:
                        self._note(each, drawn_by)
                        self.broken |= each.ids
                        continue
                    begin_to_shrink()
                    shown.append(each)
                    raise _Shown  # at one place: by that Hypothesis tells failures apart

        def begin_to_shrink() -> None:
            nonlocal begun, end
            if not shown:
                begun, end = self.clock(), self._shrinks_until()
                self.driver.trips_left = math.inf

        configured = settings(
            database=None,
            deadline=None,
            max_examples=count,
            phases=[Phase.generate, *([Phase.shrink] if self.shrinks else [])],
            suppress_health_check=list(HealthCheck),
            print_blob=False,
            backend=BACKEND,
        )
        with suppress(_Shown, FlakyFailure):  # flaky: it was seen, and does not come each time
            seed(drawn_by)(configured(given(programs)(judge)))()
        if shown:
            self.shrinking_left -= self.clock() - begun
        return shown

    def _shortened(self, shown: Disagreement) -> Disagreement:
        """The same by a program that needs each of its steps; Hypothesis gives up long ones."""
        begun, end = self.clock(), self._shrinks_until()
        at = len(shown.program.steps) - 1
        while at > 0 and self.clock() < end:
            at -= 1
            again = self.driver.disagreements(self.without(shown.program, at))
            shown = next((each for each in again if self._shows(each, shown)), shown)
            at = min(at, len(shown.program.steps) - 1)
        self.shrinking_left -= self.clock() - begun
        return shown

    def _shrinks_until(self) -> float:
        return self.clock() + min(self.shrinking, self.shrinking_left)

    def _shows(self, each: Disagreement, first: Disagreement) -> bool:
        """Whether it is the same again, and against the same statements, or slipped from it."""
        if self.slips:
            same_call = each.program.steps[-1].method == first.program.steps[-1].method
            is_of_use = bool(each.ids & self.judged) and self.is_heard(each)
            return same_call and is_of_use and not self.is_known(each)
        return each.signature == first.signature and each.ids >= first.ids & self.judged

    def _note(self, each: Disagreement, drawn_by: int) -> None:
        self.found[self.key(each)] = each
        self.drawn_by[self.key(each)] = drawn_by

    def _is_new(self, each: Disagreement, drawn_by: int) -> bool:
        if not each.ids & self.judged - self.broken or self.key(each) in self.found:
            return False
        if each.signature in self.passed or not self.is_heard(each):
            return False
        if self.is_known(each):
            self._note(each, drawn_by)
            return False
        return self.driver.holds(each, doubted=False)
