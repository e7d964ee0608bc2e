"""Redelivery: what is counted, what asks for it, and how long it waits."""

import pytest

from jms_scenarios.listening import NotingListener
from jms_scenarios.selecting import send_with
from jms_scenarios.starlight.subscribing import shared_consumer, shared_durable_consumer
from jms_scenarios.traffic import numbered, send, take, texts
from jmsapi import SessionMode
from touchstone.api import (
    bounded,
    eventually,
    judging,
    observe,
    receive,
    receive_all,
    requirement,
    slow,
)

SAMPLE = {"minDelayMs": 10, "maxDelayMs": 100, "multiplier": 2.0}
"""The backoff in the documents."""
LONGER_THAN_THE_BROKER_TAKES = 6 * 2**20
"""Characters; five megabytes are what one message may have as Pulsar is shipped."""


@pytest.fixture
def session(watched):
    """A session in CLIENT_ACKNOWLEDGE that redelivers by the documents' backoff."""
    return watched.session({"negativeAckRedeliveryBackoff": SAMPLE})


def by_session(jms, mode, settings):
    return jms.connection(settings).create_session(False, mode)


def by_context(jms, mode, settings):
    return jms.context(mode, settings)


by_each_api = pytest.mark.parametrize("api", [by_session, by_context])


@pytest.fixture
def redelivering(jms, api):
    """A session or a context in CLIENT_ACKNOWLEDGE that redelivers by the documents' backoff."""
    settings = {"consumerConfig": {"negativeAckRedeliveryBackoff": SAMPLE}}
    return api(jms, SessionMode.CLIENT_ACKNOWLEDGE, settings)


def delivery_count(message):
    return message.get_int_property("JMSXDeliveryCount")


@requirement("SLJ-REDL-001")
def test_delivery_count_is_one_more_than_the_brokers(watched, session, jms, queue, name):
    """JMSXDeliveryCount is 1, 2, 3 where the broker's redelivery count is 0, 1, 2.

    From a queue as from shared subscriptions of topics.
    """
    topic, other = jms.topic(name("topic")), jms.topic(name("topic"))
    for destination, consumer in (
        (queue, session.create_consumer(queue)),
        (topic, shared_consumer(session, topic)),
        (other, shared_durable_consumer(session, other)),
    ):
        send(jms.connected, destination, ["message"])

        messages = [receive(consumer)]
        for _ in range(2):
            session.recover()
            messages.append(receive(consumer))

        assert texts(messages) == ["message"] * 3
        assert [delivery_count(message) for message in messages] == [1, 2, 3]
        messages[-1].acknowledge()

    assert watched.redelivery_counts() == [[0, 1, 2]] * 3


@requirement("SLJ-REDL-002")
@by_each_api
def test_redelivered_message_says_so(redelivering, jms, queue):
    """After recover() the message comes with JMSRedelivered true and JMSXDeliveryCount 2 or 3."""
    consumer = redelivering.create_consumer(queue)
    send(jms.connected, queue, ["message"])
    messages = [receive(consumer)]

    for count in (2, 3):
        redelivering.recover()
        messages.append(receive(consumer))

        assert messages[-1].jms_redelivered is True
        assert delivery_count(messages[-1]) == count
    assert texts(messages) == ["message"] * 3


@requirement("SLJ-REDL-003")
@by_each_api
def test_first_delivery_is_no_redelivery(redelivering, jms, queue, topic):
    """A fresh message comes with JMSRedelivered false and JMSXDeliveryCount 1.

    So does one that follows a redelivery.
    """
    for destination in (queue, topic):
        consumer = redelivering.create_consumer(destination)
        for text in ("first", "second"):
            send(jms.connected, destination, [text])
            message = receive(consumer)
            assert texts([message]) == [text]
            assert message.jms_redelivered is False
            assert delivery_count(message) == 1
            redelivering.recover()
            receive(consumer).acknowledge()


@requirement("SLJ-REDL-004")
def test_deliveries_that_no_application_saw_are_counted(watched, jms, queue):
    """What a selector rejected comes to its first reader as redelivered, with a count above 1."""
    quick = {"negativeAckRedeliveryDelayMicros": 50_000, "receiverQueueSize": 1}
    rejecting, reading = watched.session(quick), watched.session(quick)
    listener = NotingListener()
    rejecting.create_consumer(queue, "x = 1").message_listener = listener
    sent = send_with(jms.connected, queue, [{"x": 2}])
    eventually(lambda: any(max(counts) > 0 for counts in watched.redelivery_counts()))

    message = receive(reading.create_consumer(queue))

    assert texts([message]) == sent
    observe("JMSXDeliveryCount at first sight", delivery_count(message))
    assert delivery_count(message) > 1
    assert message.jms_redelivered is True
    assert listener.callbacks == []


@requirement("SLJ-REDL-005")
@slow
def test_message_comes_again_after_the_ack_timeout(watched, jms, queue):
    """A message that is not acknowledged within the ackTimeout of 1 s comes again after it."""
    session = watched.session({"ackTimeoutMillis": 1000})
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["message"])
    first = receive(consumer)

    again = receive(consumer)

    assert texts([again]) == texts([first]) == ["message"]
    assert again.jms_message_id == first.jms_message_id
    bounded(watched.times[1] - watched.times[0], "the redelivery", at_least=1.0)


