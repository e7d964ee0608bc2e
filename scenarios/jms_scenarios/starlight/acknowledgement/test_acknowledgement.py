"""Acknowledgement: what each session mode acknowledges, when, and who hears of a failure."""

from concurrent.futures import wait
from operator import methodcaller

import pytest

from jms_scenarios.listening import NotingListener, started
from jms_scenarios.moments import a_while
from jms_scenarios.traffic import numbered, only_the_marker_comes, send, take, texts
from jmsapi import JMSException, JMSRuntimeException, SessionMode
from touchstone.api import (
    DROP,
    HOLD,
    Answer,
    checks,
    eventually,
    observe,
    permissive,
    portable,
    receive,
    receive_all,
    refuses,
    requirement,
    slow,
)

AUTO, DUPS_OK, CLIENT = "AUTO_ACKNOWLEDGE", "DUPS_OK_ACKNOWLEDGE", "CLIENT_ACKNOWLEDGE"
INDIVIDUAL, TRANSACTED = "INDIVIDUAL_ACKNOWLEDGE", "SESSION_TRANSACTED"

acknowledge = methodcaller("acknowledge")


@pytest.fixture
def number_of(jms):
    """`number_of(INDIVIDUAL)`: the number that the client knows a mode by."""
    return lambda mode: (
        jms.constants.individual_acknowledge if mode == INDIVIDUAL else SessionMode[mode]
    )


@pytest.fixture
def session_in(jms, number_of):
    """`session_in(CLIENT)`: a new session in the mode of this name."""
    return lambda mode: jms.session(number_of(mode))


@pytest.fixture
def behind_proxy(faults, jms_at, number_of, queue):
    """`behind_proxy(DUPS_OK)`: a proxy, and a consumer of `queue` with its connection through it.

    Where the client can have acknowledgements answered by the broker, it does.
    """

    def behind_proxy(mode):
        proxy, address = faults.frame_proxy()
        client = jms_at(address)
        try:
            connection = client.connection({"consumerConfig": {"ackReceiptEnabled": True}})
        except JMSException:
            connection = client.connection()
        consumer = connection.create_session(False, number_of(mode)).create_consumer(queue)
        return proxy, consumer, connection

    return behind_proxy


def reject_acknowledgements(proxy):
    """No acknowledgement gets through; one that asks for an answer gets an error.

    Gives the function that counts them.
    """
    refused = proxy.on("ACK", action=Answer("MetadataError"), where=asks_for_an_answer)
    lost = proxy.on("ACK", action=DROP)
    return lambda: refused.hits + lost.hits


def asks_for_an_answer(frame):
    return frame.request_id is not None


def observe_whether_answers_are_asked_for(proxy):
    asked = any(asks_for_an_answer(frame) for frame in proxy.seen("ACK"))
    observe("acknowledgements ask the broker for an answer", asked)


@requirement("SLJ-ACK-001")
@pytest.mark.parametrize("mode", [AUTO, DUPS_OK, CLIENT, INDIVIDUAL, TRANSACTED])
def test_session_mode_is_accepted(jms, number_of, mode):
    """A session or a context, also one of another, can be made in each of the five modes."""
    settings = {"jms.emulateTransactions": "true"}
    number = number_of(mode)

    session = jms.connection(settings).create_session(mode == TRANSACTED, number)
    context = jms.context(number, settings)
    other = jms.context(settings=settings).create_context(number)

    for opener in (session, context, other):
        assert opener.transacted is (mode == TRANSACTED)


@portable
@requirement("SLJ-ACK-001")
def test_unknown_session_mode_is_refused(jms):
    """A mode that is none of the five is refused, for a session and for a context."""
    for mode in (999, -1):
        with refuses(JMSException):
            jms.session(mode)
        with refuses(JMSRuntimeException):
            jms.context(mode)


@requirement("SLJ-ACK-016")
def test_individual_acknowledge_is_a_number_of_the_vendor(jms):
    """INDIVIDUAL_ACKNOWLEDGE is a constant of the client and none of the four standard modes."""
    number = jms.constants.individual_acknowledge
    assert number not in list(SessionMode)

    session = jms.session(number)

    assert not session.transacted
    observe("acknowledge_mode of an INDIVIDUAL_ACKNOWLEDGE session", session.acknowledge_mode)


@requirement("SLJ-ACK-002")
def test_auto_acknowledge_acknowledges_each_delivery(session_in, jms, queue, admin):
    """Each message received is acknowledged at the broker while the session is open."""
    consumer = jms.consumer(queue, session_in(AUTO))
    sent = send(jms.connected, queue, numbered(5))

    for left, text in zip((4, 3, 2), sent, strict=False):
        assert texts([receive(consumer)]) == [text]
        eventually(lambda left=left: admin.backlog(queue) == left)


