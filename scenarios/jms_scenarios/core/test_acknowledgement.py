"""Acknowledgement: what settles a message, when, and what does not."""

import threading

import pytest

from jms_scenarios.core.exchange import (
    AUTO,
    CLIENT,
    DUPS_OK,
    TRANSACTED,
    control_acknowledged,
    delivery,
    left_on,
    nobody_holds,
    numbered,
    send,
    take,
    texts,
    unflagged,
)
from jms_scenarios.moments import a_while
from jmsapi import IllegalStateException
from touchstone.api import (
    body_of,
    checks,
    eventually,
    judging,
    observe,
    receive,
    receive_all,
    refuses,
    requirement,
    slow,
)

RECEIVE_AND_DIE = "jms_scenarios.core.dying:receive_and_die"


def consumers_of(sessions, names):
    """In each session a consumer of one of the queues, which it knows by its name."""
    pairs = zip(sessions, names, strict=True)
    return [session.create_consumer(session.create_queue(each)) for session, each in pairs]


@requirement("JMS-ACK-001")
def test_acknowledge_settles_all_that_the_session_delivered(jms, queues, name):
    """acknowledge() of the third of five messages from two queues settles all five."""
    first, second = jms.queue(name("first")), jms.queue(name("second"))
    session = jms.session(CLIENT)
    consumers = [session.create_consumer(queue) for queue in (first, second)]
    send(jms.connected, first, numbered(3))
    send(jms.connected, second, numbered(2))
    messages = [receive(consumers[number % 2]) for number in range(5)]
    assert texts(messages[0::2]) == numbered(3)
    assert texts(messages[1::2]) == numbered(2)

    messages[2].acknowledge()
    session.close()

    for queue in (first, second):
        assert texts(left_on(jms.connected, queue)) == []
        eventually(lambda queue=queue: queues.pending(queue) == 0)


@requirement("JMS-ACK-002")
def test_acknowledge_settles_nothing_of_another_session(jms, name):
    """acknowledge() in one of two sessions of a connection leaves the other's three messages."""
    mine, others = jms.queue(name("mine")), jms.queue(name("others"))
    connection = jms.connection()
    received = []
    for queue in (others, mine):
        sent = send(jms.connected, queue, numbered(3))
        session = connection.create_session(False, CLIENT)
        received = take(session.create_consumer(queue), sent)

    received[-1].acknowledge()
    connection.close()

    assert texts(left_on(jms.connected, mine)) == []
    assert checks.exactly_once(sent, texts(left_on(jms.connected, others))) == []


@requirement("JMS-ACK-003", "JMS-REDL-008")
def test_auto_acknowledge_settles_what_receive_returned(jms, other_process, name, queues):
    """Of eight sessions killed with their process each sees at most its last message again.

    If that comes, then flagged and counted; what was not received comes.
    """
    names = [name("queue") for _ in range(8)]
    places = [jms.queue(each) for each in names]
    sent = [send(jms.connected, queue, numbered(12)) for queue in places]
    sessions = [other_process.session() for _ in names]
    consumers = consumers_of(sessions, names)

    other_process.last_act(RECEIVE_AND_DIE, 8, *consumers)

    for queue in places:
        nobody_holds(queues, queue)
    waiting = [queues.pending(queue) for queue in places]
    left = [left_on(jms.connected, queue) for queue in places]
    again = [[message for message in own if body_of(message, str) in sent[0][:8]] for own in left]
    observe("AUTO_ACKNOWLEDGE: repeats after a kill", [len(own) for own in again])
    earlier = {text for own in again for text in texts(own)} - {sent[0][7]}
    with judging("JMS-ACK-003"):
        assert sorted(earlier) == []
        assert [texts(own)[-4:] for own in left] == [own[8:] for own in sent]
        assert waiting == [len(own) for own in left]
    with judging("JMS-REDL-008"):
        assert sorted(earlier) == []
        repeats = [delivery(message) for own in again for message in own]
        assert [row for row in repeats if not row.redelivered or row.count != 2] == []


@requirement("JMS-ACK-004")
def test_listener_returns_before_its_message_is_settled(jms, other_process, queues, name):
    """A message is unsettled while its listener holds it; after a kill it comes again, flagged."""
    entered, leave = threading.Event(), threading.Event()

    def hold(message):
        entered.set()
        leave.wait(60)

    place = name("queue")
    queue = jms.queue(place)
    [consumer] = consumers_of([other_process.session(AUTO)], [place])
    consumer.message_listener = hold
    sent = send(jms.connected, queue, ["message"])
    eventually(lambda: entered.is_set())
    control_acknowledged(jms, queues, jms.queue(name("control")))
    threading.Event().wait(a_while())
    assert queues.pending(queue) == 1

    other_process.kill()
    leave.set()

    nobody_holds(queues, queue)
    again = left_on(jms.connected, queue)
    assert texts(again) == sent
    assert unflagged(again) == []


@requirement("JMS-ACK-005")
def test_dups_ok_settles_what_was_received_by_the_close(jms, queue):
    """None of 100 messages comes again after the orderly close of a DUPS_OK session."""
    session = jms.session(DUPS_OK)
    consumer = session.create_consumer(queue)
    sent = send(jms.connected, queue, numbered(100))
    assert texts(receive_all(consumer, 100)) == sent

    session.close()

    assert texts(left_on(jms.connected, queue)) == []


