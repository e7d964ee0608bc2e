"""Samples as JMS messages, and received JMS messages as plain fields; in the client's process."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from jmsapi import (
    Destination,
    Message,
    Queue,
    Session,
    Topic,
)
from touchstone.interop.parts import View
from touchstone.interop.samples import NAME, SampleMessage
from touchstone.interop.shown import shown
from touchstone.scenario.bodies import compose, content_of, kind_of


def message_of(session: Session, sample: SampleMessage) -> Message:
    """The message of a sample, as an application makes it."""
    message = compose(session, sample.kind, sample.content)
    for name, value in sample.headers.items():
        setattr(message, name, value)
    if sample.reply_to is not None:
        kind, name = sample.reply_to
        make = session.create_queue if kind == "queue" else session.create_topic
        message.jms_reply_to = make(name)
    message.set_string_property(NAME, sample.name)
    for name, own in sample.properties.items():
        message.set_object_property(name, own)
    return message


def destination_text(destination: Destination | None) -> str:
    """`queue NAME`, `topic NAME` or `null`."""
    match destination:
        case Queue():
            return f"queue {destination.queue_name}"
        case Topic():
            return f"topic {destination.topic_name}"
    return "null"


def view_of(message: Message) -> View:
    """Every field of a received message as text; a field that throws says what it threw."""
    own = sorted(name for name in _names(message) if not name.startswith("JMS"))
    fields: dict[str, Callable[[], str]] = {
        "kind": lambda: kind_of(message),
        "body": lambda: shown(content_of(message)),
        "JMSMessageID": lambda: shown(message.jms_message_id),
        "JMSTimestamp": lambda: str(int(message.jms_timestamp)),
        "JMSDeliveryTime": lambda: str(int(message.jms_delivery_time)),
        "JMSExpiration": lambda: str(int(message.jms_expiration)),
        "JMSPriority": lambda: str(int(message.jms_priority)),
        "JMSDeliveryMode": lambda: str(int(message.jms_delivery_mode)),
        "JMSType": lambda: shown(message.jms_type),
        "JMSCorrelationID": lambda: shown(message.jms_correlation_id),
        "JMSCorrelationIDAsBytes": lambda: shown(message.jms_correlation_id_as_bytes),
        "JMSReplyTo": lambda: destination_text(message.jms_reply_to),
        "JMSDestination": lambda: destination_text(message.jms_destination),
        "JMSRedelivered": lambda: shown(message.jms_redelivered),
        "JMSXDeliveryCount": lambda: str(int(message.get_int_property("JMSXDeliveryCount"))),
        "JMSXGroupID": lambda: shown(message.get_string_property("JMSXGroupID")),
        "JMSXGroupSeq": lambda: str(int(message.get_int_property("JMSXGroupSeq"))),
        "property names": lambda: " ".join(map(shown, own)),
        **{f"property {shown(name)}": partial(_property, message, name) for name in own},
    }
    return {name: _guarded(read) for name, read in fields.items()}


def _property(message: Message, name: str) -> str:
    return shown(message.get_object_property(name))


def _names(message: Message) -> list[str]:
    return list(message.property_names())


def _guarded(read: Callable[[], str]) -> str:
    try:
        return read()
    except Exception as error:  # whatever a client throws here is what it shows of the field
        return thrown(error)


def thrown(error: Exception) -> str:
    """An error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


def name_of(message: Message) -> str | None:
    """The sample that a received message is."""
    return message.get_string_property(NAME)
