"""Transactions: what commit() and rollback() settle, show and take back, and nothing else does."""

import pytest

from jms_scenarios.core.exchange import (
    TRANSACTED,
    before_marker,
    left_on,
    numbered,
    quietly_close,
    send,
    send_in,
    take,
    texts,
    unflagged,
)
from jms_scenarios.moments import a_while
from jms_scenarios.traffic import shared_out
from jmsapi import JMSException
from touchstone.api import (
    body_of,
    checks,
    eventually,
    needs,
    observe,
    receive,
    receive_all,
    requirement,
    slow,
)

XA_NO_FLAGS, XA_SUCCESS = 0, 1 << 26
"""Flags of javax.transaction.xa.XAResource."""


@requirement("JMS-TX-001")
def test_transaction_moves_all_or_nothing(jms, name):
    """Ten messages move to two queues once each, though every other one is rolled back at first."""
    source = jms.queue(name("source"))
    targets = [jms.queue(name("first")), jms.queue(name("second"))]
    sent = send(jms.connected, source, numbered(10))
    session = jms.session(TRANSACTED)
    consumer = session.create_consumer(source)
    producers = [session.create_producer(target) for target in targets]
    to_roll_back, moved = set(sent[::2]), []
    while len(moved) < len(sent):
        text = body_of(receive(consumer), str)
        for producer in producers:
            producer.send(session.create_text_message(text))
        if text in to_roll_back:
            to_roll_back.remove(text)
            session.rollback()
        else:
            session.commit()
            moved.append(text)
    session.close()

    assert to_roll_back == set()
    for target in targets:
        assert checks.exactly_once(sent, texts(left_on(jms.connected, target))) == []
    assert texts(left_on(jms.connected, source)) == []


@slow
@requirement("JMS-TX-001")
def test_transaction_moves_all_or_nothing_through_cuts(jms, jms_at, faults, queues, name):
    """Of messages moved to two queues through cuts each is in both or in none, and none is lost.

    A third of the connections is cut before the commit, a third behind it.
    """
    proxy, address = faults.byte_proxy()
    through = jms_at(address)
    source = jms.queue(name("source"))
    targets = [jms.queue(name("first")), jms.queue(name("second"))]
    sent = send(jms.connected, source, numbered(9))
    outcomes = []
    while queues.pending(source) and len(outcomes) < 30:
        connection = through.connection()
        session = connection.create_session(True, TRANSACTED)
        text = body_of(receive(session.create_consumer(source), within=20), str)
        for target in targets:
            send_in(session, target, [text])
        turn = len(outcomes) % 3
        if turn == 1:
            proxy.cut()
        outcomes.append(committed(session))
        if turn == 2:
            proxy.cut()
        quietly_close(connection)

    observe("commit() behind a cut", sorted(set(outcomes[1::3])))
    for target in targets:
        assert checks.exactly_once(sent, texts(left_on(jms.connected, target))) == []
    assert texts(left_on(jms.connected, source)) == []


def committed(session):
    """How commit() ends."""
    try:
        session.commit()
    except JMSException as error:
        return type(error).__name__
    return "returns"


@requirement("JMS-TX-002")
def test_nobody_sees_a_message_before_commit(jms, queue):
    """Ten messages come to nobody, the own session included, before commit(), and all behind it."""
    outside = jms.consumer(queue)
    session = jms.session(TRANSACTED)
    inside = session.create_consumer(queue)
    assert outside.receive_no_wait() is None
    assert inside.receive_no_wait() is None

    sent = send_in(session, queue, numbered(10))

    # A marker would not show it: a broker may hold back what follows an open transaction.
    assert outside.receive(round(1000 * a_while())) is None
    assert inside.receive_no_wait() is None
    with jms.session() as browsing, browsing.create_browser(queue) as browser:
        assert texts(browser.enumeration) == []
    session.commit()
    shares = shared_out([outside, inside], 10)
    session.commit()
    assert checks.exactly_once(sent, [text for share in shares for text in share]) == []


@requirement("JMS-TX-003")
def test_rollback_destroys_what_was_sent(jms, queue, queues):
    """Behind ten messages that were rolled back only the marker of the next transaction comes."""
    consumer = jms.consumer(queue)
    session = jms.session(TRANSACTED)
    send_in(session, queue, numbered(10))

    session.rollback()
    marker = send_in(session, queue, ["the next"])
    session.commit()

    assert texts([receive(consumer)]) == marker
    assert texts(before_marker(jms.connected, consumer, queue)) == []
    eventually(lambda: queues.pending(queue) == 0)


