"""What drawn programs on sessions say of each statement: the verdicts of one scenario."""

from __future__ import annotations

from typing import Final

from touchstone.drawn.judging import judge_programs
from touchstone.drawn.sessions.drawing import programs
from touchstone.drawn.sessions.driving import SessionDriver
from touchstone.drawn.sessions.program import without
from touchstone.providers.recorded import unrecorded
from touchstone.scenario.running import RunningScenario

PROGRAMS: Final = 40
"""So many are drawn by a seed that never changes, and by that of the run: each makes a connection
or more."""


def judge_drawn_sessions(at_hand: RunningScenario, subject: str) -> None:
    """Judge each statement that the scenario declares by drawn programs on sessions.

    They are about a subject (`touchstone.drawn.sessions.drawing`).
    """

    def driver(*, recorded: bool) -> SessionDriver:
        factory = at_hand.jms.factory()
        return SessionDriver(factory if recorded else unrecorded(factory), at_hand.name)  # type: ignore[arg-type]

    judge_programs(at_hand, driver, programs(subject), PROGRAMS, without=without, slips=True)
