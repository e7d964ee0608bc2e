"""What drawn programs on redelivery limits say of each statement: the verdicts of one scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from jms_clients.recorded import unrecorded
from touchstone.drawn.judging import judge_programs
from touchstone.drawn.redelivery_limits.drawing import programs
from touchstone.drawn.redelivery_limits.driving import LimitsDriver
from touchstone.drawn.redelivery_limits.program import without
from touchstone.drawn.redelivery_limits.running import RedeliveryClient, Running
from touchstone.scenario.running import RunningScenario

PROGRAMS: Final = 2
"""So many are drawn by a seed that never changes, which decide every statement."""
_SECONDS: Final = 60.0
"""A scenario has to end."""


def judge_drawn_redelivery_limits(at_hand: RunningScenario) -> None:
    """Judge each statement that the scenario declares by messages that fail.

    In every run they are the same ones; a hunt goes on with others.
    """
    admin, wire = at_hand.view("admin"), at_hand.view("wire")
    namespace = admin.namespace()
    individual = at_hand.jms.constants.individual_acknowledge
    assert individual is not None

    def driver(*, recorded: bool) -> LimitsDriver:
        def factory(settings: Mapping[str, Any]) -> Any:
            made = at_hand.jms.factory(settings)
            return made if recorded else unrecorded(made)

        client = RedeliveryClient(factory, admin, wire, namespace, individual, at_hand.name)
        return LimitsDriver(lambda program, begins: Running(client, program, begins))

    judge_programs(
        at_hand,
        driver,
        programs(),
        PROGRAMS,
        without=without,
        seconds=_SECONDS,
    )
