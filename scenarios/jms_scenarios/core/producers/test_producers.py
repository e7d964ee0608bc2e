"""Producers: where they send, and with which options."""

from threading import Event, Thread

import pytest

from jms_scenarios.core.domains import topic_session
from jms_scenarios.core.surviving import again, take_all
from jms_scenarios.moments import now
from jms_scenarios.traffic import numbered, only_the_marker_comes, texts
from jmsapi import DeliveryMode, SessionMode, Topic, UnsupportedOperationException
from touchstone.api import (
    Direction,
    body_of,
    broker,
    checks,
    eventually,
    receive,
    receive_all,
    refuses,
    requirement,
    slow,
)

PERSISTENT, NON_PERSISTENT = DeliveryMode.PERSISTENT, DeliveryMode.NON_PERSISTENT
MINUTE = 60_000


def options(message):
    """What a send says of a message: mode, priority, and whether it ends within a minute or two."""
    return message.jms_delivery_mode, message.jms_priority, message.jms_expiration


@requirement("JMS-PROD-001")
def test_producer_without_destination_is_told_one_by_each_send(jms, queue, topic):
    """What it sends to a queue and to a topic arrives there; without either it is refused."""
    inbox, subscriber = jms.consumer(queue), jms.consumer(topic)
    producer = jms.producer(None)
    assert producer.destination is None

    producer.send(jms.text("to the queue"), destination=queue)
    producer.send(jms.text("to the topic"), destination=topic)
    with refuses(UnsupportedOperationException):
        producer.send(jms.text("nowhere"))

    assert texts([receive(inbox)]) == ["to the queue"]
    assert texts([receive(subscriber)]) == ["to the topic"]


@requirement("JMS-PROD-002")
def test_producer_with_a_destination_takes_no_other(jms, queue, name):
    """A send that names another queue is refused, and arrives on neither."""
    other = jms.queue(name("other"))
    inboxes = {each: jms.consumer(each) for each in (queue, other)}
    producer = jms.producer(queue)

    with refuses(UnsupportedOperationException):
        producer.send(jms.text("astray"), destination=other)

    for each, inbox in inboxes.items():
        only_the_marker_comes(jms.connected, each, inbox)


@requirement("JMS-PROD-003")
def test_settings_of_a_producer_apply_to_all_its_sends(jms, queue):
    """With mode 1, priority 7 and a minute two messages arrive so; without, with 2, 4 and 0."""
    consumer = jms.consumer(queue)
    fresh = jms.producer(queue)
    assert (fresh.delivery_mode, fresh.priority, fresh.time_to_live) == (PERSISTENT, 4, 0)
    producer = jms.producer(queue)
    producer.delivery_mode, producer.priority, producer.time_to_live = NON_PERSISTENT, 7, MINUTE

    before = now()
    for text in ("one", "two"):
        producer.send(jms.text(text))
    after = now()
    fresh.send(jms.text("three"))

    arrived = {body_of(message, str): options(message) for message in receive_all(consumer, 3)}
    assert arrived["three"] == (PERSISTENT, 4, 0)
    for text in ("one", "two"):
        assert arrived[text][:2] == (NON_PERSISTENT, 7)
        assert before + MINUTE <= arrived[text][2] <= after + MINUTE


@requirement("JMS-PROD-004")
def test_options_of_a_send_hold_for_that_send_alone(jms, queue):
    """A send with mode 1, priority 2 and a minute arrives so, the next with the producer's own."""
    consumer = jms.consumer(queue)
    producer = jms.producer(queue)
    producer.priority = 7

    before = now()
    producer.send(jms.text("one"), delivery_mode=NON_PERSISTENT, priority=2, time_to_live=MINUTE)
    after = now()
    producer.send(jms.text("two"))

    arrived = {body_of(message, str): options(message) for message in receive_all(consumer, 2)}
    assert arrived["one"][:2] == (NON_PERSISTENT, 2)
    assert before + MINUTE <= arrived["one"][2] <= after + MINUTE
    assert arrived["two"] == (PERSISTENT, 7, 0)