@requirement("SLJ-REDL-014")
@by_each_api
def test_negatively_acknowledged_message_is_tried_again(redelivering, jms, name):
    """A message received before recover() is received again, from a queue and from a topic."""
    for destination in (jms.queue(name("queue")), jms.topic(name("topic"))):
        consumer = redelivering.create_consumer(destination)
        send(jms.connected, destination, ["message"])
        first = receive(consumer)

        for _ in range(2):
            redelivering.recover()
            again = receive(consumer)

            assert texts([again]) == texts([first]) == ["message"]
            assert again.jms_message_id == first.jms_message_id
        again.acknowledge()


@requirement("SLJ-REDL-014")
def test_negatively_acknowledged_message_in_chunks_is_tried_again(jms, name):
    """One that is longer than the broker takes at once, twice, from a queue and from a topic."""
    chunks = {"chunkingEnabled": True, "batchingEnabled": False}
    settings = {"consumerConfig": {"negativeAckRedeliveryBackoff": SAMPLE}}
    session = jms.connection({"producerConfig": chunks, **settings}).create_session(
        False, SessionMode.CLIENT_ACKNOWLEDGE
    )
    text = "a" * LONGER_THAN_THE_BROKER_TAKES
    for destination in (jms.queue(name("queue")), jms.topic(name("topic"))):
        consumer = session.create_consumer(destination)
        session.create_producer(destination).send(session.create_text_message(text))
        received = receive(consumer)
        assert texts([received]) == [text]

        for _ in range(2):
            session.recover()
            received = receive(consumer)
            assert texts([received]) == [text]
        received.acknowledge()


@requirement("SLJ-REDL-015")
def test_recover_halts_delivery_in_the_session(session, jms, queue):
    """After recover() in the callback for the third message, the next callback is a redelivery."""
    sent = send(jms.connected, queue, numbered(10))
    redelivered = []

    def handle(message):
        redelivered.append(message.jms_redelivered)
        if len(redelivered) == 3:
            session.recover()

    listener = NotingListener(then=handle)
    session.create_consumer(queue).message_listener = listener

    eventually(lambda: len(listener.callbacks) == 13)
    handled = [callback.text for callback in listener.callbacks]
    assert handled[:3] == sent[:3]
    assert redelivered[3]
    assert handled[3] in sent[:3]
    assert set(handled) == set(sent)


@requirement("SLJ-REDL-016")
def test_recover_goes_on_with_the_oldest_message(session, jms, queue):
    """After recover() the three messages received before come again, the oldest first.

    So they do the second time, and an acknowledged one does not.
    """
    sent = send(jms.connected, queue, numbered(5))
    consumer = session.create_consumer(queue)
    take(consumer, sent[:3])

    session.recover()

    again = receive_all(consumer, 3)
    observe("order after recover()", texts(again))
    assert texts(again) == sent[:3]
    session.recover()
    again = receive_all(consumer, 3)
    assert texts(again) == sent[:3]

    again[-1].acknowledge()
    assert texts(receive_all(consumer, 2)) == sent[3:]
    session.recover()
    assert texts(receive_all(consumer, 2)) == sent[3:]


@requirement("SLJ-REDL-017")
def test_recover_negatively_acknowledges_every_message(watched, session, jms, queue, name):
    """recover() raises the broker's redelivery count of each unacknowledged message by one.

    It does so for all consumers of the session, and for nothing that was acknowledged.
    """
    other = jms.queue(name("other"))
    consumers = {each: session.create_consumer(each) for each in (queue, other)}
    for destination, consumer in consumers.items():
        send(jms.connected, destination, ["acknowledged"])
        receive(consumer).acknowledge()
    sent = numbered(3)
    for destination, consumer in consumers.items():
        take(consumer, send(jms.connected, destination, sent))

    session.recover()
    again = [message for consumer in consumers.values() for message in take(consumer, sent)]

    assert sorted(watched.redelivery_counts()) == [[0], [0], *[[0, 1]] * 6]
    assert [delivery_count(message) for message in again] == [2] * 6


@requirement("SLJ-REDL-001", "SLJ-REDL-017")
def test_workload_counts_what_is_recovered(workload):
    """Of 500 messages those of recovered batches come again, flagged, with a count higher by 1."""
    verdict = workload("client-acknowledge", messages=500).with_power(10, "D06", "D11", "D19")

    with judging("SLJ-REDL-001"):
        assert verdict.against("D06", "D11", "D12") == []
    with judging("SLJ-REDL-017"):
        assert verdict.against("D01", "D05", "D19") == []


@requirement("SLJ-REDL-016")
def test_workload_resumes_with_the_oldest_message(workload):
    """After each recover() of an exclusive consumer of 800 messages the oldest one comes first."""
    verdict = workload("exclusive", messages=800).with_power(2, "D30")

    assert verdict.against("D30") == []
