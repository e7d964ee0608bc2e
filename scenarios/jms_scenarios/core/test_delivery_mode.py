"""Delivery modes: side by side on a destination, and through a failure of the broker."""

import time

import pytest

from jms_scenarios.core.surviving import BACK, Sender, again, take_all, tried
from jms_scenarios.traffic import numbered, texts
from jmsapi import DeliveryMode, SessionMode
from touchstone.api import (
    body_of,
    broker,
    checks,
    durable_consumer,
    eventually,
    judging,
    observe,
    receive_all,
    requirement,
    slow,
)

PERSISTENT, NON_PERSISTENT = DeliveryMode.PERSISTENT, DeliveryMode.NON_PERSISTENT
SUBSCRIPTIONS = ("one", "two", "idle")
BEFORE, FINISHED, HELD, AFTER = 60, 20, 20, 60
"""How many messages: sent before the broker fails, of these finished, and received only; sent while
and after it fails."""


@requirement("JMS-MODE-005")
@pytest.mark.parametrize("kind", ["queue", "topic"])
def test_both_modes_are_used_on_one_destination(jms, queue, topic, kind):
    """Of 20 messages sent by turns in both modes, each arrives once and with its own mode."""
    destination = queue if kind == "queue" else topic
    consumer = jms.consumer(destination)
    producer = jms.producer(destination)
    sent = {}
    for number, text in enumerate(numbered(20)):
        sent[text] = (NON_PERSISTENT, PERSISTENT)[number % 2]
        producer.send(jms.text(text), delivery_mode=sent[text])

    received = receive_all(consumer, 20)

    assert checks.exactly_once(sent, texts(received)) == []
    assert {body_of(m, str): m.jms_delivery_mode for m in received} == sent


@pytest.fixture
def failing(jms, name):
    """What is sent through the failure: to two queues, one for each mode, and a topic."""
    return Failing(
        jms.queue(name("persistent")), jms.queue(name("non_persistent")), jms.topic(name("topic"))
    )


class Failing:
    def __init__(self, persistent, non_persistent, topic):
        self.queues = {PERSISTENT: persistent, NON_PERSISTENT: non_persistent}
        self.topic = topic
        self.deliveries = {mode: [] for mode in self.queues}
        self.finished = {}
        self.later = {}
        self.kept = {}

    def plan(self, phase, count):
        """Where each text goes, and in which mode; by turns."""
        for number in range(count):
            for mode, queue in self.queues.items():
                yield queue, f"{mode.name} {phase}-{number}", mode
            yield self.topic, f"TOPIC {phase}-{number}", PERSISTENT

    def receive_some(self, connection, queues):
        """Of each queue some messages are finished, and some held."""
        for mode, queue in self.queues.items():
            session = connection.create_session(False, SessionMode.CLIENT_ACKNOWLEDGE)
            consumer = session.create_consumer(queue)
            taken = receive_all(consumer, FINISHED)
            taken[-1].acknowledge()
            eventually(lambda queue=queue: queues.pending(queue) == BEFORE - FINISHED)
            self.finished[mode] = texts(taken)
            taken += receive_all(consumer, HELD)
            self.deliveries[mode] += [(body_of(m, str), m.jms_redelivered) for m in taken]

    def receive_rest(self, jms, client_id, expected):
        """Everything that the broker has for new consumers."""
        connection = again(lambda: jms.connection(client_id=client_id))
        for mode, queue in self.queues.items():
            here = set(expected(mode.name)) - set(self.finished[mode])
            self.later[mode] = take_all(
                jms,
                connection,
                lambda session, queue=queue: session.create_consumer(queue),
                queue,
                here if mode == PERSISTENT else (),
            )
            self.deliveries[mode] += self.later[mode]
        for each in SUBSCRIPTIONS:
            self.kept[each] = take_all(
                jms,
                connection,
                lambda session, each=each: durable_consumer(session, self.topic, each),
                self.topic,
                expected("TOPIC"),
            )


@slow
@broker("plain", exclusive=True)
@requirement("JMS-MODE-001", "JMS-MODE-002", "JMS-MODE-003", "JMS-MODE-004")
def test_modes_through_a_failure_of_the_broker(jms, name, queues, broker_control, failing):
    """The broker is killed while messages of both modes are sent, held unfinished, and kept."""
    client_id = name("subscriber")
    connection = jms.connection(client_id=client_id)
    session = connection.create_session()
    subscribers = [durable_consumer(session, failing.topic, each) for each in SUBSCRIPTIONS]
    subscribers.pop().close()
    first = Sender(jms, failing.plan("before", BEFORE))
    eventually(first.done, BACK)
    failing.receive_some(connection, queues)

    second = Sender(jms, failing.plan("after", AFTER))
    eventually(lambda: len(second.confirmed) >= AFTER)
    killing = time.monotonic()
    broker_control.kill()
    interrupted = second.underway(killing, time.monotonic())
    broker_control.start()
    eventually(second.done, BACK)
    second.stop()
    tried(connection.close)

    confirmed = [*first.confirmed, *second.confirmed]
    failing.receive_rest(jms, client_id, lambda kind: of_kind(confirmed, kind))

    observe("sends that failed with the broker", 3 * (BEFORE + AFTER) - len(confirmed))
    arrived = {mode: [text for text, _ in rows] for mode, rows in failing.deliveries.items()}
    lost = set(of_kind(confirmed, "NON_PERSISTENT")) - set(arrived[NON_PERSISTENT])
    observe("NON_PERSISTENT messages that were lost with the broker", len(lost))
    with judging("JMS-MODE-002"):
        sent = of_kind(confirmed, "PERSISTENT")
        assert checks.at_least_once(sent, set(arrived[PERSISTENT]) & set(sent)) == []
    with judging("JMS-MODE-004"):
        sent = of_kind(confirmed, "TOPIC")
        for rows in failing.kept.values():
            assert checks.at_least_once(sent, {text for text, _ in rows} & set(sent)) == []
    for id_, mode in (("JMS-MODE-003", PERSISTENT), ("JMS-MODE-001", NON_PERSISTENT)):
        with judging(id_):
            # Whether an interrupted send is repeated is the matter of JMS-REDL-009.
            finished = [text for text, _ in failing.later[mode] if text not in interrupted]
            assert checks.exactly_once(set(finished), finished) == []
            again_finished = checks.none_again(
                failing.finished[mode], [text for text, _ in failing.later[mode]]
            )
            observe(f"{mode.name} messages finished before and received again", len(again_finished))
            assert again_finished + checks.repeats_flagged(failing.deliveries[mode]) == []


def of_kind(all_texts, kind):
    return [text for text in all_texts if text.split()[0] == kind]
