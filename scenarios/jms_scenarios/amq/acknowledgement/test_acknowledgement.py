"""Acknowledgement: the two modes beyond JMS, message by message (101) and none at all (100, 257).

"Seen on the wire" is what passed a proxy between client and broker; "pending" what the broker says
of the queue to somebody else.
"""

import pytest

from jms_scenarios.traffic import numbered, send, texts
from jmsapi import JMSException, SessionMode
from touchstone.api import (
    body_of,
    eventually,
    judge_drawn_sessions,
    nothing_before,
    observe,
    receive,
    receive_all,
    refuses,
    requirement,
    slow,
)

INDIVIDUAL = 101
NO_ACKNOWLEDGE = pytest.mark.parametrize("mode", [100, 257])


@pytest.fixture
def seen_session(cuts):
    """`seen_session(101)`: a session whose frames on the wire are noted."""
    connection = cuts.connection()
    return lambda mode: connection.create_session(False, mode)


@pytest.fixture
def lying_ready(jms, queue, queues, name):
    """`lying_ready(3)`: sends so many messages; gives their texts when all lie on the queue."""

    def lying_ready(count):
        sent = send(jms.connected, queue, numbered(count, name("m")))
        eventually(lambda: queues.ready(queue) == count)
        return sent

    return lying_ready


@pytest.fixture
def nothing_more(jms, queue):
    """`nothing_more(consumer)`: a message sent now is the next to come."""

    def nothing_more(consumer):
        nothing_before(
            consumer,
            lambda: send(jms.connected, queue, ["marker"]),
            lambda message: body_of(message, str) == "marker",
        )

    return nothing_more


# -- the modes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [INDIVIDUAL, 100, 257])
@requirement("AMQ-ACK-001")
def test_mode_beyond_jms_is_on_offer(jms, queue, mode):
    """A session can be made in the mode, and receives messages."""
    session = jms.session(mode)
    observe("acknowledge mode that the session reports", session.acknowledge_mode)

    assert session.transacted is False
    sent = send(jms.connected, queue, ["message"])
    assert texts([receive(session.create_consumer(queue))]) == sent


@pytest.mark.parametrize("mode", [4, 99, 102, 256, 258])
@requirement("AMQ-ACK-002")
def test_unknown_mode_is_refused(jms, mode):
    """A number that is neither a mode of JMS nor one of the client's own is refused."""
    assert mode not in list(SessionMode)
    with refuses(JMSException):
        jms.session(mode)


# -- message by message ----------------------------------------------------------------------------


@requirement("AMQ-ACK-003")
def test_101_acknowledges_one_message(jms, queue, queues, lying_ready):
    """In mode 101 acknowledge() of the third of five messages leaves four pending."""
    sent = lying_ready(5)
    session = jms.session(INDIVIDUAL)
    received = receive_all(session.create_consumer(queue), 5)
    assert texts(received) == sent

    received[2].acknowledge()

    eventually(lambda: queues.pending(queue) == 4)


@requirement("AMQ-ACK-004")
def test_message_acknowledged_by_the_application_does_not_come_again(
    jms, queue, queues, lying_ready, nothing_more
):
    """After acknowledge() and the end of the session the queue is empty."""
    sent = lying_ready(1)
    session = jms.session(INDIVIDUAL)
    message = receive(session.create_consumer(queue))
    assert texts([message]) == sent

    message.acknowledge()
    session.close()

    eventually(lambda: queues.pending(queue) == 0)
    nothing_more(jms.consumer(queue, jms.session(INDIVIDUAL)))


@requirement("AMQ-ACK-005")
def test_nothing_is_acknowledged_without_the_application(
    jms, queue, queues, seen_session, cuts, lying_ready
):
    """Of three messages received none is acknowledged, and all come again in a new session."""
    sent = lying_ready(3)
    session = seen_session(INDIVIDUAL)
    received = texts(receive_all(session.create_consumer(queue), 3))

    assert received == sent
    assert queues.pending(queue) == 3
    assert [cuts.acknowledgements(text) for text in sent] == [[], [], []]
    session.close()
    again = receive_all(jms.consumer(queue, jms.session(INDIVIDUAL)), 3)
    assert sorted(texts(again)) == sorted(sent)
    observe("messages come again as redelivered", [each.jms_redelivered for each in again])


