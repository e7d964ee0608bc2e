"""Redelivery: what comes again, in which order, and what it says of itself."""

from collections import Counter

import pytest

from jms_scenarios.core.exchange import (
    AUTO,
    CLIENT,
    TRANSACTED,
    delivery,
    left_on,
    nobody_holds,
    numbered,
    quietly_close,
    send,
    take,
    texts,
    unflagged,
)
from jms_scenarios.listening import started
from jmsapi import Int
from touchstone.api import (
    HOLD,
    Direction,
    body_of,
    checks,
    eventually,
    judging,
    observe,
    receive,
    receive_all,
    requirement,
    slow,
)

pytestmark = pytest.mark.usefixtures("quick")


def by_rollback(jms, queue):
    """The first three deliveries of a queue's messages, and those after rollback()."""
    session = jms.session(TRANSACTED)
    consumer = session.create_consumer(queue)
    first = receive_all(consumer, 3)
    session.rollback()
    again = receive_all(consumer, 3)
    session.commit()
    return first + again


def by_recover(jms, queue):
    """The same with recover()."""
    session = jms.session(CLIENT)
    consumer = session.create_consumer(queue)
    first = receive_all(consumer, 3)
    session.recover()
    return first + receive_all(consumer, 3)


def by_close(jms, queue):
    """The same with the close of the session, and a new one."""
    with jms.session(CLIENT) as session:
        first = receive_all(session.create_consumer(queue), 3)
    return first + receive_all(jms.session(CLIENT).create_consumer(queue), 3)


def by_listener(jms, queue):
    """The same with a listener that fails when it sees a message for the first time."""
    deliveries = []

    def handle(message):
        deliveries.append(message)
        known = [body_of(seen, str) for seen in deliveries]
        if known.count(body_of(message, str)) == 1:
            raise RuntimeError("this message is not wanted yet")

    jms.session(AUTO).create_consumer(queue).message_listener = handle
    eventually(lambda: len(deliveries) >= 6)
    return deliveries


@pytest.mark.parametrize("cause", [by_rollback, by_recover, by_close, by_listener])
@requirement("JMS-REDL-001")
def test_repeats_are_flagged(jms, queue, cause):
    """Every delivery of a message after its first has JMSRedelivered true."""
    sent = send(jms.connected, queue, numbered(3))

    deliveries = [(body_of(m, str), m.jms_redelivered) for m in cause(jms, queue)]

    # What comes again may come before the first delivery of another.
    again = Counter(text for text, _ in deliveries) - Counter(sent)
    assert checks.at_least_once(sent, list(again)) == []
    assert checks.repeats_flagged(deliveries) == []


@requirement("JMS-REDL-001")
def test_repeats_after_a_kill_are_flagged(jms, other_process, name, queues):
    """What comes again because the process that had it was killed has JMSRedelivered true."""
    place = name("queue")
    queue = jms.queue(place)
    session = other_process.session(CLIENT)
    consumer = session.create_consumer(session.create_queue(place))
    sent = send(jms.connected, queue, numbered(3))
    take(consumer, sent)

    other_process.kill()
    nobody_holds(queues, queue)

    again = left_on(jms.connected, queue)
    assert checks.exactly_once(sent, texts(again)) == []
    assert unflagged(again) == []


@pytest.mark.parametrize("kind", ["queue", "topic", "shared"])
@requirement("JMS-REDL-002")
def test_every_message_has_a_delivery_count(jms, name, kind):
    """JMSXDeliveryCount of a received message is an int of at least 1."""
    session = jms.session()
    if kind == "queue":
        destination = jms.queue(name("queue"))
        consumer = session.create_consumer(destination)
    else:
        destination = jms.topic(name("topic"))
        consumer = (
            session.create_consumer(destination)
            if kind == "topic"
            else session.create_shared_consumer(destination, name("subscription"))
        )
    send(jms.connected, destination, ["message"])

    message = receive(consumer)
    jms.needs_count(message)

    assert texts([message]) == ["message"]
    observe("JMSXDeliveryCount exists as a property", message.property_exists("JMSXDeliveryCount"))
    count = message.get_object_property("JMSXDeliveryCount")
    assert type(count) is Int
    assert count >= 1


