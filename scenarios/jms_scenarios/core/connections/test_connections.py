"""Connections: started and stopped, and to whom their problems are told."""

import pytest

from jms_scenarios.core.exchange import MARKER
from jms_scenarios.core.held_listeners import AT_MOST, Working
from jms_scenarios.listening import ended_when_back, listen, started
from jms_scenarios.moments import now, wait_until
from jms_scenarios.refusals import refusal
from jms_scenarios.traffic import numbered, send, send_many, texts
from jmsapi import (
    IllegalStateException,
    JMSException,
    SessionMode,
)
from touchstone.api import (
    bounded,
    broker,
    checks,
    eventually,
    if_there_is,
    observe,
    receive,
    receive_all,
    requirement,
    timed,
)

ALL_COME = 60.0
"""Seconds within which thousands of messages have come."""
HELD_BACK = 250
"""Milliseconds for which a stopped connection is seen to deliver nothing, after others got it."""
A_WHILE = 10
"""Milliseconds for which each consumer of a stopped connection waits, while listeners may begin."""
BRIEFLY = 0.002
"""Seconds for which a listener is busy, so that a stop comes while others wait."""
WAIT = 150
"""Milliseconds for which a call is seen to wait."""
PATIENCE = 5.0
GIVEN_UP_WITHIN = 30.0
"""Seconds for a client that tries for a while to find its broker again before it tells a loss."""
"""Seconds after which a call counts as hanging."""
AT_ONCE = 0.5
"""Seconds that are no waiting."""


def two_ways(connection, topic):
    """A consumer and a listener of one topic, in sessions of their own."""
    receiving = connection.create_session().create_consumer(topic)
    return receiving, listen(connection.create_session(), topic)


def arrived_elsewhere(jms, topic, consumer):
    """Three messages that were sent now and have come to a consumer of another connection."""
    sent = send(jms.connected, topic, numbered(3))
    assert texts(receive_all(consumer, 3)) == sent
    return sent


# -- starting and stopping ---------------------------------------------------------------------


@requirement("JMS-CONN-001")
def test_nothing_is_delivered_before_start(jms, topic, full_queue):
    """A full queue gives nothing, no listener is called; with start() everything comes."""
    queue = full_queue(3)
    connection = jms.connection(start=False)
    waiting = connection.create_session().create_consumer(queue)
    receiving, listener = two_ways(connection, topic)
    sent = arrived_elsewhere(jms, topic, jms.consumer(topic))

    assert waiting.receive(HELD_BACK) is None
    assert receiving.receive_no_wait() is None
    assert listener.begun == 0

    connection.start()
    assert texts(receive_all(waiting, 3)) == numbered(3, queue.queue_name)
    assert texts(receive_all(receiving, 3)) == sent
    eventually(lambda: len(listener.callbacks) == 3)
    assert listener.texts == sent


@requirement("JMS-CONN-002")
def test_started_connection_is_set_up_afterwards(jms, full_queue):
    """Consumer and listener that are made on a started connection get all that waits, once."""
    first, second = full_queue(10), full_queue(10)
    connection = jms.connection(start=False)
    connection.start()

    consumer = connection.create_session().create_consumer(first)
    listener = listen(connection.create_session(), second)

    assert texts(receive_all(consumer, 10)) == numbered(10, first.queue_name)
    eventually(lambda: len(listener.callbacks) >= 10)
    assert listener.texts == numbered(10, second.queue_name)


@requirement("JMS-CONN-003")
def test_sending_works_on_a_stopped_connection(jms, queue, queues):
    """A message gets to the broker before the first start(), and another after stop()."""
    connection = jms.connection(start=False)

    send(connection, queue, ["before start"])
    eventually(lambda: queues.pending(queue) == 1)
    connection.start()
    connection.stop()
    send(connection, queue, ["after stop"])

    eventually(lambda: queues.pending(queue) == 2)
    assert texts(receive_all(jms.consumer(queue), 2)) == ["before start", "after stop"]


@requirement("JMS-CONN-004")
def test_second_start_changes_nothing(jms, topic, full_queue):
    """Under delivery nothing comes twice by it, and one stop() is enough afterwards."""
    queue = full_queue(20)
    connection = jms.connection()
    listener = listen(connection.create_session(), queue)
    assert listener.begins()

    connection.start()
    eventually(lambda: len(listener.callbacks) >= 20)
    connection.stop()

    assert listener.texts == numbered(20, queue.queue_name)
    held = connection.create_session().create_consumer(topic)
    arrived_elsewhere(jms, topic, jms.consumer(topic))
    assert held.receive(HELD_BACK) is None
    assert listener.begun == 20


