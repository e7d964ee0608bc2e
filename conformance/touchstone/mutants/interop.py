"""Clients that do not get along with others."""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest.mock import patch

from pulsar.schema.schema import StringSchema

from pulsar_jms.mapping.bodies import MessageKind
from pulsar_jms.mapping.interop import kind_of
from pulsar_jms.messages import wire_decoding
from pulsar_jms.transport.pulsar_client import pulsar_transport
from pulsar_jms.transport.pulsar_client.pulsar_transport import PulsarClientTransport
from pulsar_jms.transport.transport_protocol import SubscriptionType
from touchstone.mutants.registry import Mutant

_producer = PulsarClientTransport._producer


def _with_schema(transport: PulsarClientTransport, topic: str, **options: Any) -> Any:
    client = transport._client
    create = partial(client.create_producer, schema=StringSchema())
    with patch.object(client, "create_producer", create):
        return _producer(transport, topic, **options)


SCHEMA_ATTACHED = Mutant(
    name="schema-attached",
    area="interop",
    violates=("SLJ-INTR-001",),
    doc="Topics get the schema of a string.",
    apply=partial(patch.object, PulsarClientTransport, "_producer", _with_schema),
)
MESSAGE_TYPE_IGNORED = Mutant(
    name="message-type-ignored",
    area="interop",
    violates=("SLJ-INTR-002",),
    doc="Every message is received as a BytesMessage.",
    apply=partial(patch.object, wire_decoding, "kind_of", lambda wire: MessageKind.BYTES),
)
FOREIGN_MESSAGE_IS_TEXT = Mutant(
    name="foreign-message-is-text",
    area="interop",
    violates=("SLJ-INTR-003",),
    doc="A message without a message type is received as a text.",
    apply=partial(
        patch.object,
        wire_decoding,
        "kind_of",
        lambda wire: kind_of({"JMSPulsarMessageType": "text", **wire}),
    ),
)
GROUPS_SPREAD = Mutant(
    name="groups-spread",
    area="interop",
    violates=("SLJ-INTR-004",),
    doc="Consumers share the messages of a group although Key_Shared was asked for.",
    apply=partial(
        patch.dict,
        pulsar_transport._TYPES,
        {SubscriptionType.KEY_SHARED: pulsar_transport._TYPES[SubscriptionType.SHARED]},
    ),
)