@requirement("JMS-PROD-005")
@pytest.mark.parametrize("given", ["destination", "options", "both", "neither"])
def test_send_returns_when_the_broker_has_confirmed(jms_at, faults, queues, queue, given):
    """While the broker's confirmation is held back no form of send returns, and afterwards each."""
    form = {}
    if given in ("destination", "both"):
        form["destination"] = queue
    if given in ("options", "both"):
        form.update(delivery_mode=PERSISTENT, priority=5, time_to_live=0)
    proxy, address = faults.byte_proxy()
    session = jms_at(address).connection().create_session()
    producer = session.create_producer(None if "destination" in form else queue)
    producer.send(session.create_text_message("first"), **form)
    returned = Event()

    def send():
        producer.send(session.create_text_message("second"), **form)
        returned.set()

    proxy.stall(Direction.TO_CLIENT)
    sending = Thread(target=send, daemon=True)
    sending.start()
    eventually(lambda: queues.pending(queue) == 2)
    early = returned.wait(0.5)
    proxy.resume()

    assert not early, "send() returned while the broker's confirmation was held back"
    assert returned.wait(30)
    sending.join()
    assert texts(receive_all(jms_at(address).consumer(queue), 2)) == ["first", "second"]


@slow
@broker("plain", exclusive=True)
@requirement("JMS-PROD-005")
def test_what_send_has_returned_for_outlives_the_broker(jms, queue, broker_control):
    """The broker is killed as the last of twenty sends returns: when it is back, all come once."""
    producer, sent = jms.producer(queue), numbered(20)
    messages = [jms.text(text) for text in sent]
    for message in messages:
        producer.send(message)
    broker_control.kill()

    broker_control.start()

    connection = again(jms.connection)
    came = take_all(jms, connection, lambda each: each.create_consumer(queue), queue, sent)
    assert checks.exactly_once(sent, [text for text, _ in came]) == []


@requirement("JMS-PROD-006")
def test_publisher_publishes_to_a_topic(jms, topic):
    """Each of its four forms arrives at a subscriber, with the options that were given."""
    session = topic_session(jms).made
    subscriber = session.create_subscriber(topic)
    assert isinstance(subscriber.topic, Topic)
    own, anywhere = session.create_publisher(topic), session.create_publisher(None)
    chosen = {"delivery_mode": NON_PERSISTENT, "priority": 8, "time_to_live": MINUTE}

    own.send(session.create_text_message("plain"))
    own.send(session.create_text_message("chosen"), **chosen)
    anywhere.send(session.create_text_message("told"), destination=topic)
    anywhere.send(session.create_text_message("told and chosen"), destination=topic, **chosen)

    received = receive_all(subscriber, 4)
    arrived = {body_of(message, str): options(message)[:2] for message in received}
    assert arrived == {
        "plain": (PERSISTENT, 4),
        "chosen": (NON_PERSISTENT, 8),
        "told": (PERSISTENT, 4),
        "told and chosen": (NON_PERSISTENT, 8),
    }
    expiring = {body_of(message, str) for message in received if message.jms_expiration}
    assert expiring == {"chosen", "told and chosen"}
    assert checks.exactly_once(arrived, texts(received)) == []


@requirement("JMS-PROD-007")
@pytest.mark.parametrize("mode", list(SessionMode), ids=lambda mode: mode.name.lower())
def test_topic_connection_publishes_and_subscribes(jms, topic, mode):
    """A session of it, in each of the four modes, publishes and subscribes."""
    connection = jms.factory().create_topic_connection()
    session = connection.create_topic_session(mode == SessionMode.SESSION_TRANSACTED, mode)
    assert session.acknowledge_mode == mode
    subscriber = session.create_subscriber(topic)
    connection.start()

    session.create_publisher(topic).send(session.create_text_message("hello"))
    if session.transacted:
        session.commit()

    received = receive(subscriber)
    assert texts([received]) == ["hello"]
    if session.transacted:
        session.commit()
    received.acknowledge()
