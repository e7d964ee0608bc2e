"""Header fields: the raw properties that carry them, and what the receiver reads."""

from jmsapi import JMSException, Queue, Topic
from touchstone.api import observe, portable, requirement

FOREIGN_REPLY = "persistent://public/default/r"


def kind_of(destination):
    """`queue`, `topic`, or the class of what is neither."""
    if isinstance(destination, Queue):
        return "queue"
    return "topic" if isinstance(destination, Topic) else type(destination).__name__


@requirement("SLJ-HDR-001")
def test_type_is_a_raw_property(jms, queue, delivered, wire):
    """JMSType travels in the raw property of that name."""
    message = jms.text()
    message.jms_type = "order"

    assert delivered(message).jms_type == "order"
    assert wire.only_message(queue).properties.get("JMSType") == "order"


@requirement("SLJ-HDR-002")
def test_correlation_id_is_base64(jms, sent):
    """The correlation id travels in base64."""
    message = jms.text()
    message.jms_correlation_id = "corr-1"

    assert sent(message).properties.get("JMSCorrelationID") == "Y29yci0x"


@portable
@requirement("SLJ-HDR-003")
def test_correlation_id_comes_back_as_text(jms, delivered):
    """The receiver decodes a correlation id that was set as text."""
    message = jms.text()
    message.jms_correlation_id = "corr-1"

    assert delivered(message).jms_correlation_id == "corr-1"


@requirement("SLJ-HDR-003")
def test_correlation_id_comes_back_as_bytes(jms, queue, delivered, wire):
    """The receiver decodes a correlation id that was set as bytes, text or not."""
    message = jms.text()
    message.jms_correlation_id_as_bytes = b"\x00\xff"

    assert delivered(message).jms_correlation_id_as_bytes == b"\x00\xff"
    assert wire.only_message(queue).properties.get("JMSCorrelationID") == "AP8="


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
    session = jms.connection({"jms.systemNamespace": None}).create_session()
    message = session.create_message()
    message.jms_reply_to = session.create_queue("reply-q")
    session.create_producer(session.create_queue(wire.topic(queue))).send(message)

    raw = wire.only_message(queue)
    assert raw.properties.get("JMSReplyTo") == "persistent://public/default/reply-q"


@requirement("SLJ-HDR-006")
def test_reply_queue_is_flagged_queue(jms, name, queue, delivered, wire):
    """A reply queue arrives as a queue, and the wire says queue."""
    reply = jms.queue(name("reply"))
    message = jms.text()
    message.jms_reply_to = reply

    received = delivered(message).jms_reply_to
    assert kind_of(received) == "queue"
    assert wire.topic(received) == wire.topic(reply)
    assert wire.only_message(queue).properties.get("JMSReplyToType") == "queue"


@requirement("SLJ-HDR-007")
def test_reply_topic_is_flagged_topic_or_left_to_the_default(jms, name, queue, delivered, wire):
    """A reply topic arrives as a topic, and the wire says topic or nothing."""
    reply = jms.topic(name("reply"))
    message = jms.text()
    message.jms_reply_to = reply

    received = delivered(message).jms_reply_to
    assert kind_of(received) == "topic"
    assert wire.topic(received) == wire.topic(reply)
    assert wire.only_message(queue).properties.get("JMSReplyToType") in ("topic", None)


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
