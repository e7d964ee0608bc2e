"""Transactions: those of the broker, and those that the client emulates."""

import pytest

from jms_scenarios.moments import a_while
from jms_scenarios.traffic import numbered, send, texts
from jmsapi import JMSException, SessionMode
from touchstone.api import (
    broker,
    checks,
    eventually,
    judge_drawn_sessions,
    judging,
    not_applicable,
    nothing_before,
    receive,
    receive_all,
    refuses,
    requirement,
    slow,
)

REAL = {"enableTransaction": "true"}
EMULATED = {"enableTransaction": "false", "jms.emulateTransactions": "true"}


@pytest.fixture
def transacted(jms):
    """`transacted(REAL)`: a transacted session of a started connection with these settings."""
    return lambda settings: jms.connection(settings).create_session(
        True, SessionMode.SESSION_TRANSACTED
    )


@pytest.fixture
def wait_for_acknowledgements(jms, admin, name):
    """Returns when the broker has heard of an acknowledgement that is made now, elsewhere."""

    def wait_for_acknowledgements():
        other = jms.queue(name("control"))
        consumer = jms.consumer(other)
        sent = send(jms.connected, other, ["control"])
        assert texts([receive(consumer)]) == sent
        eventually(lambda: admin.backlog(other) == 0)

    return wait_for_acknowledgements


def send_in(session, queue, sent):
    """Send text messages in the open transaction of a session."""
    with session.create_producer(queue) as producer:
        for text in sent:
            producer.send(session.create_text_message(text))
    return sent


def only_the_marker_waits(jms, queue, consumer):
    """Nothing is to be received from the queue before a message that is sent now."""
    nothing_before(
        consumer,
        lambda: send(jms.connected, queue, ["marker"]),
        lambda message: message.get_body(str) == "marker",
    )


@requirement("SLJ-TX-001")
def test_messages_are_visible_from_commit_on(transacted, jms, queue):
    """Another consumer receives the three messages after commit() and none before."""
    consumer = jms.consumer(queue)
    session = transacted(REAL)
    sent = send_in(session, queue, numbered(3))

    # A marker would not show it: the broker holds back whatever follows an open transaction.
    assert consumer.receive(round(1000 * a_while())) is None
    session.commit()

    assert texts(receive_all(consumer, 3)) == sent
    only_the_marker_waits(jms, queue, consumer)


@requirement("SLJ-TX-002")
def test_rollback_discards_messages(transacted, jms, queue):
    """After rollback() another consumer receives none of the three messages."""
    consumer = jms.consumer(queue)
    session = transacted(REAL)
    send_in(session, queue, numbered(3))

    session.rollback()

    only_the_marker_waits(jms, queue, consumer)


@pytest.mark.parametrize("settings", [{}, {"enableTransaction": "false"}], ids=["absent", "false"])
@requirement("SLJ-TX-003")
def test_transactions_are_refused_unless_switched_on(transacted, queue, settings):
    """Without enableTransaction=true a transacted session cannot be made and used."""
    with refuses(JMSException):
        session = transacted(settings)
        send_in(session, queue, ["message"])
        session.commit()


@requirement("SLJ-TX-003")
def test_transactions_are_switched_on_in_the_client(transacted, jms, queue):
    """With enableTransaction=true a transacted session is made and commits."""
    consumer = jms.consumer(queue)
    session = transacted(REAL)

    sent = send_in(session, queue, ["message"])
    session.commit()

    assert session.transacted
    assert texts([receive(consumer)]) == sent


@requirement("SLJ-TX-004")
@broker("no-transactions")
def test_transactions_need_the_servers(transacted, queue):
    """Where the broker has no transactions, enableTransaction=true fails by the first commit."""
    with refuses(JMSException):
        session = transacted(REAL)
        send_in(session, queue, ["message"])
        session.commit()