@requirement("SLJ-ACK-003")
@permissive
def test_message_of_a_killed_consumer_comes_again_at_most_once(
    jms, other_process, faults, jms_at, queue, admin
):
    """A message whose consumer dies after receive() is not lost, and comes once more at most."""
    doomed = other_process.session().create_consumer(queue)
    send(jms.connected, queue, ["message"])
    assert texts([receive(doomed)]) == ["message"]
    other_process.kill()
    eventually(lambda: admin.subscriptions(queue)["jms-queue"].consumers == 0)
    repeats = admin.backlog(queue)

    proxy, address = faults.frame_proxy()
    survivor = jms_at(address).consumer(queue)
    send(jms.connected, queue, ["marker"])
    messages = receive_all(survivor, repeats + 1)

    assert texts(messages) in (["marker"], ["message", "marker"])
    counts = [frame.fields.get("redelivery_count", 0) for frame in proxy.seen("MESSAGE")]
    assert [m.jms_redelivered for m in messages] == [count > 0 for count in counts]
    observe("repeats of a message whose consumer was killed", repeats)


@pytest.mark.parametrize(
    ("mode", "handle"),
    [
        pytest.param(AUTO, None, marks=requirement("SLJ-ACK-004"), id="auto"),
        pytest.param(DUPS_OK, None, marks=requirement("SLJ-ACK-008"), id="dups-ok"),
        pytest.param(CLIENT, acknowledge, marks=requirement("SLJ-ACK-013"), id="client"),
        pytest.param(INDIVIDUAL, acknowledge, marks=requirement("SLJ-ACK-017"), id="individual"),
    ],
)
def test_sample_listener_leaves_nothing_unacknowledged(
    session_in, jms, wire, queue, admin, mode, handle
):
    """The sample's 100 texts all come to the listener within 10 s, and none stays behind."""
    session = session_in(mode)
    sample_queue = session.create_queue(wire.topic(queue))
    listener = NotingListener(then=handle)
    session.create_consumer(sample_queue).message_listener = listener

    sent = send(jms.connected, sample_queue, [f"foo{number}" for number in range(100)])

    def backlog():
        return admin.subscription(queue, "jms-queue").backlog

    eventually(lambda: len(listener.callbacks) >= 100 and backlog() == 0, within=10.0)
    assert checks.exactly_once(sent, [callback.text for callback in listener.callbacks]) == []


@requirement("SLJ-ACK-017")
def test_messages_that_are_skipped_stay_behind(session_in, jms, queue, admin):
    """With INDIVIDUAL_ACKNOWLEDGE, not acknowledging every tenth of 100 texts leaves these ten."""
    sent = [f"foo{number}" for number in range(100)]
    skipped = sent[::10]

    def handle(message):
        if message.get_body(str) not in skipped:
            message.acknowledge()

    session = session_in(INDIVIDUAL)
    listener = NotingListener(then=handle)
    jms.consumer(queue, session).message_listener = listener
    send(jms.connected, queue, sent)
    eventually(lambda: len(listener.callbacks) >= 100 and admin.backlog(queue) == 10, within=10.0)

    session.close()

    assert admin.backlog(queue) == 10
    left = texts(receive_all(jms.consumer(queue), 10))
    assert checks.exactly_once(skipped, left) == []


@requirement("SLJ-ACK-005")
def test_dups_ok_does_not_wait_for_the_acknowledgement(behind_proxy, jms, queue, admin):
    """receive() returns while the acknowledgements that it begins are held on their way."""
    proxy, consumer, _ = behind_proxy(DUPS_OK)
    held = proxy.on("ACK", action=HOLD)

    for text in send(jms.connected, queue, numbered(2)):
        receiving = started(lambda: receive(consumer))
        eventually(receiving.done)
        assert texts([receiving.result()]) == [text]

    eventually(lambda: held.hits)
    assert admin.backlog(queue) == 2
    held.release()
    eventually(lambda: admin.backlog(queue) == 0)


@requirement("SLJ-ACK-005")
def test_auto_acknowledge_waits_for_the_acknowledgement(behind_proxy, jms, queue):
    """receive() is held up as long as its acknowledgement is."""
    proxy, consumer, _ = behind_proxy(AUTO)
    held = proxy.on("ACK", action=HOLD)
    send(jms.connected, queue, ["message"])

    receiving = started(lambda: receive(consumer))

    eventually(lambda: held.hits)
    observe_whether_answers_are_asked_for(proxy)
    wait([receiving], timeout=a_while())
    early = receiving.done() and texts([receiving.result()]) == ["message"]
    assert not early, "receive() returned before its acknowledgement was answered"
    held.release()
    eventually(receiving.done)
    assert texts([receiving.result()]) == ["message"]


@requirement("SLJ-ACK-006")
@slow
def test_failed_acknowledgement_in_dups_ok_is_logged(behind_proxy, jms, queue, log):
    """When the broker rejects an acknowledgement, the client logs an error."""
    proxy, consumer, _ = behind_proxy(DUPS_OK)
    rejected = reject_acknowledgements(proxy)
    sent = send(jms.connected, queue, numbered(2))
    before = log.errors()

    received = [receive(consumer)]
    eventually(rejected)
    received.append(receive(consumer))

    assert texts(received) == sent
    observe_whether_answers_are_asked_for(proxy)
    eventually(lambda: log.errors()[len(before) :], within=3.0)


