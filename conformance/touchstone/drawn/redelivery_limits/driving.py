"""Such a program at work, and all that was seen of it against the model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Protocol

from jms_model.redelivery_limits.cases import Case
from jms_model.redelivery_limits.rules import facts
from jms_model.redelivery_limits.seen import CaseObservation
from touchstone.drawn.driving import Asks, Disagreement, ask_nobody
from touchstone.drawn.redelivery_limits.program import Program, default_letters


class RunningProgram(Protocol):
    """One program at work."""

    def seen(self) -> Sequence[tuple[int, Case, CaseObservation]]:
        """What was seen of each case, by the number of its step."""
        ...

    def close(self) -> None:
        """Close what is still open."""
        ...


@dataclass
class LimitsDriver:
    """Runs programs on one client."""

    opened: Callable[[Program, Asks], Any]
    """What runs a program, and is told of each case before it is opened."""
    decided: Counter[str] = field(default_factory=Counter)
    """How often the client answered as the statement wants it."""
    steps: int = 0
    trips_left: float = math.inf
    """How many messages may still be sent."""
    begins: Asks = field(default=ask_nobody)
    """Told of each step before it is made."""

    def disagreements(self, program: Program) -> Iterator[Disagreement]:
        """Those of a program."""
        if self.trips_left <= 0 or not program.cases:
            return
        runs: RunningProgram
        with closing(self.opened(program, self.begins)) as runs:
            seen = runs.seen()
        for at, case, of_case in seen:
            self.steps += 1
            self.trips_left -= len(case.messages)
            for fact in facts(case, program.settings(case), of_case, default_letters(at, case)):
                expectation, answer = fact.expectation, fact.answer
                if expectation.ending(answer) is not None:
                    self.decided.update(expectation.ids)
                    continue
                ids = frozenset(expectation.broken_by(answer))
                yield Disagreement(program.showing(case, fact), expectation, answer, ids)

    def holds(self, each: Disagreement, *, doubted: bool) -> bool:
        """Whether it shows itself again: what is late or lost may be the machine's doing."""
        assert isinstance(each.program, Program)
        left, self.trips_left = self.trips_left, math.inf
        decided = Counter(self.decided)
        try:
            again = self.disagreements(each.program)
            return any(later.signature == each.signature for later in again)
        finally:
            self.trips_left, self.decided = left, decided
