"""Expiration: how a time to live travels, and that expired messages are not handed over."""

import pytest

from jms_scenarios.listening import NotingListener
from jms_scenarios.moments import now, wait_until
from jms_scenarios.traffic import only_the_marker_comes, send, texts
from jmsapi import SessionMode
from touchstone.api import eventually, portable, receive, receive_all, requirement

MINUTE, THREE_SECONDS, MOMENT = 60_000, 3_000, 100
"""Milliseconds that messages live."""


def by_setter(jms, destination, text, lives):
    """setTimeToLive of a producer."""
    producer = jms.producer(destination)
    producer.time_to_live = lives
    message = jms.text(text)
    producer.send(message)
    return message


def by_argument(jms, destination, text, lives):
    """The time to live given to one send."""
    message = jms.text(text)
    jms.producer(destination).send(message, time_to_live=lives)
    return message


def by_context(jms, destination, text, lives):
    """setTimeToLive of a JMSProducer."""
    context = jms.context()
    message = context.create_text_message(text)
    context.create_producer().set_time_to_live(lives).send(destination, message)
    return message


every_way = pytest.mark.parametrize(
    "sent_by", [by_setter, by_argument, by_context], ids=lambda way: way.__name__
)


@pytest.fixture(params=["queue", "topic"])
def destination(request, queue, topic):
    """A fresh queue, then a fresh topic."""
    return queue if request.param == "queue" else topic


@pytest.fixture
def expire(jms):
    """`expire(destination, "text")`: sends a message that lives a moment, and outwaits it."""

    def expire(destination, text, lives=MOMENT):
        message = by_argument(jms, destination, text, lives)
        outlive(message)

    return expire


def outlive(message):
    """Wait until the message has expired by its own account."""
    assert message.jms_expiration > 0
    wait_until(message.jms_expiration)


@requirement("SLJ-EXP-001")
@every_way
def test_expiration_is_the_instant_at_which_the_message_expires(jms, queue, wire, sent_by):
    """Raw property and header field are the epoch milliseconds of sending plus the time to live."""
    before = now()
    message = sent_by(jms, queue, "lives a minute", MINUTE)
    after = now()

    written = wire.only_message(queue).properties.get("JMSExpiration")
    assert written is not None
    expiration = int(written)

    assert before + MINUTE <= expiration <= after + MINUTE
    assert message.jms_expiration == expiration
    received = receive(jms.consumer(queue))
    assert texts([received]) == ["lives a minute"]
    assert received.jms_expiration == expiration


@requirement("SLJ-EXP-002")
def test_message_that_expires_on_the_broker_is_not_handed_over(jms, queue, expire):
    """A message that expired before its consumer was opened does not come, a later one does."""
    expire(queue, "expired")

    only_the_marker_comes(jms.connected, queue, jms.consumer(queue))


@requirement("SLJ-EXP-002")
def test_message_that_expires_at_its_consumer_is_not_handed_over(jms, destination, expire):
    """A message that expires while its consumer is open, but not receiving, does not come."""
    consumer = jms.consumer(destination)
    send(jms.connected, destination, ["first"])
    assert texts([receive(consumer)]) == ["first"]

    expire(destination, "expired")

    only_the_marker_comes(jms.connected, destination, consumer)


@requirement("SLJ-EXP-002")
def test_message_that_expires_before_it_comes_again_is_not_handed_over(jms, destination):
    """One that was received in time and recovered too late does not come a second time."""
    session = jms.session(SessionMode.CLIENT_ACKNOWLEDGE)
    consumer = jms.consumer(destination, session)
    message = by_argument(jms, destination, "expires", THREE_SECONDS)
    assert texts([receive(consumer)]) == ["expires"]
    outlive(message)

    session.recover()

    only_the_marker_comes(jms.connected, destination, consumer)


@portable
@requirement("SLJ-EXP-002")
def test_expired_message_is_not_handed_to_a_listener(jms, destination, expire):
    """A listener set after a message expired is called with the later message alone."""
    consumer = jms.consumer(destination)
    expire(destination, "expired")
    send(jms.connected, destination, ["marker"])

    listener = NotingListener()
    consumer.message_listener = listener

    eventually(lambda: listener.callbacks)
    assert [callback.text for callback in listener.callbacks] == ["marker"]


@requirement("SLJ-EXP-003")
def test_expired_message_stays_readable_by_a_native_consumer(jms, queue, wire, admin, expire):
    """What the JMS consumer did not get comes to a plain client on another subscription."""
    admin.create_topic(queue)
    admin.create_subscription(queue, "native", "earliest")
    expire(queue, "expired")
    only_the_marker_comes(jms.connected, queue, jms.consumer(queue))

    read = wire.received(queue, "native", 2)

    assert [message.payload for message in read] == [b"expired", b"marker"]


@requirement("SLJ-EXP-004")
@every_way
def test_message_without_time_to_live_does_not_expire(jms, queue, wire, expire, sent_by):
    """It has JMSExpiration 0 and comes three seconds later, when another has expired."""
    message = sent_by(jms, queue, "lives", 0)
    expire(queue, "expired", THREE_SECONDS)
    assert message.jms_expiration == 0
    assert int(wire.messages(queue)[0].properties.get("JMSExpiration", "0")) == 0

    only_the_lasting = receive_all(jms.consumer(queue), 1)

    assert texts(only_the_lasting) == ["lives"]
    assert only_the_lasting[0].jms_expiration == 0
