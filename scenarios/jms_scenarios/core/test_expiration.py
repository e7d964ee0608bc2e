"""Expiration: what the time-to-live makes of JMSExpiration, and what becomes of the expired."""

import pytest

from jms_scenarios.moments import now, wait_until
from jms_scenarios.traffic import numbered, only_the_marker_comes, send, texts
from jmsapi import SessionMode
from touchstone.api import body_of, eventually, observe, prefers, receive, requirement

MOMENT, MINUTE = 300, 60_000
"""Milliseconds that messages live."""


@pytest.fixture(autouse=True)
@prefers("transactions")
def prefer(at_hand):
    """Nothing but transactions, where they are a setting."""


def by_producer(producer, message, lives):
    """The time to live as the producer's own."""
    producer.time_to_live = lives
    producer.send(message)


def by_send(producer, message, lives):
    """The time to live as given to the one send."""
    producer.send(message, time_to_live=lives)


either_way = pytest.mark.parametrize(
    "way", [pytest.param(by_producer, id="producer"), pytest.param(by_send, id="send")]
)


@pytest.fixture
def sent_to_live(jms, queue):
    """`sent_to_live(text, lives)`: the sender's message, and the instants around the send."""

    def sent_to_live(text, lives, way=by_send):
        message = jms.text(text)
        before = now()
        way(jms.producer(queue), message, lives)
        return message, before, now()

    return sent_to_live


def is_marker(message):
    return texts([message]) == ["marker"]


@requirement("JMS-EXP-001")
def test_expired_message_is_not_delivered_and_dropped(jms, queue, queues, sent_to_live):
    """A consumer opened later gets the marker alone, and then nothing waits at the broker."""
    _, _, after = sent_to_live("expired", MOMENT)
    wait_until(after + MOMENT)

    consumer = jms.consumer(queue)
    only_the_marker_comes(jms.connected, queue, consumer)

    eventually(lambda: queues.pending(queue) == 0, 5.0)


@either_way
@requirement("JMS-EXP-002")
def test_time_to_live_is_not_ignored(jms, queue, queues, way):
    """Of 100 messages whose time was over long before, not all come as if they had none."""
    session = jms.session()
    producer = session.create_producer(queue)
    for text in numbered(100):
        way(producer, session.create_text_message(text), MOMENT)
    # A busy broker may learn of them late, and have their time begin then.
    wait_until(now() + 4 * MOMENT)
    left = queues.pending(queue)
    consumer = jms.consumer(queue)
    send(jms.connected, queue, ["marker"])

    delivered = []
    while not is_marker(message := receive(consumer)):
        delivered.append(message)

    observe("of 100 expired messages the broker still holds", left)
    observe("of 100 expired messages are delivered", len(delivered))
    assert len(delivered) < 100


@requirement("JMS-EXP-003")
@either_way
def test_expiration_is_the_time_of_sending_plus_the_time_to_live(sent_to_live, way):
    """After a send with 10 s to live JMSExpiration of the sender's message lies that far off."""
    message, before, after = sent_to_live("hello", 10_000, way)

    assert before + 10_000 <= message.jms_expiration <= after + 10_000


@requirement("JMS-EXP-004")
def test_receiver_and_browser_read_the_expiration_of_the_sender(jms, queue, queues, sent_to_live):
    """JMSExpiration is one number for the sender, a browser and the receiver."""
    message, before, after = sent_to_live("hello", MINUTE)
    eventually(lambda: queues.pending(queue) == 1)

    with jms.session().create_browser(queue) as browser:
        browsed = [(body_of(each, str), each.jms_expiration) for each in browser.enumeration]
    received = receive(jms.consumer(queue))

    assert before + MINUTE <= message.jms_expiration <= after + MINUTE
    seen = [*browsed, (body_of(received, str), received.jms_expiration)]
    assert seen == [("hello", message.jms_expiration)] * 2


@requirement("JMS-EXP-005")
def test_time_to_live_of_zero_is_for_ever(jms, queue, sent_to_live):
    """Both sides read 0, and the message comes after its neighbour's time is over."""
    message, _, _ = sent_to_live("lasting", 0)
    _, _, after = sent_to_live("expired", MOMENT)
    wait_until(after + MOMENT)

    received = receive(jms.consumer(queue))

    assert texts([received]) == ["lasting"]
    assert (message.jms_expiration, received.jms_expiration) == (0, 0)


@requirement("JMS-EXP-006")
def test_time_to_live_runs_from_the_send_and_not_from_the_commit(jms, queue):
    """A message whose time is over before its transaction is committed is not delivered."""
    session = jms.session(SessionMode.SESSION_TRANSACTED)
    consumer = jms.consumer(queue)
    producer = session.create_producer(queue)
    message = session.create_text_message("expired")
    before = now()
    producer.send(message, time_to_live=MOMENT)
    after = now()
    wait_until(after + MOMENT)

    session.commit()

    only_the_marker_comes(jms.connected, queue, consumer)
    assert before + MOMENT <= message.jms_expiration <= after + MOMENT
