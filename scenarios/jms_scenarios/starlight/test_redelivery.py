"""Redelivery: what is counted, what asks for it, and how long it waits."""

import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

import pytest

from jms_scenarios.listening import NotingListener
from jms_scenarios.selecting import send_with
from jms_scenarios.traffic import numbered, send, take, texts
from jmsapi import Session
from touchstone.api import (
    Slack,
    bounded,
    eventually,
    in_time,
    judging,
    observe,
    receive,
    receive_all,
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
def session(watched):
    """A session in CLIENT_ACKNOWLEDGE that redelivers by the documents' backoff."""
    return watched.session({"negativeAckRedeliveryBackoff": SAMPLE})


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
        found = []
        with session.create_consumer(queue) as consumer, timed() as series:
            sent = send(jms.connected, queue, ["message"])
            assert texts([receive(consumer)]) == sent
            for _ in range(count):
                since = watched.times[-1] if trigger.seconds else time.monotonic()
                trigger.call(session)
                assert texts([receive(consumer)]) == sent
                ends = asked_for(since) if trigger.seconds else watched.times[-1]
                found.append(ends - since - trigger.seconds)
        return [Wait(seconds, series.slack) for seconds in found]

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


def counted(message):
    return message.get_int_property("JMSXDeliveryCount")


@requirement("SLJ-REDL-001")
def test_delivery_count_is_one_more_than_the_brokers(watched, session, jms, queue):
    """JMSXDeliveryCount is 1 and then 2 where the broker's redelivery count is 0 and then 1."""
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["message"])

    first = receive(consumer)
    session.recover()
    again = receive(consumer)

    assert texts([first, again]) == ["message", "message"]
    assert watched.redelivery_counts() == [[0, 1]]
    assert [counted(first), counted(again)] == [1, 2]


@requirement("SLJ-REDL-002")
def test_redelivered_message_says_so(session, jms, queue):
    """After recover() the message comes with JMSRedelivered true and JMSXDeliveryCount 2."""
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["message"])
    first = receive(consumer)

    session.recover()
    again = receive(consumer)

    assert texts([first, again]) == ["message", "message"]
    assert again.jms_redelivered is True
    assert counted(again) == 2


@requirement("SLJ-REDL-003")
def test_first_delivery_is_no_redelivery(session, jms, queue):
    """A fresh message comes with JMSRedelivered false and JMSXDeliveryCount 1."""
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["message"])

    message = receive(consumer)

    assert texts([message]) == ["message"]
    assert message.jms_redelivered is False
    assert counted(message) == 1


@requirement("SLJ-REDL-004")
def test_deliveries_that_no_application_saw_are_counted(watched, jms, queue):
    """What a selector rejected comes to its first reader as redelivered, with a count above 1."""
    quick = {"negativeAckRedeliveryDelayMicros": 50_000, "receiverQueueSize": 1}
    rejecting, reading = watched.session(quick), watched.session(quick)
    listener = NotingListener()
    rejecting.create_consumer(queue, "x = 1").message_listener = listener
    sent = send_with(jms.connected, queue, [{"x": 2}])
    eventually(lambda: any(max(counts) > 0 for counts in watched.redelivery_counts()))

    message = receive(reading.create_consumer(queue))

    assert texts([message]) == sent
    observe("JMSXDeliveryCount at first sight", counted(message))
    assert counted(message) > 1
    assert message.jms_redelivered is True
    assert listener.callbacks == []


@requirement("SLJ-REDL-005")
@slow
def test_message_comes_again_after_the_ack_timeout(watched, jms, queue):
    """A message that is not acknowledged within the ackTimeout of 1 s comes again after it."""
    session = watched.session({"ackTimeoutMillis": 1000})
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["message"])
    first = receive(consumer)

    again = receive(consumer)

    assert texts([again]) == texts([first]) == ["message"]
    assert again.jms_message_id == first.jms_message_id
    bounded(watched.times[1] - watched.times[0], "the redelivery", at_least=1.0)


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


@pytest.mark.parametrize(
    "trigger",
    [
        pytest.param(ACK_TIMEOUT, marks=requirement("SLJ-REDL-009"), id="ack-timeout"),
        pytest.param(NEGATIVE_ACK, marks=requirement("SLJ-REDL-012"), id="negative-ack"),
    ],
)
def test_waits_do_not_grow_by_a_multiplier_of_one(waits, trigger):
    """With multiplier 1.0 every redelivery waits minDelayMs."""
    series = [0.010] * 6

    shortest = waits(trigger, {**SAMPLE, "multiplier": 1.0}, series)

    are_as_expected(shortest, series)


@requirement("SLJ-REDL-014")
def test_negatively_acknowledged_message_is_tried_again(session, jms, queue):
    """A message received before recover() is received again."""
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["message"])
    first = receive(consumer)

    session.recover()
    again = receive(consumer)

    assert texts([again]) == texts([first]) == ["message"]
    assert again.jms_message_id == first.jms_message_id


@requirement("SLJ-REDL-015")
def test_recover_halts_delivery_in_the_session(session, jms, queue):
    """After recover() in the callback for the third message, the next callback is a redelivery."""
    sent = send(jms.connected, queue, numbered(10))
    redelivered = []

    def handle(message):
        redelivered.append(message.jms_redelivered)
        if len(redelivered) == 3:
            session.recover()

    listener = NotingListener(then=handle)
    session.create_consumer(queue).message_listener = listener

    eventually(lambda: len(listener.callbacks) == 13)
    handled = [callback.text for callback in listener.callbacks]
    assert handled[:3] == sent[:3]
    assert redelivered[3]
    assert handled[3] in sent[:3]
    assert set(handled) == set(sent)


@requirement("SLJ-REDL-016")
def test_recover_goes_on_with_the_oldest_message(session, jms, queue):
    """After recover() the three messages received before come again, the oldest first."""
    sent = send(jms.connected, queue, numbered(5))
    consumer = session.create_consumer(queue)
    take(consumer, sent[:3])

    session.recover()

    again = texts(receive_all(consumer, 3))
    observe("order after recover()", again)
    assert again == sent[:3]


@requirement("SLJ-REDL-017")
def test_recover_negatively_acknowledges_every_message(watched, session, jms, queue):
    """recover() raises the broker's redelivery count of each unacknowledged message by one."""
    sent = send(jms.connected, queue, numbered(3))
    consumer = session.create_consumer(queue)
    take(consumer, sent)

    session.recover()
    again = take(consumer, sent)

    assert watched.redelivery_counts() == [[0, 1]] * 3
    assert [counted(message) for message in again] == [2, 2, 2]


@requirement("SLJ-REDL-001", "SLJ-REDL-017")
def test_workload_counts_what_is_recovered(workload):
    """Of 500 messages those of recovered batches come again, flagged, with a count higher by 1."""
    found = workload("client-acknowledge", messages=500).with_power(10, "D06", "D11", "D19")

    with judging("SLJ-REDL-001"):
        assert found.against("D06", "D11", "D12") == []
    with judging("SLJ-REDL-017"):
        assert found.against("D01", "D05", "D19") == []


@requirement("SLJ-REDL-016")
def test_workload_resumes_with_the_oldest_message(workload):
    """After each recover() of an exclusive consumer of 800 messages the oldest one comes first."""
    found = workload("exclusive", messages=800).with_power(2, "D30")

    assert found.against("D30") == []
