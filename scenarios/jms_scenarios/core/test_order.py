"""Order: what one producer sends to one destination is received in that order."""

import threading

from jms_scenarios.traffic import numbered, send, shared_out, texts
from jmsapi import DeliveryMode, SessionMode
from touchstone.api import (
    bounded,
    checks,
    judging,
    observe,
    permissive,
    receive,
    receive_all,
    requirement,
    slow,
    timed,
)

DELAY = 1.5
"""Seconds of delay: ample for what is sent behind it to come first."""


@requirement("JMS-ORD-001")
def test_messages_of_a_session_come_in_the_order_sent(jms, queue):
    """Of four sessions that send 100 messages each at the same time, each keeps its order."""
    consumer = jms.consumer(queue)
    sent = [numbered(100, f"session-{number}") for number in range(4)]
    threads = [threading.Thread(target=send, args=(jms.connected, queue, own)) for own in sent]
    for thread in threads:
        thread.start()

    received = texts(receive_all(consumer, 400))

    for thread in threads:
        thread.join()
    for own in sent:
        assert checks.in_order(own, received) == []
    assert checks.exactly_once([text for own in sent for text in own], received) == []


@requirement("JMS-ORD-001")
def test_messages_of_a_topic_come_in_the_order_sent(jms, topic):
    """100 messages of a producer come to a subscriber of a topic in the order sent."""
    consumer = jms.consumer(topic)

    sent = send(jms.connected, topic, numbered(100))

    assert texts(receive_all(consumer, 100)) == sent


@requirement("JMS-ORD-001")
@permissive
def test_producers_of_one_session_keep_an_order_each(jms, queue):
    """Of two producers of one session each keeps its order; whether both together do is noted."""
    session = jms.session()
    producers = [session.create_producer(queue), session.create_producer(queue)]
    sent = numbered(100)
    for number, text in enumerate(sent):
        producers[number % 2].send(session.create_text_message(text))

    received = texts(receive_all(jms.consumer(queue), 100))

    for own in (sent[::2], sent[1::2]):
        assert checks.in_order(own, received) == []
    observe("two producers of a session keep one order", received == sent)


@requirement("JMS-ORD-002")
def test_delivery_modes_keep_an_order_each(jms, queue):
    """Of 100 messages sent in both delivery modes by turns, those of each mode keep their order."""
    session = jms.session()
    sent = numbered(100)
    with session.create_producer(queue) as producer:
        for number, text in enumerate(sent):
            producer.send(
                session.create_text_message(text), delivery_mode=DeliveryMode(number % 2 + 1)
            )

    received = texts(receive_all(jms.consumer(queue), 100))

    for own in (sent[::2], sent[1::2]):
        assert checks.in_order(own, received) == []
    assert checks.exactly_once(sent, received) == []
    observe("one delivery mode overtakes the other", received != sent)


@requirement("JMS-ORD-003")
def test_messages_of_a_transaction_keep_their_order(jms, name):
    """Ten transactions of 20 sends over two queues: each queue gets its share in the order sent."""
    queues = [jms.queue(name("first")), jms.queue(name("second"))]
    session = jms.session(SessionMode.SESSION_TRANSACTED)
    producers = [session.create_producer(queue) for queue in queues]
    sent = [[], []]
    for transaction in range(10):
        for number, text in enumerate(numbered(20, f"transaction-{transaction}")):
            producers[number % 2].send(session.create_text_message(text))
            sent[number % 2].append(text)
        session.commit()

    for queue, own in zip(queues, sent, strict=True):
        assert texts(receive_all(jms.consumer(queue), len(own))) == own


@requirement("JMS-ORD-004")
def test_only_consumer_gets_everything_in_order(jms, queue):
    """One consumer gets the 300 messages of one producer in the order sent, and none is missing."""
    sent = send(jms.connected, queue, numbered(150))
    consumer = jms.consumer(queue)
    received = texts(receive_all(consumer, 50))

    sent += send(jms.connected, queue, numbered(150, "later"))

    received += texts(receive_all(consumer, 250))
    assert received == sent


