"""What drawn messages of other classes say of each statement: one scenario's verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from jms_clients.recorded import unrecorded
from jms_model.answers import Answer, Expectation
from jms_model.foreign_messages import JMS, MAKES, Others, expect
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.driving import Disagreement, answer_of
from touchstone.drawn.foreign_messages.application import Application, Makes
from touchstone.drawn.foreign_messages.program import LOOKS, Step, programs
from touchstone.drawn.judging import judge_programs
from touchstone.drawn.lockstep import Lockstep, Program, RunningApplication
from touchstone.scenario.running import RunningScenario

PROGRAMS: Final = 90
"""So many are drawn by a seed that never changes."""
_SECONDS: Final = 40.0


@dataclass
class ForeignMessageDriver(Lockstep[RunningApplication, Others, Step]):
    """Runs programs on one client."""

    rules = staticmethod(expect)
    first = MAKES

    document: str = JMS

    def _model(self, program: Program) -> Others:
        return Others(self.document)

    def _answer(
        self, runs: RunningApplication, model: Others, step: Step, expectation: Expectation
    ) -> Answer:
        self.trips_left -= step.method == "arrives"
        return answer_of(partial(runs.call, step))

    def _goes_on(self, step: Step, expectation: Expectation, answer: Answer) -> bool:
        return step.method in (*LOOKS, "asked", "header")

    def _did_not_come(self, each: Disagreement) -> bool:
        return bool(each.program.steps[-1].method == "arrives")


def judge_drawn_messages_of_others(
    at_hand: RunningScenario,
    makes: Makes,
    unreadable: Callable[[], object],
    *,
    document: str = JMS,
) -> None:
    """Judge each statement that the scenario declares by messages of other classes.

    `makes` makes them; `unreadable` makes a value that cannot be rebuilt; `document`, by its
    prefix, has statements of its own on them.
    """

    def driver(*, recorded: bool) -> ForeignMessageDriver:
        made = at_hand.jms.factory()
        factory = made if recorded else unrecorded(made)
        arrivals = Arrivals()
        return ForeignMessageDriver(
            lambda _: Application(factory, at_hand.queue, arrivals, makes, unreadable),
            arrivals,
            document=document,
        )

    judge_programs(
        at_hand,
        driver,
        programs(document),
        PROGRAMS,
        seconds=_SECONDS,
    )
