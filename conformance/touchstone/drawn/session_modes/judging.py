"""What drawn programs on the modes of sessions say of each statement: one scenario's verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Protocol

from jms_clients.recorded import unrecorded
from jms_model.answers import Answer, Expectation
from jms_model.session_modes import PROGRAM, Session, World, expect, numbers_left_by
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.driving import answer_of
from touchstone.drawn.judging import judge_programs
from touchstone.drawn.lockstep import Lockstep, Program
from touchstone.drawn.session_modes.application import Application
from touchstone.drawn.session_modes.program import Step, programs
from touchstone.scenario.running import RunningScenario

PROGRAMS: Final = 40
"""So many are drawn by a seed that never changes."""
_SECONDS: Final = 40.0


class RunningApplication(Protocol):
    """Makes the calls of one program."""

    @property
    def objects(self) -> Mapping[str, Any]: ...
    def call(self, step: Step, count: int) -> object: ...
    def close(self) -> None: ...


@dataclass
class ModeDriver(Lockstep[RunningApplication, World, Step]):
    """Runs programs on one client."""

    rules = staticmethod(expect)
    first = PROGRAM

    document: str = ""

    def _model(self, program: Program) -> World:
        return World(self.document)

    def _answer(
        self, runs: RunningApplication, model: World, step: Step, expectation: Expectation
    ) -> Answer:
        target = model.objects.get(step.on)
        count = len(numbers_left_by(model, target)) if isinstance(target, Session) else 0
        return answer_of(partial(runs.call, step, count))

    def _goes_on(self, step: Step, expectation: Expectation, answer: Answer) -> bool:
        """It has only been looked at, or is not there."""
        return step.method in ("create", "acknowledge_mode", "transacted", "emptied", "left")


def judge_drawn_session_modes(
    at_hand: RunningScenario,
    document: str,
    settings: Mapping[str, object] = MappingProxyType({}),
) -> None:
    """Judge each statement that the scenario declares by drawn programs on sessions' modes.

    They are those of a vendor's document, by its prefix; `settings` are the factory's.
    """
    individual = at_hand.jms.constants.individual_acknowledge
    assert individual is not None
    with ExitStack() as stack:

        def driver(*, recorded: bool) -> ModeDriver:
            made = at_hand.jms.factory(settings)
            factory = made if recorded else unrecorded(made)
            arrivals = Arrivals()
            own = factory.create_connection()
            stack.callback(own.close)
            own.start()
            return ModeDriver(
                lambda _: Application(
                    factory, individual, at_hand.queue, at_hand.queues.pending, arrivals, own
                ),
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