@requirement("JMS-TX-004")
def test_rollback_gives_back_what_was_received(jms, queue, queues):
    """Five messages come again after rollback(), in order and flagged."""
    session = jms.session(TRANSACTED)
    consumer = session.create_consumer(queue)
    sent = send(jms.connected, queue, numbered(5))
    assert texts(receive_all(consumer, 5)) == sent

    session.rollback()
    again = receive_all(consumer, 5)

    assert texts(again) == sent
    assert unflagged(again) == []
    session.commit()
    eventually(lambda: queues.pending(queue) == 0)


@pytest.mark.parametrize("end", ["commit", "rollback"])
@requirement("JMS-TX-005")
def test_closing_producer_and_consumer_ends_no_transaction(jms, queues, name, end):
    """Sends stay invisible and receipts unsettled until commit() or rollback() ends them all."""
    source, target = jms.queue(name("source")), jms.queue(name("target"))
    outside = jms.consumer(target)
    assert outside.receive_no_wait() is None
    sent = send(jms.connected, source, numbered(1))
    session = jms.session(TRANSACTED)
    with session.create_consumer(source) as consumer:
        assert texts([receive(consumer)]) == sent
        send_in(session, target, ["first"])
    session.create_consumer(source).close()
    send_in(session, target, ["second"])

    assert outside.receive(round(1000 * a_while())) is None
    assert queues.pending(source) == 1

    if end == "commit":
        session.commit()
    else:
        session.rollback()
    sends = texts(before_marker(jms.connected, outside, target))
    assert sends == (["first", "second"] if end == "commit" else [])
    if end == "commit":
        eventually(lambda: queues.pending(source) == 0)
    else:
        session.close()
        assert texts(left_on(jms.connected, source)) == sent


@requirement("JMS-TX-006")
def test_end_of_a_transaction_begins_the_next(jms, queue):
    """Of a committed, b rolled back and c committed, with no call between, a and c arrive."""
    session = jms.session(TRANSACTED)
    session.commit()
    with session.create_producer(queue) as producer:
        for text, end in (("a", session.commit), ("b", session.rollback), ("c", session.commit)):
            producer.send(session.create_text_message(text))
            end()
    session.rollback()

    assert texts(left_on(jms.connected, queue)) == ["a", "c"]


@pytest.mark.parametrize(
    "closed",
    [
        pytest.param("connection", marks=requirement("JMS-TX-007")),
        pytest.param("session", marks=requirement("JMS-TX-008")),
    ],
)
def test_close_rolls_the_transaction_back(jms, queues, name, closed):
    """Three received messages come again, flagged, and three sent ones never arrive."""
    source, target = jms.queue(name("source")), jms.queue(name("target"))
    sent = send(jms.connected, source, numbered(3))
    connection = jms.connection()
    session = connection.create_session(True, TRANSACTED)
    take(session.create_consumer(source), sent)
    send_in(session, target, numbered(3, "never"))

    (connection if closed == "connection" else session).close()

    survivor = connection if closed == "session" else jms.connected
    assert texts(left_on(survivor, target)) == []
    assert queues.pending(source) == 3
    again = left_on(survivor, source)
    assert checks.exactly_once(sent, texts(again)) == []
    eventually(lambda: queues.pending(target) == 0)
    assert unflagged(again) == []


@requirement("JMS-TX-009")
@needs("distributed-transactions")
def test_transaction_manager_can_drive_a_session(jms, queue):
    """What an XASession sends in a branch arrives when the branch is committed, not before."""
    session = jms.factory().create_xa_connection().create_xa_session()
    resource = session.xa_resource
    consumer = jms.consumer(queue)
    branch = (1, b"global", b"branch")

    resource.start(branch, XA_NO_FLAGS)
    sent = send_in(session, queue, numbered(3))
    resource.end(branch, XA_SUCCESS)
    resource.prepare(branch)
    assert consumer.receive_no_wait() is None
    resource.commit(branch, False)

    assert texts(receive_all(consumer, 3)) == sent
