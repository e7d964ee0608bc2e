"""Threads: which objects several may use at once, and what a session does for those of one."""

from concurrent.futures import wait
from threading import Event

import pytest

from jms_scenarios.core.held_listeners import AT_MOST
from jms_scenarios.listening import ended_when_back, intervals, listen, started
from jms_scenarios.moments import now, wait_until
from jms_scenarios.traffic import numbered, send, shared_out, texts
from touchstone.api import checks, eventually, receive, receive_all, requirement

THREADS = 8
BRIEFLY = 0.005
"""Seconds for which a listener is busy, so that calls at the same time are seen."""
SOON = 30.0
"""Seconds within which all threads are through with their work."""
PATIENCE = 5.0
"""Seconds within which the broker knows what was acknowledged."""
WAIT = 150
"""Milliseconds for which a call is seen to wait."""


def all_at_once(work):
    """What `work(number)` gives on each of several threads that begin at the same time."""
    begin = Event()
    futures = [
        started(lambda number=number: begin.wait() and work(number)) for number in range(THREADS)
    ]
    begin.set()
    assert wait(futures, SOON).not_done == set()
    return [future.result() for future in futures]


@requirement("JMS-THR-001")
def test_connection_is_used_by_many_threads(jms, name):
    """Each makes sessions of it, sends, receives and closes three times, and gets its own."""
    connection = jms.connection()
    queues = [jms.queue(name("queue")) for _ in range(THREADS)]

    def work(number):
        received = []
        for round_ in range(3):
            with connection.create_session() as session:
                producer = session.create_producer(queues[number])
                for text in numbered(2, f"{number}/{round_}"):
                    producer.send(session.create_text_message(text))
                received += texts(receive_all(session.create_consumer(queues[number]), 2))
        return received

    received = all_at_once(work)

    wanted = [[*(t for r in range(3) for t in numbered(2, f"{n}/{r}"))] for n in range(THREADS)]
    assert received == wanted


@requirement("JMS-THR-002")
def test_session_acts_as_one_thread(jms, queue, full_queue):
    """Three listeners that send by one producer never overlap, and sends keep their order."""
    connection = jms.connection(start=False)
    session = connection.create_session()
    producer = session.create_producer(queue)
    called = []

    def forward(message):
        called.append(message.text)
        producer.send(session.create_text_message(message.text))

    listeners = [
        listen(session, full_queue(10), takes=[BRIEFLY] * 5, then=forward) for _ in range(3)
    ]
    connection.start()

    eventually(lambda: all(len(each.callbacks) >= 10 for each in listeners))
    assert checks.no_overlap(intervals(*listeners)) == []
    assert texts(receive_all(jms.consumer(queue), 30)) == called


@requirement("JMS-THR-003")
@pytest.mark.parametrize("what", ["session", "connection"])
def test_close_ends_a_receive_of_another_thread(jms, queue, what):
    """close() of session or connection comes back, and the receive() with None."""
    connection = jms.connection()
    session = connection.create_session()
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["first"])
    assert texts([receive(consumer)]) == ["first"]
    waiting = started(consumer.receive)
    wait_until(now() + WAIT)

    closing = started((session if what == "session" else connection).close)

    eventually(closing.done)
    eventually(waiting.done)
    assert (closing.result(), waiting.result()) == (None, None)


@requirement("JMS-THR-003")
@pytest.mark.parametrize("what", ["session", "connection"])
def test_close_waits_for_a_listener_of_another_thread(jms, full_queue, queues, gate, what):
    """close() of session or connection comes back after the call at work, and tears nothing."""
    queue = full_queue(3)
    connection = jms.connection()
    session = connection.create_session()
    listener = listen(session, queue, then=lambda _: gate.wait(AT_MOST))
    assert listener.begins()

    closing = ended_when_back((session if what == "session" else connection).close, listener)
    wait_until(now() + WAIT)
    gate.set()

    eventually(closing.done)
    [ended] = closing.result()
    assert ended >= 1
    eventually(lambda: queues.pending(queue) == 3 - ended, PATIENCE)
    rest = texts(receive_all(jms.consumer(queue), 3 - ended))
    assert listener.texts + rest == numbered(3, queue.queue_name)


@requirement("JMS-THR-004")
def test_session_is_set_up_while_stopped(jms, full_queue):
    """Three listeners are set before start(); each gets all its messages, none before."""
    queues = [full_queue(3) for _ in range(3)]
    connection = jms.connection(start=False)
    session = connection.create_session()
    listeners = [listen(session, queue) for queue in queues]
    assert not listeners[0].begins(within=WAIT / 1000)
    assert [each.begun for each in listeners] == [0, 0, 0]

    connection.start()

    for listener, queue in zip(listeners, queues, strict=True):
        eventually(lambda listener=listener: len(listener.callbacks) >= 3)
        assert listener.texts == numbered(3, queue.queue_name)


@requirement("JMS-THR-005")
def test_factory_and_destination_are_used_by_many_threads(jms, queue):
    """Each makes a connection of one factory, a producer and a consumer of one queue object."""
    factory = jms.factory()

    def work(number):
        connection = factory.create_connection()
        connection.start()
        session = connection.create_session()
        consumer = session.create_consumer(queue)
        producer = session.create_producer(queue)
        for text in numbered(2, str(number)):
            producer.send(session.create_text_message(text))
        return consumer

    shares = shared_out(all_at_once(work), 2 * THREADS)

    sent = [text for number in range(THREADS) for text in numbered(2, str(number))]
    assert checks.exactly_once(sent, [text for share in shares for text in share]) == []
