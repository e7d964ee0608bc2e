"""What drawn programs on selectors say of each statement: the verdicts of one scenario."""

from __future__ import annotations

from typing import Final

from jms_clients.recorded import unrecorded
from touchstone.drawn.judging import judge_programs
from touchstone.drawn.selectors.application import Application
from touchstone.drawn.selectors.drawing import (
    grouped_programs,
    programs,
    programs_on_patterns,
    rare_programs,
)
from touchstone.drawn.selectors.driving import SelectorDriver
from touchstone.drawn.selectors.program import without
from touchstone.scenario.running import RunningScenario

PROGRAMS: Final = 60
"""So many are drawn by a seed that never changes, which decide every statement: each has a queue of
its own, and ten selectors."""
RARE_PROGRAMS: Final = 15
"""So many besides of what would seldom meet."""
GROUPED_PROGRAMS: Final = 10
"""So many of JMSX properties."""
PROGRAMS_ON_PATTERNS: Final = 10
"""So many of LIKE alone."""
_TRIPS: Final = 1000
_SECONDS: Final = 75.0
"""A scenario has to end."""


def judge_drawn_selectors(at_hand: RunningScenario) -> None:
    """Judge each statement that the scenario declares by drawn selectors on drawn messages.

    In every run they are the same ones; a hunt goes on with others.
    """

    def driver(*, recorded: bool) -> SelectorDriver:
        made = at_hand.jms.factory()
        factory = made if recorded else unrecorded(made)
        return SelectorDriver(
            lambda simplified: Application(factory, at_hand.name("queue"), simplified=simplified)
        )

    judge_programs(
        at_hand,
        driver,
        programs(),
        PROGRAMS,
        more=[
            (rare_programs(), RARE_PROGRAMS),
            (grouped_programs(), GROUPED_PROGRAMS),
            (programs_on_patterns(), PROGRAMS_ON_PATTERNS),
        ],
        without=without,
        trips=_TRIPS,
        seconds=_SECONDS,
    )
