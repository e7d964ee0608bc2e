"""Such a program at work: on the client, and on the model that says what is permitted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Protocol, cast

from jms_model.answers import Answer, Expectation, Gave, Raised
from jms_model.delivery.browser_rules import Browser
from jms_model.delivery.provider import Provider
from jms_model.delivery.rules import FACTORY, expect
from jms_model.delivery.session import Consumer
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.driving import Asks, DidNotCome, Disagreement, answer_of, unasked
from touchstone.drawn.sessions.program import Program, Step

_READS: Final = ("delivery", "text", "content", "queue", "message_selector")
_TAKES: Final = ("receive", "receive_from", "receive_body_as_map", "hear")


class RunningApplication(Protocol):
    """An application that makes the calls of one program."""

    @property
    def objects(self) -> Mapping[str, Any]:
        """What it has made, by name."""
        ...

    def call(self, step: Step, *, comes: bool) -> object:
        """Make a call; `comes`: whether a message has to come."""
        ...

    def waits(self, browser: str, count: int) -> None:
        """Wait until so many messages are on the queue: not each client waits for its broker."""
        ...

    def close(self) -> None:
        """Close what is still open."""
        ...


@dataclass
class SessionDriver:
    """Runs programs on one client."""

    opened: Callable[[Program], RunningApplication]
    """An application that can make the calls of a program."""
    arrivals: Arrivals = field(default_factory=Arrivals)
    """By which it waits for messages."""
    decided: Counter[str] = field(default_factory=Counter)
    """How often the client answered as the statement wants it."""
    steps: int = 0
    trips_left: float = math.inf
    """How many messages may still be received."""
    begins: Asks = field(default=unasked)
    """Told of each step before it is made."""

    def disagreements(self, program: Program) -> Iterator[Disagreement]:
        """Those of a program; it ends where what the client has done is not known any more."""
        if self.trips_left <= 0:
            return
        model = program.provider()
        made: list[Step] = []
        with closing(self.opened(program)) as runs:
            for step in program.steps:
                if step.on != FACTORY and step.on not in runs.objects:
                    continue
                expectation = expect(model, step.on, step.method, step.args, step.makes)
                if expectation is None:
                    continue
                self.steps += 1
                made.append(step)
                self.begins(step)
                if isinstance(of := model.objects.get(step.on), Browser) and of.is_certain:
                    runs.waits(step.on, len(of.backlog.waiting()))
                answer = self._answer(runs, model, step)
                permitted = expectation.ending(answer)
                of_all = model.vendor.with_own if step.method in _TAKES else list
                if permitted is not None:
                    permitted.effect()
                    self.decided.update({*of_all((*expectation.ids, *expectation.besides))})
                    continue
                if ids := expectation.broken_by(answer):
                    done = replace(program, steps=[*made])
                    yield Disagreement(done, expectation, answer, frozenset(of_all(ids)))
                if not _is_harmless(step.method, expectation, answer):
                    return

    def holds(self, each: Disagreement, *, doubted: bool) -> bool:
        """Whether a message that did not come does not come in more time either.

        Unless it is doubted, it is tried again only where it had less time than the first.
        """
        if each.answer != Gave(None) or not (doubted or self.arrivals.was_brief):
            return True
        self.arrivals.have_time()
        left, self.trips_left = self.trips_left, math.inf
        try:
            again = self.disagreements(cast(Program, each.program))
            return any(one.signature == each.signature for one in again)
        finally:
            self.trips_left = left

    def _answer(self, runs: RunningApplication, model: Provider, step: Step) -> Answer:
        target = model.objects.get(step.on)
        comes = (
            isinstance(target, Consumer)
            and not target.closed_by
            and target.session.connection.started
        )
        if step.method in ("receive", "receive_from", "hear"):
            self.trips_left -= 1
        return answer_of(partial(runs.call, step, comes=comes), DidNotCome)


def _is_harmless(method: str, expectation: Expectation, answer: Answer) -> bool:
    """Whether it is known what the client has done, although the model does not permit that end.

    It has only read something, or refused in another way what it had to refuse.
    """
    refused = isinstance(answer, Raised) and expectation.ending(Gave()) is None
    return method in _READS or (refused and method not in _TAKES)
