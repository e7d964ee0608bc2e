"""Dead letters: what is set aside, when, where it goes, and what stays."""

import pytest

from jms_scenarios.listening import NotingListener
from jms_scenarios.traffic import numbered, only_the_marker_comes, send, texts
from jmsapi import Int, SessionMode
from touchstone.api import (
    compose,
    content_of,
    eventually,
    judging,
    kind_of,
    nothing_before,
    receive,
    requirement,
)

QUICK = {"negativeAckRedeliveryBackoff": {"minDelayMs": 10, "maxDelayMs": 100, "multiplier": 2.0}}
"""The backoff in the documents, so that no redelivery waits for long."""
QUICKEST = {"minDelayMs": 1, "maxDelayMs": 1, "multiplier": 2.0}


@pytest.fixture
def letters(wire, name):
    """The full name of a fresh dead letter topic."""
    return wire.topic(name("letters"))


@pytest.fixture
def limited(letters):
    """`limited(count)`: consumerConfig that allows so many redeliveries."""

    def limited(count, **policy):
        policy = {"maxRedeliverCount": count, "deadLetterTopic": letters, **policy}
        return {**QUICK, "deadLetterPolicy": policy}

    return limited


@pytest.fixture
def session_with(jms):
    """`session_with(consumer_config)`: a session in CLIENT_ACKNOWLEDGE."""

    def session_with(consumer_config):
        connection = jms.connection({"consumerConfig": consumer_config})
        return connection.create_session(False, SessionMode.CLIENT_ACKNOWLEDGE)

    return session_with


def delivery_count(message):
    return message.get_int_property("JMSXDeliveryCount")


def reject_next(session, consumer, times):
    """The JMSXDeliveryCount of each delivery of the next message, which is rejected each time."""
    messages = []
    for _ in range(times):
        messages.append(receive(consumer))
        session.recover()
    assert texts(messages) == texts(messages[:1]) * times
    return [delivery_count(message) for message in messages]


def as_query(policy):
    """A policy as settings in a name."""
    return "&".join(f"consumerConfig.deadLetterPolicy.{key}={each}" for key, each in policy.items())


def in_a_namespace_of_its_own(admin, jms, name):
    """A queue whose namespace holds nothing else, and that namespace."""
    namespace = admin.namespace()
    return jms.queue(f"persistent://{namespace}/{name('queue')}"), namespace


def topics_of(admin, namespace):
    """The topics of a namespace but for Pulsar's own."""
    return [topic for topic in admin.topics(namespace) if "/__" not in topic]


@requirement("SLJ-DLQ-001")
def test_policy_is_a_map_in_the_configuration(jms, name, topic, wire, letters):
    """A map under consumerConfig.deadLetterPolicy is all that the consumers of a client need.

    Those of two queues, of a topic's shared subscription and of a context all honour it.
    """
    policy = {"maxRedeliverCount": 1, "deadLetterTopic": letters}
    settings = {"consumerConfig": {"deadLetterPolicy": policy, **QUICK}}
    mode = SessionMode.CLIENT_ACKNOWLEDGE
    session = jms.connection(settings).create_session(False, mode)
    context = jms.context(mode, settings)
    queues = [jms.queue(name("queue")) for _ in range(3)]
    consumers = [
        *((each, session, session.create_consumer(each)) for each in queues[:2]),
        (topic, session, session.create_shared_durable_consumer(topic, "s1")),
        (queues[2], context, context.create_consumer(queues[2])),
    ]

    for number, (destination, opener, consumer) in enumerate(consumers):
        send(jms.connected, destination, [f"bad-{number}"])
        reject_next(opener, consumer, 2)

    eventually(lambda: len(wire.messages(letters)) == 4)
    payloads = [letter.payload.decode() for letter in wire.messages(letters)]
    assert sorted(payloads) == [f"bad-{number}" for number in range(4)]


@requirement("SLJ-DLQ-002")
@pytest.mark.parametrize("limit", [1, 3, 20])
def test_max_redeliver_count_is_the_number_of_redeliveries(
    session_with, jms, queue, wire, letters, limited, limit
):
    """The message is redelivered as often as maxRedeliverCount says, and then set aside.

    A client may fetch it once more to set it aside, as long as no consumer sees that.
    """
    session = session_with({**limited(limit), "negativeAckRedeliveryBackoff": QUICKEST})
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["bad"])

    counts = reject_next(session, consumer, limit + 1)

    assert counts == list(range(1, limit + 2))
    assert wire.only_message(letters).payload == b"bad"
    only_the_marker_comes(jms.connected, queue, consumer)


