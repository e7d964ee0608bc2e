"""Sessions: what one serves, and what its close does to what it made."""

import pytest

from jms_scenarios.listening import NotingListener, started
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

BUSY = 0.7
"""Seconds for which a listener is busy while somebody closes."""
WAIT = 300
"""Milliseconds for which a call is seen to wait."""
SOON = 10.0
"""Seconds within which a close has its effect."""
UNSETTLED = {
    SessionMode.AUTO_ACKNOWLEDGE: False,
    SessionMode.CLIENT_ACKNOWLEDGE: True,
    SessionMode.DUPS_OK_ACKNOWLEDGE: False,
    SessionMode.SESSION_TRANSACTED: True,
}
"""Whether close() leaves what was received to others."""


@requirement("JMS-SESS-001")
def test_session_serves_several_producers_and_consumers(jms, name):
    """Of three queues and three topics that one session serves, each gets what was sent to it."""
    session = jms.session()
    destinations = [session.create_queue(name("queue")) for _ in range(3)]
    destinations += [session.create_topic(name("topic")) for _ in range(3)]
    consumers = [session.create_consumer(each) for each in destinations]
    producers = [session.create_producer(each) for each in destinations]

    for text in numbered(3):
        for number, producer in enumerate(producers):
            producer.send(session.create_text_message(f"{number}/{text}"))

    for number, consumer in enumerate(consumers):
        wanted = [f"{number}/{text}" for text in numbered(3)]
        assert checks.exactly_once(wanted, texts(receive_all(consumer, 3))) == []


@requirement("JMS-SESS-002")
@pytest.mark.parametrize("idle", [0, 2], ids=["alone", "beside-others"])
def test_session_that_closes_waits_for_its_listener(jms, queue, name, idle):
    """close() returns after the listener's call that is at work, and no call follows."""
    session = jms.session()
    for number in range(idle):
        other = session.create_consumer(session.create_queue(name(f"idle{number}")))
        other.message_listener = NotingListener()
    listener = NotingListener(takes=[BUSY])
    session.create_consumer(queue).message_listener = listener
    sent = send(jms.connected, queue, numbered(3))
    assert listener.begins()

    session.close()
    called = [callback.text for callback in listener.callbacks]

    assert len(called) >= 1
    rest = receive_all(jms.consumer(queue), 3 - len(called))
    assert checks.exactly_once(sent, called + texts(rest)) == []
    assert [callback.text for callback in listener.callbacks] == called


@requirement("JMS-SESS-003")
def test_session_that_closes_ends_a_pending_receive(jms, queue):
    """A receive() without time limit gives None, and then close() returns."""
    session = jms.session()
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["first"])
    assert texts([receive(consumer)]) == ["first"]
    waiting = started(consumer.receive)
    wait_until(now() + WAIT)
    assert not waiting.done()

    closing = started(session.close)

    eventually(closing.done, SOON)
    eventually(waiting.done, SOON)
    assert waiting.result() is None
    assert closing.result() is None


CALLS = {
    "session.create_message": lambda s, p, c: s.create_message(),
    "session.create_text_message": lambda s, p, c: s.create_text_message("hello"),
    "session.create_producer": lambda s, p, c: s.create_producer(None),
    "session.create_temporary_queue": lambda s, p, c: s.create_temporary_queue(),
    "session.recover": lambda s, p, c: s.recover(),
    "session.transacted": lambda s, p, c: s.transacted,
    "session.acknowledge_mode": lambda s, p, c: s.acknowledge_mode,
    "producer.priority": lambda s, p, c: p.priority,
    "producer.delivery_mode": lambda s, p, c: setattr(p, "delivery_mode", 1),
    "consumer.receive": lambda s, p, c: c.receive(1),
    "consumer.receive_no_wait": lambda s, p, c: c.receive_no_wait(),
    "consumer.message_selector": lambda s, p, c: c.message_selector,
    "consumer.message_listener": lambda s, p, c: setattr(c, "message_listener", print),
}


@requirement("JMS-SESS-004")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_closed_session_refuses_to_work(jms, queue, call):
    """What is asked of it, of its producer or of its consumer raises IllegalStateException."""
    session = jms.session()
    producer, consumer = session.create_producer(queue), session.create_consumer(queue)
    session.close()

    with refuses(IllegalStateException):
        call(session, producer, consumer)


@requirement("JMS-SESS-004")
def test_other_sessions_outlive_a_closed_one(jms, queue):
    """Its producer sends no more, and another session of the connection goes on."""
    session, other = jms.session(), jms.session()
    producer = session.create_producer(queue)
    message = session.create_text_message("late")
    consumer = other.create_consumer(queue)
    session.close()

    with refuses(IllegalStateException):
        producer.send(message)

    only_the_marker_comes(jms.connected, queue, consumer)


@requirement("JMS-SESS-005")
def test_messages_of_a_closed_session_remain_usable(jms, queue, name):
    """A received and a made message are read, changed and sent by another session."""
    session = jms.session(SessionMode.CLIENT_ACKNOWLEDGE)
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["received"])
    received, made = receive(consumer), session.create_text_message("made")
    session.close()

    assert (received.text, made.text) == ("received", "made")
    received.clear_properties()
    received.set_int_property("n", 1)
    made.text = "changed"
    other = jms.queue(name("other"))
    producer = jms.producer(other)
    producer.send(received)
    producer.send(made)

    again = receive_all(jms.consumer(other), 2)
    assert checks.exactly_once(["received", "changed"], texts(again)) == []
    numbers = [each.get_int_property("n") for each in again if each.property_exists("n")]
    assert numbers == [1]


