"""Destinations: queues and topics are what they are, whoever made them and whichever API asks."""

import pytest

from jms_scenarios.core.domains import FOR_QUEUES, FOR_TOPICS
from jms_scenarios.core.surviving import BACK, again
from jms_scenarios.traffic import numbered, only_the_marker_comes, send, shared_out, texts
from jmsapi import Int, SessionMode
from touchstone.api import (
    broker,
    checks,
    compose,
    content_of,
    durable_consumer,
    eventually,
    kind_of,
    nothing_before,
    receive,
    receive_all,
    requirement,
    slow,
    strategies,
)

CLIENT = SessionMode.CLIENT_ACKNOWLEDGE
PLAIN = {
    "header": None,
    "text": "hello",
    "bytes": b"\x01\x02",
    "map": {"k": Int(1)},
    "stream": [Int(1), "two"],
    "object": [Int(1), Int(2)],
}
"""A body of each kind."""


def is_marker(message):
    return texts([message]) == ["marker"]


def pairs(apis):
    """Each API, and the next one."""
    names = list(apis)
    return pytest.mark.parametrize(
        ("first_api", "second_api"),
        [
            pytest.param(apis[name], apis[names[(row + 1) % len(names)]], id=name)
            for row, name in enumerate(names)
        ],
    )


@slow
@broker("plain", exclusive=True)
@requirement("JMS-DEST-001")
def test_queue_keeps_messages_while_nobody_consumes(jms, queue, queues, broker_control):
    """Ten messages that were sent before any consumer was made outlive clients and the broker."""
    with jms.connection() as connection:
        sent = send(connection, queue, numbered(10))
    eventually(lambda: queues.pending(queue) == 10)

    broker_control.kill()
    broker_control.start()

    # What a broker that has just started says of a queue without consumers is not the whole truth.
    consumer = again(lambda: jms.connection().create_session().create_consumer(queue))
    assert checks.exactly_once(sent, texts(receive_all(consumer, 10, within=BACK))) == []


@pytest.mark.usefixtures("fair_shares")
@pairs(FOR_QUEUES)
@requirement("JMS-DEST-002")
def test_queue_gives_each_message_once_by_any_api(jms, queue, first_api, second_api):
    """What one API sends comes to consumers of two APIs, to each something else."""
    workers = [first_api(jms), second_api(jms)]
    consumers = [worker.receiver(queue) for worker in workers]
    for text in numbered(10):
        workers[0].send(queue, text)

    shares = shared_out(consumers, 10)

    assert checks.exactly_once(numbered(10), [text for share in shares for text in share]) == []


@pairs(FOR_QUEUES)
@requirement("JMS-DEST-002")
def test_selector_leaves_the_rest_by_any_api(jms, queue, first_api, second_api):
    """A consumer with a selector of one API takes its message, the other API gets the others."""
    sender, receiver = first_api(jms), second_api(jms)
    for n in (1, 2, 3):
        sender.send(queue, f"message-{n}", n)

    with receiver.receiver(queue, "n = 2") as chosen:
        assert texts([receive(chosen)]) == ["message-2"]

    rest = receive_all(sender.receiver(queue), 2)
    assert checks.exactly_once(["message-1", "message-3"], texts(rest)) == []


@pairs(FOR_QUEUES)
@requirement("JMS-DEST-002")
def test_browsing_leaves_all_by_any_api(jms, queue, queues, first_api, second_api):
    """A browser of one API sees what another sent, and it is still there to be received."""
    sender, looker = first_api(jms), second_api(jms)
    for text in numbered(3):
        sender.send(queue, text)
    eventually(lambda: queues.pending(queue) == 3)

    with looker.made.create_browser(queue) as browser:
        assert texts(browser.enumeration) == numbered(3)

    assert texts(receive_all(looker.receiver(queue), 3)) == numbered(3)


@pytest.mark.usefixtures("quick")
@pairs(FOR_QUEUES)
@requirement("JMS-DEST-002")
def test_recovery_repeats_by_any_api(jms, queue, first_api, second_api):
    """What was not acknowledged comes again behind recover(), flagged."""
    sender, receiver = first_api(jms), second_api(jms, CLIENT)
    sender.send(queue, "hello")
    consumer = receiver.receiver(queue)
    first = receive(consumer)

    receiver.made.recover()
    again = receive(consumer)

    assert texts([first, again]) == ["hello", "hello"]
    assert (first.jms_redelivered, again.jms_redelivered) == (False, True)
    again.acknowledge()


@pairs(FOR_TOPICS)
@requirement("JMS-DEST-003")
def test_topic_gives_everybody_everything_by_any_api(jms, topic, first_api, second_api):
    """Subscribers of two APIs each get what one of them publishes."""
    workers = [first_api(jms), second_api(jms)]
    subscribers = [worker.subscriber(topic) for worker in workers]

    for text in numbered(3):
        workers[0].send(topic, text)

    for subscriber in subscribers:
        assert texts(receive_all(subscriber, 3)) == numbered(3)


