"""Such a program at work: on the client, and on the model that says what is permitted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from jms_model.answers import Answer, Expectation, Raised
from jms_model.async_sends.rules import expect
from jms_model.async_sends.state import ModelApplication as Model
from touchstone.drawn.async_sends.calling import DidNotReturn
from touchstone.drawn.async_sends.program import Program, Step
from touchstone.drawn.driving import DidNotCome, answer_of
from touchstone.drawn.lockstep import Lockstep, RunningApplication

_LOOKS: Final = (
    *("message", "failure", "times", "headers", "turns", "overlaps", "by_the_sender", "browse"),
    *("commit", "rollback", "close"),
)
"""What changes nothing, or is done although it was done wrongly."""


@dataclass
class AsyncDriver(Lockstep[RunningApplication, Model, Step]):
    """Runs programs on one client."""

    rules = staticmethod(expect)

    of_vendor: bool = False
    """Whether the statements of Starlight's document are judged, instead of those of JMS."""

    def _model(self, program: Program) -> Model:
        return Model(program.simplified, of_vendor=self.of_vendor)

    def _answer(
        self, runs: RunningApplication, model: Model, step: Step, expectation: Expectation
    ) -> Answer:
        self.trips_left -= step.method == "send"
        return answer_of(partial(runs.call, step), DidNotCome, DidNotReturn)

    def _goes_on(self, step: Step, expectation: Expectation, answer: Answer) -> bool:
        if isinstance(answer, Raised):
            is_known = not isinstance(answer.error, DidNotCome | DidNotReturn)
            return is_known and step.method in ("touch", "browse", *_LOOKS[:7])
        if step.method in ("commit", "rollback", "close"):
            expectation.permitted[0].effect()
        return step.method in _LOOKS or step.method == "touch"