@requirement("SLJ-DLQ-003")
@pytest.mark.parametrize("kind", ["queue", "topic"])
def test_dead_letters_go_to_the_topic_of_the_policy_alone(
    session_with, jms, admin, wire, name, limited, kind
):
    """A failed message is in the deadLetterTopic, and no other topic came into being for it."""
    queue, namespace = in_a_namespace_of_its_own(admin, jms, name)
    letters = f"persistent://{namespace}/{name('my-dlt')}"
    session = session_with(limited(1, deadLetterTopic=letters))
    topic = jms.topic(queue.queue_name)
    if kind == "queue":
        destination, consumer = queue, session.create_consumer(queue)
    else:
        destination, consumer = topic, session.create_shared_durable_consumer(topic, "s1")
    send(jms.connected, destination, ["bad"])

    reject_next(session, consumer, 2)

    assert wire.only_message(letters).payload == b"bad"
    assert topics_of(admin, namespace) == sorted([queue.queue_name, letters])


@requirement("SLJ-DLQ-004")
def test_initial_subscription_keeps_the_dead_letters(
    jms, client_id, queue, admin, letters, limited
):
    """The dead letter topic has the subscription dqlsub, with both dead letters in it.

    The name is as it was given, whatever the connection's client identifier.
    """
    settings = {"consumerConfig": limited(1, initialSubscriptionName="dqlsub")}
    connection = jms.connection(settings, client_id=client_id)
    session = connection.create_session(False, SessionMode.CLIENT_ACKNOWLEDGE)
    consumer = session.create_consumer(queue)
    for text in ("bad", "worse"):
        send(jms.connected, queue, [text])
        reject_next(session, consumer, 2)

    eventually(lambda: admin.backlog(letters, "dqlsub") == 2)
    subscription = admin.only_subscription(letters)
    assert (subscription.name, subscription.durable) == ("dqlsub", True)


@requirement("SLJ-DLQ-002", "SLJ-DLQ-003", "SLJ-DLQ-004")
@pytest.mark.parametrize("settings", ["factories", "names"])
@pytest.mark.parametrize("limits", [(1, 3), (3, 1)], ids=["less-first", "more-first"])
def test_policies_share_a_dead_letter_topic(
    session_with, jms, name, wire, admin, letters, settings, limits
):
    """Two queues have a limit and a first subscription of their own, and one dead letter topic.

    They have them by two factories, or by their names. The first one's comes before the other's
    and behind it; what that one's subscription has of letters before it nobody says.
    """
    policies = [
        {"maxRedeliverCount": limit, "deadLetterTopic": letters, "initialSubscriptionName": first}
        for limit, first in zip(limits, ("dqlsub", "other"), strict=True)
    ]
    if settings == "factories":
        sessions = [session_with({**QUICK, "deadLetterPolicy": each}) for each in policies]
        queues = [jms.queue(name(f"queue{number}")) for number in range(2)]
    else:
        sessions = [session_with(QUICK)] * 2
        queues = [
            jms.queue(f"{name(f'queue{number}')}?{as_query(policy)}")
            for number, policy in enumerate(policies)
        ]
    consumers = [
        session.create_consumer(queue) for session, queue in zip(sessions, queues, strict=True)
    ]

    payloads = []
    for number in (0, 1, 0):
        [text] = send(jms.connected, queues[number], [f"of queue {number}"])
        times = limits[number] + 1
        counts = reject_next(sessions[number], consumers[number], times)
        payloads.append(text.encode())
        with judging("SLJ-DLQ-002"):
            assert counts == list(range(1, times + 1))
            eventually(lambda: len(wire.messages(letters)) == len(payloads))

    with judging("SLJ-DLQ-003"):
        assert [letter.payload for letter in wire.messages(letters)] == payloads
    with judging("SLJ-DLQ-004"):
        eventually(lambda: admin.backlog(letters, "dqlsub") == 3)
        eventually(lambda: admin.backlog(letters, "other") in (2, 3))


