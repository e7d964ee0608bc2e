"""Messages of a closed session of which nothing was read while it was open."""

import pytest

from jms_scenarios.core.exchange import named
from jms_scenarios.refusals import outcome
from jmsapi import Destination, Int, SessionMode
from touchstone.api import compose, content_of, kind_of, receive_all, requirement

CLIENT = SessionMode.CLIENT_ACKNOWLEDGE
MINUTE = 60_000
BODIES = {
    "text": "größe",
    "bytes": b"\x01\x02",
    "stream": [Int(1), "two"],
    "map": {"a": Int(1)},
    "object": "a",
    "header": None,
}
FIELDS = (
    *("message_id", "timestamp", "expiration", "delivery_time", "destination", "reply_to"),
    *("delivery_mode", "priority", "type", "correlation_id"),
)
AGAIN = ("redelivered",)
"""The field in which a message that comes again differs."""
PROPERTIES = {"text": "größe", "flag": True, "number": Int(7), "JMSXGroupID": "g1"}


def sent_messages(session, destination, reply_to):
    """One of each kind, with whatever a message carries, are sent."""
    producer = session.create_producer(destination)
    for kind, content in BODIES.items():
        message = compose(session, kind, content)
        message.jms_correlation_id, message.jms_type = f"of {kind}", kind
        message.jms_reply_to = reply_to
        for name, value in PROPERTIES.items():
            message.set_object_property(name, value)
        producer.send(message, delivery_mode=1, priority=7, time_to_live=MINUTE)


def field(message, name):
    value = outcome(lambda: getattr(message, f"jms_{name}"))
    return named(value) if isinstance(value, Destination) else value


def read(message, fields):
    """All that a message says."""
    return {
        "kind": kind_of(message),
        "body": content_of(message),
        **{name: field(message, name) for name in fields},
        **{name: message.get_object_property(name) for name in PROPERTIES},
        "none": message.get_object_property("none"),
        "names": sorted(name for name in message.property_names() if name in PROPERTIES),
    }


def by_kind(said):
    return {each["kind"]: each for each in said}


def by_session(factory):
    session, _ = by_connection(factory)
    return session, session.close


def by_connection(factory):
    connection = factory.create_connection()
    connection.start()
    return connection.create_session(False, CLIENT), connection.close


def by_context(factory):
    context = factory.create_context(mode=CLIENT)
    return context, context.close


WAYS = pytest.mark.parametrize(
    "closed", [by_session, by_connection, by_context], ids=["session", "connection", "context"]
)


@WAYS
@requirement("JMS-SESS-005")
def test_message_of_a_topic_is_first_read_behind_the_close(jms, topic, queue, closed):
    """It says what another subscriber reads while that one's session is open."""
    session, close = closed(jms.untraced_factory())
    others = [jms.consumer(topic, jms.session(CLIENT)), session.create_consumer(topic)]
    sent_messages(jms.session(), topic, queue)
    at_once, behind = (receive_all(each, len(BODIES)) for each in others)
    said = [read(message, FIELDS + AGAIN) for message in at_once]

    close()

    assert [read(message, FIELDS + AGAIN) for message in behind] == said


@WAYS
@requirement("JMS-SESS-005")
def test_message_of_a_queue_is_first_read_behind_the_close(jms, topic, queue, closed):
    """It says what was read of it when it was delivered first, and that it came again."""
    session, close = closed(jms.untraced_factory())
    consumer = session.create_consumer(queue)
    sent_messages(jms.session(), queue, topic)
    said = by_kind(read(message, FIELDS) for message in receive_all(consumer, len(BODIES)))
    session.recover()
    behind = receive_all(consumer, len(BODIES))

    close()

    assert by_kind(read(message, FIELDS) for message in behind) == said
    assert [field(message, *AGAIN) for message in behind] == [True] * len(BODIES)
