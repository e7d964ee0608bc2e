"""What drawn programs on asynchronous sends say of each statement: one scenario's verdicts."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Final

from jms_clients.recorded import unrecorded
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.async_sends.application import Application
from touchstone.drawn.async_sends.calling import Returns
from touchstone.drawn.async_sends.drawing import programs
from touchstone.drawn.async_sends.driving import AsyncDriver
from touchstone.drawn.async_sends.outside import Outside
from touchstone.drawn.async_sends.program import without
from touchstone.drawn.judging import judge_programs
from touchstone.scenario.running import RunningScenario

PROGRAMS: Final = 30
"""So many are drawn by a seed that never changes, which decide every statement."""
_TRIPS: Final = 2000
_SECONDS: Final = 40.0
"""A client that loses callbacks is waited for many times, and a scenario has to end."""


def judge_drawn_async_sends(
    at_hand: RunningScenario,
    *,
    count: int = PROGRAMS,
    of_vendor: bool = False,
) -> None:
    """Judge each statement that the scenario declares by drawn programs on asynchronous sends.

    In every run they are the same ones; a hunt goes on with others. `of_vendor`: by the
    document of Starlight, where close() need not wait.
    """
    with ExitStack() as stack:

        def driver(*, recorded: bool) -> AsyncDriver:
            made = at_hand.jms.factory()
            factory = made if recorded else unrecorded(made)
            arrivals = Arrivals()
            outside, returns = Outside(factory, arrivals), Returns()
            stack.callback(outside.close)
            return AsyncDriver(
                lambda program: Application(
                    factory,
                    program.simplified,
                    program.domain,
                    at_hand.name,
                    arrivals,
                    outside,
                    returns,
                ),
                arrivals,
                of_vendor=of_vendor,
            )

        judge_programs(
            at_hand,
            driver,
            programs(),
            count,
            without=without,
            slips=True,
            trips=_TRIPS,
            seconds=_SECONDS,
        )