@pairs(FOR_TOPICS)
@requirement("JMS-DEST-003")
def test_durable_subscription_stays_by_any_api(jms, topic, name, first_api, second_api):
    """What another API published while it was idle comes to a durable subscription."""
    subscribing = first_api(jms, client_id=name("client"))
    subscribing.durable_subscriber(topic, "kept").close()

    second_api(jms).send(topic, "while idle")

    assert texts([receive(subscribing.durable_subscriber(topic, "kept"))]) == ["while idle"]


@pairs(FOR_TOPICS)
@requirement("JMS-DEST-003")
def test_selector_of_a_subscription_by_any_api(jms, topic, first_api, second_api):
    """A subscriber with a selector gets of what another API publishes its own."""
    subscriber = first_api(jms).subscriber(topic, "n = 2")
    publisher = second_api(jms)

    for n in (1, 2, 3, 2):
        publisher.send(topic, f"message-{n}", n)

    assert texts(receive_all(subscriber, 2)) == ["message-2", "message-2"]


@pairs(FOR_TOPICS)
@requirement("JMS-DEST-003")
def test_no_local_by_any_api(jms, topic, first_api, second_api):
    """A subscriber leaves out what its own connection publishes, and gets what another API does."""
    own, publisher = first_api(jms), second_api(jms)
    subscriber = own.subscriber(topic, None, True)

    own.send(topic, "own")

    nothing_before(subscriber, lambda: publisher.send(topic, "marker"), is_marker)


@slow
@pytest.mark.usefixtures("fair_shares")
@requirement("JMS-DEST-004")
def test_each_message_goes_to_one_consumer(jms, other_process, queue):
    """Of two hundred messages three consumers in two processes get every one once."""
    elsewhere = other_process.connection().create_session()
    consumers = [
        jms.consumer(queue, jms.session()),
        jms.consumer(queue, jms.session()),
        elsewhere.create_consumer(other_process.queue(queue.queue_name)),
    ]

    sent = send(jms.connected, queue, numbered(200))
    shares = shared_out(consumers, 200, within=60)

    assert checks.exactly_once(sent, [text for share in shares for text in share]) == []


@requirement("JMS-DEST-004")
def test_workload_gives_each_message_to_one_consumer(workload):
    """Of 2,000 messages by three producers each comes to one of three consumers, once."""
    verdict = workload("queue", messages=2_000).with_power(2_000, "D01").with_power(1_500, "D08")

    assert verdict.against("D01", "D08") == []


@requirement("JMS-DEST-005")
def test_settling_one_copy_leaves_the_other(jms, topic, queues, name):
    """Of two durable subscriptions that got a message, one acknowledges: the other still has it."""
    connection = jms.connection(client_id=name("client"))
    sessions = {each: connection.create_session(False, CLIENT) for each in ("first", "second")}
    consumers = {n: durable_consumer(each, topic, n) for n, each in sessions.items()}
    send(jms.connected, topic, ["hello"])
    received = {each: receive(consumer) for each, consumer in consumers.items()}
    assert texts(received.values()) == ["hello", "hello"]

    received["first"].acknowledge()
    for session in sessions.values():
        session.close()

    if queues.subscriptions(topic) is not None:
        eventually(lambda: sorted(each.pending for each in queues.subscriptions(topic)) == [0, 1])
    session = connection.create_session()
    assert texts([receive(durable_consumer(session, topic, "second"))]) == ["hello"]
    first = durable_consumer(session, topic, "first")
    only_the_marker_comes(jms.connected, topic, first)


@requirement("JMS-DEST-006")
@pytest.mark.parametrize("kind", ["queue", "topic"])
def test_same_name_is_the_same_destination(jms, queues, name, kind):
    """What one connection sends by a name comes to another that asked for the same name."""
    wanted = name(kind)
    sessions = [jms.connection().create_session() for _ in range(2)]
    made = [getattr(session, f"create_{kind}")(wanted) for session in sessions]
    assert [getattr(each, f"{kind}_name") for each in made] == [wanted] * 2
    consumer = sessions[1].create_consumer(made[1])

    sessions[0].create_producer(made[0]).send(sessions[0].create_text_message("hello"))

    received = receive(consumer)
    assert texts([received]) == ["hello"]
    assert getattr(received.jms_destination, f"{kind}_name") == wanted
    assert queues.exists(made[0]) in (True, None)


@requirement("JMS-DEST-007")
def test_message_is_sent_by_another_session(jms, queue):
    """What a session of another connection made is sent by this one, of each kind, complete."""
    elsewhere = jms.connection().create_session()
    consumer, producer = jms.consumer(queue), jms.producer(queue)

    for maker in (jms.session(), elsewhere):
        for kind, content in PLAIN.items():
            message = compose(maker, kind, content)
            message.set_string_property("kind", kind)
            producer.send(message)
            received = receive(consumer)
            assert received.get_string_property("kind") == kind
            assert kind in ("header", kind_of(received))
            if kind != "header":
                assert strategies.identical(content_of(received), content)
