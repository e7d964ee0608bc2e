"""Delivery delay: who respects it, who does not, and what the messages say of it."""

import time

import pytest

from jms_scenarios.traffic import only_the_marker_comes, send, texts
from touchstone.api import bounded, eventually, observe, portable, receive, requirement, timed

SHARED = {"jms.useExclusiveSubscriptionsForSimpleConsumers": "false"}
"""Settings that make the subscriptions of simple consumers Shared."""
LONG, SHORT = 5000, 1500
"""Milliseconds of delay: one that nobody waits for, and one to wait for.

A broker with default settings may be up to 1000 ms early.
"""


@pytest.fixture
def session(jms):
    """A session whose simple consumers have Shared subscriptions."""
    return jms.connection(SHARED).create_session()


@pytest.fixture
def openers(jms, session):
    """The session, and a context of the same kind."""
    return session, jms.context(settings=SHARED)


@pytest.fixture
def waited(jms):
    """`waited(consumer, destination, delay)`: how long it is from before a send to its message.

    A message without a delay goes first, so that everything is in motion.
    """

    def waited(consumer, destination, delay):
        send(jms.connected, destination, ["first"])
        assert texts([receive(consumer)]) == ["first"]
        producer = jms.producer(destination)
        producer.delivery_delay = delay
        message = jms.text("delayed")
        with timed() as call:
            producer.send(message)
            assert texts([receive(consumer)]) == ["delayed"]
        return call

    return waited


@requirement("SLJ-DLY-001")
def test_exclusive_subscription_ignores_the_delay(jms, topic, admin, waited):
    """On an Exclusive subscription a message with a delay of 5 s comes in well under that."""
    consumer = jms.consumer(topic)
    assert admin.only_subscription(topic).type == "Exclusive"

    calls = [waited(consumer, topic, LONG) for _ in range(3)]
    shortest = min(calls, key=lambda call: call.seconds)

    observe("seconds until a message with a delay of 5 s came", round(shortest.seconds, 3))
    bounded(shortest.seconds, "the message", at_most=LONG / 1000 / 2, slack=shortest.slack)


@requirement("SLJ-DLY-002")
def test_flag_makes_simple_consumers_shared(openers, topic, admin):
    """The broker holds the subscription of each simple topic consumer as Shared, by each API."""
    for opener in openers:
        opener.create_consumer(topic)
        opener.create_consumer(topic)

    subscriptions = admin.subscriptions(topic).values()
    assert [subscription.type for subscription in subscriptions] == ["Shared"] * 4


@requirement("SLJ-DLY-003")
def test_shared_subscription_goes_with_its_simple_consumer(openers, topic, admin):
    """The Shared subscription is there while its consumer is open, and gone after close."""
    for opener in openers:
        consumer = opener.create_consumer(topic)
        assert admin.only_subscription(topic).type == "Shared"

        consumer.close()

        eventually(lambda: admin.subscriptions(topic) == {})


@requirement("SLJ-DLY-003")
def test_broker_holds_the_shared_subscription_as_non_durable(session, topic, admin):
    """The broker knows the Shared subscription as non-durable, so that a crash ends it as well."""
    session.create_consumer(topic)

    assert admin.only_subscription(topic).durable is False


@requirement("SLJ-DLY-004")
def test_shared_simple_consumer_respects_the_delay(session, topic, waited):
    """With the flag a simple topic consumer receives a message no sooner than its delay says."""
    consumer = session.create_consumer(topic)

    bounded(waited(consumer, topic, SHORT).seconds, "the message", at_least=SHORT / 1000)


@requirement("SLJ-DLY-005")
def test_flag_leaves_durable_consumers_exclusive(jms, topic, admin, name):
    """With the flag subscriptions of unshared durable consumers are Exclusive all the same."""
    session = jms.connection(SHARED, client_id=name("c1")).create_session()
    context = jms.context(settings=SHARED)
    context.client_id = name("c2")

    session.create_durable_consumer(topic, "s1")
    session.create_durable_subscriber(topic, "s2")
    context.create_durable_consumer(topic, "s1")

    subscriptions = admin.subscriptions(topic).values()
    assert [subscription.type for subscription in subscriptions] == ["Exclusive"] * 3


@portable
@requirement("SLJ-DLY-006")
def test_queue_consumer_respects_the_delay(jms, queue, waited):
    """A queue consumer with default settings receives a message no sooner than its delay says."""
    consumer = jms.consumer(queue)

    bounded(waited(consumer, queue, SHORT).seconds, "the message", at_least=SHORT / 1000)


@requirement("SLJ-DLY-006")
@pytest.mark.parametrize("delay", [2**31 - 1, 2**31 + SHORT], ids=["int", "beyond"])
def test_queue_consumer_respects_a_delay_of_weeks(jms, queue, delay):
    """The message does not come before one that was sent later."""
    consumer = jms.consumer(queue)
    producer = jms.producer(queue)
    producer.delivery_delay = delay
    producer.send(jms.text("delayed"))

    only_the_marker_comes(jms.connected, queue, consumer)


@requirement("SLJ-DLY-007")
def test_delivery_time_travels_as_epoch_milliseconds(jms, topic, wire):
    """The raw JMSDeliveryTime is the time of sending plus the delay, and so is the receiver's.

    By each API; the second delay of a producer is its own.
    """
    consumer = jms.consumer(topic)
    producer, of_context = jms.producer(topic), jms.context().create_producer()

    def by_producer(delay):
        producer.delivery_delay = delay
        producer.send(jms.text("delayed"))

    def by_context(delay):
        of_context.set_delivery_delay(delay).send(topic, "delayed")

    for send_by, delay in ((by_producer, LONG), (by_context, LONG), (by_producer, 60_001)):
        before = time.time()
        send_by(delay)
        after = time.time()

        written = int(wire.messages(topic)[-1].properties["JMSDeliveryTime"])

        assert int(before * 1000) + delay <= written <= int(after * 1000) + delay
        received = receive(consumer)
        assert texts([received]) == ["delayed"]
        assert received.jms_delivery_time == written


@requirement("SLJ-DLY-004")
def test_workload_of_a_topic_keeps_its_delays(workload):
    """Of 600 messages to a simple consumer, not Exclusive, those with a delay come after it."""
    verdict = workload("delays-of-topics", messages=600).with_power(200, "D15")

    assert verdict.against("D01", "D15") == []


@requirement("SLJ-DLY-006")
def test_workload_of_a_queue_keeps_its_delays(workload):
    """Of 600 messages to a queue those with a delay come after it."""
    verdict = workload("delays", messages=600).with_power(200, "D15")

    assert verdict.against("D01", "D15") == []