@requirement("JMS-CONN-005")
def test_second_stop_changes_nothing(jms, full_queue):
    """stop() is accepted before any start(), and twice, and one start() is enough afterwards."""
    queue = full_queue(3)
    connection = jms.connection(start=False)
    consumer = connection.create_session().create_consumer(queue)

    connection.stop()
    connection.start()
    assert texts([receive(consumer)]) == numbered(1, queue.queue_name)
    connection.stop()
    connection.stop()
    connection.start()

    assert texts(receive_all(consumer, 2)) == numbered(3, queue.queue_name)[1:]


@requirement("JMS-CONN-006")
def test_stop_holds_back_all_of_a_connection(jms, topic):
    """Neither session gets what is sent after stop(), and another connection's consumer does."""
    connection = jms.connection()
    receiving, listener = two_ways(connection, topic)
    other = jms.consumer(topic)
    sent = arrived_elsewhere(jms, topic, other)
    assert texts(receive_all(receiving, 3)) == sent
    eventually(lambda: len(listener.callbacks) == 3)
    assert listener.texts == sent

    connection.stop()
    arrived_elsewhere(jms, topic, other)

    assert receiving.receive(HELD_BACK) is None
    assert listener.begun == 3


@requirement("JMS-CONN-007")
def test_nothing_is_lost_by_stopping(jms, queue):
    """Stopped and started 20 times while 10,000 messages come: each is received once, in order."""
    sent = numbered(10_000)
    connection = jms.connection()
    listener = listen(connection.create_session(), queue)
    sending = started(lambda: send_many(jms.connection(), queue, [*sent, MARKER]))

    for stops in range(20):
        assert listener.begins(1 + 480 * stops)
        connection.stop()
        connection.start()

    eventually(lambda: listener.callbacks and listener.callbacks[-1].text == MARKER, ALL_COME)
    sending.result(ALL_COME)
    assert checks.exactly_once(sent, listener.texts[:-1]) == []
    assert checks.in_order(sent, listener.texts) == []


@requirement("JMS-CONN-008")
def test_no_delivery_begins_while_stopped(jms, full_queue):
    """Of four sessions at work nobody gets a message between the end of stop() and start()."""
    connection = jms.connection()
    full = [full_queue(60) for _ in range(4)]
    listeners = [
        listen(connection.create_session(), queue, takes=[BRIEFLY] * 60) for queue in full[:2]
    ]
    consumers = [connection.create_session().create_consumer(queue) for queue in full[2:]]
    received_while_stopped, begun_while_stopped = [], []
    received_in_time = [[] for _ in consumers]

    for stops in range(5):
        for listener in listeners:
            assert listener.begins(1 + 8 * stops)
        for consumer, own in zip(consumers, received_in_time, strict=True):
            own += texts([receive(consumer)])
        connection.stop()
        before = [listener.begun for listener in listeners]
        received = [consumer.receive(A_WHILE) for consumer in consumers]
        after = [listener.begun for listener in listeners]
        received_while_stopped += [message for message in received if message is not None]
        begun_while_stopped += [] if before == after else [f"{before} became {after}"]
        connection.start()

    assert texts(received_while_stopped) == []
    assert begun_while_stopped == []
    assert received_in_time == [numbered(5, queue.queue_name) for queue in full[2:]]
    for listener, queue in zip(listeners, full[:2], strict=True):
        eventually(lambda listener=listener: len(listener.callbacks) >= 60)
        assert listener.texts == numbered(60, queue.queue_name)


@requirement("JMS-CONN-009")
def test_stop_waits_for_a_listener(jms, full_queue, gate):
    """stop() by another thread comes back when no call runs any more, and then none begins."""
    queue = full_queue(2)
    connection = jms.connection()
    listener = listen(connection.create_session(), queue, then=lambda _: gate.wait(AT_MOST))
    assert listener.begins()

    stopping = ended_when_back(connection.stop, listener)
    wait_until(now() + WAIT)
    gate.set()

    eventually(stopping.done)
    [ended] = stopping.result()
    assert ended >= 1
    assert not listener.begins(ended + 1, within=HELD_BACK / 1000)
    connection.start()
    eventually(lambda: listener.texts == numbered(2, queue.queue_name))


@requirement("JMS-CONN-010")
def test_listener_uses_the_connection_that_stops(jms, queue, queues, name, gate):
    """While stop() waits it makes a producer, sends and acknowledges, and the broker has both."""
    other = jms.queue(name("other"))
    connection = jms.connection()
    session = connection.create_session(False, SessionMode.CLIENT_ACKNOWLEDGE)
    outcome = Working(session, other, gate, lambda message: message.acknowledge())
    listener = listen(session, queue, then=outcome)
    send(jms.connected, queue, ["hello"])
    assert listener.begins()

    stopping = started(connection.stop)
    wait_until(now() + WAIT)
    gate.set()

    eventually(lambda: outcome.results)
    assert outcome.results == ["done"]
    eventually(stopping.done)
    eventually(lambda: (queues.pending(queue), queues.pending(other)) == (0, 1))
    assert texts([receive(jms.consumer(other))]) == ["from the listener"]