@requirement("JMS-REDL-003")
def test_each_delivery_counts_one_more(jms, queue):
    """Rolled back four times, a message comes with the counts 1, 2, 3, 4, 5."""
    session = jms.session(TRANSACTED)
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["message"])
    deliveries = []
    for _ in range(4):
        message = receive(consumer)
        jms.needs_count(message)
        deliveries.append(delivery(message))
        session.rollback()
    deliveries.append(delivery(receive(consumer)))
    session.commit()

    observe("JMSXDeliveryCount over four rollbacks", [row.count for row in deliveries])
    assert {row.id for row in deliveries} == {"message"}
    assert checks.counts_rise(deliveries) == []


@requirement("JMS-REDL-004")
def test_flag_and_count_agree(jms, jms_at, faults, queue):
    """Whatever led to a delivery, one with JMSRedelivered true has a JMSXDeliveryCount above 1."""
    proxy, address = faults.byte_proxy()
    through = jms_at(address)
    sent = send(jms.connected, queue, numbered(3))
    messages = by_rollback_without_commit(jms, queue)
    jms.needs_count(messages[0])
    connection = through.connection()
    session = connection.create_session(False, CLIENT)
    consumer = session.create_consumer(queue)
    messages += receive_all(consumer, 3)
    session.recover()
    messages += receive_all(consumer, 3)
    proxy.cut()
    quietly_close(connection)
    messages += receive_all(jms.session(CLIENT).create_consumer(queue), 3)

    deliveries = [delivery(message) for message in messages]
    observe("JMSXDeliveryCount: rollback, close, recover, cut", [row.count for row in deliveries])
    assert any(row.redelivered for row in deliveries)
    assert {row.id for row in deliveries} == {*sent}
    assert checks.flags_counted(deliveries) == []


def by_rollback_without_commit(jms, queue):
    """Three messages, delivered twice, that go back with the close of their session."""
    with jms.session(TRANSACTED) as session:
        consumer = session.create_consumer(queue)
        messages = receive_all(consumer, 3)
        session.rollback()
        return messages + receive_all(consumer, 3)


@requirement("JMS-REDL-005")
def test_recovered_messages_are_flagged_and_counted(jms, queue):
    """After recover() two messages come with JMSRedelivered true and JMSXDeliveryCount 2."""
    session = jms.session(CLIENT)
    consumer = session.create_consumer(queue)
    jms.needs_count(take(consumer, send(jms.connected, queue, numbered(2)))[0])

    session.recover()

    again = [delivery(message) for message in receive_all(consumer, 2)]
    assert sorted(again) == [
        checks.CountedDelivery("message-1", True, 2),
        checks.CountedDelivery("message-2", True, 2),
    ]


@requirement("JMS-REDL-006")
def test_recover_starts_again_at_the_first_unacknowledged_message(jms, queue):
    """After recover() come the three messages received since acknowledge(), then the new ones."""
    session = jms.session(CLIENT)
    consumer = session.create_consumer(queue)
    sent = send(jms.connected, queue, numbered(7))
    take(consumer, sent[:2])[-1].acknowledge()
    assert texts(receive_all(consumer, 3)) == sent[2:5]

    session.recover()

    received = texts(receive_all(consumer, 5))
    observe("order after recover()", received)
    assert received == sent[2:]


@pytest.mark.parametrize("mode", [AUTO, CLIENT, TRANSACTED], ids=["auto", "client", "transacted"])
@requirement("JMS-REDL-007")
def test_settled_messages_stay_settled(jms, jms_at, faults, queue, queues, mode):
    """Through four cuts of the connection nothing comes again whose settlement the broker took."""
    proxy, address = faults.byte_proxy()
    through = jms_at(address)
    sent = send(jms.connected, queue, numbered(20))
    settled, violations = [], []
    for left in (15, 10, 5, 0):
        connection = through.connection()
        session = connection.create_session(mode == TRANSACTED, mode)
        consumer = session.create_consumer(queue)
        messages = receive_all(consumer, 5)
        violations += checks.none_again(settled, texts(messages))
        if mode == CLIENT:
            messages[-1].acknowledge()
        elif mode == TRANSACTED:
            session.commit()
        settled += texts(messages)
        waiting = len(sent) - len(set(settled))
        eventually(lambda waiting=waiting: queues.pending(queue) == waiting)
        if mode != AUTO and left:
            violations += checks.none_again(settled, texts(receive_all(consumer, 2)))
        proxy.cut()
        quietly_close(connection)
    violations += checks.none_again(settled, texts(left_on(jms.connected, queue)))

    assert violations == []
    assert checks.exactly_once(sent, settled) == []


