"""What drawn programs on sessions say of each statement: the verdicts of one scenario."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, cast

from hypothesis.strategies import SearchStrategy

from jmsapi import ConnectionFactory
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.judging import judge_programs
from touchstone.drawn.sessions.application import Application
from touchstone.drawn.sessions.drawing import programs
from touchstone.drawn.sessions.driving import SessionDriver
from touchstone.drawn.sessions.holding import programs_on_held_messages
from touchstone.drawn.sessions.program import Program, without
from touchstone.drawn.sessions.sharing import programs_side_by_side
from touchstone.providers.recorded import unrecorded
from touchstone.scenario.running import RunningScenario

PROGRAMS: Final = 120
"""So many are drawn by a seed that never changes: each makes a connection or two."""
SIDE_BY_SIDE: Final = 60
"""The same of those with consumers side by side."""
HOLDING: Final = 60
"""And of those in which a session holds messages of several consumers."""

_TRIPS: Final = 3000
"""So many messages they receive: on a busy machine each takes its time."""

_SECONDS: Final = 75.0
"""A client that loses many messages is waited for many times, and a scenario has to end."""


def judge_drawn_consumers(at_hand: RunningScenario) -> None:
    """Judge each statement that the scenario declares by programs with consumers side by side."""
    _judge(at_hand, programs_side_by_side(), SIDE_BY_SIDE)


def judge_drawn_holding(at_hand: RunningScenario) -> None:
    """Judge each statement that the scenario declares by programs that fill a session first."""
    _judge(at_hand, programs_on_held_messages(), HOLDING)


def judge_drawn_sessions(
    at_hand: RunningScenario,
    *subjects: str,
    count: int = PROGRAMS,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Judge each statement that the scenario declares by drawn programs on such subjects.

    In every run they are the same ones; a hunt goes on with others. `settings` are the factory's,
    besides the defaults.
    """
    _judge(at_hand, programs(*subjects), count, settings)


def _judge(
    at_hand: RunningScenario,
    drawn: SearchStrategy[Program],
    count: int,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> None:
    def driver(*, recorded: bool) -> SessionDriver:
        made = at_hand.jms.factory(settings)
        factory = made if recorded else cast(ConnectionFactory, unrecorded(made))
        arrivals = Arrivals()
        return SessionDriver(
            lambda program: Application(
                factory, program.simplified, at_hand.name, arrivals, program.domain
            )
        )

    judge_programs(
        at_hand,
        driver,
        drawn,
        count,
        without=without,
        slips=True,
        trips=_TRIPS,
        by_the_run=False,
        seconds=_SECONDS,
    )
