"""Failover of consumers: what becomes of receipts and of their transactions."""

import pytest

from jms_scenarios.amq.failover.cutting import (
    COMMIT_IN_FLIGHT,
    assert_rolled_back,
    attempt,
    cut,
    failure_of,
    texts_before_a_marker,
)
from jms_scenarios.traffic import send, texts
from jmsapi import JMSException, SessionMode, TransactionRolledBackException
from touchstone.api import (
    FOR_GOOD,
    Point,
    body_of,
    checks,
    eventually,
    observe,
    permissive,
    receive,
    receive_all,
    refuses,
    requirement,
)

ACKNOWLEDGING = pytest.mark.parametrize("mode", ["client", "individual"])


@pytest.fixture
def acknowledging(connection, jms):
    """`acknowledging("client")`: a session whose messages the application acknowledges."""
    modes = {
        "client": SessionMode.CLIENT_ACKNOWLEDGE,
        "individual": jms.constants.individual_acknowledge,
    }
    return lambda mode: connection.create_session(False, modes[mode])


# -- a non-transacted consumer ---------------------------------------------------------------------


@pytest.fixture
def received_before_a_cut(acknowledging, cuts, jms, queue, name):
    """`received_before_a_cut(mode)`: a message, unacknowledged, and its consumer, after a cut."""

    def received_before_a_cut(mode):
        sent = send(jms.connected, queue, [name("m1")])
        consumer = acknowledging(mode).create_consumer(queue)
        message = receive(consumer)
        assert texts([message]) == sent
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
    sent = send(jms.connected, queue, [name("m1")])
    message = receive(acknowledging(mode).create_consumer(queue))
    assert texts([message]) == sent
    cuts.now(away=FOR_GOOD)

    failure = failure_of(message.acknowledge)
    cuts.back()

    assert failure is None


@ACKNOWLEDGING
@requirement("AMQ-FAIL-016")
def test_late_acknowledgement_does_nothing(received_before_a_cut, cuts, queues, queue, mode):
    """No acknowledgement leaves the client, and the message stays until that of its repeat."""
    message, consumer = received_before_a_cut(mode)
    text = body_of(message, str)

    message.acknowledge()
    again = receive(consumer)

    assert texts([again]) == [text]
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
    assert {each.jms_message_id: body_of(each, str) for each in (message, again)} == {
        message.jms_message_id: body_of(message, str)
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

    assert texts([again]) == texts(messages)
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

    assert body_of(again, str) == body_of(first, str)
    eventually(lambda: queues.pending(queue) == 0)


@requirement("AMQ-FAIL-027")
def test_repeat_after_an_interrupted_commit_has_the_id_of_the_first_delivery(received_again):
    """A message that comes again after a commit in flight has the same message id."""
    first, again = received_again()

    assert texts([again]) == texts([first])
    assert first.jms_message_id is not None
    assert again.jms_message_id == first.jms_message_id
