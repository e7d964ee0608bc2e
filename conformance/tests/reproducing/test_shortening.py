"""Calls that a program does not need: which may go, how few questions find them, and the rest."""

from __future__ import annotations

from collections.abc import Set

import pytest

from reproducing.traces_by_hand import CONSUMER, QUEUE, SESSION, Trace, made, trace_by_hand
from touchstone.reproducing.difference import signs
from touchstone.reproducing.plan import ProgramPlan, plan
from touchstone.reproducing.recording import recording
from touchstone.reproducing.shortening import shorten

OTHER = 50


@pytest.fixture
def trace() -> Trace:
    """A refused browser, behind a consumer of another queue that is used and closed."""
    written = trace_by_hand()
    written.call("Session", SESSION, "createQueue", {"String": "queue_1"}, gives=made(OTHER))
    written.held(OTHER, "Queue")
    written.call("Session", SESSION, "createConsumer", made(OTHER), gives=made(CONSUMER))
    written.held(CONSUMER, "MessageConsumer")
    written.call("MessageConsumer", CONSUMER, "receive", {"long": "10"})
    written.call("MessageConsumer", CONSUMER, "close")
    written.queue()
    written.call(
        "Session", SESSION, "createBrowser", made(QUEUE), throws=["jakarta.jms.JMSException"]
    )
    return written


def plan_of(trace: Trace, left_out: Set[int] = frozenset()) -> ProgramPlan:
    recorded = recording(trace.lines)
    return plan(recorded, signs("JMSException: no", None, recorded), left_out)


def methods(trace: Trace, left_out: Set[int]) -> list[str]:
    return [call.method for call in plan_of(trace, left_out).calls if call.on is not None]


def test_what_does_not_matter_goes_with_all_that_needs_it(trace: Trace) -> None:
    asked: list[Set[int]] = []

    def always(left_out: Set[int]) -> bool:
        asked.append(left_out)
        return True

    left_out = shorten(plan_of(trace), always, most=9)
    assert len(asked) == 1
    assert methods(trace, left_out) == ["createSession", "createQueue", "createBrowser"]


@pytest.mark.parametrize(
    ("needed", "rest"),
    [
        ("receive", ["createQueue", "createConsumer", "receive", "close"]),
        ("createConsumer", ["createQueue", "createConsumer", "close"]),
    ],
)
def test_what_matters_stays_with_all_that_it_needs(
    needed: str, rest: list[str], trace: Trace
) -> None:
    left_out = shorten(plan_of(trace), lambda gone: needed in methods(trace, gone), most=99)
    assert methods(trace, left_out) == ["createSession", *rest, "createQueue", "createBrowser"]


def test_a_listener_and_a_close_stay_where_their_object_does() -> None:
    listening = trace_by_hand()
    listening.consumer()
    listening.listens()
    listening.call("MessageConsumer", CONSUMER, "close")
    listening.call("Session", SESSION, "commit", throws=["jakarta.jms.JMSException"])
    left_out = shorten(plan_of(listening), lambda _: True, most=99)
    assert left_out == set()


def test_no_more_is_asked_than_is_allowed(trace: Trace) -> None:
    asked: list[Set[int]] = []

    def never(left_out: Set[int]) -> bool:
        asked.append(left_out)
        return False

    assert shorten(plan_of(trace), never, most=2) == set()
    assert len(asked) == 2
