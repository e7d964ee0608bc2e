"""What drawn programs on stop() and close() say of each statement: one scenario's verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Protocol

from jms_clients.recorded import unrecorded
from jms_model.answers import Answer, Expectation, Raised
from jms_model.closing import PROGRAM, STATEMENTS, World, expect
from jmsapi import SessionMode
from touchstone.drawn.closing.application import Application
from touchstone.drawn.closing.program import Step, programs, programs_on_receives
from touchstone.drawn.driving import DidNotEnd, Disagreement, answer_of
from touchstone.drawn.judging import judge_programs
from touchstone.drawn.lockstep import Lockstep, Program
from touchstone.scenario.running import RunningScenario

PROGRAMS: Final = 40
"""So many are drawn by a seed that never changes."""
PROGRAMS_ON_RECEIVES: Final = 12
"""So many besides, of a document that says what a receive() does meanwhile."""
_SECONDS: Final = 80.0
_SHRINKING: Final = 20.0


class RunningApplication(Protocol):
    """Makes the calls of one program."""

    @property
    def objects(self) -> Mapping[str, Any]: ...
    def call(self, step: Step) -> object: ...
    def close(self) -> None: ...


@dataclass
class ClosingDriver(Lockstep[RunningApplication, World, Step]):
    """Runs programs on one client."""

    rules = staticmethod(expect)
    first = PROGRAM

    document: str = "JMS"
    refused: set[int] = field(default_factory=set)
    """The modes in which the client makes no sessions: it may take a while to say so."""

    def _model(self, program: Program) -> World:
        return World(self.document)

    def _expect(self, runs: RunningApplication, model: World, step: Step) -> Expectation | None:
        if step.method == "session" and step.args[0] in self.refused:
            return None
        return super()._expect(runs, model, step)

    def _answer(
        self, runs: RunningApplication, model: World, step: Step, expectation: Expectation
    ) -> Answer:
        answer = answer_of(partial(runs.call, step), DidNotEnd)
        if step.method == "session" and isinstance(answer, Raised):
            self.refused.add(step.args[0])
        return answer

    def _goes_on(self, step: Step, expectation: Expectation, answer: Answer) -> bool:
        """It has only been looked at, or is not there."""
        return step.method in ("session", "has_ended", "calls_later", "calls", "sent", "settled")

    def _did_not_come(self, each: Disagreement) -> bool:
        return False


def judge_drawn_closing(
    at_hand: RunningScenario,
    document: str = "JMS",
    settings: Mapping[str, object] = MappingProxyType({}),
) -> None:
    """Judge each statement that the scenario declares by drawn programs on stop() and close().

    They are those of a document, by its prefix; `settings` are the factory's.
    """
    with ExitStack() as stack:

        def driver(*, recorded: bool) -> ClosingDriver:
            made = at_hand.jms.factory(settings)
            factory = made if recorded else unrecorded(made)
            own = factory.create_connection()
            stack.callback(own.close)
            session = own.create_session(False, SessionMode.AUTO_ACKNOWLEDGE)
            return ClosingDriver(
                lambda _: Application(factory, at_hand.queue, at_hand.queues.pending, session),
                document=document,
            )

        judge_programs(
            at_hand,
            driver,
            programs(document),
            PROGRAMS,
            more=[(programs_on_receives(document), PROGRAMS_ON_RECEIVES)]
            if STATEMENTS[document].limits_receives
            else [],
            seconds=_SECONDS,
            shrinking_in_all=_SHRINKING,
        )
