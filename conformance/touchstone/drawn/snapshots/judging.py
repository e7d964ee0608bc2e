"""What drawn programs with snapshots say of each statement: the verdicts of one scenario."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Final

from jms_clients.recorded import unrecorded
from jmsapi import ConnectionFactory
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.judging import judge_programs
from touchstone.drawn.snapshots.application import Application
from touchstone.drawn.snapshots.drawing import programs
from touchstone.drawn.snapshots.driving import SnapshotDriver
from touchstone.scenario.running import RunningScenario

PROGRAMS: Final = 40
"""So many are drawn by a seed that never changes."""
_SECONDS: Final = 40.0


def judge_drawn_snapshots(at_hand: RunningScenario) -> None:
    """Judge each statement that the scenario declares by programs that take snapshots.

    In every run they are the same ones; a hunt goes on with others.
    """

    with ExitStack() as stack:

        def driver(*, recorded: bool) -> SnapshotDriver:
            def factory() -> ConnectionFactory:
                made = at_hand.jms.factory()
                return made if recorded else unrecorded(made)

            arrivals = Arrivals()
            own = factory().create_connection()
            own.start()
            stack.callback(own.close)
            return SnapshotDriver(
                lambda program: Application(
                    factory, program.simplified, at_hand.name, at_hand.queues.ready, arrivals, own
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
