"""Header fields: the raw properties that carry them, and what the receiver reads."""

from base64 import b64encode

import pytest

from jmsapi import JMSException, Queue, Topic
from touchstone.api import observe, portable, receive, requirement, strategies

FOREIGN_REPLY = "persistent://public/default/r"
TEXTS = ("order", "Y29yci0x", *strategies.names("ID:"))
"""One of them looks like base64 already."""


def kind_of(destination):
    """`queue`, `topic`, or the class of what is neither."""
    if isinstance(destination, Queue):
        return "queue"
    return "topic" if isinstance(destination, Topic) else type(destination).__name__


@requirement("SLJ-HDR-001")
def test_type_is_a_raw_property(jms, queue, delivered, inbox, wire):
    """JMSType, whatever it is and whoever sets it, travels in the raw property of that name."""
    for text in TEXTS:
        message = jms.text()
        message.jms_type = text
        assert delivered(message).jms_type == text

        jms.context().create_producer().set_jms_type(text).send(queue, "hello")
        assert receive(inbox()).jms_type == text

    types = [raw.properties.get("JMSType") for raw in wire.messages(queue)]
    assert types == [text for each in TEXTS for text in (each, each)]


@requirement("SLJ-HDR-002")
def test_correlation_id_is_base64(jms, queue, wire):
    """The correlation id travels in base64, whoever sets it, and even if it looks like that."""
    context = jms.context()
    for text in ("corr-1", *TEXTS):
        message = jms.text()
        message.jms_correlation_id = text
        jms.producer(queue).send(message)
        context.create_producer().set_jms_correlation_id(text).send(queue, "hello")

    correlation_ids = [raw.properties.get("JMSCorrelationID") for raw in wire.messages(queue)]
    assert correlation_ids[:2] == ["Y29yci0x"] * 2
    assert correlation_ids[2:] == [
        text for each in TEXTS for text in [b64encode(each.encode()).decode()] * 2
    ]


@portable
@requirement("SLJ-HDR-003")
def test_correlation_id_comes_back_as_text(jms, queue, delivered, inbox):
    """The receiver decodes a correlation id that was set as text."""
    for text in ("corr-1", *TEXTS):
        message = jms.text()
        message.jms_correlation_id = text
        assert delivered(message).jms_correlation_id == text

        jms.context().create_producer().set_jms_correlation_id(text).send(queue, "hello")
        assert receive(inbox()).jms_correlation_id == text


@requirement("SLJ-HDR-003")
def test_correlation_id_comes_back_as_bytes(jms, queue, delivered, inbox, wire):
    """The receiver decodes a correlation id that was set as bytes, text or not."""
    for content in (b"\x00\xff", b"corr-1", bytes(range(256))):
        message = jms.text()
        message.jms_correlation_id_as_bytes = content
        assert delivered(message).jms_correlation_id_as_bytes == content

        producer = jms.context().create_producer().set_jms_correlation_id_as_bytes(content)
        producer.send(queue, "hello")
        assert receive(inbox()).jms_correlation_id_as_bytes == content
    assert wire.messages(queue)[0].properties.get("JMSCorrelationID") == "AP8="


@requirement("SLJ-HDR-004")
def test_message_id_is_a_raw_property(jms, sent):
    """The message id that the sender reads is carried in the raw property JMSMessageId."""
    message = jms.text()
    raw = sent(message)

    assert message.jms_message_id
    assert raw.properties.get("JMSMessageId") == message.jms_message_id


@requirement("SLJ-HDR-005")
def test_reply_to_is_the_full_name_of_the_topic(jms, queue, wire):
    """JMSReplyTo is the fully qualified topic of the reply queue, in the client's namespace."""
    settings = {"jms.systemNamespace": None}
    session, context = jms.connection(settings).create_session(), jms.context(settings=settings)
    to = session.create_queue(wire.topic(queue))
    full = "persistent://public/default/reply-q"
    for given in ("reply-q", full):
        message = session.create_message()
        message.jms_reply_to = session.create_queue(given)
        session.create_producer(to).send(message)
        context.create_producer().set_jms_reply_to(context.create_queue(given)).send(to, "hello")

    assert [raw.properties.get("JMSReplyTo") for raw in wire.messages(queue)] == [full] * 4


@pytest.fixture
def given_as_reply(jms, name, queue, wire):
    """`given_as_reply(jms.queue)`: sends by each API with replies to such, of short or full name.

    One by one, it gives the reply destination of the message that was sent.
    """

    def given_as_reply(create):
        for text in (name("reply"), wire.topic(name("reply"))):
            reply, message = create(text), jms.text()
            message.jms_reply_to = reply
            jms.producer(queue).send(message)
            yield reply
            jms.context().create_producer().set_jms_reply_to(reply).send(queue, "hello")
            yield reply

    return given_as_reply


@requirement("SLJ-HDR-006")
def test_reply_queue_is_flagged_queue(jms, queue, inbox, wire, given_as_reply):
    """A reply queue arrives as a queue, and the wire says queue."""
    for reply in given_as_reply(jms.queue):
        received = receive(inbox()).jms_reply_to
        assert kind_of(received) == "queue"
        assert wire.topic(received) == wire.topic(reply)
    for raw in wire.messages(queue):
        assert raw.properties.get("JMSReplyToType") == "queue"


@requirement("SLJ-HDR-007")
def test_reply_topic_is_flagged_topic_or_left_to_the_default(
    jms, queue, inbox, wire, given_as_reply
):
    """A reply topic arrives as a topic, and the wire says topic or nothing."""
    for reply in given_as_reply(jms.topic):
        received = receive(inbox()).jms_reply_to
        assert kind_of(received) == "topic"
        assert wire.topic(received) == wire.topic(reply)
    for raw in wire.messages(queue):
        assert raw.properties.get("JMSReplyToType") in ("topic", None)


@requirement("SLJ-HDR-008")
def test_reply_without_type_is_a_topic(published):
    """A reply destination that does not say what it is is a topic."""
    received = published(b"", properties={"JMSReplyTo": FOREIGN_REPLY})

    assert kind_of(received.jms_reply_to) == "topic"


@requirement("SLJ-HDR-009")
def test_other_reply_types_are_not_honoured(published):
    """A reply type that is neither topic nor queue is an error or falls back to topic."""
    properties = {"JMSReplyTo": FOREIGN_REPLY, "JMSReplyToType": "stream"}
    try:
        outcome = kind_of(published(b"", properties=properties).jms_reply_to)
    except JMSException:
        outcome = "error"

    observe("reply type 'stream'", outcome)
    assert outcome in ("error", "topic")
