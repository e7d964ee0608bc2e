"""What drawn programs on subscriptions say of each statement: the verdicts of one scenario."""

from __future__ import annotations

from typing import Any, Final

from jms_clients.recorded import unrecorded
from jmsapi import ConnectionFactory
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.judging import judge_programs
from touchstone.drawn.subscriptions.application import Applications
from touchstone.drawn.subscriptions.drawing import NAMESPACES, programs
from touchstone.drawn.subscriptions.driving import SubscriptionDriver
from touchstone.scenario.running import RunningScenario

PROGRAMS: Final = 60
"""So many are drawn by a seed that never changes."""
_SECONDS: Final = 60.0


def judge_drawn_subscriptions(at_hand: RunningScenario) -> None:
    """Judge each statement that the scenario declares by programs on consumers of all kinds.

    In every run they are the same ones; a hunt goes on with others.
    """
    admin = at_hand.view("admin")
    namespaces = {name: admin.namespace() for name in NAMESPACES}

    def driver(*, recorded: bool) -> SubscriptionDriver:
        def factory(settings: Any) -> ConnectionFactory:
            made = at_hand.jms.factory(settings)
            return made if recorded else unrecorded(made)

        arrivals = Arrivals()
        return SubscriptionDriver(
            lambda _: Applications(factory, admin, namespaces, at_hand.name("p"), arrivals),
            arrivals,
        )

    judge_programs(
        at_hand,
        driver,
        programs(),
        PROGRAMS,
        seconds=_SECONDS,
    )