@requirement("JMS-ACK-005")
def test_dups_ok_flags_what_comes_again_after_a_kill(jms, other_process, name, queues):
    """What comes again of what eight DUPS_OK sessions had, when their process dies, is flagged."""
    names = [name("queue") for _ in range(8)]
    places = [jms.queue(each) for each in names]
    for queue in places:
        send(jms.connected, queue, numbered(8))
    consumers = consumers_of([other_process.session(DUPS_OK) for _ in names], names)

    other_process.last_act(RECEIVE_AND_DIE, 8, *consumers)

    again = []
    for queue in places:
        nobody_holds(queues, queue)
        again += left_on(jms.connected, queue)
    observe("DUPS_OK_ACKNOWLEDGE: repeats of 64 messages after a kill", len(again))
    assert unflagged(again) == []


@requirement("JMS-ACK-006")
@pytest.mark.parametrize("mode", [AUTO, DUPS_OK], ids=["auto", "dups-ok"])
def test_acknowledge_does_nothing_where_the_client_does_it(jms, queue, queues, mode):
    """acknowledge() in a mode that acknowledges by itself does not throw; delivery goes on.

    Lazy acknowledgement may wait for as long as the session is open.
    """
    session = jms.session(mode)
    consumer = jms.consumer(queue, session)
    sent = send(jms.connected, queue, numbered(2))
    received = []
    for _ in sent:
        message = receive(consumer)
        message.acknowledge()
        received.append(message)

    assert texts(received) == sent
    if mode == DUPS_OK:
        session.close()
    eventually(lambda: queues.pending(queue) == 0)


@requirement("JMS-ACK-006")
def test_acknowledge_does_nothing_in_a_transaction(jms, queue, queues, name):
    """A transacted session's message waits, and comes again, although it was acknowledged."""
    session = jms.session(TRANSACTED)
    consumer = session.create_consumer(queue)
    sent = send(jms.connected, queue, ["message"])
    message = receive(consumer)
    assert texts([message]) == sent
    message.acknowledge()

    control_acknowledged(jms, queues, jms.queue(name("control")))
    threading.Event().wait(a_while())
    assert queues.pending(queue) == 1
    session.rollback()

    assert texts([receive(consumer)]) == sent
    session.commit()


@requirement("JMS-ACK-007")
def test_closed_connection_settles_nothing(jms, queue, queues):
    """Three messages that nobody acknowledged wait, and come again, after connection.close()."""
    connection = jms.connection()
    consumer = connection.create_session(False, CLIENT).create_consumer(queue)
    sent = send(jms.connected, queue, numbered(3))
    take(consumer, sent)

    connection.close()

    eventually(lambda: queues.pending(queue) == 3)
    again = left_on(jms.connection(), queue)
    assert checks.exactly_once(sent, texts(again)) == []
    assert unflagged(again) == []


@requirement("JMS-ACK-008")
def test_closed_session_settles_nothing(jms, queue, queues):
    """Three messages that nobody acknowledged wait, and come again, after session.close()."""
    session = jms.session(CLIENT)
    consumer = session.create_consumer(queue)
    sent = send(jms.connected, queue, numbered(3))
    take(consumer, sent)

    session.close()

    eventually(lambda: queues.pending(queue) == 3)
    again = left_on(jms.connected, queue)
    assert checks.exactly_once(sent, texts(again)) == []
    assert unflagged(again) == []


@requirement("JMS-ACK-009")
def test_acknowledge_fails_when_the_connection_is_closed(jms, queue):
    """acknowledge() behind connection.close() is an IllegalStateException and settles nothing."""
    connection = jms.connection()
    consumer = connection.create_session(False, CLIENT).create_consumer(queue)
    sent = send(jms.connected, queue, ["message"])
    message = receive(consumer)
    assert texts([message]) == sent
    connection.close()

    with refuses(IllegalStateException):
        message.acknowledge()

    assert texts(left_on(jms.connected, queue)) == sent


@requirement("JMS-ACK-010")
def test_commit_settles_and_rollback_recovers(jms, queue, queues):
    """commit() settles three messages; three others come again, flagged, after rollback()."""
    session = jms.session(TRANSACTED)
    consumer = session.create_consumer(queue)
    take(consumer, send(jms.connected, queue, numbered(3, "committed")))
    assert queues.pending(queue) == 3
    session.commit()
    eventually(lambda: queues.pending(queue) == 0)

    sent = send(jms.connected, queue, numbered(3, "rolled-back"))
    take(consumer, sent)
    session.rollback()
    again = receive_all(consumer, 3)

    assert texts(again) == sent
    assert unflagged(again) == []


@requirement("JMS-ACK-010")
def test_transacted_session_refuses_recover(jms, queue):
    """recover() of a transacted session is an IllegalStateException and recovers nothing."""
    session = jms.session(TRANSACTED)
    consumer = session.create_consumer(queue)
    sent = send(jms.connected, queue, numbered(2))
    first = receive(consumer)

    with refuses(IllegalStateException):
        session.recover()

    assert texts([first, receive(consumer)]) == sent
    session.commit()


@requirement("JMS-ACK-001")
@slow
def test_workload_acknowledges_all_that_was_received(workload):
    """Of 400 messages, acknowledged by one call for ten, none comes again after its call."""
    verdict = workload("client-acknowledge", messages=400).with_power(300, "D05", "D21")

    assert verdict.against("D01", "D05", "D21") == []


@requirement("JMS-ACK-005")
@slow
def test_workload_of_cut_listeners_in_dups_ok_flags_what_comes_again(workload):
    """Listeners in DUPS_OK_ACKNOWLEDGE give back one message in twenty, and are cut off twice."""
    verdict = workload("lazily-cut", messages=300).with_power(5, "D06").with_power(250, "D01")

    assert verdict.against("D06", "D12") == []