@requirement("SLJ-DLQ-005")
def test_dead_letter_has_the_content_of_the_message(
    session_with, jms, queue, wire, letters, limited, message_with
):
    """Payload, key and every raw property of a failed message are those of its dead letter."""
    session = session_with(limited(1))
    consumer = session.create_consumer(queue)
    message = jms.text("bad \N{GREEK SMALL LETTER ALPHA}")
    message.set_string_property("k", "v")
    message.set_string_property("JMSXGroupID", "g1")
    message.set_double_property("size", 0.5)
    message.jms_correlation_id = "c1"
    jms.producer(queue).send(message)
    sent = wire.only_message(queue)

    reject_next(session, consumer, 2)

    letter = wire.only_message(letters)
    assert letter.payload == sent.payload == "bad \N{GREEK SMALL LETTER ALPHA}".encode()
    assert letter.properties["k"] == "v"
    assert sent.properties.items() <= letter.properties.items()
    assert letter.key == sent.key == "g1"


@requirement("SLJ-DLQ-005")
def test_native_message_is_a_dead_letter_as_it_was(
    session_with, jms, queue, wire, letters, limited
):
    """Failed messages of a native client are dead letters with their payload, key, properties."""
    session = session_with(limited(1))
    consumer = session.create_consumer(queue)
    payloads = {b"", b"\0\xff", b"bad"}
    for payload in payloads:
        wire.send(queue, payload, {"k": "v"}, "g1")

    for _ in range(2 * len(payloads)):
        assert receive(consumer).get_string_property("k") == "v"
        session.recover()

    dead_letters = eventually(
        lambda: (all_ := wire.messages(letters))[len(payloads) - 1 :] and all_
    )
    assert {letter.payload for letter in dead_letters} == payloads
    assert {(letter.key, letter.properties["k"]) for letter in dead_letters} == {("g1", "v")}


@requirement("SLJ-DLQ-005")
def test_dead_letter_can_be_inspected(session_with, jms, queue, letters, limited):
    """A consumer of the dead letter topic receives failed messages of every kind as they were."""
    session = session_with(limited(1))
    consumer = session.create_consumer(queue)
    inspecting = jms.consumer(jms.queue(letters))
    bodies = [("text", "bad"), ("bytes", b"\0\xff"), ("stream", ["bad", Int(7)])]
    bodies += [("map", {"a": "bad"}), ("object", ["bad"]), ("header", None)]
    for number, (kind, content) in enumerate([*bodies, ("text", ""), ("bytes", b"")]):
        message = compose(session, kind, content)
        message.set_int_property("k", number)
        jms.producer(queue).send(message)
        for _ in range(2):
            assert receive(consumer).get_int_property("k") == number
            session.recover()

        letter = receive(inspecting)
        assert (kind_of(letter), content_of(letter)) == (kind, content)
        assert letter.get_int_property("k") == number


@requirement("SLJ-DLQ-006")
def test_consumer_goes_on_with_what_follows(jms, queue, wire, admin, letters, limited):
    """While the third of five messages fails, the other four are handled and acknowledged."""
    connection = jms.connection({"consumerConfig": limited(1)})
    consumer = connection.create_session().create_consumer(queue)
    tries = []

    def handle(message):
        if message.get_body(str) == "message-3":
            tries.append(delivery_count(message))
            raise ValueError("the third message is bad")

    listener = NotingListener(then=handle)
    consumer.message_listener = listener
    sent = send(jms.connected, queue, numbered(5))

    eventually(lambda: len(listener.callbacks) == 4)
    assert wire.only_message(letters).payload == b"message-3"
    assert [callback.text for callback in listener.callbacks] == sent[:2] + sent[3:]
    assert tries == [1, 2]
    eventually(lambda: admin.backlog(queue) == 0)


@requirement("SLJ-DLQ-007")
def test_dead_letter_leaves_the_subscription(
    session_with, jms, queue, wire, admin, letters, limited
):
    """Once a message is set aside the queue's backlog is 0, and it is not delivered again."""
    session = session_with(limited(1))
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["bad"])
    reject_next(session, consumer, 2)
    assert wire.only_message(letters).payload == b"bad"

    eventually(lambda: admin.backlog(queue) == 0)

    only_the_marker_comes(jms.connected, queue, consumer)


