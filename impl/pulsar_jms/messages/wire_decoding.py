"""From the wire to a message."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from jmsapi.destinations import Destination
from pulsar_jms.formats.limits import DEFAULT_BODY_LIMITS, BodyLimits
from pulsar_jms.implements import implements
from pulsar_jms.mapping.bodies import MessageKind
from pulsar_jms.mapping.headers import read_headers, read_message_id, read_reply_to
from pulsar_jms.mapping.interop import kind_of
from pulsar_jms.mapping.schema import TopicSchema, schema_body, schema_kind
from pulsar_jms.messages.bytes_message import PulsarBytesMessage
from pulsar_jms.messages.map_message import PulsarMapMessage
from pulsar_jms.messages.message import PulsarMessage
from pulsar_jms.messages.object_message import PulsarObjectMessage
from pulsar_jms.messages.stream_message import PulsarStreamMessage
from pulsar_jms.messages.text_message import PulsarTextMessage
from pulsar_jms.transport.wire_messages import Incoming

_CLASSES: Mapping[MessageKind, type[PulsarMessage]] = {
    each.KIND: each
    for each in (
        PulsarMessage,
        PulsarTextMessage,
        PulsarBytesMessage,
        PulsarMapMessage,
        PulsarStreamMessage,
        PulsarObjectMessage,
    )
}


@implements("JMS-BODY-001", "JMS-HDR-001")
def decode(
    incoming: Incoming,
    destination: Destination | None,
    schema: TopicSchema | None = None,
    limits: BodyLimits = DEFAULT_BODY_LIMITS,
) -> PulsarMessage:
    """The received form of a raw message that came from `destination`.

    With a `schema` the body is read by that, and by the property of the message type without one.
    Raises `MessageFormatException` or `MessageEOFException` when the body cannot be read; the
    raw message is then neither lost nor acknowledged by anybody here.
    """
    wire = incoming.properties
    limits.check_size(len(incoming.payload))
    payload = incoming.payload if incoming.payload or not incoming.null_value else None
    if schema is None or schema.tells_nothing or (payload is None and not schema.separated):
        message = _CLASSES[kind_of(wire)]()
        message.limits = limits
        message.load_body(payload)
    else:
        body = schema_body(schema, payload, incoming.partition_key, limits)
        message = _CLASSES[schema_kind(body, wire)]()
        message.limits = limits
        message.load_value(body.value)
    message.jms_destination = destination
    for attribute, value in read_headers(wire).items():
        setattr(message, attribute, value)
    message.jms_reply_to = read_reply_to(wire)
    message.become_received(incoming, wire, partial(_message_id_of, incoming, wire))
    return message


def _message_id_of(incoming: Incoming, wire: Mapping[str, str]) -> str:
    return read_message_id(wire, incoming.position, incoming.first_part)
