"""Consumers: how long receive waits, and what closing does to what is received."""

import pytest

from jms_scenarios.listening import NotingListener, started
from jms_scenarios.moments import now, wait_until
from jms_scenarios.traffic import numbered, only_the_marker_comes, send, take, texts
from jmsapi import SessionMode
from touchstone.api import (
    body_of,
    bounded,
    checks,
    eventually,
    receive,
    receive_all,
    requirement,
    timed,
)

WAIT = 500
"""Milliseconds for which a call is seen to wait."""
BUSY = 0.7
"""Seconds for which a listener is busy while somebody closes."""
SOON = 10.0
"""Seconds after which a call counts as hanging."""
AT_ONCE = 0.5
"""Seconds that are no waiting."""


@requirement("JMS-CONS-001")
@pytest.mark.parametrize("timeout", [None, 0], ids=["without", "zero"])
def test_receive_waits_for_the_next_message(jms, queue, timeout):
    """receive() and receive(0) wait on an empty queue and give the next message at once."""
    consumer = jms.consumer(queue, jms.session())
    send(jms.connected, queue, ["first"])
    assert texts([receive(consumer)]) == ["first"]
    waiting = started(lambda: consumer.receive(timeout))
    wait_until(now() + WAIT)
    assert not waiting.done()

    send(jms.connected, queue, ["hello"])
    with timed() as rest:
        eventually(waiting.done, SOON)

    assert texts([waiting.result()]) == ["hello"]
    bounded(rest.seconds, "the rest of the call", at_most=AT_ONCE, slack=rest.slack)


@requirement("JMS-CONS-002")
def test_receive_gives_nothing_when_its_time_is_over(jms, queue):
    """receive(500) on an empty queue gives None after 500 ms and no sooner."""
    consumer = jms.consumer(queue)
    send(jms.connected, queue, ["first"])
    assert texts([receive(consumer)]) == ["first"]

    with timed() as call:
        message = consumer.receive(WAIT)

    assert message is None
    wait = WAIT / 1000
    bounded(call.seconds, "the call", at_least=wait, at_most=wait + AT_ONCE, slack=call.slack)


@requirement("JMS-CONS-002")
def test_receive_gives_what_comes_in_time(jms, queue):
    """A message that is sent while receive(10000) waits is given at once."""
    consumer = jms.consumer(queue, jms.session())
    send(jms.connected, queue, ["first"])
    assert texts([receive(consumer)]) == ["first"]
    waiting = started(lambda: consumer.receive(10_000))
    wait_until(now() + WAIT)

    send(jms.connected, queue, ["hello"])
    with timed() as rest:
        eventually(waiting.done, SOON)

    assert texts([waiting.result()]) == ["hello"]
    bounded(rest.seconds, "the rest of the call", at_most=AT_ONCE, slack=rest.slack)


@requirement("JMS-CONS-003")
def test_receive_no_wait_gives_what_is_there_and_does_not_wait(jms, queue):
    """On an empty queue it gives None without waiting, on a full one each message once."""
    consumer = jms.consumer(queue)
    send(jms.connected, queue, ["first"])
    assert texts([receive(consumer)]) == ["first"]
    with timed() as call:
        assert consumer.receive_no_wait() is None
    bounded(call.seconds, "the call", at_most=AT_ONCE, slack=call.slack)
    sent = send(jms.connected, queue, numbered(10))
    received = []

    def polled():
        if (message := consumer.receive_no_wait()) is not None:
            received.append(body_of(message, str))
        return len(received) == len(sent)

    eventually(polled)
    assert received == sent
    assert consumer.receive_no_wait() is None


@requirement("JMS-CONS-004")
def test_blocked_receive_ends_with_its_consumer(jms, queue):
    """A receive() that waits gives None when another thread closes the consumer, which returns."""
    consumer = jms.consumer(queue, jms.session())
    send(jms.connected, queue, ["first"])
    assert texts([receive(consumer)]) == ["first"]
    waiting = started(consumer.receive)
    wait_until(now() + WAIT)
    assert not waiting.done()

    closing = started(consumer.close)

    eventually(closing.done, SOON)
    eventually(waiting.done, SOON)
    assert waiting.result() is None
    assert closing.result() is None


