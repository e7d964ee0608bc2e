"""Such a program at work: on the client, and on the model that says what is permitted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from jms_model.answers import Answer, Expectation, Gave, Permitted, Raised
from jms_model.resources.arguments import FOREIGN
from jms_model.resources.rules import FACTORY, expect
from jms_model.resources.things import World
from touchstone.drawn.driving import answer_of
from touchstone.drawn.lockstep import Lockstep, RunningApplication
from touchstone.drawn.resources.program import Program, Step, needed_by

_READS: Final = ("get_", "has_more_elements", "next_element", "is_there", "is_gone")
"""What the methods begin with that change nothing."""


@dataclass
class ResourceDriver(Lockstep[RunningApplication, World, Step]):
    """Runs programs on one client."""

    rules = staticmethod(expect)
    oldest: int = 2
    """The major version of JMS that the client is of at least."""

    def _model(self, program: Program) -> World:
        return replace(program.world(), oldest=self.oldest)

    def _is_there(self, runs: RunningApplication, step: Step) -> bool:
        return needed_by(step) <= {FACTORY, FOREIGN.name, *runs.objects}

    def _answer(
        self, runs: RunningApplication, model: World, step: Step, expectation: Expectation
    ) -> Answer:
        return answer_of(partial(runs.call, step), StopIteration)

    def _goes_on(self, step: Step, expectation: Expectation, answer: Answer) -> bool:
        """It has only read something, or refused in another way what it had to refuse."""
        refused = isinstance(answer, Raised) and expectation.ending(Gave()) is None
        if isinstance(answer, Raised) and (refusal := _refusal(expectation)):
            refusal.effect()
        return step.method.startswith(_READS) or refused


def _refusal(expectation: Expectation) -> Permitted | None:
    """How the call had to be refused."""
    return next((each for each in expectation.permitted if each.errors), None)