@requirement("JMS-ORD-005")
def test_consumers_of_a_queue_get_their_shares_in_order(jms, queue):
    """Three consumers of one queue each get their share of 90 messages in the order sent."""
    consumers = [jms.consumer(queue, jms.session()) for _ in range(3)]
    for consumer in consumers:
        assert consumer.receive_no_wait() is None

    sent = send(jms.connected, queue, numbered(90))
    shares = shared_out(consumers, 90)

    for share in shares:
        assert checks.in_order(sent, share) == []
    assert checks.exactly_once(sent, [text for share in shares for text in share]) == []
    observe("shares of three consumers", [len(share) for share in shares])


@requirement("JMS-ORD-005")
def test_rollback_leaves_the_share_of_another_consumer_in_order(jms, queue):
    """One of two consumers of 60 messages rolls back two: all others come first to each in order.

    Those two may come again to anybody, at any time.
    """
    session = jms.session(SessionMode.SESSION_TRANSACTED)
    consumers = [jms.consumer(queue, jms.session()), jms.consumer(queue, session)]
    for consumer in consumers:
        assert consumer.receive_no_wait() is None
    sent = send(jms.connected, queue, numbered(60))
    again = texts(receive_all(consumers[1], 2))

    session.rollback()
    shares = shared_out(consumers, 60)

    for share in shares:
        assert checks.in_order(sent, [text for text in share if text not in again]) == []
    assert checks.exactly_once(sent, [text for share in shares for text in share]) == []


@requirement("JMS-ORD-005")
def test_consumer_with_a_selector_gets_its_share_in_order(jms, queue):
    """A consumer that selects half of 60 messages gets these in the order sent."""
    session = jms.session()
    consumer = session.create_consumer(queue, "half = 1")
    sent = numbered(60)
    with session.create_producer(queue) as producer:
        for number, text in enumerate(sent):
            message = session.create_text_message(text)
            message.set_int_property("half", number % 2)
            producer.send(message)

    assert texts(receive_all(consumer, 30)) == sent[1::2]


@requirement("JMS-ORD-006")
@slow
def test_delivery_times_change_the_order(jms, queue):
    """A message without delay comes before one that was sent earlier and is due later.

    The client has done both before, with a delay and without: what it does once only takes none of
    that time.
    """
    session = jms.session()
    consumer = session.create_consumer(queue)
    producer = session.create_producer(queue)
    for delay in (0, 50):
        producer.delivery_delay = delay
        producer.send(session.create_text_message("before"))
        assert texts([receive(consumer)]) == ["before"]
    producer.delivery_delay = round(DELAY * 1000)
    with timed() as both:
        with timed() as first:
            producer.send(session.create_text_message("delayed"))
            producer.delivery_delay = 0
            producer.send(session.create_text_message("at once"))
            received = texts([receive(consumer)])
        received += texts([receive(consumer)])

    bounded(first.seconds, "the first message", at_most=DELAY, slack=first.slack)
    assert received == ["at once", "delayed"]
    bounded(both.seconds, "the delayed message", at_least=DELAY)


@requirement("JMS-ORD-001", "JMS-ORD-005")
@slow
def test_workload_of_a_shared_queue_keeps_each_producers_order(workload):
    """Of 600 messages of three producers each of three consumers gets its share in order."""
    verdict = workload("queue", messages=600).with_power(600, "D01").with_power(300, "D08", "D09")

    with judging("JMS-ORD-001"):
        assert verdict.against("D01", "D02", "D09") == []
    with judging("JMS-ORD-005"):
        assert verdict.against("D08", "D09") == []


@requirement("JMS-ORD-002", "JMS-ORD-004")
@slow
def test_workload_of_both_delivery_modes_keeps_their_orders(workload):
    """Of 600 messages sent in both modes by turns one consumer gets all, each mode in its order."""
    verdict = workload("non-persistent", messages=600).with_power(600, "D01").with_power(500, "D09")

    with judging("JMS-ORD-002"):
        assert verdict.against("D09") == []
    with judging("JMS-ORD-004"):
        assert verdict.against("D01", "D08", "D09") == []


@requirement("JMS-ORD-003")
@slow
def test_workload_keeps_the_order_within_transactions(workload):
    """Of 600 messages, sent in transactions of twenty, what is committed comes whole, in order."""
    verdict = (
        workload("transacted-sends", messages=600).with_power(20, "D17").with_power(400, "D09")
    )

    assert verdict.against("D01", "D08", "D09", "D17") == []
