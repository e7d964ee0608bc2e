"""Such a program at work: on the client and the broker, and on the model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

from jms_brokers.errors import NotAsExpected
from jms_brokers.machine.polling import until
from jms_model.answers import Answer, Expectation, Raised
from jms_model.pulsar_subscriptions.calls import BROKER, expect
from jms_model.pulsar_subscriptions.cluster import Cluster, Due
from touchstone.drawn.driving import Disagreement, answer_of
from touchstone.drawn.lockstep import Lockstep, Program
from touchstone.drawn.subscriptions.program import Step

_FIRST: Final = 3.0
"""Seconds in which the broker shows what clients have done."""
_AGAIN: Final = 0.5
"""The same, once it did not."""


class RunningApplications(Protocol):
    """Applications that make the calls of one program, and what an administrator sees."""

    def call(self, step: Step, due: Due | None) -> object:
        """Make a call; `due`: where messages are taken, what is due to whom."""
        ...

    def close(self) -> None:
        """Close what is still open."""
        ...


@dataclass
class SubscriptionDriver(Lockstep[RunningApplications, Cluster, Step]):
    """Runs programs on one client."""

    rules = staticmethod(expect)

    shown_within: float = _FIRST
    """Seconds in which the broker shows what clients have done."""

    def _model(self, program: Program) -> Cluster:
        return Cluster()

    def _is_there(self, runs: RunningApplications, step: Step) -> bool:
        return True

    def _answer(
        self, runs: RunningApplications, model: Cluster, step: Step, expectation: Expectation
    ) -> Answer:
        """How the call ended; a look is repeated until it shows what it has to."""
        due = None
        if step.method == "take":
            due = model.due(model.consumers[step.on])
            self.trips_left -= due.numbers.total()
        call = partial(answer_of, partial(runs.call, step, due))
        answer = call()
        if not self.shown_within or step.on != BROKER or step.method == "lives":
            return answer

        def is_shown() -> bool:
            nonlocal answer
            shown = expectation.ending(answer) is not None
            answer = answer if shown else call()
            return shown

        try:
            until(is_shown, self.shown_within)
        except NotAsExpected:
            self.shown_within = min(self.shown_within, _AGAIN)
        return answer

    def _goes_on(self, step: Step, expectation: Expectation, answer: Answer) -> bool:
        """It has only shown or refused something."""
        was_refused = step.method == "unsubscribe" and isinstance(answer, Raised)
        return was_refused or step.on == BROKER or step.method == "client_id"

    def _did_not_come(self, each: Disagreement) -> bool:
        return bool(each.program.steps[-1].method == "take")
