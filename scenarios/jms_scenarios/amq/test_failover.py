"""Failover: what becomes of sends, of receipts and of transactions when the connection is lost."""

import time
from contextlib import suppress

import pytest

from jms_scenarios.traffic import send, texts
from jmsapi import JMSException, SessionMode, TransactionRolledBackException
from touchstone.api import (
    FOR_GOOD,
    Point,
    checks,
    eventually,
    nothing_before,
    observe,
    permissive,
    receive,
    receive_all,
    refuses,
    requirement,
)

IN_FLIGHT = pytest.mark.parametrize(
    "point", [Point.SEND, Point.CONFIRMATION], ids=["message-lost", "confirmation-lost"]
)
COMMIT_IN_FLIGHT = pytest.mark.parametrize(
    "point", [Point.COMMIT, Point.COMMIT_REPLY], ids=["commit-lost", "reply-lost"]
)
ACKNOWLEDGING = pytest.mark.parametrize("mode", ["client", "individual"])


@pytest.fixture
def connection(cuts):
    """A started connection of the client under test that can be cut; it reconnects."""
    return cuts.connection()


@pytest.fixture
def transacted(connection):
    """A transacted session on the connection that can be cut."""
    return connection.create_session(True, SessionMode.SESSION_TRANSACTED)


@pytest.fixture
def acknowledging(connection, jms):
    """`acknowledging("client")`: a session whose messages the application acknowledges."""
    modes = {
        "client": SessionMode.CLIENT_ACKNOWLEDGE,
        "individual": jms.constants.individual_acknowledge,
    }
    return lambda mode: connection.create_session(False, modes[mode])


def failure_of(call):
    """The JMSException that a call raises; None when it returns."""
    try:
        call()
    except JMSException as error:
        return error
    return None


def attempt(call):
    """Make a call whose outcome another scenario judges."""
    with suppress(JMSException):
        call()


def cut(cuts):
    """Cut the connection, and return when the client is back."""
    cuts.now()
    cuts.wait_until_back()


def send_each(session, queue, sent):
    """Send text messages in a session; nothing waits for their confirmation."""
    with session.create_producer(queue) as producer:
        for text in sent:
            producer.send(session.create_text_message(text))


def only_the_marker_comes(jms, queue, consumer):
    """Nothing is to be received from the queue before a message that is sent now."""
    nothing_before(
        consumer,
        lambda: send(jms.connected, queue, ["marker"]),
        lambda message: message.get_body(str) == "marker",
    )


def texts_before_a_marker(jms, queue, consumer):
    """What is received from the queue before a message that is sent now; at most ten messages."""
    send(jms.connected, queue, ["marker"])
    received = [receive(consumer).get_body(str)]
    while received[-1] != "marker" and len(received) < 10:
        received.append(receive(consumer).get_body(str))
    return received[:-1]


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
    began = time.monotonic()
    with refuses(JMSException) as refusal:
        producer.send(session.create_text_message(text))
    waited = time.monotonic() - began
    cuts.back()
    cuts.wait_until_back()
    producer.send(session.create_text_message(later))

    observe("exception", type(refusal.value).__name__)
    assert waited >= 0.5
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

    only_the_marker_comes(jms, queue, consumer)


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

    only_the_marker_comes(jms, queue, consumer)


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
    only_the_marker_comes(jms, queue, consumer)

    send_each(transacted, queue, [text])
    transacted.commit()

    assert texts_before_a_marker(jms, queue, consumer) == [text]


def assert_rolled_back(cuts, session, point):
    """commit(), cut at `point`, or the commit() after it raises TransactionRolledBackException."""
    cuts.at(point)
    failure = failure_of(session.commit)
    cuts.wait_for_cut()
    cuts.wait_until_back()
    which = "interrupted"
    if not isinstance(failure, TransactionRolledBackException):
        which, failure = "next", failure_of(session.commit)
    observe("the commit that raises", which)
    assert isinstance(failure, TransactionRolledBackException)


# -- a non-transacted consumer ---------------------------------------------------------------------


@pytest.fixture
def received_before_a_cut(acknowledging, cuts, jms, queue, name):
    """`received_before_a_cut(mode)`: a message, unacknowledged, and its consumer, after a cut."""

    def received_before_a_cut(mode):
        send(jms.connected, queue, [name("m1")])
        consumer = acknowledging(mode).create_consumer(queue)
        message = receive(consumer)
        cut(cuts)
        return message, consumer

    return received_before_a_cut


@ACKNOWLEDGING
@requirement("AMQ-FAIL-015")
def test_late_acknowledgement_raises_nothing(received_before_a_cut, mode):
    """acknowledge() after a cut of a message received before it returns normally."""
    message, _ = received_before_a_cut(mode)

    assert failure_of(message.acknowledge) is None


@ACKNOWLEDGING
@requirement("AMQ-FAIL-015")
def test_acknowledgement_while_the_broker_is_away_raises_nothing(
    acknowledging, cuts, jms, queue, name, mode
):
    """acknowledge() returns normally also before the client is connected again."""
    send(jms.connected, queue, [name("m1")])
    message = receive(acknowledging(mode).create_consumer(queue))
    cuts.now(away=FOR_GOOD)

    failure = failure_of(message.acknowledge)
    cuts.back()

    assert failure is None


@ACKNOWLEDGING
@requirement("AMQ-FAIL-016")
def test_late_acknowledgement_does_nothing(received_before_a_cut, cuts, queues, queue, mode):
    """No acknowledgement leaves the client, and the message stays until that of its repeat."""
    message, consumer = received_before_a_cut(mode)
    text = message.get_body(str)

    message.acknowledge()
    again = receive(consumer)

    assert cuts.acknowledgements(text) == []
    assert queues.pending(queue) == 1
    again.acknowledge()
    eventually(lambda: queues.pending(queue) == 0)
    assert cuts.acknowledgements(text) == [2]


