"""Queue browsers: what they list, and that they take nothing."""

from itertools import combinations, islice

import pytest

from jms_scenarios.moments import now, wait_until
from jms_scenarios.traffic import numbered, send, texts
from jmsapi import JMSException, JMSRuntimeException, SessionMode
from jmsapi.errors import UnsupportedOperationException
from touchstone.api import (
    body_of,
    checks,
    eventually,
    judging,
    not_applicable,
    receive,
    receive_all,
    refuses,
    requirement,
    slow,
)

AUTO, CLIENT = SessionMode.AUTO_ACKNOWLEDGE, SessionMode.CLIENT_ACKNOWLEDGE
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


def browsed(session, queue):
    """The texts that a new browser of the queue lists."""
    with session.create_browser(queue) as browser:
        return texts(browser.enumeration)


def send_selectable(jms, queue, sent):
    """Send texts that a selector chooses by the property t."""
    producer = jms.producer(queue)
    for text in sent:
        message = jms.text(text)
        message.set_string_property("t", text)
        producer.send(message)


def choosing(session, queue, selector):
    """A consumer with a selector, which not every client has for queues."""
    try:
        return session.create_consumer(queue, selector)
    except UnsupportedOperationException:  # which the area selectors judges
        not_applicable("no consumer of a queue has a selector")


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


@slow
@requirement("JMS-BRW-002")
@pytest.mark.parametrize("count", [1, 2, 3], ids="{}-taken".format)
def test_browser_lists_what_others_left(jms, name, queues, count):
    """Whichever of four messages are consumed, it lists exactly the others, in their order."""
    for taken in combinations(numbered(4), count):
        queue = jms.queue(name("queue"))
        send_selectable(jms, queue, numbered(4))
        chosen = " OR ".join(f"t = '{text}'" for text in taken)
        with jms.session() as session, choosing(session, queue, chosen) as consumer:
            assert sorted(texts(receive_all(consumer, count))) == [*taken]
        eventually(lambda at=queue: queues.pending(at) == 4 - count)

        left = [text for text in numbered(4) if text not in taken]
        assert browsed(jms.session(), queue) == left


@requirement("JMS-BRW-002", "API-BRW-003")
@pytest.mark.parametrize("made", ["before", "afterwards"])
@pytest.mark.parametrize("mode", [AUTO, CLIENT], ids=lambda mode: mode.name)
def test_browser_lists_nothing_of_what_is_consumed(jms, queue, queues, mode, made):
    """Of a queue that was emptied it lists nothing, and then what was sent since; twice over.

    The browser is made before the queue is emptied, or afterwards.
    """
    session = jms.session(mode)
    for prefix in ("first", "second"):
        sent = send(jms.connected, queue, numbered(3, prefix))
        browser = jms.session().create_browser(queue)
        with session.create_consumer(queue) as consumer:
            messages = receive_all(consumer, 3)
            assert checks.exactly_once(sent, texts(messages)) == []
            messages[-1].acknowledge()
        eventually(lambda: queues.pending(queue) == 0)
        if made == "afterwards":
            browser = jms.session().create_browser(queue)

        with judging("API-BRW-003"):
            assert texts(browser.enumeration) == []
        late = send(jms.connected, queue, ["late"])
        eventually(lambda: queues.pending(queue) == 1)
        with judging("JMS-BRW-002"):
            assert browsed(jms.session(), queue) == late
        with session.create_consumer(queue) as consumer:
            receive(consumer).acknowledge()


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
