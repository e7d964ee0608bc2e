"""What drawn programs on resources say of each statement: the verdicts of one scenario."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from jms_brokers.errors import BrokerError
from jms_clients.recorded import unrecorded
from jmsapi import Destination
from touchstone.drawn.judging import judge_programs
from touchstone.drawn.resources.application import Application
from touchstone.drawn.resources.driving import ResourceDriver
from touchstone.drawn.resources.program import without
from touchstone.drawn.resources.scripts import programs
from touchstone.scenario.running import RunningScenario

_SECONDS: Final = 75.0
"""A scenario has to end."""


@dataclass
class _View:
    """What the broker says of destinations, until it does not answer."""

    exists: Callable[[Destination], bool | None]
    answers: bool = True

    def __call__(self, destination: Destination) -> bool | None:
        """Whether the broker has a destination; None: it does not tell."""
        if not self.answers:
            return None
        try:
            return self.exists(destination)
        except BrokerError:
            self.answers = False
            return None


def judge_drawn_resources(at_hand: RunningScenario, subject: str, count: int) -> None:
    """Judge each statement that the scenario declares by `count` programs on a subject.

    In every run they are the same ones; a hunt goes on with others.
    """

    view = _View(at_hand.queues.exists)

    def driver(*, recorded: bool) -> ResourceDriver:
        made = at_hand.jms.factory()
        factory = made if recorded else unrecorded(made)
        oldest, _ = at_hand.jms.oldest_version
        return ResourceDriver(lambda _: Application(factory, at_hand.name, view), oldest=oldest)

    judge_programs(
        at_hand, driver, programs(subject), count, without=without,
        seconds=_SECONDS,
    )  # fmt: skip