@requirement("JMS-REDL-009")
def test_message_with_a_lost_confirmation_is_not_multiplied(jms, jms_at, faults, queue, queues):
    """A message that the broker has, and whose confirmation is lost by a cut, arrives once."""
    jms.session().create_consumer(queue).close()
    proxy, address = faults.byte_proxy()
    connection = jms_at(address).connection()
    session = connection.create_session()
    producer = session.create_producer(queue)
    producer.send(session.create_text_message("first"))
    eventually(lambda: queues.pending(queue) == 1)
    held = proxy.on(action=HOLD, direction=Direction.TO_CLIENT)

    sending = started(lambda: producer.send(session.create_text_message("second")))
    eventually(lambda: queues.pending(queue) == 2)
    proxy.cut()
    held.release()
    eventually(sending.done, within=60)

    failed = sending.exception()
    observe("a send whose confirmation is lost", "returns" if failed is None else repr(failed))
    quietly_close(connection)
    assert checks.exactly_once(["first", "second"], texts(left_on(jms.connected, queue))) == []


@requirement("JMS-REDL-014")
def test_repeat_is_the_message_that_was_sent(jms, queue):
    """A message comes again with body and properties as sent, whatever its receiver wrote to it."""
    session = jms.session(CLIENT)
    consumer = session.create_consumer(queue)
    message = session.create_text_message("sent")
    message.set_int_property("number", 1)
    message.jms_correlation_id = "correlation"
    jms.producer(queue).send(message)
    first = receive(consumer)
    assert texts([first]) == ["sent"]
    first.clear_body()
    first.text = "changed"
    first.clear_properties()
    first.set_int_property("number", 2)
    first.set_string_property("added", "text")

    session.recover()
    again = receive(consumer)

    assert body_of(again, str) == "sent"
    assert again.get_object_property("number") == 1
    assert not again.property_exists("added")
    assert again.jms_correlation_id == "correlation"
    assert again.jms_message_id == message.jms_message_id


@requirement("JMS-REDL-015")
def test_subscriber_recovers_what_it_did_not_acknowledge(jms, topic):
    """A subscriber gets three messages again after recover(), in order and flagged."""
    session = jms.session(CLIENT)
    consumer = session.create_consumer(topic)
    sent = send(jms.connected, topic, numbered(3))
    take(consumer, sent)

    session.recover()
    again = receive_all(consumer, 3)

    assert texts(again) == sent
    assert unflagged(again) == []


@requirement("JMS-REDL-001", "JMS-REDL-004", "JMS-REDL-005", "JMS-REDL-007", "JMS-REDL-009")
@slow
def test_workload_flags_and_counts_what_is_recovered(workload):
    """Of 400 messages those of recovered batches come again, flagged and counted, others once."""
    verdict = workload("client-acknowledge", messages=400).with_power(10, "D06", "D12", "D19")
    verdict = verdict.with_power(400, "D01").with_power(300, "D05", "D08", "D11")

    with judging("JMS-REDL-001"):
        assert verdict.against("D06") == []
    with judging("JMS-REDL-004"):
        assert verdict.against("D12") == []
    with judging("JMS-REDL-005"):
        assert verdict.against("D06", "D11", "D19") == []
    with judging("JMS-REDL-007"):
        assert verdict.against("D05", "D08") == []
    with judging("JMS-REDL-009"):
        assert verdict.against("D01", "D02", "D08") == []


@requirement("JMS-REDL-003")
@slow
def test_workload_counts_what_is_rolled_back(workload):
    """Of 400 messages each delivery is counted, those after a rollback one higher than before."""
    verdict = (
        workload("rollbacks", messages=400).with_power(10, "D06", "D19").with_power(300, "D11")
    )

    assert verdict.against("D01", "D06", "D11", "D19") == []


@requirement("JMS-REDL-006")
@slow
def test_workload_starts_again_at_the_oldest_message(workload):
    """After each recover() of the only consumer of 600 messages the oldest unsettled is next."""
    verdict = workload("exclusive", messages=600).with_power(2, "D30").with_power(600, "D01")

    assert verdict.against("D01", "D30") == []


@requirement("JMS-REDL-008")
@slow
def test_workload_of_cut_listeners_flags_and_settles(workload):
    """Listeners in AUTO_ACKNOWLEDGE, one call in twenty of which throws, are cut off twice.

    What they give back is flagged and counted, what they returned from does not come again.
    """
    verdict = workload("listeners-cut", messages=300).with_power(5, "D06", "D19")
    verdict = verdict.with_power(250, "D05", "D11")

    assert verdict.against("D05", "D06", "D11") == []
