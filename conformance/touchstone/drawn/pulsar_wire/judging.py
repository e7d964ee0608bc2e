"""What drawn programs say of how messages travel: the verdicts of one scenario."""

from __future__ import annotations

import math
from typing import Final

from touchstone.drawn.judging import judge_programs
from touchstone.drawn.pulsar_wire.drawing import programs
from touchstone.drawn.pulsar_wire.driving import WireDriver
from touchstone.drawn.pulsar_wire.exchange import EMULATED, Client, Exchange
from touchstone.drawn.pulsar_wire.program import without
from touchstone.providers.recorded import unrecorded
from touchstone.scenario.running import RunningScenario

PROGRAMS: Final = 40
"""So many are drawn by a seed that never changes, which decide every statement."""
_SECONDS: Final = 60.0
"""A scenario has to end."""


def judge_drawn_wire(at_hand: RunningScenario) -> None:
    """Judge each statement that the scenario declares by messages that JMS sends.

    They are looked at on the wire and received. In every run they are the same ones; a hunt goes
    on with others.
    """

    def driver(*, recorded: bool) -> WireDriver:
        client = _client(at_hand, recorded=recorded)
        return WireDriver(lambda program: Exchange(client, program))

    judge_programs(
        at_hand,
        driver,
        programs(),
        PROGRAMS,
        without=without,
        trips=math.inf,
        by_the_run=False,
        seconds=_SECONDS,
    )


def _client(at_hand: RunningScenario, *, recorded: bool) -> Client:
    quick = at_hand.preset("quick-redelivery")
    made = [at_hand.jms.factory(quick), at_hand.jms.factory(EMULATED)]
    factory, transacted = made if recorded else map(unrecorded, made)
    return Client(factory, transacted, at_hand.view("wire"), at_hand.name)
