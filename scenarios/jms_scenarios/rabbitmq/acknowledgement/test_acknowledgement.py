"""Acknowledgement: by group up to a message, or of a single message, but never beyond a session."""

import pytest

from jms_scenarios.traffic import numbered, send, texts
from jmsapi import SessionMode
from touchstone.api import (
    eventually,
    judge_drawn_sessions,
    nothing_before,
    receive,
    receive_all,
    requirement,
    slow,
)

CLIENT, INDIVIDUAL = "CLIENT_ACKNOWLEDGE", "CLIENT_INDIVIDUAL_ACKNOWLEDGE"


@pytest.fixture
def session_in(jms):
    """`session_in(INDIVIDUAL)`: a new session of the default connection in the mode of this name.

    The number of the individual mode is the client's own.
    """
    numbers = {
        CLIENT: SessionMode.CLIENT_ACKNOWLEDGE,
        INDIVIDUAL: jms.constants.individual_acknowledge,
    }
    return lambda mode: jms.connected.create_session(False, numbers[mode])


@pytest.fixture
def received(jms, queue, filled, session_in):
    """`received(CLIENT, 5)`: a session in this mode, and as many messages that it received."""

    def received(mode, count):
        filled(count)
        session = session_in(mode)
        messages = receive_all(jms.consumer(queue, session), count)
        assert texts(messages) == numbered(count)
        return session, messages

    return received


@pytest.fixture
def come_again(jms, queue, session_in):
    """`come_again(session, 3)`: the texts of just so many that come to another one at its end."""

    def come_again(session, count):
        session.close()
        again = jms.consumer(queue, session_in(CLIENT))
        repeated = texts(receive_all(again, count))
        nothing_before(
            again,
            lambda: send(jms.connected, queue, ["marker"]),
            lambda message: texts([message]) == ["marker"],
        )
        return sorted(repeated)

    return come_again


def message(*numbers):
    return [f"message-{number}" for number in numbers]


@requirement("RMQ-ACK-001")
def test_acknowledge_covers_a_group_and_not_the_session(received, come_again):
    """Of five messages received, those after the one that was acknowledged come again."""
    session, messages = received(CLIENT, 5)

    messages[1].acknowledge()

    assert come_again(session, 3) == message(3, 4, 5)


@requirement("RMQ-ACK-002")
def test_acknowledge_covers_its_own_message(received, come_again, queues, queue):
    """A message that was acknowledged is gone from the broker and does not come again."""
    session, messages = received(CLIENT, 1)
    assert queues.pending(queue) == 1

    messages[0].acknowledge()

    eventually(lambda: queues.pending(queue) == 0)
    assert come_again(session, 0) == []


@requirement("RMQ-ACK-003")
def test_acknowledge_covers_earlier_messages(received, come_again, queues, queue):
    """Acknowledging the last of three leaves none unacknowledged at the broker."""
    session, messages = received(CLIENT, 3)
    assert queues.pending(queue) == 3

    messages[2].acknowledge()

    eventually(lambda: queues.pending(queue) == 0)
    assert come_again(session, 0) == []


@requirement("RMQ-ACK-003")
def test_acknowledge_covers_what_the_session_received_from_another_queue(
    jms, name, queues, session_in
):
    """The group is the session's: earlier messages of another consumer's queue belong to it."""
    pair = [jms.queue(name("qa")), jms.queue(name("qb"))]
    session = session_in(CLIENT)
    for each in pair:
        send(jms.connected, each, ["message"])
        last = receive(jms.consumer(each, session))
        assert texts([last]) == ["message"]
    assert [queues.pending(each) for each in pair] == [1, 1]

    last.acknowledge()

    eventually(lambda: [queues.pending(each) for each in pair] == [0, 0])