@requirement("JMS-SESS-005")
def test_message_of_a_closed_session_is_not_acknowledged(jms, queue):
    """acknowledge() raises IllegalStateException when the session is closed."""
    session = jms.session(SessionMode.CLIENT_ACKNOWLEDGE)
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["hello"])
    received = receive(consumer)
    assert texts([received]) == ["hello"]
    session.close()

    with refuses(IllegalStateException):
        received.acknowledge()


@requirement("JMS-SESS-006")
def test_session_is_closed_twice_and_its_children_after_it(jms, queue):
    """A second close() does nothing, nor does one of producer, consumer and browser afterwards."""
    session = jms.session()
    made = [
        session.create_producer(queue),
        session.create_consumer(queue),
        session.create_browser(queue),
    ]

    session.close()
    session.close()
    results = [each.close() for each in (*made, *made)]

    assert results == [None] * 6


@requirement("JMS-SESS-007")
@pytest.mark.parametrize("way", ["close", "with"])
def test_session_releases_what_it_made(jms, queue, name, queues, way):
    """After its close the broker has no consumer and no producer of it.

    What was fetched is for others. Where the broker tells its producers, it had one before.
    """
    sent = send(jms.connected, queue, numbered(10))
    session, other = jms.session(), jms.queue(name("other"))

    def used():
        producing(session, other, queues)
        received = texts([receive(session.create_consumer(queue))])
        observe("consumers that the broker has while one is open", queues.consumers(queue))
        return received

    if way == "with":
        with session:
            first = used()
    else:
        first = used()
        session.close()

    eventually(lambda: not queues.consumers(queue), SOON)
    rest = receive_all(jms.consumer(queue), 9)
    assert checks.exactly_once(sent, first + texts(rest)) == []
    no_producer(other, queues, SOON)


@requirement("JMS-SESS-007")
@pytest.mark.parametrize("mode", UNSETTLED, ids=lambda mode: mode.name)
def test_session_of_a_stopped_connection_releases_what_it_got(jms, queue, queues, mode):
    """After its close the broker has no consumer of it, and others get what it did not settle.

    The connection works on when it is started again.
    """
    connection = jms.connection()
    session = connection.create_session(mode == SessionMode.SESSION_TRANSACTED, mode)
    consumer = session.create_consumer(queue)
    sent = send(jms.connected, queue, numbered(5))
    got = texts(receive_all(consumer, 2))
    connection.stop()

    closing = started(session.close)

    eventually(closing.done, SOON)
    assert closing.result() is None
    eventually(lambda: not queues.consumers(queue), SOON)
    left = sent if UNSETTLED[mode] else sorted({*sent} - {*got})
    with jms.session() as other, other.create_consumer(queue) as rest:
        assert checks.exactly_once(left, texts(receive_all(rest, len(left)))) == []
    connection.start()
    with connection.create_session() as later:
        only_the_marker_comes(jms.connected, queue, later.create_consumer(queue))


@requirement("JMS-SESS-007")
@pytest.mark.parametrize("begun", [True, False], ids=["stopped", "never-started"])
def test_session_of_a_connection_at_rest_releases_what_waits(jms, name, client_id, queues, begun):
    """What came for its receiver, its listener and its durable subscriber comes to others."""
    connection = jms.connection(client_id=client_id, start=begun)
    if begun:
        connection.stop()
    session = connection.create_session()
    received, heard = jms.queue(name("received")), jms.queue(name("heard"))
    topic = jms.topic(name("topic"))
    session.create_consumer(received)
    listener = NotingListener()
    session.create_consumer(heard).message_listener = listener
    session.create_durable_consumer(topic, "kept")
    sendings = [send(jms.connected, each, numbered(3)) for each in (received, heard, topic)]

    closing = started(session.close)

    eventually(closing.done, SOON)
    assert closing.result() is None
    eventually(lambda: not (queues.consumers(received) or queues.consumers(heard)), SOON)
    connection.start()
    later = connection.create_session()
    consumers = [
        later.create_consumer(received),
        later.create_consumer(heard),
        later.create_durable_consumer(topic, "kept"),
    ]
    for sent, consumer in zip(sendings, consumers, strict=True):
        assert checks.exactly_once(sent, texts(receive_all(consumer, 3))) == []
    assert listener.callbacks == []


@requirement("JMS-SESS-008")
def test_listener_that_closes_its_session_does_not_hang(jms, queue):
    """session.close() in a listener raises IllegalStateException, or succeeds and settles."""
    session = jms.session()
    outcomes = []

    def close(message):
        try:
            session.close()
        except IllegalStateException:
            outcomes.append("refused")
        else:
            outcomes.append("closed")

    session.create_consumer(queue).message_listener = close
    send(jms.connected, queue, ["hello"])

    eventually(lambda: outcomes, SOON)
    observe("session.close() in a listener", outcomes[0])
    closing = started(session.close)
    eventually(closing.done, SOON)
    rest = jms.consumer(queue, jms.session())
    only_the_marker_comes(jms.connected, queue, rest)
    assert len(outcomes) == 1


@requirement("JMS-SESS-009")
def test_connection_closes_its_sessions(jms, queue, queues):
    """After connection.close() three open sessions refuse, and the broker has no consumer."""
    connection = jms.connection()
    sessions = [connection.create_session() for _ in range(3)]
    for session in sessions:
        session.create_consumer(queue).receive_no_wait()

    connection.close()

    for session in sessions:
        with refuses(IllegalStateException):
            session.create_message()
    eventually(lambda: not queues.consumers(queue), SOON)
