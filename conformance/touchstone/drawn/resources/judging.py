"""What drawn programs on resources say of each statement: the verdicts of one scenario."""

from __future__ import annotations

from typing import Final, cast

from jmsapi import ConnectionFactory
from touchstone.drawn.judging import judge_programs
from touchstone.drawn.resources.application import Application
from touchstone.drawn.resources.driving import ResourceDriver
from touchstone.drawn.resources.program import without
from touchstone.drawn.resources.scripts import programs
from touchstone.providers.recorded import unrecorded
from touchstone.scenario.running import RunningScenario

_SECONDS: Final = 75.0
"""A scenario has to end."""


def judge_drawn_resources(at_hand: RunningScenario, subject: str, count: int) -> None:
    """Judge each statement that the scenario declares by `count` programs on a subject.

    In every run they are the same ones; a hunt goes on with others.
    """

    def driver(*, recorded: bool) -> ResourceDriver:
        made = at_hand.jms.factory()
        factory = made if recorded else cast(ConnectionFactory, unrecorded(made))
        exists = at_hand.queues.exists
        return ResourceDriver(lambda: Application(factory, at_hand.name, exists))

    judge_programs(
        at_hand, driver, programs(subject), count, without=without, by_the_run=False,
        seconds=_SECONDS,
    )  # fmt: skip