@requirement("RMQ-ACK-004")
def test_acknowledge_leaves_later_messages_alone(received, come_again, queues, queue):
    """Acknowledging the first of three leaves two at the broker, and they come again."""
    session, messages = received(CLIENT, 3)

    messages[0].acknowledge()

    eventually(lambda: queues.pending(queue) == 2)
    assert come_again(session, 2) == message(2, 3)


@requirement("RMQ-ACK-005")
def test_acknowledge_never_reaches_another_session(jms, queue, name, session_in, queues, filled):
    """What another session of the connection received stays unacknowledged."""
    filled(1)
    other_queue = jms.queue(name("other"))
    sessions = [session_in(CLIENT), session_in(CLIENT)]
    held = receive(jms.consumer(queue, sessions[0]))
    assert texts([held]) == message(1)
    send(jms.connected, other_queue, ["other"])

    other = receive(jms.consumer(other_queue, sessions[1]))
    assert texts([other]) == ["other"]
    other.acknowledge()

    eventually(lambda: queues.pending(other_queue) == 0)
    assert queues.pending(queue) == 1
    sessions[0].close()
    again = receive(jms.consumer(queue, session_in(CLIENT)))
    assert texts([again]) == texts([held])


@requirement("RMQ-ACK-006")
def test_individual_mode_is_a_session_mode(session_in):
    """A session can be created in the individual mode, and is not transacted."""
    session = session_in(INDIVIDUAL)

    assert session.transacted is False


@requirement("RMQ-ACK-007")
def test_individual_acknowledge_covers_its_message_alone(received, come_again):
    """Of five messages received, all but the one that was acknowledged come again."""
    session, messages = received(INDIVIDUAL, 5)

    messages[2].acknowledge()

    assert come_again(session, 4) == message(1, 2, 4, 5)


@requirement("RMQ-ACK-008")
def test_individual_acknowledge_leaves_others_unacknowledged(received, queues, queue, come_again):
    """Acknowledging the last of five leaves four at the broker."""
    session, messages = received(INDIVIDUAL, 5)
    assert queues.pending(queue) == 5

    messages[4].acknowledge()

    eventually(lambda: queues.pending(queue) == 4)
    assert come_again(session, 4) == message(1, 2, 3, 4)


@requirement("RMQ-ACK-009")
@pytest.mark.parametrize("mode", [CLIENT, INDIVIDUAL])
def test_recover_brings_back_what_is_not_acknowledged(jms, queue, filled, session_in, mode):
    """After recover() the message comes again as redelivered, in either mode."""
    filled(1)
    session = session_in(mode)
    consumer = jms.consumer(queue, session)
    first = receive(consumer)
    assert texts([first]) == message(1)
    assert first.jms_redelivered is False

    session.recover()

    again = receive(consumer)
    assert texts([again]) == texts([first])
    assert again.jms_redelivered is True


@requirement("RMQ-ACK-009")
@pytest.mark.parametrize("mode", [CLIENT, INDIVIDUAL])
def test_end_of_the_session_gives_back_what_is_not_acknowledged(
    received, come_again, queues, queue, mode
):
    """Nothing is acknowledged by itself: with the session's end all comes again, in either mode."""
    session, _ = received(mode, 2)
    assert queues.pending(queue) == 2

    assert come_again(session, 2) == message(1, 2)


@requirement("RMQ-ACK-010")
def test_individual_mode_is_reported_as_client_acknowledge(session_in):
    """A session in the individual mode tells that it is in CLIENT_ACKNOWLEDGE, which is 2."""
    session = session_in(INDIVIDUAL)

    assert session.acknowledge_mode == SessionMode.CLIENT_ACKNOWLEDGE == 2


@slow
@requirement(*(f"RMQ-ACK-{number:03}" for number in (1, 2, 3, 4, 7, 8, 9)))
def test_drawn_programs_on_acknowledgement_up_to_a_message(at_hand):
    """Messages are acknowledged one by one or up to one, left and given back, in any order."""
    judge_drawn_sessions(at_hand, "individually", count=60, document="RMQ")
