"""Message listeners: which thread calls them, and how start, stop and close treat them."""

import threading
from pathlib import Path

import pytest

from jms_scenarios.listening import ended_when_back, intervals, listen
from jms_scenarios.traffic import numbered, send, texts
from jmsapi import SessionMode
from touchstone.api import (
    bounded,
    checks,
    eventually,
    portable,
    receive,
    receive_all,
    requirement,
    slow,
    timed,
)


def by_connection(jms):
    """A connection that is not started, and a session of it."""
    connection = jms.connection(start=False)
    return connection, connection.create_session()


def by_context(jms):
    """A context that is not started, which is both."""
    context = jms.context()
    context.auto_start = False
    return context, context


either_api = pytest.mark.parametrize(
    "opened",
    [pytest.param(by_connection, id="connection"), pytest.param(by_context, id="context")],
)


def ended_by(call, *listeners):
    """How many callbacks of each listener have ended when `call` comes back; 10 s at most."""
    future = ended_when_back(call, *listeners)
    eventually(future.done)
    return future.result()


def texts_heard(listeners):
    """What each listener was called with, in order."""
    return [listener.texts for listener in listeners]


def filled_texts(queues, count):
    """The texts that `full_queue(count)` has put into each of these queues."""
    return [numbered(count, queue.queue_name) for queue in queues]


def threads(listener):
    return {callback.thread for callback in listener.callbacks}


@portable
@requirement("SLJ-LSN-001")
def test_each_session_calls_its_listeners_on_a_thread_of_its_own(jms, full_queue):
    """Two listeners of one session share a thread, each other session or context has another.

    They are more than a pool of threads would have for them, and keep their threads.
    """
    session = jms.session()
    connection = jms.connection()
    others = [jms.session(), jms.context()]
    others += [connection.create_session() for _ in range(6)]
    openers = [session, session, *others]
    queues = [full_queue(2) for _ in openers]
    listeners = list(map(listen, openers, queues))
    eventually(lambda: all(len(each.callbacks) == 2 for each in listeners))
    for queue in queues:
        send(jms.connected, queue, ["later"])

    eventually(lambda: all(len(each.callbacks) == 3 for each in listeners))

    assert threads(listeners[0]) == threads(listeners[1])
    assert [len(threads(each)) for each in listeners] == [1] * len(listeners)
    distinct = set().union(*map(threads, listeners))
    assert len(distinct) == 1 + len(others)
    assert threading.get_native_id() not in distinct
    assert texts_heard(listeners) == [[*each, "later"] for each in filled_texts(queues, 2)]


@portable
@requirement("SLJ-LSN-002")
@slow
def test_callbacks_of_a_session_do_not_overlap(jms, full_queue):
    """Two listeners of one session, both with messages waiting, run one after another.

    So do two of a context, beside them.
    """
    of_each = {}
    for owner, opener in (by_connection(jms), by_context(jms)):
        queues = [full_queue(5), full_queue(5)]
        of_each[owner] = queues, [listen(opener, queue, takes=[0.2] * 5) for queue in queues]

    for owner in of_each:
        owner.start()

    for queues, listeners in of_each.values():
        eventually(lambda heard=listeners: all(len(each.callbacks) == 5 for each in heard))
        assert checks.no_overlap(intervals(*listeners)) == []
        assert texts_heard(listeners) == filled_texts(queues, 5)


@portable
@requirement("SLJ-LSN-003")
@slow
def test_listeners_of_different_sessions_run_at_the_same_time(jms, full_queue):
    """Two sessions with 2 s of work each are done in less than 3 s."""
    connection = jms.connection(start=False)
    queues = [full_queue(4), full_queue(4)]
    listeners = [listen(connection.create_session(), queue, takes=[0.5] * 4) for queue in queues]

    with timed() as whole:
        connection.start()
        eventually(lambda: all(len(each.callbacks) == 4 for each in listeners))

    runs = intervals(*listeners)
    took = max(run.end for run in runs) - min(run.start for run in runs)
    bounded(took, "all the work", at_most=3.0, slack=whole.slack)
    assert checks.no_overlap(runs) != []
    assert texts_heard(listeners) == filled_texts(queues, 4)


