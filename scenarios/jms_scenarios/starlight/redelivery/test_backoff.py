"""Redelivery: how long it waits, by the settings of a backoff."""

import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

import pytest

from jms_scenarios.traffic import send, texts
from jmsapi import Session
from touchstone.api import (
    Slack,
    bounded,
    in_time,
    judging,
    observe,
    receive,
    requirement,
    slow,
    timed,
)

SAMPLE = {"minDelayMs": 10, "maxDelayMs": 100, "multiplier": 2.0}
"""The backoff in the documents."""
LATE, QUARTER = 0.010, 0.250
"""Seconds: the best of several tries is no later than this; and where two seconds are waited."""
TRIES = 15


class Wait(NamedTuple):
    """How long a redelivery waited, and how late the machine was meanwhile."""

    seconds: float
    slack: Slack


class Trigger(NamedTuple):
    """What leads to a redelivery: how it is configured, its seconds, what has to be called."""

    backoff: str
    settings: Mapping[str, object]
    seconds: float
    call: Callable[[Session], object]


ACK_TIMEOUT = Trigger(
    "ackTimeoutRedeliveryBackoff", {"ackTimeoutMillis": 100}, 0.1, lambda session: None
)
NEGATIVE_ACK = Trigger("negativeAckRedeliveryBackoff", {}, 0.0, lambda session: session.recover())


@pytest.fixture
def waits(watched, jms, name):
    """`waits(trigger, backoff, expected)`: how long a message's redeliveries waited, in order.

    Each is the shortest of several tries, as many as it takes to come close to `expected`. Behind
    an acknowledgement timeout the wait ends, as the document says, with the client's request: how
    long the broker takes to answer it is no part. Behind a negative acknowledgement the redelivery
    itself ends it.
    """

    def asked_for(since):
        """When the client asked; when the message came, if that was not asked for."""
        return next((at for at in watched.requests if at > since), watched.times[-1])

    def one_try(session, trigger, count):
        queue = jms.queue(name("queue"))
        measured = []
        with session.create_consumer(queue) as consumer, timed() as series:
            sent = send(jms.connected, queue, ["message"])
            assert texts([receive(consumer)]) == sent
            for _ in range(count):
                since = watched.times[-1] if trigger.seconds else time.monotonic()
                trigger.call(session)
                assert texts([receive(consumer)]) == sent
                ends = asked_for(since) if trigger.seconds else watched.times[-1]
                measured.append(ends - since - trigger.seconds)
        return [Wait(seconds, series.slack) for seconds in measured]

    def waits(trigger, backoff, expected, late=LATE):
        session = watched.session({**trigger.settings, trigger.backoff: backoff})
        tries = []
        for _ in range(TRIES):
            tries.append(one_try(session, trigger, len(expected)))
            shortest = [
                min(waits, key=lambda wait: wait.seconds) for waits in zip(*tries, strict=True)
            ]
            if all(
                in_time(wait.seconds, right, right + late)
                for wait, right in zip(shortest, expected, strict=True)
            ):
                break
        observe(
            f"waits in ms under {backoff}", [round(1000 * wait.seconds, 1) for wait in shortest]
        )
        return shortest

    return waits


def are_as_expected(waits, expected, late=LATE):
    """Check each wait."""
    for number, (wait, right) in enumerate(zip(waits, expected, strict=True), start=1):
        what = f"wait {number}, which is to be {1000 * right:.0f} ms,"
        bounded(wait.seconds, what, at_least=right, at_most=right + late, slack=wait.slack)


@slow
@pytest.mark.parametrize(
    "trigger",
    [
        pytest.param(ACK_TIMEOUT, marks=requirement("SLJ-REDL-006"), id="ack-timeout"),
        pytest.param(NEGATIVE_ACK, marks=requirement("SLJ-REDL-013"), id="negative-ack"),
    ],
)
def test_backoff_sets_the_wait_before_a_redelivery(waits, trigger):
    """With minDelayMs 2000 in place of 10 the first redelivery comes about 2 s later."""
    longest = {"maxDelayMs": 10_000, "multiplier": 2.0}

    for seconds in (0.010, 2.0):
        backoff = {"minDelayMs": round(1000 * seconds), **longest}
        are_as_expected(waits(trigger, backoff, [seconds], QUARTER), [seconds], QUARTER)


@slow
@pytest.mark.parametrize(
    ("trigger", "of_least", "of_most", "of_factor"),
    [
        pytest.param(trigger, *ids, marks=requirement(*ids), id=trigger_id)
        for trigger, trigger_id, ids in (
            (ACK_TIMEOUT, "ack-timeout", ("SLJ-REDL-007", "SLJ-REDL-008", "SLJ-REDL-009")),
            (NEGATIVE_ACK, "negative-ack", ("SLJ-REDL-010", "SLJ-REDL-011", "SLJ-REDL-012")),
        )
    ],
)
def test_waits_grow_as_the_backoff_says(waits, trigger, of_least, of_most, of_factor):
    """The waits before redeliveries begin at minDelayMs, double, and end at maxDelayMs."""
    series = [0.010, 0.020, 0.040, 0.080, 0.100, 0.100]

    shortest = waits(trigger, SAMPLE, series)

    with judging(of_least):
        bounded(shortest[0].seconds, "the first wait", at_least=0.010)
    with judging(of_most):
        for wait in shortest[4:]:
            bounded(wait.seconds, "a wait", at_most=0.100 + LATE, slack=wait.slack)
    with judging(of_factor):
        are_as_expected(shortest, series)


each_multiplier = pytest.mark.parametrize(
    "trigger",
    [
        pytest.param(ACK_TIMEOUT, marks=requirement("SLJ-REDL-009"), id="ack-timeout"),
        pytest.param(NEGATIVE_ACK, marks=requirement("SLJ-REDL-012"), id="negative-ack"),
    ],
)


@each_multiplier
def test_waits_do_not_grow_by_a_multiplier_of_one(waits, trigger):
    """With multiplier 1.0 every redelivery waits minDelayMs."""
    series = [0.010] * 6

    shortest = waits(trigger, {**SAMPLE, "multiplier": 1.0}, series)

    are_as_expected(shortest, series)


@each_multiplier
def test_waits_grow_by_a_multiplier_that_is_a_fraction(waits, trigger):
    """With multiplier 1.5 the waits are half as long again each time, up to maxDelayMs."""
    series = [0.040, 0.060, 0.090, 0.120]
    backoff = {"minDelayMs": 40, "maxDelayMs": 120, "multiplier": 1.5}

    shortest = waits(trigger, backoff, series)

    are_as_expected(shortest, series)