@requirement("AMQ-ACK-006")
def test_acknowledge_covers_only_its_own_message(queue, queues, seen_session, cuts, lying_ready):
    """On the wire the third of five messages is acknowledged, once, and no other one."""
    sent = lying_ready(5)
    received = receive_all(seen_session(INDIVIDUAL).create_consumer(queue), 5)
    assert texts(received) == sent

    received[2].acknowledge()

    eventually(lambda: queues.pending(queue) == 4)
    assert [cuts.acknowledgements(text) for text in sent] == [[], [], [1], [], []]


@pytest.mark.parametrize("acknowledged", [5, 3], ids=["last", "middle"])
@requirement("AMQ-ACK-007")
def test_other_messages_come_again(jms, queue, queues, lying_ready, nothing_more, acknowledged):
    """After acknowledge() of one of five messages the other four come again in a new session."""
    sent = lying_ready(5)
    session = jms.session(INDIVIDUAL)
    received = receive_all(session.create_consumer(queue), 5)
    assert texts(received) == sent

    received[acknowledged - 1].acknowledge()
    eventually(lambda: queues.pending(queue) == 4)
    session.close()

    consumer = jms.consumer(queue, jms.session(INDIVIDUAL))
    expected = [text for text in sent if text != sent[acknowledged - 1]]
    assert sorted(texts(receive_all(consumer, 4))) == sorted(expected)
    nothing_more(consumer)


# -- none at all -----------------------------------------------------------------------------------


@requirement("AMQ-ACK-008")
def test_message_counts_as_accepted_before_it_is_sent_to_the_client(
    queue, queues, seen_session, cuts, lying_ready
):
    """With a consumer in mode 100 the queue empties before receive() is called for the first time.

    Nothing that the client said has made it empty: it was not even an acknowledgement by what
    fetches ahead. The messages then come all the same.
    """
    sent = lying_ready(3)

    consumer = seen_session(100).create_consumer(queue)

    eventually(lambda: queues.pending(queue) == 0)
    assert texts(receive_all(consumer, 3)) == sent
    assert [cuts.acknowledgements(text) for text in sent] == [[], [], []]


@requirement("AMQ-ACK-009")
def test_client_sends_no_acknowledgement(queue, queues, seen_session, cuts, lying_ready):
    """Three messages are received and acknowledge() is called on one: none is acknowledged."""
    sent = lying_ready(3)
    session = seen_session(100)
    received = receive_all(session.create_consumer(queue), 3)

    received[1].acknowledge()
    session.close()

    assert texts(received) == sent
    eventually(lambda: queues.pending(queue) == 0)
    assert [cuts.acknowledgements(text) for text in sent] == [[], [], []]


@NO_ACKNOWLEDGE
@requirement("AMQ-ACK-010")
def test_messages_of_a_killed_client_are_lost(
    jms, other_process, queue, queues, lying_ready, nothing_more, mode
):
    """Three messages go to a client that is killed before receive(); nobody gets them later."""
    lying_ready(3)
    doomed = other_process.session(mode).create_consumer(queue)
    assert doomed is not None
    eventually(lambda: queues.pending(queue) == 0)

    other_process.kill()

    # In these modes what comes next would go to the dead client, and be lost with it.
    eventually(lambda: queues.consumers(queue) == 0)
    nothing_more(jms.consumer(queue))


def accepted_on_dispatch(mode, queue, queues, seen_session, cuts, sent):
    """A session in the mode gets the messages, which the broker has accepted by itself."""
    consumer = seen_session(mode).create_consumer(queue)
    eventually(lambda: queues.pending(queue) == 0)
    assert texts(receive_all(consumer, len(sent))) == sent
    assert [cuts.acknowledgements(text) for text in sent] == [[] for _ in sent]


@requirement("AMQ-ACK-011")
def test_100_acknowledges_nothing(queue, queues, seen_session, cuts, lying_ready):
    """In mode 100 messages count as accepted although the client acknowledges none."""
    accepted_on_dispatch(100, queue, queues, seen_session, cuts, lying_ready(3))


@requirement("AMQ-ACK-012")
def test_257_acknowledges_nothing(queue, queues, seen_session, cuts, lying_ready):
    """In mode 257 messages count as accepted although the client acknowledges none."""
    accepted_on_dispatch(257, queue, queues, seen_session, cuts, lying_ready(3))


@slow
@requirement("AMQ-ACK-003", "AMQ-ACK-004", "AMQ-ACK-005", "AMQ-ACK-006", "AMQ-ACK-007")
def test_drawn_programs_on_individual_acknowledgement(at_hand):
    """Messages are acknowledged one by one or left, and given back, in any order."""
    judge_drawn_sessions(at_hand, "individually", count=60, document="AMQ")
