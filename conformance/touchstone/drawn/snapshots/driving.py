"""Such a program at work: on the client, and on the model that says what is permitted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

from jms_model.answers import Answer, Expectation, Gave, Raised
from jms_model.snapshots.rules import PROGRAM, expect
from jms_model.snapshots.things import Browser, World
from touchstone.drawn.driving import DidNotCome, answer_of
from touchstone.drawn.lockstep import Lockstep, RunningApplication
from touchstone.drawn.snapshots.program import Program, Step

_READS: Final = ("limit", "more")


class WaitingApplication(RunningApplication, Protocol):
    """An application that knows what is on a queue."""

    def waits(self, queue: str, count: int) -> None:
        """Wait until so many messages of a queue are there for everybody."""
        ...


@dataclass
class SnapshotDriver(Lockstep[WaitingApplication, World, Step]):
    """Runs programs on one client."""

    rules = staticmethod(expect)
    first = PROGRAM

    def _model(self, program: Program) -> World:
        return World(program.simplified)

    def _answer(
        self, runs: WaitingApplication, model: World, step: Step, expectation: Expectation
    ) -> Answer:
        target = model.objects.get(step.on)
        if isinstance(target, Browser) and not target.session.closed_by and not target.queue.held:
            name = next(name for name, each in model.queues.items() if each is target.queue)
            runs.waits(name, len(target.queue.ready))
        return answer_of(partial(runs.call, step), DidNotCome)

    def _goes_on(self, step: Step, expectation: Expectation, answer: Answer) -> bool:
        """It has only read something, or refused in another way what it had to refuse."""
        refused = isinstance(answer, Raised) and expectation.ending(Gave()) is None
        return step.method in _READS or (refused and step.method == "create_browser")
