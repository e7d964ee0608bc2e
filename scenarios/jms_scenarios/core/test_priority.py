"""Priority: what the receiver reads, and what it does to the order."""

import pytest

from jms_scenarios.traffic import priority_in, take, texts, texts_by_priority
from jmsapi import DeliveryMode
from touchstone.api import (
    body_of,
    checks,
    eventually,
    observe,
    permissive,
    prefers,
    receive_all,
    requirement,
)


@requirement("JMS-PRIO-001")
@pytest.mark.parametrize("kind", ["queue", "topic"])
def test_receiver_reads_the_priority_that_was_given(jms, queue, topic, kind):
    """Each of 0 to 9 arrives as it was given with the send, and as 4 without one."""
    destination = queue if kind == "queue" else topic
    consumer = jms.consumer(destination)
    producer = jms.producer(destination)
    for priority in range(10):
        producer.send(jms.text(str(priority)), priority=priority)
    producer.send(jms.text("default"))

    received = {
        body_of(message, str): message.jms_priority for message in receive_all(consumer, 11)
    }

    assert received == {**{str(priority): priority for priority in range(10)}, "default": 4}


@requirement("JMS-PRIO-001")
def test_selector_reads_the_priority_that_was_given(jms, topic):
    """A consumer for JMSPriority > 6 gets 7, 8 and 9 alone."""
    session = jms.session()
    chosen = session.create_consumer(topic, "JMSPriority > 6")
    every = session.create_consumer(topic)
    producer = jms.producer(topic)
    for priority in range(10):
        producer.send(jms.text(str(priority)), priority=priority)
    producer.send(jms.text("last"), priority=8)

    take(every, [*map(str, range(10)), "last"])
    assert sorted(texts(receive_all(chosen, 4, within=5.0))) == ["7", "8", "9", "last"]


@pytest.fixture
@prefers("priorities")
def prioritised(at_hand):
    """The client heeds priorities, where that is a setting."""


@permissive
@pytest.mark.usefixtures("prioritised")
@requirement("JMS-PRIO-002")
def test_high_priorities_come_ahead_of_low_ones(jms, queue, queues):
    """Messages of all priorities that wait together come once each; how many low ones ahead."""
    session = jms.session()
    producer = session.create_producer(queue)
    producer.delivery_mode = DeliveryMode.NON_PERSISTENT
    sent = texts_by_priority(number * 7 % 10 for number in range(200))
    for text in sent:
        producer.send(session.create_text_message(text), priority=priority_in(text))
    eventually(lambda: queues.pending(queue) == len(sent))

    received = texts(receive_all(jms.consumer(queue), len(sent)))

    late = checks.overtaken(map(priority_in, received))
    observe("of 100 messages of low priority come ahead of a high one", late)
    assert checks.exactly_once(sent, received) == []
