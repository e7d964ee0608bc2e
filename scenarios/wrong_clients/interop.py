"""Clients that do not get along with others."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any
from unittest.mock import patch

from pulsar.schema.schema import StringSchema

from jms_clients.mutants.wrong import wrong
from jmsapi import JMSException, MapMessage, Message
from pulsar_jms import messages
from pulsar_jms.dialects import rabbitmq
from pulsar_jms.mapping.bodies import MessageKind
from pulsar_jms.mapping.interop import kind_of
from pulsar_jms.messages import PulsarMessage, decoding, wire_decoding, wire_encoding
from pulsar_jms.transport.pulsar_client import pulsar_transport
from pulsar_jms.transport.pulsar_client.pulsar_transport import PulsarClientTransport
from pulsar_jms.transport.transport_protocol import SubscriptionType
from wrong_clients.helpers.rabbitmq_dialect import as_dialect


@wrong("JMS-INTR-001", patches=(decoding, "decode"))
def native_messages_refused(
    original: Callable[..., PulsarMessage], incoming: Any, *rest: Any
) -> PulsarMessage:
    """What no JMS client has sent cannot be received."""
    if "JMSPulsarMessageType" not in incoming.properties:
        raise JMSException("the message is of no JMS client")
    return original(incoming, *rest)


@wrong("JMS-INTR-002", patches=(wire_encoding, "own_destination"))
def foreign_replies_refused(destination: Any) -> Any:
    """A foreign message with a reply destination of its own client is refused."""
    raise JMSException(f"{destination!r} is of another client")


@wrong("SLJ-INTR-001", patches=(PulsarClientTransport, "_producer"))
def schema_attached(
    original: Callable[..., Any], transport: PulsarClientTransport, topic: str, **options: Any
) -> Any:
    """Topics get the schema of a string."""
    client = transport._client
    create = partial(client.create_producer, schema=StringSchema())
    with patch.object(client, "create_producer", create):
        return original(transport, topic, **options)


@wrong("SLJ-INTR-002", patches=(wire_decoding, "kind_of"))
def message_type_ignored(wire: Any) -> Any:
    """Every message is received as a BytesMessage."""
    return MessageKind.BYTES


@wrong("SLJ-INTR-003", patches=(wire_decoding, "kind_of"))
def foreign_message_is_text(wire: Any) -> Any:
    """A message without a message type is received as a text."""
    return kind_of({"JMSPulsarMessageType": "text", **wire})


@wrong("SLJ-INTR-004")
def groups_spread() -> AbstractContextManager[object]:
    """Consumers share the messages of a group although Key_Shared was asked for."""
    return patch.dict(
        pulsar_transport._TYPES,
        {SubscriptionType.KEY_SHARED: pulsar_transport._TYPES[SubscriptionType.SHARED]},
    )


@wrong("RMQ-INTR-004", "RMQ-INTR-005", provider="reference/rabbitmq")
def foreign_message_converted_whole() -> AbstractContextManager[object]:
    """JMSReplyTo of a foreign message is kept, and what cannot be rebuilt fails the send."""
    return as_dialect(convert=messages.convert)


def _without_type(message: Message) -> PulsarMessage:
    copy = rabbitmq.convert(message)
    if copy is not message:
        copy.jms_type = None
    return copy


@wrong("RMQ-INTR-003", provider="reference/rabbitmq")
def foreign_type_lost() -> AbstractContextManager[object]:
    """JMSType of a foreign message is lost."""
    return as_dialect(convert=_without_type)


def _without_maps(message: Message) -> PulsarMessage:
    return rabbitmq.convert(message) if not isinstance(message, MapMessage) else PulsarMessage()


@wrong("RMQ-INTR-008", provider="reference/rabbitmq")
def foreign_map_lost() -> AbstractContextManager[object]:
    """A foreign MapMessage becomes a message without a body."""
    return as_dialect(convert=_without_maps)
