"""Failover of producers: what becomes of sends and of their transactions."""

import pytest

from jms_scenarios.amq.failover.cutting import (
    COMMIT_IN_FLIGHT,
    assert_rolled_back,
    attempt,
    cut,
    texts_before_a_marker,
)
from jms_scenarios.traffic import only_the_marker_comes, texts
from jmsapi import JMSException, TransactionRolledBackException
from touchstone.api import (
    FOR_GOOD,
    Point,
    bounded,
    eventually,
    observe,
    permissive,
    receive,
    refuses,
    requirement,
    timed,
)

IN_FLIGHT = pytest.mark.parametrize(
    "point", [Point.SEND, Point.CONFIRMATION], ids=["message-lost", "confirmation-lost"]
)


def send_each(session, queue, sent):
    """Send text messages in a session; nothing waits for their confirmation."""
    with session.create_producer(queue) as producer:
        for text in sent:
            producer.send(session.create_text_message(text))


# -- a non-transacted producer ---------------------------------------------------------------------


@IN_FLIGHT
@requirement("AMQ-FAIL-001")
@permissive
def test_connection_loss_leaves_the_outcome_of_a_send_unknown(cuts, jms, queue, name, point):
    """Without reconnection send() fails, and the queue holds the message or not."""
    session = cuts.connection(reconnects=False).create_session()
    producer = session.create_producer(queue)
    text = name("m1")

    cuts.at(point)
    with refuses(JMSException) as refusal:
        producer.send(session.create_text_message(text))

    copies = texts_before_a_marker(jms, queue, jms.consumer(queue))
    observe("exception", type(refusal.value).__name__)
    observe("copies", len(copies))
    assert copies in ([], [text])


@IN_FLIGHT
@requirement("AMQ-FAIL-002")
def test_message_in_flight_is_sent_again(cuts, connection, queue, name, point):
    """send() returns normally after the message was transferred a second time."""
    session = connection.create_session()
    producer = session.create_producer(queue)
    text = name("m1")

    cuts.at(point)
    producer.send(session.create_text_message(text))

    assert cuts.count == 1
    assert cuts.transfers(text) == [1, 2]


@requirement("AMQ-FAIL-003")
def test_message_is_not_sent_again_after_the_send_timeout(cuts, queue, name):
    """When a send has run out of time, the message is not transferred on the next connection."""
    session = cuts.connection(send_timeout=0.5).create_session()
    producer = session.create_producer(queue)
    text, later = name("m1"), name("m2")

    cuts.at(Point.CONFIRMATION, away=FOR_GOOD)
    with timed() as call, refuses(JMSException) as refusal:
        producer.send(session.create_text_message(text))
    cuts.back()
    cuts.wait_until_back()
    producer.send(session.create_text_message(later))

    observe("exception", type(refusal.value).__name__)
    bounded(call.seconds, "the send", at_least=0.5)
    assert cuts.transfers(later) == [2]
    assert cuts.transfers(text) == [1]


@IN_FLIGHT
@requirement("AMQ-FAIL-004")
def test_message_is_sent_again_within_the_send_timeout(cuts, queue, name, point):
    """With ten seconds for a send and a broker that is away for one, send() returns normally."""
    session = cuts.connection(send_timeout=10.0).create_session()
    producer = session.create_producer(queue)
    text = name("m1")

    cuts.at(point, away=1.0)
    producer.send(session.create_text_message(text))

    assert cuts.transfers(text) == [1, 2]


@IN_FLIGHT
@requirement("AMQ-FAIL-005")
def test_application_does_nothing_for_the_resend(cuts, connection, jms, queue, name, point):
    """After one send() that raises nothing, a consumer receives the message."""
    session = connection.create_session()
    producer = session.create_producer(queue)
    text = name("m1")

    cuts.at(point)
    producer.send(session.create_text_message(text))

    assert cuts.count == 1
    assert texts([receive(jms.consumer(queue))]) == [text]


# -- a transacted producer -------------------------------------------------------------------------


@IN_FLIGHT
@requirement("AMQ-FAIL-006")
def test_message_of_a_transaction_in_flight_is_sent_again(cuts, transacted, queue, name, point):
    """The first message of a transaction is transferred again before one of the next."""
    text, later = name("m1"), name("m2")
    producer = transacted.create_producer(queue)

    cuts.at(point)
    producer.send(transacted.create_text_message(text))
    cuts.wait_for_cut()
    cuts.wait_until_back()
    attempt(transacted.commit)
    producer.send(transacted.create_text_message(later))

    eventually(lambda: cuts.transfers(later) == [2])
    assert cuts.transfers(text) == [1, 2]


