"""What drawn programs on credentials say of each statement: the verdicts of one scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from jms_clients.recorded import unrecorded
from jms_model.answers import Answer, Expectation
from jms_model.credentials import PROGRAM, World, expect
from jmsapi import ConnectionFactory
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.credentials.application import Application, Texts
from touchstone.drawn.credentials.program import Step, programs
from touchstone.drawn.driving import DidNotCome, answer_of
from touchstone.drawn.judging import judge_programs
from touchstone.drawn.lockstep import Lockstep, Program, RunningApplication
from touchstone.scenario.running import RunningScenario

PROGRAMS: Final = 80
"""So many are drawn by a seed that never changes."""
_SECONDS: Final = 75.0


@dataclass
class CredentialsDriver(Lockstep[RunningApplication, World, Step]):
    """Runs programs on one client."""

    rules = staticmethod(expect)
    first = PROGRAM

    def _model(self, program: Program) -> World:
        return World()

    def _answer(
        self, runs: RunningApplication, model: World, step: Step, expectation: Expectation
    ) -> Answer:
        return answer_of(partial(runs.call, step), DidNotCome)

    def _goes_on(self, step: Step, expectation: Expectation, answer: Answer) -> bool:
        """It has only been looked at."""
        return step.method == "clients"


def judge_drawn_credentials(at_hand: RunningScenario) -> None:
    """Judge each statement that the scenario declares by programs on settings and logins."""
    stranger, address = at_hand.stranger, at_hand.connected.address
    few_tries = at_hand.preset("few-tries")
    with TemporaryDirectory() as folder:
        texts = Texts(Path(folder), address.token_of)

        def driver(*, recorded: bool) -> CredentialsDriver:
            def factory(settings: Mapping[str, Any]) -> ConnectionFactory:
                made = stranger.factory({**few_tries, **settings})
                return made if recorded else unrecorded(made)

            arrivals = Arrivals()
            return CredentialsDriver(
                lambda _: Application(
                    factory, texts, at_hand.queue, at_hand.view("admin"), arrivals
                ),
                arrivals,
            )

        judge_programs(
            at_hand,
            driver,
            programs(),
            PROGRAMS,
            seconds=_SECONDS,
        )
