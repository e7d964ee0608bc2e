"""What drawn programs on sessions say of each statement: the verdicts of one scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from hypothesis.strategies import SearchStrategy

from jms_clients.recorded import unrecorded
from jms_model.delivery.vendors import NONE, VENDORS, Vendor
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.judging import judge_programs
from touchstone.drawn.sessions.application import Application
from touchstone.drawn.sessions.browsing import programs_with_browsers
from touchstone.drawn.sessions.drawing import (
    BROWSERS,
    EMULATED,
    EMULATED_LISTENERS,
    HOLDING,
    KEPT,
    LISTENERS,
    SIDE_BY_SIDE,
    programs,
)
from touchstone.drawn.sessions.driving import SessionDriver
from touchstone.drawn.sessions.holding import programs_on_held_messages, programs_on_kept_messages
from touchstone.drawn.sessions.program import Program, without
from touchstone.drawn.sessions.sharing import programs_side_by_side
from touchstone.drawn.sessions.unfinished import (
    HEARD_ONES,
    HELD_ONES,
    LATE_ONES,
    programs_on_consumers_closed_by_listeners,
    programs_on_held_messages_left,
    programs_on_sessions_made_while_stopped,
)
from touchstone.scenario.running import RunningScenario

EMULATED_ONES: Final = 12
"""So many with listeners are drawn besides those on emulated transactions."""
PROGRAMS: Final = 120
"""So many are drawn by a seed that never changes: each makes a connection or two."""

_DRAWN_APART: Final[Mapping[tuple[str, ...], Callable[[], SearchStrategy[Program]]]] = {
    (SIDE_BY_SIDE,): programs_side_by_side,
    (HOLDING,): programs_on_held_messages,
    (KEPT,): programs_on_kept_messages,
    (BROWSERS,): programs_with_browsers,
}
"""The subjects whose programs are drawn in a way of their own."""
_TRIPS: Final = 3000
"""So many messages they receive: on a busy machine each takes its time."""

_SECONDS: Final = 75.0
"""A client that loses many messages is waited for many times, and a scenario has to end."""


def programs_about(*subjects: str, vendor: Vendor = NONE) -> SearchStrategy[Program]:
    """Programs, each about one of the subjects."""
    if apart := _DRAWN_APART.get(subjects):
        return apart().map(lambda program: replace(program, vendor=vendor))
    return programs(*subjects, vendor=vendor)


def besides(*subjects: str, vendor: Vendor = NONE) -> Sequence[tuple[SearchStrategy[Program], int]]:
    """What is drawn behind the programs on some subjects, and how many."""
    return [
        (each.map(lambda program: replace(program, vendor=vendor)), count)
        for each, count in _besides(subjects)
    ]


def _besides(subjects: tuple[str, ...]) -> Sequence[tuple[SearchStrategy[Program], int]]:
    if subjects == (HOLDING,):
        return [(programs_on_held_messages_left(), HELD_ONES)]
    if subjects == (LISTENERS,):
        return [
            (programs_on_consumers_closed_by_listeners(), HEARD_ONES),
            (programs_on_sessions_made_while_stopped(), LATE_ONES),
        ]
    if subjects == (EMULATED,):
        return [(programs(EMULATED_LISTENERS), EMULATED_ONES)]
    return []


def judge_drawn_sessions(
    at_hand: RunningScenario,
    *subjects: str,
    count: int = PROGRAMS,
    settings: Mapping[str, str] = MappingProxyType({}),
    document: str = "",
) -> None:
    """Judge each statement that the scenario declares by drawn programs on such subjects.

    In every run they are the same ones; a hunt goes on with others. `settings` are the factory's,
    besides the defaults; `document`, by its prefix, has statements of its own on sessions.
    """

    def driver(*, recorded: bool) -> SessionDriver:
        made = at_hand.jms.factory(settings)
        factory = made if recorded else unrecorded(made)
        arrivals = Arrivals()
        return SessionDriver(
            lambda program: Application(
                factory,
                program.simplified,
                at_hand.name,
                arrivals,
                program.domain,
                at_hand.jms.constants.individual_acknowledge,
            ),
            arrivals,
        )

    vendor = VENDORS.get(document, NONE)
    judge_programs(
        at_hand,
        driver,
        programs_about(*subjects, vendor=vendor),
        count,
        more=besides(*subjects, vendor=vendor),
        without=without,
        slips=True,
        trips=_TRIPS,
        seconds=_SECONDS,
    )