@IN_FLIGHT
@requirement("AMQ-FAIL-007")
def test_interrupted_first_send_leaves_the_transaction_as_it_is(
    cuts, transacted, jms, queue, name, point
):
    """After a cut during the first send, a second send and commit(), both messages arrive."""
    first, second = name("m1"), name("m2")
    producer = transacted.create_producer(queue)

    cuts.at(point)
    producer.send(transacted.create_text_message(first))
    cuts.wait_for_cut()
    cuts.wait_until_back()
    producer.send(transacted.create_text_message(second))
    transacted.commit()

    received = texts_before_a_marker(jms, queue, jms.consumer(queue))
    observe("copies of the interrupted message", received.count(first))
    assert set(received) == {first, second}
    assert received.count(second) == 1


@pytest.mark.parametrize(
    "point",
    [Point.SEND, Point.CONFIRMATION, None],
    ids=["message-lost", "confirmation-lost", "after-both"],
)
@requirement("AMQ-FAIL-008")
def test_transaction_with_an_earlier_send_fails(cuts, transacted, jms, queue, name, point):
    """With one message confirmed and a cut during or after the second, neither is delivered."""
    consumer = jms.consumer(queue)
    producer = transacted.create_producer(queue)
    first, second = name("m1"), name("m2")
    producer.send(transacted.create_text_message(first))
    eventually(lambda: cuts.confirmed(first))

    if point is not None:
        cuts.at(point)
    producer.send(transacted.create_text_message(second))
    if point is None:
        cuts.now()
    cuts.wait_for_cut()
    cuts.wait_until_back()
    attempt(transacted.commit)

    only_the_marker_comes(jms.connected, queue, consumer)


@requirement("AMQ-FAIL-009")
def test_commit_of_a_failed_transaction_says_that_it_was_rolled_back(cuts, transacted, queue, name):
    """commit() after a send and a cut raises TransactionRolledBackException."""
    send_each(transacted, queue, [name("m1")])
    cut(cuts)

    with refuses(TransactionRolledBackException):
        transacted.commit()


@requirement("AMQ-FAIL-009")
def test_transaction_after_a_failed_one_commits(cuts, transacted, jms, queue, name):
    """What is sent after the failed commit() arrives with the next one, and nothing else."""
    first, second = name("m1"), name("m2")
    send_each(transacted, queue, [first])
    cut(cuts)
    attempt(transacted.commit)

    send_each(transacted, queue, [second])
    transacted.commit()

    assert texts_before_a_marker(jms, queue, jms.consumer(queue)) == [second]


@requirement("AMQ-FAIL-010")
def test_messages_of_a_failed_transaction_are_not_delivered(cuts, transacted, jms, queue, name):
    """Two messages sent before a cut are not received after commit() has failed."""
    consumer = jms.consumer(queue)
    send_each(transacted, queue, [name("m1"), name("m2")])
    cut(cuts)

    with refuses(JMSException):
        transacted.commit()

    only_the_marker_comes(jms.connected, queue, consumer)


@requirement("AMQ-FAIL-011")
def test_messages_sent_again_are_delivered_once(cuts, transacted, jms, queue, name):
    """Sent again in the same session after the failure, each of two messages arrives once."""
    sent = [name("m1"), name("m2")]
    send_each(transacted, queue, sent)
    cut(cuts)
    attempt(transacted.commit)

    send_each(transacted, queue, sent)
    transacted.commit()

    assert texts_before_a_marker(jms, queue, jms.consumer(queue)) == sent


# -- a transacted producer whose commit is in flight -----------------------------------------------


@COMMIT_IN_FLIGHT
@requirement("AMQ-FAIL-012")
def test_interrupted_commit_reports_no_success(cuts, transacted, queue, name, point):
    """commit() that is cut in flight raises a JMSException."""
    send_each(transacted, queue, [name("m1")])

    cuts.at(point)
    with refuses(JMSException):
        transacted.commit()
    cuts.wait_for_cut()


@COMMIT_IN_FLIGHT
@requirement("AMQ-FAIL-013")
def test_commit_after_an_interrupted_one_says_that_it_was_rolled_back(
    cuts, transacted, queue, name, point
):
    """The commit() that is cut, or the next one, raises TransactionRolledBackException."""
    send_each(transacted, queue, [name("m1")])

    assert_rolled_back(cuts, transacted, point)


@requirement("AMQ-FAIL-014")
def test_messages_are_to_be_sent_again_after_an_interrupted_commit(
    cuts, transacted, jms, queue, name
):
    """Where the broker discarded the transaction, only what is sent again and committed arrives."""
    consumer = jms.consumer(queue)
    text = name("m1")
    send_each(transacted, queue, [text])
    cuts.at(Point.COMMIT)
    attempt(transacted.commit)
    cuts.wait_for_cut()
    cuts.wait_until_back()
    only_the_marker_comes(jms.connected, queue, consumer)

    send_each(transacted, queue, [text])
    transacted.commit()

    assert texts_before_a_marker(jms, queue, consumer) == [text]