@requirement("JMS-CONN-011")
def test_time_of_a_receive_runs_while_stopped(jms, full_queue):
    """With messages waiting on a stopped connection receive(500) gives None after 500 ms."""
    connection = jms.connection(start=False)
    consumer = connection.create_session().create_consumer(full_queue(1))

    with timed() as call:
        message = consumer.receive(500)

    assert message is None
    bounded(call.seconds, "the call", at_least=0.5, at_most=0.5 + AT_ONCE, slack=call.slack)


@requirement("JMS-CONN-012")
def test_listener_that_stops_its_connection_does_not_hang(jms, full_queue):
    """stop() in a listener raises IllegalStateException, or succeeds and holds until start()."""
    queue = full_queue(2)
    connection = jms.connection()
    outcomes = []

    def stop(message):
        if outcomes:
            return
        try:
            connection.stop()
        except IllegalStateException:
            outcomes.append("refused")
        else:
            outcomes.append("stopped")

    listener = listen(connection.create_session(), queue, then=stop)

    eventually(lambda: outcomes, PATIENCE)
    observe("connection.stop() in a listener", outcomes[0])
    if outcomes == ["stopped"]:
        assert not listener.begins(2, within=HELD_BACK / 1000)
        connection.start()
    eventually(lambda: listener.texts == numbered(2, queue.queue_name))


# -- problems ----------------------------------------------------------------------------------


class Told:
    """An exception listener that keeps what it is told, and whether two calls ran at once."""

    def __init__(self):
        self.errors = []
        self.at_once = 0
        self._running = 0

    def __call__(self, error):
        self._running += 1
        self.at_once = max(self.at_once, self._running)
        self.errors.append(error)
        wait_until(now() + 20)
        self._running -= 1


def cut_off(at_hand):
    """A connection, and what lets the broker be out of its reach."""
    proxy, address = at_hand.faults.byte_proxy()
    return at_hand.jms_at(address).connection(), proxy.down


def killed(at_hand):
    """A connection, and what kills its broker."""
    return at_hand.jms.connection(), at_hand.broker.kill


@pytest.mark.parametrize(
    "failing",
    [
        pytest.param(cut_off, id="cut-off"),
        pytest.param(killed, id="killed", marks=broker("plain", exclusive=True)),
    ],
)
@requirement("JMS-CONN-022")
def test_lost_connection_is_told_to_the_exception_listener(at_hand, queue, failing):
    """The broker goes away for good: onException is called with a JMSException, one at a time."""
    connection, fail = failing(at_hand)
    told = Told()
    connection.exception_listener = told
    connection.create_session().create_consumer(queue).receive_no_wait()

    fail()

    eventually(lambda: told.errors, GIVEN_UP_WITHIN)
    observe("a lost connection is told as", type(told.errors[0]).__name__)
    assert isinstance(told.errors[0], JMSException)
    assert told.at_once == 1


@requirement("JMS-CONN-023")
def test_exception_listener_is_the_one_that_was_set(jms):
    """None at first, then the one that was set last, and None again: in each API, and twice."""
    factory = jms.factory()
    connections = (jms.connection(start=False), factory.create_queue_connection())
    contexts = if_there_is(jms.context)
    for opened in (*connections, factory.create_topic_connection(), *contexts):
        assert opened.exception_listener is None
        for listener in (Told(), Told(), None, Told(), None):
            opened.exception_listener = listener
            assert opened.exception_listener is listener


@requirement("JMS-CONN-024")
def test_exceptions_of_calls_are_not_told_twice(jms, queue, topic):
    """What ten failing calls raise is for their callers alone."""
    connection = jms.connection()
    told = Told()
    connection.exception_listener = told
    session = connection.create_session()
    producer, consumer = session.create_producer(queue), session.create_consumer(queue)
    for each in (producer, consumer):
        each.close()
    message = session.create_text_message("late")

    calls = {
        "send of a closed producer": lambda: producer.send(message),
        "receive of a closed consumer": lambda: consumer.receive(1),
        "bad selector": lambda: session.create_consumer(topic, "a = = 1"),
        "no destination": lambda: session.create_consumer(None),
        "commit without a transaction": session.commit,
    }
    failed = [name for name, call in (*calls.items(), *calls.items()) if refusal(call)]

    observe("calls that failed", failed)
    assert len(failed) >= 4
    wait_until(now() + WAIT)
    assert told.errors == []
    consumer = connection.create_session().create_consumer(topic)
    send(connection, topic, ["still at work"])
    assert texts([receive(consumer)]) == ["still at work"]
