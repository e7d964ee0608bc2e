"""Callbacks of asynchronous sends: who waits for them, what they may call, and on which thread."""

import threading
from contextlib import suppress

import pytest

from jms_scenarios.completing import NotingCompletions, sent_by
from jms_scenarios.core.exchange import left_on
from jms_scenarios.traffic import numbered, texts
from jmsapi import (
    DeliveryMode,
    IllegalStateException,
    IllegalStateRuntimeException,
    JMSException,
    SessionMode,
)
from touchstone.api import checks, eventually, requirement

SOON = 30.0
"""Seconds within which the outcome of a send is told."""
PATIENCE = 4.0
"""Seconds after which what a callback calls counts as hanging."""
BUSY = 0.02
"""Seconds that a callback takes where somebody has to wait for it."""


@requirement("JMS-ASY-006")
@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_end_of_a_transaction_waits_for_callbacks(jms, queue, end):
    """commit() and rollback() return behind the last of twenty callbacks."""
    session = jms.session(SessionMode.SESSION_TRANSACTED)
    listener = NotingCompletions(takes=BUSY)
    sent_by(session, session.create_producer(queue), listener, numbered(20))

    getattr(session, end)()
    told = len(listener.calls)

    assert told == 20
    assert listener.failures == []
    if end == "commit":
        assert texts(left_on(jms.connected, queue)) == numbered(20)


CLOSED = ("producer", "session", "connection", "context")


@requirement("JMS-ASY-007")
@pytest.mark.parametrize("closed", CLOSED)
def test_close_waits_for_callbacks(jms, queue, queues, closed):
    """close() returns behind the last of ten callbacks, and all messages are on the queue."""
    listener = NotingCompletions(takes=BUSY)
    if closed == "context":
        made = jms.context()
        producer = made.create_producer().set_async(listener)
        for text in numbered(10):
            producer.send(queue, text)
    else:
        connection = jms.connection()
        session = connection.create_session()
        own = session.create_producer(queue)
        made = {"producer": own, "session": session, "connection": connection}[closed]
        sent_by(session, own, listener, numbered(10))

    made.close()
    told = len(listener.calls)

    assert told == 10
    assert listener.failures == []
    eventually(lambda: queues.pending(queue) == 10)
    assert listener.texts == numbered(10)
    assert texts(left_on(jms.connected, queue)) == numbered(10)


ENDS = {
    "producer.close": lambda connection, session, producer: producer.close(),
    "session.close": lambda connection, session, producer: session.close(),
    "connection.close": lambda connection, session, producer: connection.close(),
    "session.commit": lambda connection, session, producer: session.commit(),
    "session.rollback": lambda connection, session, producer: session.rollback(),
}


@requirement("JMS-ASY-008")
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_callback_ends_nothing_of_its_own(jms, queue, queues, end):
    """What it calls of its own objects raises IllegalStateException, and the message is sent."""
    connection = jms.connection()
    session = connection.create_session()
    producer = session.create_producer(queue)
    listener = NotingCompletions(then=lambda: end(connection, session, producer))

    sent_by(session, producer, listener, ["hello"])

    eventually(lambda: listener.begun, SOON)
    eventually(lambda: listener.calls, PATIENCE)
    assert listener.raised == [IllegalStateException]
    eventually(lambda: queues.pending(queue) == 1)
    assert texts(left_on(jms.connected, queue)) == ["hello"]


@requirement("JMS-ASY-008")
def test_callback_does_not_close_its_context(jms, queue, queues):
    """close() raises the runtime form, and the message is sent."""
    context = jms.context()
    listener = NotingCompletions(then=context.close)

    context.create_producer().set_async(listener).send(queue, "hello")

    eventually(lambda: listener.begun, SOON)
    eventually(lambda: listener.calls, PATIENCE)
    assert listener.raised == [IllegalStateRuntimeException]
    eventually(lambda: queues.pending(queue) == 1)
    assert texts(left_on(jms.connected, queue)) == ["hello"]


@requirement("JMS-ASY-011")
def test_session_runs_one_callback_at_a_time(jms, queue):
    """Those of three producers, five milliseconds each, do not overlap."""
    session = jms.session()
    listener = NotingCompletions(takes=0.005)
    producers = [session.create_producer(queue) for _ in range(3)]

    for text in numbered(10):
        for producer in producers:
            sent_by(session, producer, listener, [text])

    eventually(lambda: len(listener.calls) == 30, SOON)
    assert checks.no_overlap(listener.intervals) == []
    assert sorted(listener.texts) == sorted(numbered(10) * 3)


@requirement("JMS-ASY-013")
def test_sending_thread_runs_no_callback(jms, queue):
    """Of two hundred sends none is told on the thread that sent it, in neither delivery mode."""
    session = jms.session()
    producer, listener = session.create_producer(queue), NotingCompletions()
    for mode in (DeliveryMode.PERSISTENT, DeliveryMode.NON_PERSISTENT):
        producer.delivery_mode = mode
        sent_by(session, producer, listener, numbered(100))

    eventually(lambda: len(listener.calls) == 200, SOON)
    assert threading.get_native_id() not in {call.thread for call in listener.calls}
    assert sorted(listener.texts) == sorted(numbered(100) * 2)


@requirement("JMS-ASY-013")
def test_sending_thread_is_not_told_of_a_refusal(jms, queue):
    """Whoever sends by a closed producer is not called on the same thread."""
    session = jms.session()
    producer, listener = session.create_producer(queue), NotingCompletions()
    producer.close()

    with suppress(JMSException):
        sent_by(session, producer, listener, ["late"])

    sent_by(session, session.create_producer(queue), listener, ["marker"])
    eventually(lambda: "marker" in listener.texts, SOON)
    assert threading.get_native_id() not in {call.thread for call in listener.calls}
