"""A message that had little time, since another was lost before, is late and not lost."""

from __future__ import annotations

import math

import pytest

from drawn.sessions_in_memory import Call, InMemory, Wrong
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.driving import Disagreement
from touchstone.drawn.hunting import Hunt
from touchstone.drawn.sessions.driving import SessionDriver
from touchstone.drawn.sessions.judging import programs_about
from touchstone.drawn.sessions.program import Program, Step, without

BRIEF, LONG = 1.0, 10.0
PROGRAM = Program(
    False,
    [
        Step("factory", "create_connection", ("a",), "c0"),
        Step("c0", "create_session", (2,), "s0"),
        Step("c0", "start"),
        Step("s0", "create_consumer", ("q0", None), "k0"),
        Step("s0", "send", ("q0", "5", 1, "producer")),
        Step("k0", "receive", (), "m0"),
    ],
)


def waiting(arrivals: Arrivals, needs: float) -> Wrong:
    """A client whose messages come in `needs` seconds."""

    def wrong(_: InMemory, step: Step, call: Call) -> object:
        if step.method != "receive":
            return call()
        arrivals.was_brief = arrivals.within < LONG
        if arrivals.within >= needs:
            return call()
        arrivals.within = BRIEF
        return None

    return wrong


def disagreement(needs: float) -> tuple[SessionDriver, Disagreement]:
    """What the program shows of such a client where a message was lost before."""
    arrivals = Arrivals()
    arrivals.within = BRIEF
    runs = SessionDriver(lambda program: InMemory(program, waiting(arrivals, needs)), arrivals)
    [lost] = runs.disagreements(PROGRAM)
    return runs, lost


@pytest.mark.parametrize("doubted", [False, True])
def test_what_comes_in_more_time_is_late(doubted: bool) -> None:
    runs, lost = disagreement(needs=3.0)
    assert not runs.holds(lost, doubted=doubted)


@pytest.mark.parametrize("doubted", [False, True])
def test_what_does_not_come_in_more_time_either_is_lost(doubted: bool) -> None:
    runs, lost = disagreement(needs=math.inf)
    runs.trips_left = 0
    assert runs.holds(lost, doubted=doubted)
    assert runs.trips_left == 0


def test_the_first_that_does_not_come_had_its_time() -> None:
    runs, lost = disagreement(needs=3.0)
    runs.arrivals.was_brief = False
    assert runs.holds(lost, doubted=False)


def test_a_hunt_tells_of_nothing_that_is_late() -> None:
    def opened(program: Program) -> InMemory:
        return InMemory(program, waiting(arrivals, needs=3.0))

    arrivals = Arrivals()
    arrivals.within = BRIEF
    statements = frozenset(["JMS-CONS-001", "JMS-PROD-001", "JMS-SUB-001"])
    hunt = Hunt(SessionDriver(opened, arrivals), statements, without=without, trips=math.inf)
    hunt.draw(programs_about("acknowledgement"), 20, 0)
    assert not hunt.found

    arrivals.within = BRIEF
    lossy = SessionDriver(
        lambda program: InMemory(program, waiting(arrivals, needs=math.inf)), arrivals
    )
    hunt = Hunt(lossy, statements, without=without, trips=math.inf, shrinks=False)
    hunt.draw(programs_about("acknowledgement"), 20, 0)
    assert hunt.found
