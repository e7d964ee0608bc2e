"""The hunt: programs are drawn until they show nothing new, and what they show is shrunk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import FlakyFailure
from hypothesis.strategies import SearchStrategy

from touchstone.drawn.driving import Disagreement, Driver
from touchstone.drawn.plain_draws import BACKEND
from touchstone.drawn.program import Program

ROUNDS: Final = 60
"""After so many new disagreements nobody looks for more."""


class _Shown(Exception):
    """Tells Hypothesis that a program shows what is being shrunk."""


@dataclass
class Hunt:
    """A search for calls that end as the model does not permit, on one client."""

    driver: Driver
    judged: frozenset[str]
    """The statements that it is about."""
    is_known: Callable[[Disagreement], bool] = lambda _: False
    """What is noted and passed by."""
    shrinks: bool = True
    found: dict[str, Disagreement] = field(default_factory=dict)
    """The shortest program of each disagreement, by its signature."""
    broken: set[str] = field(default_factory=set)
    """The statements that something new breaks: one disagreement is enough for each."""
    by_chance: set[str] = field(default_factory=set)
    """Signatures of what did not come again when it was shrunk."""

    def against(self, id_: str) -> Sequence[Disagreement]:
        """What breaks a statement, the shortest programs first."""
        found = [each for each in self.found.values() if id_ in each.ids]
        return sorted(found, key=lambda each: (len(each.program.steps), each.signature))

    def draw(self, programs: SearchStrategy[Program], count: int, drawn_by: int) -> None:
        """Draw so many programs by a seed, again and again, until they show nothing new.

        What is new is shrunk, as far as its signature stays the same.
        """
        for _ in range(ROUNDS):
            shown = self._next(programs, count, drawn_by)
            if not shown:
                return
            self.found[shown[0].signature] = shown[-1]
            self.broken |= shown[-1].ids

    def _next(
        self, programs: SearchStrategy[Program], count: int, drawn_by: int
    ) -> Sequence[Disagreement]:
        """Something new, as the first and then ever shorter programs show it; or nothing."""
        shown: list[Disagreement] = []

        def judge(program: Program) -> None:
            for each in self.driver.disagreements(program):
                if each.signature == shown[0].signature if shown else self._is_new(each):
                    shown.append(each)
                    raise _Shown  # at one place: by that Hypothesis tells failures apart

        configured = settings(
            database=None,
            deadline=None,
            max_examples=count,
            phases=[Phase.generate, *([Phase.shrink] if self.shrinks else [])],
            suppress_health_check=list(HealthCheck),
            print_blob=False,
            backend=BACKEND,
        )
        try:
            seed(drawn_by)(configured(given(programs)(judge)))()
        except _Shown:
            pass
        except FlakyFailure:
            self.by_chance.add(shown[0].signature)
        return shown

    def _is_new(self, each: Disagreement) -> bool:
        if not each.ids & self.judged - self.broken or each.signature in self.found:
            return False
        if self.is_known(each):
            self.found[each.signature] = each
            return False
        return True