@requirement("SLJ-ACK-007")
def test_failed_acknowledgement_in_dups_ok_does_not_reach_the_application(
    behind_proxy, jms, queue, admin
):
    """When the broker rejects acknowledgements, the application goes on and hears nothing."""
    proxy, consumer, connection = behind_proxy(DUPS_OK)
    heard = []
    connection.exception_listener = heard.append
    rejected = reject_acknowledgements(proxy)
    sent = send(jms.connected, queue, numbered(3))

    received = []
    for count in (1, 2, 3):
        received += texts([receive(consumer)])
        eventually(lambda count=count: rejected() >= count)

    assert received == sent
    assert admin.backlog(queue) == 3
    connection.close()
    assert heard == []


@pytest.mark.parametrize(
    ("mode", "count", "acknowledged", "again"),
    [
        pytest.param(CLIENT, 5, 3, [4, 5], marks=requirement("SLJ-ACK-009"), id="client"),
        pytest.param(CLIENT, 3, None, [1, 2, 3], marks=requirement("SLJ-ACK-011"), id="none"),
        pytest.param(
            INDIVIDUAL, 5, 3, [1, 2, 4, 5], marks=requirement("SLJ-ACK-014"), id="individual"
        ),
        pytest.param(
            INDIVIDUAL, 1, None, [1], marks=requirement("SLJ-ACK-015"), id="individual-none"
        ),
    ],
)
def test_what_is_not_acknowledged_comes_again(
    session_in, jms, queue, admin, mode, count, acknowledged, again
):
    """After the session's end exactly the messages come again that acknowledge() did not cover."""
    sent = send(jms.connected, queue, numbered(count))
    session = session_in(mode)
    messages = take(jms.consumer(queue, session), sent)
    if acknowledged:
        messages[acknowledged - 1].acknowledge()

    session.close()

    eventually(lambda: admin.backlog(queue) == len(again))
    reopened = jms.consumer(queue, session_in(mode))
    repeated = texts(receive_all(reopened, len(again)))
    assert checks.exactly_once([sent[number - 1] for number in again], repeated) == []
    only_the_marker_comes(jms.connected, queue, reopened)


class AcknowledgesOne:
    """A listener that acknowledges the message with this text."""

    def __init__(self, text):
        self._text = text
        self.heard = []

    def __call__(self, message):
        (text,) = texts([message])
        if text == self._text:
            message.acknowledge()
        self.heard.append(text)


@requirement("SLJ-ACK-014")
def test_listener_acknowledges_one_message_alone(session_in, jms, queue, admin):
    """Of five that come to a listener in INDIVIDUAL_ACKNOWLEDGE the four others come again."""
    sent = send(jms.connected, queue, numbered(5))
    session = session_in(INDIVIDUAL)
    listener = AcknowledgesOne(sent[2])
    jms.consumer(queue, session).message_listener = listener
    eventually(lambda: listener.heard == sent)

    session.close()

    eventually(lambda: admin.backlog(queue) == 4)
    reopened = jms.consumer(queue, session_in(INDIVIDUAL))
    repeated = texts(receive_all(reopened, 4))
    assert checks.exactly_once([*sent[:2], *sent[3:]], repeated) == []


@requirement("SLJ-ACK-010")
def test_client_acknowledge_spans_the_consumers_of_a_session(session_in, jms, name, admin):
    """acknowledge() of a message from one queue covers an earlier one from another queue.

    So does acknowledge() of a context, and what comes next can be acknowledged, too.
    """
    context = jms.context(SessionMode.CLIENT_ACKNOWLEDGE)
    for opener in (session_in(CLIENT), context):
        queues = [jms.queue(name("qa")), jms.queue(name("qb"))]
        consumers = [opener.create_consumer(queue) for queue in queues]
        for _ in range(2):
            for queue, consumer in zip(queues, consumers, strict=True):
                send(jms.connected, queue, ["message"])
                last = receive(consumer)
                assert texts([last]) == ["message"]
            assert [admin.backlog(queue) for queue in queues] == [1, 1]

            (context if opener is context else last).acknowledge()

            eventually(lambda to=queues: [admin.backlog(queue) for queue in to] == [0, 0])


@requirement("SLJ-ACK-012")
def test_client_acknowledge_acknowledges_earlier_messages_by_itself(session_in, jms, queue, admin):
    """Without any call, all messages received before the last one are acknowledged."""
    sent = send(jms.connected, queue, numbered(3))
    session = session_in(CLIENT)
    take(jms.consumer(queue, session), sent)

    session.close()

    backlog = admin.backlog(queue)
    observe("backlog after 3 messages without acknowledge()", backlog)
    assert backlog == 1


@requirement("SLJ-ACK-003")
@slow
def test_workload_flags_what_comes_twice(workload):
    """Of 600 messages to listeners, some of which throw, none is lost, and repeats are flagged."""
    verdict = (
        workload("listeners", messages=600).with_power(10, "D06", "D12").with_power(600, "D01")
    )

    assert verdict.against("D01", "D06", "D12") == []