@requirement("SLJ-TX-005")
def test_transactions_are_a_beta_on_the_first_brokers():
    """On Pulsar 2.7.x transactions are a BETA."""
    not_applicable("speaks of Pulsar 2.7.x")


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(REAL, marks=requirement("SLJ-TX-006"), id="real"),
        pytest.param(EMULATED, marks=requirement("SLJ-TX-011"), id="emulated"),
    ],
)
def test_commit_acknowledges(transacted, wait_for_acknowledgements, jms, queue, admin, settings):
    """The backlog of three received messages stays until commit(), and then is gone."""
    session = transacted(settings)
    consumer = session.create_consumer(queue)
    sent = send(jms.connected, queue, numbered(3))
    assert texts(receive_all(consumer, 3)) == sent

    wait_for_acknowledgements()
    assert admin.backlog(queue) == 3
    session.commit()

    eventually(lambda: admin.backlog(queue) == 0)


@pytest.mark.parametrize("settings", [REAL, EMULATED], ids=["real", "emulated"])
@requirement("SLJ-TX-007")
def test_messages_come_again_after_rollback(transacted, jms, queue, admin, settings):
    """The three messages received before rollback() are received again after it."""
    session = transacted(settings)
    consumer = session.create_consumer(queue)
    sent = send(jms.connected, queue, numbered(3))
    first = receive_all(consumer, 3)

    session.rollback()
    again = receive_all(consumer, 3, within=10)

    assert checks.exactly_once(sent, texts(first)) == []
    assert checks.exactly_once(sent, texts(again)) == []
    assert admin.backlog(queue) == 3


@requirement("SLJ-TX-008")
@broker("no-transactions")
def test_emulation_needs_no_transactions_of_the_broker(transacted, jms, queue, admin):
    """With emulation a transacted session works on a broker that has no transactions."""
    session = transacted(EMULATED)
    consumer = session.create_consumer(queue)

    sent = send_in(session, queue, ["message"])
    session.commit()
    received = texts([receive(consumer)])
    session.commit()

    assert received == sent
    eventually(lambda: admin.backlog(queue) == 0)


@requirement("SLJ-TX-009")
def test_emulated_session_says_that_it_is_transacted(transacted):
    """An emulated session is transacted, and commit() and rollback() do not throw."""
    session = transacted(EMULATED)

    assert session.transacted is True
    assert session.acknowledge_mode == SessionMode.SESSION_TRANSACTED
    session.commit()
    session.rollback()


@requirement("SLJ-TX-010")
def test_emulated_session_sends_at_once(transacted, jms, queue):
    """Another consumer, at work already, receives a message within 1 s, without a commit()."""
    consumer = jms.consumer(queue)
    send(jms.connected, queue, ["first"])
    assert texts([receive(consumer)]) == ["first"]
    session = transacted(EMULATED)

    sent = send_in(session, queue, ["message"])

    assert texts([receive(consumer, within=1)]) == sent


@requirement("SLJ-TX-012")
def test_emulated_session_does_not_take_back_messages(transacted, jms, queue):
    """Another consumer receives a message although rollback() follows its send."""
    consumer = jms.consumer(queue)
    session = transacted(EMULATED)
    sent = send_in(session, queue, ["message"])

    session.rollback()

    assert texts([receive(consumer)]) == sent
    only_the_marker_waits(jms, queue, consumer)


@requirement("SLJ-TX-001", "SLJ-TX-002", "SLJ-TX-006")
@slow
def test_workload_of_transactions_stands_and_falls_together(transacted, workload):
    """Of 400 messages that are moved on in transactions all arrive once, and none too early."""
    transacted(REAL).close()
    found = workload("transactions", messages=400, settings=REAL)
    found = found.with_power(10, "D03", "D17", "D19").with_power(200, "D18", "D31")

    with judging("SLJ-TX-001"):
        assert found.against("D01", "D09", "D17", "D18") == []
    with judging("SLJ-TX-002"):
        assert found.against("D02", "D03") == []
    with judging("SLJ-TX-006"):
        assert found.against("D05", "D08", "D19", "D31") == []


@pytest.fixture
def quick(at_hand):
    """What is given back comes again at once."""
    at_hand.prefer("quick-redelivery")


@slow
@pytest.mark.usefixtures("quick")
@requirement("SLJ-TX-010", "SLJ-TX-011", "SLJ-TX-012")
def test_drawn_programs_on_emulated_transactions(at_hand):
    """What is sent is there at once and stays, what is received is settled by commit alone."""
    judge_drawn_sessions(at_hand, "emulated transactions", count=40, settings=EMULATED)
