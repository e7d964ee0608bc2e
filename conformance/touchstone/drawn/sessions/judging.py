"""What drawn programs on sessions say of each statement: the verdicts of one scenario."""

from __future__ import annotations

from typing import Final

from touchstone.drawn.judging import judge_programs
from touchstone.drawn.sessions.drawing import programs
from touchstone.drawn.sessions.driving import SessionDriver
from touchstone.drawn.sessions.program import without
from touchstone.providers.recorded import unrecorded
from touchstone.scenario.running import RunningScenario

PROGRAMS: Final = 100
"""So many are drawn by a seed that never changes, and by that of the run: each makes a connection
or more."""

_TRIPS: Final = 800
"""So many messages they receive: on a busy machine each takes its time."""


def judge_drawn_sessions(at_hand: RunningScenario) -> None:
    """Judge each statement that the scenario declares by drawn programs on sessions."""

    def driver(*, recorded: bool) -> SessionDriver:
        factory = at_hand.jms.factory()
        return SessionDriver(factory if recorded else unrecorded(factory), at_hand.name)  # type: ignore[arg-type]

    judge_programs(
        at_hand,
        driver,
        programs(),
        PROGRAMS,
        without=without,
        slips=True,
        trips=_TRIPS,
    )
