"""Connections that are closed: what listeners keep, what ends, and what may be done afterwards."""

from concurrent.futures import wait

import pytest

from jms_scenarios.core.closed_objects import not_refused
from jms_scenarios.core.held_listeners import AT_MOST, Working
from jms_scenarios.listening import ended_when_back, listen, started
from jms_scenarios.moments import now, wait_until
from jms_scenarios.traffic import (
    no_producer,
    numbered,
    only_the_marker_comes,
    producing,
    send,
    texts,
)
from jmsapi import IllegalStateException, SessionMode
from touchstone.api import (
    checks,
    eventually,
    observe,
    receive,
    receive_all,
    refuses,
    requirement,
)

WAIT = 150
"""Milliseconds for which a call is seen to wait."""
PATIENCE = 5.0
"""Seconds after which a call counts as hanging."""


@requirement("JMS-CONN-013")
@pytest.mark.parametrize("mode", ["CLIENT_ACKNOWLEDGE", "SESSION_TRANSACTED"])
def test_listener_keeps_the_connection_that_closes(jms, queue, queues, name, gate, mode):
    """While close() waits it sends and acknowledges or commits, and the broker has both."""
    other = jms.queue(name("other"))
    connection = jms.connection()
    transacted = mode == "SESSION_TRANSACTED"
    session = connection.create_session(transacted, SessionMode[mode])
    settle = (lambda _: session.commit()) if transacted else (lambda each: each.acknowledge())
    outcome = Working(session, other, gate, settle)
    listener = listen(session, queue, then=outcome)
    send(jms.connected, queue, ["hello"])
    assert listener.begins()

    closing = started(connection.close)
    wait_until(now() + WAIT)
    gate.set()

    eventually(lambda: outcome.results)
    assert outcome.results == ["done"]
    eventually(closing.done)
    eventually(lambda: (queues.pending(queue), queues.pending(other)) == (0, 1))


@requirement("JMS-CONN-014")
def test_close_waits_for_listeners_and_receives(jms, queue, full_queue, queues, gate):
    """close() comes back when the listener of one session has, and the receive() of another."""
    full = full_queue(3)
    connection = jms.connection()
    pending = connection.create_session().create_consumer(queue)
    listener = listen(connection.create_session(), full, then=lambda _: gate.wait(AT_MOST))
    receiving = started(pending.receive)
    assert listener.begins()

    closing = ended_when_back(connection.close, listener)
    wait_until(now() + WAIT)
    gate.set()

    eventually(closing.done)
    eventually(receiving.done)
    assert receiving.result() is None
    [ended] = closing.result()
    assert ended >= 1
    eventually(lambda: queues.pending(full) == 3 - ended, PATIENCE)
    assert texts(receive_all(jms.consumer(full), 3 - ended)) == numbered(3, full.queue_name)[ended:]
    assert listener.begun == ended


@requirement("JMS-CONN-015")
def test_close_ends_every_pending_receive(jms, queue):
    """Three receive() without time limit, in three sessions, give None when it is closed."""
    connection = jms.connection()
    consumers = [connection.create_session().create_consumer(queue) for _ in range(3)]
    waiting = [started(consumer.receive) for consumer in consumers]
    wait_until(now() + WAIT)
    assert not any(each.done() for each in waiting)

    connection.close()

    assert wait(waiting, PATIENCE).not_done == set()
    assert [each.result() for each in waiting] == [None] * 3


@requirement("JMS-CONN-016")
@pytest.mark.parametrize("kind", ["connection", "session", "producer", "consumer"])
def test_closed_connection_refuses_to_work(jms, queue, queues, kind):
    """Whatever it, its session, its producer or its consumer is asked: IllegalStateException."""
    connection = jms.connection()
    session = connection.create_session()
    asked = {"connection": connection, "session": session}
    asked["producer"] = session.create_producer(queue)
    asked["consumer"] = session.create_consumer(queue)
    asked["consumer"].receive_no_wait()
    message = session.create_text_message("late")

    connection.close()

    assert not_refused(kind, asked[kind], message) == []
    eventually(lambda: not queues.consumers(queue), PATIENCE)


@requirement("JMS-CONN-017")
def test_children_of_a_closed_connection_are_closed_for_nothing(jms, queue):
    """close() of session, producer, consumer and browser does nothing after the connection's."""
    connection = jms.connection()
    session = connection.create_session()
    children = [
        session.create_producer(queue),
        session.create_consumer(queue),
        session.create_browser(queue),
        session,
    ]
    connection.close()

    assert [each.close() for each in children] == [None] * 4


@requirement("JMS-CONN-018")
def test_messages_of_a_closed_connection_remain_usable(jms, queue, name):
    """A received one is read, cleared, written and sent by another; acknowledge() alone fails."""
    connection = jms.connection()
    session = connection.create_session(False, SessionMode.CLIENT_ACKNOWLEDGE)
    message = session.create_text_message("received")
    message.set_int_property("n", 1)
    message.jms_type = "kind"
    session.create_producer(queue).send(message)
    received = receive(session.create_consumer(queue))
    connection.close()

    read = (received.text, received.get_int_property("n"), received.jms_type)
    assert read == ("received", 1, "kind")
    assert received.jms_message_id == message.jms_message_id
    with refuses(IllegalStateException):
        received.acknowledge()
    received.clear_body()
    received.text = "written"
    other = jms.queue(name("other"))
    jms.producer(other).send(received)
    assert texts([receive(jms.consumer(other))]) == ["written"]


@requirement("JMS-CONN-019")
def test_connection_is_closed_as_often_as_one_likes(jms, queue):
    """Two threads that close at once and a third close() afterwards: no exception."""
    connection = jms.connection()
    connection.create_session().create_consumer(queue)
    closing = [started(connection.close) for _ in range(2)]

    assert wait(closing, PATIENCE).not_done == set()
    assert [each.result() for each in closing] == [None, None]
    assert connection.close() is None


@requirement("JMS-CONN-020")
@pytest.mark.parametrize("way", ["close", "with"])
def test_close_releases_everything(jms, full_queue, name, queues, way):
    """After it the broker has no consumer and no producer of five sessions.

    What they fetched is for others. Where the broker tells its producers, it had them before.
    Another connection stays open.
    """
    queue, other = full_queue(5), jms.queue(name("other"))
    connection = jms.connection()

    def used():
        for _ in range(5):
            session = connection.create_session()
            producing(session, other, queues)
            session.create_browser(queue)
            session.create_consumer(queue)

    if way == "with":
        with connection:
            used()
    else:
        used()
        connection.close()

    eventually(lambda: not queues.consumers(queue), PATIENCE)
    rest = texts(receive_all(jms.consumer(queue), 5))
    assert checks.exactly_once(numbered(5, queue.queue_name), rest) == []
    no_producer(other, queues, PATIENCE)


@requirement("JMS-CONN-021")
def test_listener_that_closes_its_connection_does_not_hang(jms, queue):
    """close() in a listener raises IllegalStateException, or succeeds and settles the message."""
    connection = jms.connection()
    outcomes = []

    def close(message):
        try:
            connection.close()
        except IllegalStateException:
            outcomes.append("refused")
        else:
            outcomes.append("closed")

    connection.create_session().create_consumer(queue).message_listener = close
    send(jms.connected, queue, ["hello"])

    eventually(lambda: outcomes, PATIENCE)
    observe("connection.close() in a listener", outcomes[0])
    closing = started(connection.close)
    eventually(closing.done)
    rest = jms.consumer(queue, jms.session())
    only_the_marker_comes(jms.connected, queue, rest)
    assert len(outcomes) == 1