@requirement("JMS-CONS-004")
def test_consumer_that_closes_waits_for_its_listener(jms, queue):
    """close() returns after the call of the listener that is at work."""
    consumer = jms.consumer(queue, jms.session())
    listener = NotingListener(takes=[BUSY])
    consumer.message_listener = listener
    sent = send(jms.connected, queue, numbered(2))
    assert listener.begins()

    consumer.close()

    called = listener.texts
    assert len(called) >= 1
    assert called == sent[: len(called)]


@requirement("JMS-CONS-005")
def test_listener_closes_its_own_consumer(jms, queue):
    """close() inside a listener returns, the listener goes on, and its message is settled."""
    consumer = jms.consumer(queue, jms.session())
    after = []

    def close(message):
        consumer.close()
        after.append(body_of(message, str))

    consumer.message_listener = close
    send(jms.connected, queue, numbered(3))

    eventually(lambda: after)
    rest = jms.consumer(queue, jms.session())
    assert sorted(texts(receive_all(rest, 2))) == ["message-2", "message-3"]
    only_the_marker_comes(jms.connected, queue, rest)
    assert after == ["message-1"]


@requirement("JMS-CONS-006")
def test_closed_consumer_leaves_its_messages_to_acknowledge(jms, queue, queues):
    """Three received messages stay unsettled when their consumer closes, until acknowledge()."""
    sent = send(jms.connected, queue, numbered(3))
    session = jms.session(SessionMode.CLIENT_ACKNOWLEDGE)
    consumer = jms.consumer(queue, session)
    messages = take(consumer, sent)

    consumer.close()
    assert queues.pending(queue) == 3

    messages[-1].acknowledge()
    eventually(lambda: queues.pending(queue) == 0)


@requirement("JMS-CONS-006")
def test_unacknowledged_messages_return_when_the_session_closes(jms, queue):
    """Without acknowledge() what a closed consumer received comes to another after the session."""
    sent = send(jms.connected, queue, numbered(3))
    session = jms.session(SessionMode.CLIENT_ACKNOWLEDGE)
    consumer = jms.consumer(queue, session)
    take(consumer, sent)
    consumer.close()

    session.close()

    again = receive_all(jms.consumer(queue), 3)
    assert checks.exactly_once(sent, texts(again)) == []
    assert [message.jms_redelivered for message in again] == [True] * 3


@requirement("JMS-CONS-007")
def test_transaction_outlives_its_consumer_to_be_committed(jms, queue, queues):
    """What a closed consumer received in a transaction is gone after commit()."""
    sent = send(jms.connected, queue, numbered(3))
    session = jms.session(SessionMode.SESSION_TRANSACTED)
    consumer = jms.consumer(queue, session)
    take(consumer, sent)

    consumer.close()
    assert queues.pending(queue) == 3
    session.commit()

    eventually(lambda: queues.pending(queue) == 0, 3.0)


@requirement("JMS-CONS-007")
def test_transaction_outlives_its_consumer_to_be_rolled_back(jms, queue):
    """What a closed consumer received in a transaction comes again, flagged, after rollback()."""
    sent = send(jms.connected, queue, numbered(3))
    session = jms.session(SessionMode.SESSION_TRANSACTED)
    consumer = jms.consumer(queue, session)
    take(consumer, sent)

    consumer.close()
    session.rollback()

    again = receive_all(jms.consumer(queue), 3)
    assert checks.exactly_once(sent, texts(again)) == []
    assert [message.jms_redelivered for message in again] == [True] * 3


@requirement("JMS-CONS-008")
def test_closed_consumer_leaves_the_rest_to_others(jms, queue, queues):
    """Of 100 messages it took ten; 90 wait, and another gets each of them once and unflagged."""
    sent = send(jms.connected, queue, numbered(100))
    consumer = jms.consumer(queue, jms.session())
    first = texts(receive_all(consumer, 10))

    consumer.close()

    eventually(lambda: (queues.ready(queue), queues.pending(queue)) == (90, 90))
    rest = receive_all(jms.consumer(queue), 90)
    assert checks.exactly_once(sent, first + texts(rest)) == []
    assert [message.jms_redelivered for message in rest].count(True) == 0
