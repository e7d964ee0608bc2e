"""Clients that are wrong about schemas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jms_clients.mutants.wrong import wrong
from pulsar_jms.formats.limits import BodyLimits
from pulsar_jms.mapping import schema
from pulsar_jms.mapping.bodies import MessageKind
from pulsar_jms.mapping.schema import SchemaBody, TopicSchema
from pulsar_jms.messages import wire_decoding
from pulsar_jms.messages.schemas import Schemas
from pulsar_jms.transport.wire_messages import Incoming


@wrong("SLJ-SCH-001", patches=(Schemas, "of"))
def schema_ignored(schemas: Any, incoming: Any) -> None:
    """useSchema has no effect."""


@wrong("SLJ-SCH-002", patches=(Schemas, "of"))
def schema_of_the_topic(schemas: Schemas, incoming: Incoming) -> TopicSchema | None:
    """Every message is read by the schema that its topic had when it was asked for."""
    return schemas._now(incoming.topic)


@wrong("SLJ-SCH-003", patches=(wire_decoding, "schema_body"))
def nested_record_as_text(
    original: Callable[..., SchemaBody],
    schema_: TopicSchema,
    payload: bytes | None,
    key: str | None,
    limits: BodyLimits,
) -> SchemaBody:
    """A record inside a record is a text."""
    body = original(schema_, payload, key, limits)
    if schema_.type != "AVRO":
        return body
    flat = {name: str(v) if isinstance(v, dict) else v for name, v in body.value.items()}
    return body._replace(value=flat)


@wrong("SLJ-SCH-004", patches=(schema, "_key_value"))
def key_left_out(
    original: Callable[..., dict[str, object]],
    schema_: TopicSchema,
    payload: bytes | None,
    key: str | None,
    limits: BodyLimits,
) -> dict[str, object]:
    """Of a KeyValue the value alone is in the map."""
    return {"value": original(schema_, payload, key, limits)["value"]}


@wrong("SLJ-SCH-005", patches=(wire_decoding, "schema_body"))
def string_as_object(
    original: Callable[..., SchemaBody],
    schema_: TopicSchema,
    payload: bytes | None,
    key: str | None,
    limits: BodyLimits,
) -> SchemaBody:
    """A STRING is an ObjectMessage."""
    return original(schema_, payload, key, limits)._replace(kind=MessageKind.OBJECT)


@wrong("SLJ-SCH-006", patches=(wire_decoding, "schema_body"))
def number_as_text(
    original: Callable[..., SchemaBody],
    schema_: TopicSchema,
    payload: bytes | None,
    key: str | None,
    limits: BodyLimits,
) -> SchemaBody:
    """What is neither a record nor a text becomes a TextMessage."""
    body = original(schema_, payload, key, limits)
    if body.kind is not MessageKind.OBJECT:
        return body
    return SchemaBody(MessageKind.TEXT, str(body.value))
