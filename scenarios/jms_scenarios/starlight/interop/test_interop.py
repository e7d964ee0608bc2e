"""JMS and other Pulsar clients on one topic: raw bytes, the message type, and groups."""

import time

import pytest

from jms_scenarios import vectors
from jms_scenarios.traffic import shared_out
from jmsapi import BytesMessage, JMSException
from touchstone.api import compose, content_of, eventually, kind_of, observe, receive, requirement

GROUPS = ("g1", "g2", "g3")


@requirement("SLJ-INTR-001")
def test_body_has_no_schema(jms, sent, queue, admin):
    """A text goes to a new topic as its UTF-8 bytes, and the topic gets no schema."""
    assert sent(jms.text("héllo")).payload == "héllo".encode()
    assert admin.schema(queue) is None


EXAMPLES = [
    *(("text", text) for text in ("example", "", "h\u00e9llo")),
    *(("bytes", content) for content in (b"abc", b"", b"\0\xff")),
    *(("stream", content) for content in (["a", True], [])),
    ("map", {"a": "b"}),  # an empty one has no bytes, as a message without a body
    ("object", ["a"]),
    ("header", None),
]


@requirement("SLJ-INTR-002")
def test_message_type_decides_how_a_body_is_read(jms, name, wire, published):
    """Foreign bytes with the message type of a JMS message are received as of that kind.

    So are the bytes of an empty body.
    """
    for kind, content in EXAMPLES:
        example = jms.queue(name("example"))
        jms.producer(example).send(compose(jms.session(), kind, content))
        raw = wire.only_message(example)
        of_kind = raw.properties.get("JMSPulsarMessageType")
        assert of_kind

        received = published(raw.payload, properties={"JMSPulsarMessageType": of_kind})

        assert (kind_of(received), content_of(received)) == (kind, content)


@requirement("SLJ-INTR-003")
@pytest.mark.parametrize("payload", [b"abc", b"\x00\xff", b"", None])
def test_foreign_message_is_a_bytes_message(published, payload):
    """A message without a message type is a BytesMessage of the raw bytes, of none for a null."""
    received = published(payload)

    assert isinstance(received, BytesMessage)
    assert content_of(received) == (payload or b"")


@requirement("SLJ-INTR-004")
def test_group_stays_with_one_consumer_in_order(jms, topic):
    """With Key_Shared, all messages of a group come to one of two consumers, in sending order."""
    connection = jms.connection({"jms.topicSharedSubscriptionType": "Key_Shared"})
    consumers = [
        connection.create_session().create_shared_consumer(topic, "members") for _ in range(2)
    ]
    producer = jms.producer(topic)
    sent = [f"{group}-{number}" for number in range(10) for group in GROUPS]
    for text in sent:
        message = jms.text(text)
        message.set_string_property("JMSXGroupID", text.partition("-")[0])
        producer.send(message)

    shares = shared_out(consumers, len(sent))
    for group in GROUPS:
        in_group = [[text for text in share if text.startswith(group)] for share in shares]
        assert sorted(in_group) == [[], [text for text in sent if text.startswith(group)]]


def cases(names, answers):
    """Vectors as cases, each with the requirement that it answers."""
    return pytest.mark.parametrize(
        "vector",
        [
            pytest.param(name, marks=requirement(answers.get(name, "SLJ-INTR-002")))
            for name in names
        ],
    )


@cases(vectors.SENT, vectors.WRITTEN_FOR)
def test_message_is_written_as_by_the_real_client(jms, queue, wire, vector):
    """A message that is sent has the raw form that the real client gives it, byte for byte.

    What documents say otherwise is left aside: it is judged by requirements of its own.
    """
    example, expected = vectors.EXAMPLES[vector], vectors.SENT[vector]
    session = jms.connection({"jms.systemNamespace": None}).create_session()
    producer = session.create_producer(session.create_queue(wire.topic(queue)))
    for setting, value in example.producer.items():
        setattr(producer, setting, value)
    message = example.compose(session)

    before = milliseconds()
    producer.send(message)
    after = milliseconds()

    raw = wire.only_message(queue)
    assert vectors.raw_view(raw, before, after) == vectors.expected_on_the_wire(expected, raw)


@cases([v for v in vectors.FOREIGN if v not in vectors.MALFORMED], vectors.READ_FOR)
def test_foreign_message_is_read_as_by_the_real_client(jms, queue, wire, vector):
    """A raw message gives the JMS message that the real client makes of it."""
    foreign = vectors.FOREIGN[vector]
    consumer = jms.consumer(queue)
    raw = wire.send(queue, **vectors.raw_fields(foreign))

    read = vectors.read(receive(consumer))
    assert read == vectors.expected_by_jms(foreign, queue, raw.message_id)


@requirement("SLJ-INTR-002")
@pytest.mark.parametrize("vector", sorted(vectors.MALFORMED))
def test_malformed_message_is_read_or_stays(jms, queue, wire, admin, vector):
    """What no document tells how to read is read, or refused and kept; others still come."""
    consumer = jms.consumer(queue)
    wire.send(queue, **vectors.raw_fields(vectors.FOREIGN[vector]))
    try:
        outcome, kept = kind_of(receive(consumer)), 0
    except JMSException as refusal:
        outcome, kept = type(refusal).__name__, 1

    observe(f"the malformed message {vector}", outcome)
    wire.send(queue, b"next", properties={"JMSPulsarMessageType": "text"})
    assert content_of(receive(consumer)) == "next"
    assert eventually(lambda: admin.backlog(queue) == kept)


def milliseconds():
    return time.time_ns() // 1_000_000


@requirement("SLJ-INTR-004")
def test_workload_keeps_groups_together(workload):
    """Of 32 groups with 1,500 messages in all, each goes to one of three consumers, in order."""
    judged = workload("key-shared", messages=1_500).with_power(1_000, "D09", "D22", "D23")

    assert judged.against("D01", "D08", "D09", "D22", "D23") == []
