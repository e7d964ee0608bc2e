"""Delivery delay: when delayed messages come, and to whom."""

import pytest

from jms_scenarios.moments import ROUNDING, now, wait_until
from jms_scenarios.traffic import send, texts
from jmsapi import SessionMode
from touchstone.api import (
    body_of,
    bounded,
    checks,
    durable_consumer,
    eventually,
    nothing_before,
    observe,
    receive,
    requirement,
    timed,
)

DELAY = 1500
"""Milliseconds of delay where one is waited for."""
LONGER = 2000
"""The same where a commit is to come before it is over, or after."""
REST = 1.25
"""Seconds from the commit: ample if the delay runs from the send, few if from the commit."""


@pytest.fixture
def sent_late(jms, queue):
    """`sent_late(text, delay)`: sends with a delay; the message, and the instants around it."""

    def sent_late(text, delay, destination=None):
        producer = jms.producer(destination or queue)
        producer.delivery_delay = delay
        message = jms.text(text)
        before = now()
        producer.send(message)
        return message, before, now()

    return sent_late


@requirement("JMS-DLY-001")
@pytest.mark.parametrize("delay", [3000, 0], ids=["delayed", "undelayed"])
def test_delivery_time_is_that_of_sending_plus_the_delay(sent_late, delay):
    """After a send with a delay JMSDeliveryTime of the sender's message lies that far behind it."""
    message, before, after = sent_late("hello", delay)

    assert before + delay <= message.jms_delivery_time <= after + delay


@requirement("JMS-DLY-002")
@pytest.mark.parametrize("delay", [DELAY, 0], ids=["delayed", "undelayed"])
def test_receiver_reads_the_delivery_time_of_the_sender(jms, queue, sent_late, delay):
    """JMSDeliveryTime is the same number on both sides, also when it comes again by rollback()."""
    session = jms.session(SessionMode.SESSION_TRANSACTED)
    consumer = jms.consumer(queue, session)
    message, _, _ = sent_late("hello", delay)

    first = receive(consumer)
    session.rollback()
    again = receive(consumer)

    assert texts([first, again]) == ["hello", "hello"]
    observe("JMSDeliveryTime minus JMSTimestamp", again.jms_delivery_time - again.jms_timestamp)
    assert (first.jms_delivery_time, again.jms_delivery_time) == (message.jms_delivery_time,) * 2


def take_by_receive(consumer, count):
    """Texts with the instants at which receive() gave them."""
    rows = []
    while len(rows) < count:
        message = receive(consumer)
        rows.append((body_of(message, str), now()))
    return rows


def take_by_polling(consumer, count):
    """The same by receiveNoWait()."""
    rows = []

    def polled():
        while (message := consumer.receive_no_wait()) is not None:
            rows.append((body_of(message, str), now()))
        return len(rows) >= count

    eventually(polled)
    return rows


def take_by_listening(consumer, count):
    """The same by a listener."""
    rows = []
    consumer.message_listener = lambda message: rows.append((body_of(message, str), now()))
    eventually(lambda: len(rows) >= count)
    return rows


@requirement("JMS-DLY-003")
@pytest.mark.parametrize(
    "taken",
    [
        pytest.param(take_by_receive, id="receive"),
        pytest.param(take_by_polling, id="receive_no_wait"),
        pytest.param(take_by_listening, id="listener"),
    ],
)
def test_nothing_comes_before_its_delivery_time(jms, queue, taken):
    """Of messages with delays from none to 1.5 s, each comes once, and none before it is due."""
    session = jms.session()
    producer = session.create_producer(queue)
    due = {}
    for number in range(40):
        producer.delivery_delay = delay = number * 7 % 16 * 100
        before = now()
        producer.send(session.create_text_message(str(number)))
        due[str(number)] = before + delay

    rows = taken(jms.consumer(queue, jms.session()), len(due))

    assert checks.none_early(due, rows, ROUNDING) == []
    assert checks.exactly_once(due, [text for text, _ in rows]) == []


@requirement("JMS-DLY-004")
@pytest.mark.parametrize(
    "committed_after", [1500, 2500], ids=["before_it_is_due", "when_it_is_due"]
)
def test_delay_runs_from_the_send_and_not_from_the_commit(jms, queue, committed_after):
    """A delay of 2 s ends 2 s after the send, whenever the transaction is committed."""
    session = jms.session(SessionMode.SESSION_TRANSACTED)
    producer = session.create_producer(queue)
    consumer = jms.consumer(queue)
    producer.send(session.create_text_message("first"))
    session.commit()
    assert texts([receive(consumer)]) == ["first"]
    producer.delivery_delay = LONGER
    message = session.create_text_message("delayed")
    with timed() as whole:
        before = now()
        producer.send(message)
        after = now()
        wait_until(after + committed_after)
        session.commit()
        with timed() as rest:
            received = receive(consumer)

    assert texts([received]) == ["delayed"]
    bounded(whole.seconds, "the message", at_least=LONGER / 1000)
    bounded(rest.seconds, "the rest of the delay", at_most=REST, slack=rest.slack)
    assert before + LONGER <= received.jms_delivery_time <= after + LONGER


@requirement("JMS-DLY-005")
def test_later_subscriptions_do_not_get_a_delayed_message(jms, topic, name, sent_late):
    """Subscriptions made after the send, durable or not, get later messages only."""
    session = jms.connection(client_id=name("subscriber")).create_session()
    older = durable_consumer(session, topic, "older")
    _, _, after = sent_late("delayed", DELAY, topic)
    durable = durable_consumer(session, topic, "younger")
    plain = session.create_consumer(topic)

    wait_until(after + DELAY)
    assert texts([receive(older)]) == ["delayed"]
    send(jms.connected, topic, ["marker"])
    for consumer in (durable, plain):
        nothing_before(consumer, lambda: None, lambda message: texts([message]) == ["marker"])


@requirement("JMS-DLY-006")
def test_delay_of_a_producer_is_that_of_all_its_later_sends(jms, queue):
    """Two messages sent with a delay of 1.5 s come when that is over, the third, without, first.

    The client has done both before: what it does once only takes none of that time.
    """
    consumer = jms.consumer(queue)
    producer = jms.producer(queue)
    for delay in (0, 50):
        producer.delivery_delay = delay
        producer.send(jms.text("before"))
        assert texts([receive(consumer)]) == ["before"]
    producer.delivery_delay = DELAY
    due = {}
    with timed() as first:
        for text in ("one", "two"):
            due[text] = now() + DELAY
            producer.send(jms.text(text))
        producer.delivery_delay = 0
        due["three"] = now()
        producer.send(jms.text("three"))
        rows = take_by_receive(consumer, 1)
    rows += take_by_receive(consumer, 2)

    bounded(first.seconds, "the first message", at_most=DELAY / 1000, slack=first.slack)
    assert rows[0][0] == "three"
    assert checks.none_early(due, rows, ROUNDING) == []
    assert checks.exactly_once(due, [text for text, _ in rows]) == []
