"""Queue browsers: what they list, and that they take nothing."""

import pytest

from jms_scenarios.moments import now, wait_until
from jms_scenarios.traffic import numbered, send, texts
from touchstone.api import checks, eventually, receive_all, refuses, requirement

DELAY = 1500
"""Milliseconds: long enough to browse before it is over."""


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


@requirement("JMS-BRW-002")
def test_browser_lists_the_whole_queue_in_order(jms, queue, filled):
    """All ten are listed in the order and with the ids in which a consumer gets them; then none."""
    sent = filled(10)

    with jms.session().create_browser(queue) as browser:
        enumeration = browser.enumeration
        listed = [next(enumeration) for _ in range(10)]
        with refuses(StopIteration):
            next(enumeration)
        rows = [(message.jms_message_id, message.get_body(str)) for message in listed]

    received = receive_all(jms.consumer(queue), 10)
    assert [text for _, text in rows] == sent
    assert rows == [(message.jms_message_id, message.get_body(str)) for message in received]


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
    """A delayed message is not listed beside one that is due; later it is, without a consumer."""
    producer = jms.producer(queue)
    producer.delivery_delay = DELAY
    producer.send(jms.text("delayed"))
    due = now() + DELAY
    send(jms.connected, queue, ["due"])
    eventually(lambda: queues.ready(queue) != 0)
    session = jms.session()

    with session.create_browser(queue) as browser:
        eventually(lambda: texts(browser.enumeration), DELAY / 1000)
        before = texts(browser.enumeration)
        looked = now()
    assert looked < due, "the machine is too slow to look before the message is due"
    wait_until(due)

    def listed():
        with session.create_browser(queue) as later:
            return texts(later.enumeration)

    assert before == ["due"]
    eventually(lambda: sorted(listed()) == ["delayed", "due"])
