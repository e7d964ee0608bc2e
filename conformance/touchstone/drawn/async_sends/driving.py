"""Such a program at work: on the client, and on the model that says what is permitted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Protocol, cast

from jms_model.answers import Expectation, Raised
from jms_model.async_sends.rules import expect
from jms_model.async_sends.state import Application as Model
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.async_sends.calling import DidNotReturn
from touchstone.drawn.async_sends.program import Program, Step
from touchstone.drawn.driving import Asks, DidNotCome, Disagreement, answer_of, unasked

_LOOKS: Final = (
    *("message", "failure", "times", "headers", "turns", "overlaps", "by_the_sender", "browse"),
    *("commit", "rollback", "close"),
)
"""What changes nothing, or is done although it was done wrongly."""


class RunningApplication(Protocol):
    """An application that makes the calls of one program."""

    @property
    def objects(self) -> Mapping[str, Any]:
        """What it has made, by name."""
        ...

    def call(self, step: Step) -> object:
        """Make a call, or look at what was told."""
        ...

    def close(self) -> None:
        """Close what is still open."""
        ...


@dataclass
class AsyncDriver:
    """Runs programs on one client."""

    opened: Callable[[Program], RunningApplication]
    """An application that can make the calls of a program."""
    arrivals: Arrivals = field(default_factory=Arrivals)
    """By which it waits."""
    of_vendor: bool = False
    """Whether the statements of Starlight's document are judged, instead of those of JMS."""
    decided: Counter[str] = field(default_factory=Counter)
    """How often the client answered as the statement wants it."""
    steps: int = 0
    trips_left: float = math.inf
    """How many messages may still be sent."""
    begins: Asks = field(default=unasked)
    """Told of each step before it is made."""

    def disagreements(self, program: Program) -> Iterator[Disagreement]:
        """Those of a program; it ends where what the client has done is not known any more."""
        if self.trips_left <= 0:
            return
        model = Model(program.simplified, of_vendor=self.of_vendor)
        made: list[Step] = []
        with closing(self.opened(program)) as runs:
            for step in program.steps:
                if step.on not in runs.objects:
                    continue
                expectation = expect(model, step.on, step.method, step.args, step.makes)
                if expectation is None:
                    continue
                self.steps += 1
                self.trips_left -= step.method == "send"
                made.append(step)
                self.begins(step)
                answer = answer_of(partial(runs.call, step), DidNotCome, DidNotReturn)
                permitted = expectation.ending(answer)
                if permitted is not None:
                    permitted.effect()
                    if permitted.learn is not None and not isinstance(answer, Raised):
                        permitted.learn(answer.value)
                    self.decided.update(expectation.ids)
                    continue
                if ids := expectation.broken_by(answer):
                    done = replace(program, steps=[*made])
                    yield Disagreement(done, expectation, answer, frozenset(ids))
                if not _is_harmless(step.method, expectation, answer):
                    return

    def holds(self, each: Disagreement, *, doubted: bool) -> bool:
        """Whether what did not come does not come in more time either.

        Unless it is doubted, it is tried again only where it had less time than the first.
        """
        did_not_come = isinstance(each.answer, Raised) and isinstance(each.answer.error, DidNotCome)
        if not did_not_come or not (doubted or self.arrivals.was_brief):
            return True
        self.arrivals.have_time()
        left, self.trips_left = self.trips_left, math.inf
        try:
            again = self.disagreements(cast(Program, each.program))
            return any(one.signature == each.signature for one in again)
        finally:
            self.trips_left = left


def _is_harmless(method: str, expectation: Expectation, answer: object) -> bool:
    """Whether it is known what the client has done, although the model does not permit that end."""
    if isinstance(answer, Raised):
        is_known = not isinstance(answer.error, DidNotCome | DidNotReturn)
        return is_known and method in ("touch", "browse", *_LOOKS[:7])
    if method in ("commit", "rollback", "close"):
        expectation.permitted[0].effect()
    return method in _LOOKS or method == "touch"
