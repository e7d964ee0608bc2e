"""Such a program at work: on the client, and on the model that says what is permitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

from jms_model.answers import Answer, Expectation, Gave, Raised
from jms_model.snapshots.rules import PROGRAM, expect
from jms_model.snapshots.things import Browser, World
from touchstone.drawn.driving import DidNotCome, Disagreement, answer_of
from touchstone.drawn.lockstep import Lockstep
from touchstone.drawn.snapshots.program import Program, Step

_READS: Final = ("limit", "more")


class RunningApplication(Protocol):
    """An application that makes the calls of one program."""

    @property
    def objects(self) -> Mapping[str, Any]:
        """What it has made, by name."""
        ...

    def call(self, step: Step) -> object:
        """Make a call."""
        ...

    def waits(self, queue: str, count: int) -> None:
        """Wait until so many messages of a queue are there for everybody."""
        ...

    def close(self) -> None:
        """Close what is still open."""
        ...


@dataclass
class SnapshotDriver(Lockstep[RunningApplication, World, Step]):
    """Runs programs on one client."""

    def _model(self, program: Program) -> World:
        return World(program.simplified)

    def _expect(self, runs: RunningApplication, model: World, step: Step) -> Expectation | None:
        if step.on != PROGRAM and step.on not in runs.objects:
            return None
        return expect(model, step.on, step.method, step.args, step.makes)

    def _answer(
        self, runs: RunningApplication, model: World, step: Step, expectation: Expectation
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

    def _did_not_come(self, each: Disagreement) -> bool:
        return isinstance(each.answer, Raised) and isinstance(each.answer.error, DidNotCome)
