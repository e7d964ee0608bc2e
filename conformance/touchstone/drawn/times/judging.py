"""What drawn programs on delays and times to live say of each statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from jms_clients.lacking import DELIVERY_DELAY, lacking
from jms_clients.recorded import unrecorded
from jms_model.times.statements import JMS, STARLIGHT
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.judging import judge_programs
from touchstone.drawn.times.application import Application
from touchstone.drawn.times.clock import Clock
from touchstone.drawn.times.drawing import JMS_OUTLETS, STARLIGHT_OUTLETS, programs
from touchstone.drawn.times.driving import TimeDriver
from touchstone.drawn.times.program import without
from touchstone.scenario.running import RunningScenario

PROGRAMS: Final = 3
"""So many are drawn by a seed that never changes: each waits, with many destinations at once."""
_SECONDS: Final = 60.0
_SHRINKING: Final = 6.0
"""Seconds for which a program is made shorter: what shows something is short already."""
_SHARED: Final[Mapping[str, object]] = {"jms.useExclusiveSubscriptionsForSimpleConsumers": "false"}


def judge_drawn_times(at_hand: RunningScenario, *, document: str = "") -> None:
    """Judge each statement that the scenario declares by drawn programs on delays and expiry.

    In every run they are the same ones; a hunt goes on with others. `document`: `SLJ` for
    Starlight's, where it depends on the subscription whether delays are heeded.
    """
    of_starlight = document == "SLJ"

    def driver(*, recorded: bool) -> TimeDriver:
        def factory(settings: Mapping[str, object] | None = None) -> Any:
            made = at_hand.jms.factory(settings or {})
            return made if recorded else unrecorded(made)

        plain, arrivals = factory(), Arrivals()
        delays = DELIVERY_DELAY not in lacking(at_hand.provider)
        return TimeDriver(
            lambda program: Application(
                plain,
                lambda: factory(_SHARED),
                lambda: factory(at_hand.preset("quick-redelivery")),
                at_hand.name,
                program,
                Clock(),
                arrivals,
                delays,
            ),
            STARLIGHT if of_starlight else JMS,
        )

    outlets = STARLIGHT_OUTLETS if of_starlight else JMS_OUTLETS
    judge_programs(
        at_hand,
        driver,
        programs(outlets, transacted=not of_starlight),
        PROGRAMS,
        without=without,
        seconds=_SECONDS,
        shrinking=_SHRINKING,
    )