@requirement("SLJ-DLQ-008")
def test_time_outs_lead_to_the_dead_letter_topic(
    watched, jms, queue, wire, admin, letters, limited
):
    """A message that a receiver neither acknowledges nor rejects in time ends as a dead letter."""
    session = watched.session({**limited(1), "ackTimeoutMillis": 100})
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["bad"])

    messages = [receive(consumer), receive(consumer)]

    assert texts(messages) == ["bad", "bad"]
    counts = [delivery_count(message) for message in messages]
    assert counts == [1, 2]
    assert wire.only_message(letters).payload == b"bad"
    eventually(lambda: admin.backlog(queue) == 0)
    assert watched.redelivery_counts() == [[0, 1]]


@requirement("SLJ-DLQ-009")
def test_negative_acknowledgements_lead_to_the_dead_letter_topic(
    session_with, jms, queue, wire, letters, limited
):
    """A message received and rejected by recover() twice is in the dead letter topic."""
    session = session_with(limited(1))
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["bad"])

    for _ in range(2):
        assert texts([receive(consumer)]) == ["bad"]
        session.recover()

    assert wire.only_message(letters).payload == b"bad"


@requirement("SLJ-DLQ-010")
def test_message_moves_when_the_limit_is_exceeded(session_with, jms, queue, wire, letters, limited):
    """With maxRedeliverCount 3 the message is delivered four times, and only then set aside."""
    session = session_with(limited(3))
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["bad"])
    counts = reject_next(session, consumer, 3)

    last = receive(consumer)
    assert texts([last]) == ["bad"]
    counts.append(delivery_count(last))

    assert counts == [1, 2, 3, 4]
    assert wire.messages(letters) == []
    session.recover()
    assert wire.only_message(letters).payload == b"bad"


@requirement("SLJ-DLQ-011")
def test_acknowledged_message_is_not_set_aside(
    session_with, jms, queue, wire, admin, letters, limited
):
    """A message acknowledged at its last delivery is not in the dead letter topic; the next is."""
    session = session_with(limited(1))
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["good"])
    reject_next(session, consumer, 1)

    last = receive(consumer)
    assert texts([last]) == ["good"]
    last.acknowledge()

    eventually(lambda: admin.backlog(queue) == 0)
    send(jms.connected, queue, ["bad"])
    reject_next(session, consumer, 2)
    assert wire.only_message(letters).payload == b"bad"


@requirement("SLJ-DLQ-012")
def test_rejections_by_a_selector_count(session_with, jms, queue, wire, letters, limited):
    """What the only consumer's selector does not match is set aside without being received."""
    session = session_with(limited(2))
    consumer = session.create_consumer(queue, "x = 1")
    other, matching = jms.text("other"), jms.text("matching")
    other.set_int_property("x", 2)
    matching.set_int_property("x", 1)
    jms.producer(queue).send(other)
    received = []

    def is_set_aside():
        message = consumer.receive_no_wait()
        received.extend([] if message is None else [message])
        return wire.messages(letters)

    eventually(is_set_aside)
    assert wire.only_message(letters).payload == b"other"
    assert received == []
    nothing_before(
        consumer,
        lambda: jms.producer(queue).send(matching),
        lambda message: message.get_body(str) == "matching",
    )


@requirement("SLJ-DLQ-013")
def test_without_a_policy_nothing_is_set_aside(session_with, jms, admin, name):
    """A message rejected 20 times is delivered a 21st time, and there is no dead letter topic."""
    queue, namespace = in_a_namespace_of_its_own(admin, jms, name)
    session = session_with({"negativeAckRedeliveryBackoff": QUICKEST})
    consumer = session.create_consumer(queue)
    send(jms.connected, queue, ["bad"])

    counts = reject_next(session, consumer, 20)

    assert counts == list(range(1, 21))
    last = receive(consumer)
    assert (texts([last]), delivery_count(last)) == (["bad"], 21)
    assert topics_of(admin, namespace) == [queue.queue_name]


@requirement("SLJ-DLQ-002", "SLJ-DLQ-006", "SLJ-DLQ-010")
def test_workload_sets_aside_what_is_always_refused(workload):
    """Of 800 messages those that listeners refuse become dead letters, after three deliveries."""
    verdict = workload("dead-letters", messages=800).with_power(10, "D24", "D25", "D26")

    with judging("SLJ-DLQ-002"):
        assert verdict.against("D25", "D26") == []
    with judging("SLJ-DLQ-006"):
        assert verdict.against("D01", "D08", "D09") == []
    with judging("SLJ-DLQ-010"):
        assert verdict.against("D24") == []