@ACKNOWLEDGING
@requirement("AMQ-FAIL-017")
@permissive
def test_message_may_come_again(received_before_a_cut, jms, queue, mode):
    """After a cut and a late acknowledgement the message comes again once, or not."""
    message, consumer = received_before_a_cut(mode)
    message.acknowledge()

    again = texts_before_a_marker(jms, queue, consumer)

    observe("repeats", len(again))
    assert again in ([], texts([message]))


@ACKNOWLEDGING
@requirement("AMQ-FAIL-018")
def test_repeat_has_the_id_of_the_first_delivery(received_before_a_cut, mode):
    """The repeated message has the same message id, so that one is left without duplicates."""
    message, consumer = received_before_a_cut(mode)
    message.acknowledge()

    again = receive(consumer)

    assert message.jms_message_id is not None
    assert {each.jms_message_id: each.get_body(str) for each in (message, again)} == {
        message.jms_message_id: message.get_body(str)
    }


# -- a transacted consumer -------------------------------------------------------------------------


@pytest.fixture
def received_in(jms, queue, name):
    """`received_in(session, 2)`: as many messages, and the consumer that received them."""

    def received_in(session, count=1):
        sent = send(jms.connected, queue, [name(f"m{number}") for number in range(1, count + 1)])
        consumer = session.create_consumer(queue)
        messages = receive_all(consumer, count)
        assert texts(messages) == sent
        return messages, consumer

    return received_in


@requirement("AMQ-FAIL-019")
def test_consumption_of_a_failed_transaction_is_undone(
    received_in, cuts, transacted, jms, queues, queue
):
    """The broker holds the message again, and gives it to others when the session is closed."""
    messages, _ = received_in(transacted)

    cut(cuts)
    attempt(transacted.commit)

    assert queues.pending(queue) == 1
    transacted.close()
    assert texts([receive(jms.consumer(queue))]) == texts(messages)


@requirement("AMQ-FAIL-020")
def test_acknowledgements_of_a_failed_transaction_are_discarded(received_in, cuts, transacted):
    """After a cut no acknowledgement of two messages leaves the client until they come again."""
    messages, consumer = received_in(transacted, 2)
    sent = texts(messages)

    cut(cuts)
    attempt(transacted.commit)
    # A client may acknowledge in the next transaction as soon as it receives.
    late = [2 in cuts.acknowledgements(text) for text in sent]
    again = texts(receive_all(consumer, 2))

    assert checks.exactly_once(sent, again) == []
    assert late == [False, False]


@requirement("AMQ-FAIL-021")
def test_commit_of_received_messages_says_that_it_was_rolled_back(received_in, cuts, transacted):
    """commit() after a receipt and a cut raises TransactionRolledBackException."""
    received_in(transacted)
    cut(cuts)

    with refuses(TransactionRolledBackException):
        transacted.commit()


@requirement("AMQ-FAIL-022")
def test_messages_of_a_failed_transaction_come_again(received_in, cuts, transacted, queues, queue):
    """The same session receives the message again, and then commits."""
    messages, consumer = received_in(transacted)
    cut(cuts)
    attempt(transacted.commit)

    again = receive(consumer)
    transacted.commit()

    assert texts([again]) == texts(messages)
    eventually(lambda: queues.pending(queue) == 0)


@requirement("AMQ-FAIL-023")
def test_repeat_in_a_transaction_has_the_id_of_the_first_delivery(received_in, cuts, transacted):
    """A message that comes again after a failed transaction has the same message id."""
    messages, consumer = received_in(transacted)
    cut(cuts)
    attempt(transacted.commit)

    again = receive(consumer)

    assert messages[0].jms_message_id is not None
    assert again.jms_message_id == messages[0].jms_message_id


# -- a transacted consumer whose commit is in flight -----------------------------------------------


@COMMIT_IN_FLIGHT
@requirement("AMQ-FAIL-024")
def test_interrupted_commit_of_received_messages_reports_no_success(
    received_in, cuts, transacted, point
):
    """commit() of a receipt that is cut in flight raises a JMSException."""
    received_in(transacted)

    cuts.at(point)
    with refuses(JMSException):
        transacted.commit()
    cuts.wait_for_cut()


@COMMIT_IN_FLIGHT
@requirement("AMQ-FAIL-025")
def test_commit_of_received_messages_after_an_interrupted_one(received_in, cuts, transacted, point):
    """The commit() that is cut, or the next one, raises TransactionRolledBackException."""
    received_in(transacted)

    assert_rolled_back(cuts, transacted, point)


@pytest.fixture
def received_again(received_in, cuts, transacted):
    """A message received before a commit that is lost in flight, and received again after it."""
    messages, consumer = received_in(transacted)
    cuts.at(Point.COMMIT)
    attempt(transacted.commit)
    cuts.wait_for_cut()
    cuts.wait_until_back()
    return lambda: (messages[0], receive(consumer))


@requirement("AMQ-FAIL-026")
def test_messages_of_an_interrupted_commit_come_again(received_again, transacted, queues, queue):
    """Where the broker discarded the transaction, the session receives the message again."""
    first, again = received_again()
    transacted.commit()

    assert again.get_body(str) == first.get_body(str)
    eventually(lambda: queues.pending(queue) == 0)


@requirement("AMQ-FAIL-027")
def test_repeat_after_an_interrupted_commit_has_the_id_of_the_first_delivery(received_again):
    """A message that comes again after a commit in flight has the same message id."""
    first, again = received_again()

    assert first.jms_message_id is not None
    assert again.jms_message_id == first.jms_message_id
