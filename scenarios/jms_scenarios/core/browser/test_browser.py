"""Queue browsers: what they list, and that they take nothing."""

from itertools import islice

import pytest

from jms_scenarios.moments import now, wait_until
from jms_scenarios.traffic import numbered, send, texts
from jmsapi import JMSException, JMSRuntimeException
from jmsapi.errors import UnsupportedOperationException
from touchstone.api import (
    body_of,
    checks,
    eventually,
    not_applicable,
    receive_all,
    refuses,
    requirement,
)

DELAY, LONG = 1000, 60_000
"""Milliseconds of delay: one to wait for, and one that nobody waits for."""
NO_DELAYS = (JMSException, JMSRuntimeException, UnsupportedOperationException)
"""What is raised where messages cannot be delayed."""


@pytest.fixture(autouse=True)
def prefer(at_hand):
    """Browsers are judged without any setting."""
    return at_hand.prefer


@pytest.fixture
def filled(jms, queue, queues):
    """`filled(count)`: the queue holds so many messages, by the broker's account; their texts."""

    def filled(count):
        sent = send(jms.connected, queue, numbered(count))
        eventually(lambda: queues.pending(queue) == count)
        return sent

    return filled


@requirement("JMS-BRW-001")
def test_browsed_queue_loses_nothing(jms, queue, queues, filled):
    """Ten browsed messages are on the queue still, and a consumer gets each for the first time."""
    sent = filled(10)

    with jms.session().create_browser(queue) as browser:
        listed = texts(browser.enumeration)

    assert sorted(listed) == sorted(sent)
    assert queues.pending(queue) == 10
    received = receive_all(jms.consumer(queue), 10)
    assert checks.exactly_once(sent, texts(received)) == []
    assert [message.jms_redelivered for message in received] == [False] * 10


@requirement("JMS-BRW-001")
def test_browsed_queue_loses_nothing_that_is_delayed(jms, queue, queues):
    """What was not due when the queue was browsed comes to a consumer all the same."""
    producer = jms.producer(queue)
    try:
        for text, delay in (("soon", DELAY), ("due", 0)):
            producer.delivery_delay = delay
            producer.send(jms.text(text))
    except NO_DELAYS as error:  # which the area delay judges
        not_applicable(f"no message can be delayed: {type(error).__name__}")
    eventually(lambda: queues.pending(queue) > 0)

    with jms.session().create_browser(queue) as browser:
        listed = texts(browser.enumeration)

    assert "due" in listed
    received = texts(receive_all(jms.consumer(queue), 2))
    assert checks.exactly_once(["soon", "due"], received) == []


@requirement("JMS-BRW-002")
def test_browser_lists_the_whole_queue_in_order(jms, queue, filled):
    """All ten are listed in the order and with the ids in which a consumer gets them; then none."""
    sent = filled(10)

    with jms.session().create_browser(queue) as browser:
        enumeration = browser.enumeration
        listed = list(islice(enumeration, 10))
        with refuses(StopIteration):
            next(enumeration)
        rows = [(message.jms_message_id, body_of(message, str)) for message in listed]

    received = receive_all(jms.consumer(queue), 10)
    assert [text for _, text in rows] == sent
    assert rows == [(message.jms_message_id, body_of(message, str)) for message in received]


@requirement("JMS-BRW-003")
def test_browser_with_a_selector_lists_what_matches(jms, queue, queues):
    """Of ten messages a browser for x = 1 lists the four that have it, and tells its selector."""
    producer = jms.producer(queue)
    for number in range(10):
        message = jms.text(str(number))
        message.set_int_property("x", 1 if number in (1, 4, 5, 9) else 2)
        producer.send(message)
    eventually(lambda: queues.pending(queue) == 10)

    with jms.session().create_browser(queue, "x = 1") as browser:
        assert browser.message_selector == "x = 1"
        assert texts(browser.enumeration) == ["1", "4", "5", "9"]
    assert queues.pending(queue) == 10


@requirement("JMS-BRW-004")
def test_browser_hides_a_message_until_its_delivery_time(jms, queue, queues):
    """What is due later is not listed beside what is due; when it is due it is, unconsumed."""
    producer = jms.producer(queue)
    begun = now()
    for text, delay in (("late", LONG), ("soon", DELAY), ("due", 0)):
        producer.delivery_delay = delay
        producer.send(jms.text(text))
    eventually(lambda: queues.pending(queue) > 0)
    session = jms.session()

    def listed():
        with session.create_browser(queue) as browser:
            return sorted(texts(browser.enumeration))

    first = eventually(listed)
    too_early = {"late", "soon"} if now() < begun + DELAY else {"late"}
    assert [text for text in first if text in too_early] == []
    wait_until(now() + DELAY)
    eventually(lambda: listed() == ["due", "soon"])
