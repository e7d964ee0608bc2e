"""Transactions: those of the broker, and those that the client emulates."""

import pytest

from jms_scenarios.completing import NotingCompletions
from jms_scenarios.moments import a_while
from jms_scenarios.traffic import numbered, only_the_marker_comes, send, texts
from jmsapi import JMSException, SessionMode
from touchstone.api import (
    broker,
    checks,
    eventually,
    judge_drawn_sessions,
    judging,
    not_applicable,
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
def of_each_api(jms, transacted):
    """`of_each_api(REAL)`: a transacted session, and a transacted context."""
    return lambda settings: (
        transacted(settings),
        jms.context(SessionMode.SESSION_TRANSACTED, settings),
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
    """Send text messages in the open transaction of a session or a context."""
    if not hasattr(session, "acknowledge_mode"):
        for text in sent:
            session.create_producer().send(queue, text)
        return sent
    with session.create_producer(queue) as producer:
        for text in sent:
            producer.send(session.create_text_message(text))
    return sent


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
    only_the_marker_comes(jms.connected, queue, consumer)


@requirement("SLJ-TX-002")
def test_rollback_discards_messages(of_each_api, jms, queue, name):
    """After rollback() other consumers receive none of the messages in two queues.

    What is sent and committed after it comes.
    """
    queues = [queue, jms.queue(name("other"))]
    consumers = [jms.consumer(each) for each in queues]
    for session in of_each_api(REAL):
        for each in queues:
            send_in(session, each, numbered(3))

        session.rollback()

        for each, consumer in zip(queues, consumers, strict=True):
            send_in(session, each, ["later"])
            session.commit()
            assert texts([receive(consumer)]) == ["later"]
            only_the_marker_comes(jms.connected, each, consumer)


@requirement("SLJ-TX-002")
def test_rollback_discards_what_is_sent_asynchronously(transacted, jms, queue):
    """Messages whose completion listener was told of them go with the transaction, too."""
    consumer = jms.consumer(queue)
    session = transacted(REAL)
    producer = session.create_producer(queue)
    completions = NotingCompletions()
    send_in(session, queue, ["first"])
    for text in numbered(3):
        producer.send(session.create_text_message(text), completion_listener=completions)
    eventually(lambda: len(completions.calls) == 3)

    session.rollback()

    send_in(session, queue, ["later"])
    session.commit()
    assert texts([receive(consumer)]) == ["later"]
    only_the_marker_comes(jms.connected, queue, consumer)


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
def test_commit_acknowledges(of_each_api, wait_for_acknowledgements, jms, name, admin, settings):
    """The backlogs of what two consumers received stay until commit(), and then are gone.

    So they do in the second transaction.
    """
    for session in of_each_api(settings):
        queues = [jms.queue(name("queue")) for _ in range(2)]
        consumers = [session.create_consumer(queue) for queue in queues]
        for _ in range(2):
            for queue, consumer in zip(queues, consumers, strict=True):
                sent = send(jms.connected, queue, numbered(3))
                assert texts(receive_all(consumer, 3)) == sent

            wait_for_acknowledgements()
            assert [admin.backlog(queue) for queue in queues] == [3, 3]
            session.commit()

            eventually(lambda to=queues: [admin.backlog(queue) for queue in to] == [0, 0])


@pytest.mark.parametrize("settings", [REAL, EMULATED], ids=["real", "emulated"])
@requirement("SLJ-TX-007")
def test_messages_come_again_after_rollback(of_each_api, jms, name, admin, settings):
    """What two consumers received before rollback() they receive again after it."""
    for session in of_each_api(settings):
        queues = [jms.queue(name("queue")) for _ in range(2)]
        consumers = [session.create_consumer(queue) for queue in queues]
        for queue, consumer in zip(queues, consumers, strict=True):
            sent = send(jms.connected, queue, numbered(3))
            assert checks.exactly_once(sent, texts(receive_all(consumer, 3))) == []

        session.rollback()

        for consumer in consumers:
            again = receive_all(consumer, 3, within=10)
            assert checks.exactly_once(sent, texts(again)) == []
        assert [admin.backlog(queue) for queue in queues] == [3, 3]


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
def test_emulated_session_says_that_it_is_transacted(of_each_api):
    """An emulated session or context is transacted; commit() and rollback() do not throw."""
    session, context = of_each_api(EMULATED)

    assert session.acknowledge_mode == SessionMode.SESSION_TRANSACTED
    assert context.session_mode == SessionMode.SESSION_TRANSACTED
    for opener in (session, context):
        assert opener.transacted is True
        for _ in range(2):
            opener.commit()
            opener.rollback()


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
def test_emulated_session_does_not_take_back_messages(of_each_api, jms, queue):
    """Another consumer receives a message although rollback() follows its send."""
    consumer = jms.consumer(queue)
    for session in of_each_api(EMULATED):
        sent = send_in(session, queue, ["message"])

        session.rollback()

        assert texts([receive(consumer)]) == sent
        only_the_marker_comes(jms.connected, queue, consumer)


@requirement("SLJ-TX-001", "SLJ-TX-002", "SLJ-TX-006")
@slow
def test_workload_of_transactions_stands_and_falls_together(transacted, workload):
    """Of 400 messages that are moved on in transactions all arrive once, and none too early."""
    transacted(REAL).close()
    verdict = workload("transactions", messages=400, settings=REAL)
    verdict = verdict.with_power(10, "D03", "D17", "D19").with_power(200, "D18", "D31")

    with judging("SLJ-TX-001"):
        assert verdict.against("D01", "D09", "D17", "D18") == []
    with judging("SLJ-TX-002"):
        assert verdict.against("D02", "D03") == []
    with judging("SLJ-TX-006"):
        assert verdict.against("D05", "D08", "D19", "D31") == []


@slow
@pytest.mark.usefixtures("quick")
@requirement("SLJ-TX-010", "SLJ-TX-011", "SLJ-TX-012")
def test_drawn_programs_on_emulated_transactions(at_hand):
    """What is sent is there at once and stays, what is received is settled by commit alone."""
    judge_drawn_sessions(at_hand, "emulated transactions", count=40, settings=EMULATED)