@portable
@requirement("SLJ-LSN-004")
@slow
@either_api
def test_nothing_is_delivered_before_start(jms, full_queue, opened):
    """With messages waiting, a listener is not called for a second, and then start() lets it be."""
    owner, session = opened(jms)
    queue = full_queue(3)
    listener = listen(session, queue)
    assert not listener.begins(within=1.0)

    owner.start()

    eventually(lambda: len(listener.callbacks) == 3)
    assert texts_heard([listener]) == filled_texts([queue], 3)


@portable
@requirement("SLJ-LSN-005")
@slow
@either_api
def test_stop_waits_for_the_callback_and_lets_none_begin(jms, full_queue, opened):
    """stop() comes back after the running callback, and the next begins after start()."""
    owner, session = opened(jms)
    queue = full_queue(2)
    listener = listen(session, queue, takes=[1.0])
    owner.start()
    assert listener.begins()

    assert ended_by(owner.stop, listener) == [1]

    assert not listener.begins(2, within=0.5)
    owner.start()
    eventually(lambda: len(listener.callbacks) == 2)
    assert texts_heard([listener]) == filled_texts([queue], 2)


@portable
@requirement("SLJ-LSN-006")
@slow
@either_api
def test_session_close_waits_for_the_callback_and_lets_none_begin(jms, full_queue, opened):
    """close() of the session comes back after its running callback, the last one it makes."""
    owner, session = opened(jms)
    queue = full_queue(3)
    listener = listen(session, queue, takes=[1.0])
    owner.start()
    assert listener.begins()

    assert ended_by(session.close, listener) == [1]

    rest = texts(receive_all(jms.consumer(queue), 2))
    assert checks.exactly_once(numbered(3, queue.queue_name), listener.texts + rest) == []


def sessions_of_a_connection(jms):
    """Three sessions, and what is to be closed for all to end."""
    connection = jms.connection()
    return [connection.create_session() for _ in range(3)], [connection]


def contexts_of_a_connection(jms):
    """Three contexts of one connection, and what is to be closed for all to end."""
    context = jms.context()
    three = [context, *(context.create_context(SessionMode.AUTO_ACKNOWLEDGE) for _ in range(2))]
    return three, three


@portable
@requirement("SLJ-LSN-007")
@slow
@pytest.mark.parametrize(
    "opened",
    [
        pytest.param(sessions_of_a_connection, id="connection"),
        pytest.param(contexts_of_a_connection, id="context"),
    ],
)
def test_connection_close_waits_for_all_callbacks_and_lets_none_begin(jms, full_queue, opened):
    """Closing the connection comes back after the callbacks of all sessions, their last ones.

    The second runs longest, so that waiting for the first or for the last session is not enough.
    """
    sessions, to_close = opened(jms)
    queues = [full_queue(3) for _ in sessions]
    listeners = [
        listen(session, queue, takes=[seconds])
        for session, queue, seconds in zip(sessions, queues, (1.0, 2.0, 1.0), strict=True)
    ]
    assert all(listener.begins() for listener in listeners)

    ended = ended_by(lambda: [each.close() for each in to_close], *listeners)

    for listener, count, queue in zip(listeners, ended, queues, strict=True):
        assert not listener.begins(count + 1, within=0)
        rest = texts(receive_all(jms.consumer(queue), 3 - count))
        assert checks.exactly_once(numbered(3, queue.queue_name), listener.texts + rest) == []


@requirement("SLJ-LSN-008")
def test_listeners_are_not_called_by_threads_of_the_pulsar_client(jms, queue, full_queue):
    """Callbacks come on a thread that the Pulsar client, at work already, did not have."""
    connection = jms.connection()
    consumer = connection.create_session().create_consumer(queue)
    sent = send(connection, queue, ["the Pulsar client is at work"])
    assert texts([receive(consumer)]) == sent
    of_the_client = {int(task.name) for task in Path("/proc/self/task").iterdir()}

    full = full_queue(3)
    listener = listen(connection.create_session(), full)

    eventually(lambda: len(listener.callbacks) == 3)
    assert of_the_client.isdisjoint(threads(listener))
    assert texts_heard([listener]) == filled_texts([full], 3)
