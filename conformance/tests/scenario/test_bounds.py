"""Bounds on time: the client is accused of what cannot be the machine's, and of nothing else."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from queue import SimpleQueue

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.timing import load
from jms_brokers.machine.slack import Slack, watch_machine
from touchstone.outcomes.endings import Inconclusive
from touchstone.scenario.bounds import Kept, bounded, in_time, kept
from touchstone.scenario.judgement import Judgement, running

QUIET = Slack(latest=0.0002, crowding=1.0)
BUSY = Slack(latest=0.020, crowding=6.0)
WAIT, AT_MOST = 0.1, 0.11
"""Seconds, as the document of a client says them, with what is allowed for."""
BY_FAR = 10


@pytest.fixture
def judgement() -> Iterator[Judgement]:
    """The judgement of a scenario that is running."""
    with running(Judgement("scenario", ("JMS-1",))) as judgement:
        yield judgement


@pytest.mark.parametrize(
    ("seconds", "slack", "told"),
    [
        pytest.param(0.090, QUIET, Kept.EARLY, id="early on a quiet machine"),
        pytest.param(0.090, BUSY, Kept.EARLY, id="early on a busy machine"),
        pytest.param(0.099, QUIET, Kept.YES, id="early by what clocks do not show"),
        pytest.param(0.110, QUIET, Kept.YES, id="in time"),
        pytest.param(0.117, QUIET, Kept.LATE, id="late on a quiet machine"),
        pytest.param(0.117, BUSY, Kept.UNKNOWN, id="late on a busy machine"),
        pytest.param(1.000, BUSY, Kept.LATE, id="late by far on a busy machine"),
    ],
)
def test_what_bounds_tell(seconds: float, slack: Slack, told: Kept) -> None:
    assert kept(seconds, WAIT, AT_MOST, slack.seconds) is told


@given(st.floats(0, 10), st.floats(0, 10), st.floats(0, 10), st.floats(0, 10), st.floats(0, 10))
def test_a_busier_machine_only_takes_back_that_it_was_late(
    seconds: float, least: float, more: float, slack: float, busier: float
) -> None:
    quiet = kept(seconds, least, least + more, slack)
    busy = kept(seconds, least, least + more, slack + busier)
    assert busy is quiet or (quiet, busy) == (Kept.LATE, Kept.UNKNOWN)


@given(st.floats(0, 10), st.floats(0, 10), st.floats(0, 10), st.floats(0, 1))
def test_what_the_machine_adds_accuses_nobody(
    least: float, more: float, within: float, slack: float
) -> None:
    took = least + min(within, more) + slack
    assert kept(took - 1e-9, least, least + more, slack) in (Kept.YES, Kept.UNKNOWN)


def test_a_check_that_holds_is_counted(judgement: Judgement) -> None:
    bounded(0.1, at_least=WAIT, at_most=AT_MOST, slack=QUIET)
    assert judgement.checks == {"JMS-1": 1}
    assert in_time(0.1, WAIT, AT_MOST)
    assert not in_time(0.2, WAIT, AT_MOST)


def test_failures_say_what_took_how_long(judgement: Judgement) -> None:
    with pytest.raises(AssertionError, match=r"the call took 0\.090 s, not 0\.1 s at least"):
        bounded(0.09, "the call", at_least=WAIT)
    with pytest.raises(AssertionError, match=r"0\.117 s, not 0\.11 s at most: .* up to 0 ms late"):
        bounded(0.117, "the call", at_most=AT_MOST, slack=QUIET)
    with pytest.raises(Inconclusive, match=r"may have caused 0\.210 s: .* up to 20 ms late"):
        bounded(0.117, "the call", at_most=AT_MOST, slack=BUSY)
    assert judgement.checks == {}


def test_an_upper_bound_needs_the_machine_to_have_been_watched() -> None:
    with pytest.raises(ValueError, match="nothing was watched"):
        bounded(0.1, at_most=AT_MOST)


def test_a_machine_that_does_not_answer_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(seconds: float) -> None:
        threading.Event().wait(seconds + 0.05)

    monkeypatch.setattr(time, "sleep", slowly)
    with watch_machine() as watch:
        pass
    assert watch.slack.latest >= 0.04


@contextmanager
def answering(wait: float) -> Iterator[Callable[[], None]]:
    """A client and its broker: a request goes through five threads, one of which waits."""
    queues: list[SimpleQueue[float | None]] = [SimpleQueue() for _ in range(6)]

    def hand_on(source: SimpleQueue[float | None], target: SimpleQueue[float | None]) -> None:
        for seconds in iter(source.get, None):
            threading.Event().wait(seconds)
            target.put(0.0)
        target.put(None)

    def call() -> None:
        queues[0].put(wait)
        queues[-1].get()

    for each in pairwise(queues):
        threading.Thread(target=hand_on, args=each).start()
    yield call
    queues[0].put(None)
    queues[-1].get()


def accused(call: Callable[[], None], tries: int) -> list[str]:
    """What a client is accused of that has to answer in WAIT seconds."""
    found = []
    for _ in range(tries):
        with watch_machine() as watch:
            call()
        try:
            bounded(watch.seconds, at_least=WAIT, at_most=AT_MOST, slack=watch.slack)
        except AssertionError as error:
            found.append(str(error))
        except Inconclusive:
            pass
    return found


def test_on_a_busy_machine_the_right_are_not_accused_and_the_wrong_are(
    judgement: Judgement,
) -> None:
    with load(12):
        with answering(WAIT) as right:
            assert accused(right, 10) == []
        with answering(BY_FAR * WAIT) as late:
            assert accused(late, 5)
        with answering(WAIT / 10) as early:
            assert accused(early, 5)
