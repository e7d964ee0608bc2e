"""From a message to the wire."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from jmsapi.destinations import Destination
from jmsapi.errors import MessageEOFException
from jmsapi.messages import (
    BytesMessage,
    MapMessage,
    Message,
    ObjectMessage,
    StreamMessage,
    TextMessage,
)
from pulsar_jms.implements import implements
from pulsar_jms.mapping.delay import deliver_at, delivery_time_of
from pulsar_jms.mapping.destinations import own_destination
from pulsar_jms.mapping.expiration import expiration_of
from pulsar_jms.mapping.headers import message_id_text, write_headers
from pulsar_jms.mapping.properties import (
    CONNECTION_ID,
    MESSAGE_TYPE,
    partition_key,
    write_properties,
)
from pulsar_jms.messages.bytes_message import PulsarBytesMessage
from pulsar_jms.messages.map_message import PulsarMapMessage
from pulsar_jms.messages.message import PulsarMessage
from pulsar_jms.messages.object_message import PulsarObjectMessage
from pulsar_jms.messages.stream_message import PulsarStreamMessage
from pulsar_jms.messages.text_message import PulsarTextMessage
from pulsar_jms.transport.wire_messages import OutgoingMessage, StoredMessage


class SendParameters(NamedTuple):
    """What a producer decides about one send; times in milliseconds, `sent_at` since the epoch."""

    destination: Destination
    sent_at: int
    delivery_mode: int = 2
    priority: int = 4
    time_to_live: int = 0
    delivery_delay: int = 0
    timestamp: bool = True


@implements("JMS-HDR-025", "JMS-HDR-026", "JMS-PROP-011")
def encode(
    message: PulsarMessage, sending: SendParameters, connection_id: str, namespace: str
) -> OutgoingMessage:
    """The raw form of `message`, whose header fields take the values of this send.

    `namespace` completes the short name of a reply destination. Raises `JMSException` when a
    received property is unreadable, the reply destination is of another client, or the time to
    live or the delivery delay ends beyond all times.
    """
    _stamp(message, sending)
    properties = message.outgoing_properties
    wire: dict[str, str] = {}
    write_properties(properties, wire)
    wire[MESSAGE_TYPE] = message.KIND.value
    wire[CONNECTION_ID] = connection_id
    write_headers(message, namespace, wire)
    return OutgoingMessage(
        message.encoded_body(),
        wire,
        partition_key(properties),
        sending.sent_at if sending.timestamp else None,
        deliver_at(message.jms_delivery_time, sending.delivery_delay),
    )


@implements("JMS-HDR-002", "JMS-HDR-003", "JMS-HDR-005", "JMS-HDR-011", "JMS-HDR-020..022")
def _stamp(message: PulsarMessage, sending: SendParameters) -> None:
    """Give the message the header fields of a send, whatever the application put there."""
    expiration = expiration_of(sending.sent_at, sending.time_to_live)
    delivery_time = delivery_time_of(sending.sent_at, sending.delivery_delay)
    message.jms_destination = sending.destination
    message.jms_delivery_mode = sending.delivery_mode
    message.jms_priority = sending.priority
    message.jms_timestamp = sending.sent_at if sending.timestamp else 0
    message.jms_delivery_time = delivery_time
    message.sent_with_expiration(expiration)


@implements("JMS-HDR-008")
def mark_sent(message: Message, stored: StoredMessage) -> None:
    """Give a sent message the id that the broker gave it."""
    if isinstance(message, PulsarMessage):
        message.sent_as(partial(_identified, stored))
    else:
        message.jms_message_id = _identified(stored)


def _identified(stored: StoredMessage) -> str:
    return message_id_text(stored.position, stored.first_part)


@implements("JMS-CTX-006")
def message_for(body: object) -> PulsarMessage:
    """The message that carries a bare body: str, bytes, a mapping, or another serialisable."""
    if isinstance(body, str):
        return PulsarTextMessage(body)
    if isinstance(body, (bytes, bytearray, memoryview)):
        bytes_message = PulsarBytesMessage()
        bytes_message.write_bytes(bytes(body))
        return bytes_message
    if isinstance(body, Mapping):
        map_message = PulsarMapMessage()
        for name, value in body.items():
            map_message.set_object(name, value)
        return map_message
    return PulsarObjectMessage(body)


@implements("JMS-BODY-035")
def convert(message: Message) -> PulsarMessage:
    """`message` itself, or a copy of a message that another JMS client made.

    Copied are body, properties, correlation id, type and reply destination, that of another client
    by its kind and name; header fields of a send go back with `mirror_headers`.
    """
    if isinstance(message, PulsarMessage):
        return message
    copy = copy_of_body(message)
    for name in message.property_names():
        copy.set_object_property(name, message.get_object_property(name))
    copy.jms_correlation_id_as_bytes = message.jms_correlation_id_as_bytes
    copy.jms_type = message.jms_type
    reply_to = message.jms_reply_to
    copy.jms_reply_to = None if reply_to is None else own_destination(reply_to)
    return copy


def copy_of_body(message: Message) -> PulsarMessage:
    """An own message of the same kind with the body of one that another JMS client made."""
    if isinstance(message, TextMessage):
        return PulsarTextMessage(message.text)
    if isinstance(message, ObjectMessage):
        return PulsarObjectMessage(message.object)
    if isinstance(message, MapMessage):
        return message_for({name: message.get_object(name) for name in message.map_names()})
    if isinstance(message, BytesMessage):
        message.reset()
        return message_for(message.read_bytes(message.body_length) or b"")
    if isinstance(message, StreamMessage):
        return _copy_of_stream(message)
    return PulsarMessage()


def _copy_of_stream(message: StreamMessage) -> PulsarStreamMessage:
    copy = PulsarStreamMessage()
    message.reset()
    while True:
        try:
            copy.write_object(message.read_object())
        except MessageEOFException:
            return copy


@implements("JMS-HDR-002", "JMS-HDR-005", "JMS-HDR-008", "JMS-HDR-011", "JMS-HDR-020..022")
def mirror_headers(copy: PulsarMessage, original: Message) -> None:
    """Show the header fields of a send on the message that the application gave."""
    original.jms_message_id = copy.jms_message_id
    original.jms_timestamp = copy.jms_timestamp
    original.jms_destination = copy.jms_destination
    original.jms_delivery_mode = copy.jms_delivery_mode
    original.jms_expiration = copy.jms_expiration
    original.jms_delivery_time = copy.jms_delivery_time
    original.jms_priority = copy.jms_priority
