"""Clients that are wrong about schemas."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from pulsar_jms.formats.limits import BodyLimits
from pulsar_jms.mapping import schema
from pulsar_jms.mapping.bodies import MessageKind
from pulsar_jms.mapping.schema import SchemaBody, TopicSchema
from pulsar_jms.messages import wire_decoding
from pulsar_jms.messages.schemas import Schemas
from pulsar_jms.transport.wire_messages import Incoming
from touchstone.mutants.registry import Mutant

_body = schema.schema_body
_key_value = schema._key_value


def _of_the_topic(schemas: Schemas, incoming: Incoming) -> TopicSchema | None:
    return schemas._now(incoming.topic)


def _flat(
    schema_: TopicSchema, payload: bytes | None, key: str | None, limits: BodyLimits
) -> SchemaBody:
    body = _body(schema_, payload, key, limits)
    if schema_.type != "AVRO":
        return body
    flat = {name: str(v) if isinstance(v, dict) else v for name, v in body.value.items()}
    return body._replace(value=flat)


def _without_key(
    schema_: TopicSchema, payload: bytes | None, key: str | None, limits: BodyLimits
) -> dict[str, object]:
    return {"value": _key_value(schema_, payload, key, limits)["value"]}


def _object(
    schema_: TopicSchema, payload: bytes | None, key: str | None, limits: BodyLimits
) -> SchemaBody:
    return _body(schema_, payload, key, limits)._replace(kind=MessageKind.OBJECT)


def _text(
    schema_: TopicSchema, payload: bytes | None, key: str | None, limits: BodyLimits
) -> SchemaBody:
    body = _body(schema_, payload, key, limits)
    if body.kind is not MessageKind.OBJECT:
        return body
    return SchemaBody(MessageKind.TEXT, str(body.value))


SCHEMA_IGNORED = Mutant(
    name="schema-ignored",
    area="schema",
    violates=("SLJ-SCH-001",),
    doc="useSchema has no effect.",
    apply=partial(patch.object, Schemas, "of", lambda schemas, incoming: None),
)
SCHEMA_OF_THE_TOPIC = Mutant(
    name="schema-of-the-topic",
    area="schema",
    violates=("SLJ-SCH-002",),
    doc="Every message is read by the schema that its topic had when it was asked for.",
    apply=partial(patch.object, Schemas, "of", _of_the_topic),
)
NESTED_RECORD_AS_TEXT = Mutant(
    name="nested-record-as-text",
    area="schema",
    violates=("SLJ-SCH-003",),
    doc="A record inside a record is a text.",
    apply=partial(patch.object, wire_decoding, "schema_body", _flat),
)
KEY_LEFT_OUT = Mutant(
    name="key-left-out",
    area="schema",
    violates=("SLJ-SCH-004",),
    doc="Of a KeyValue the value alone is in the map.",
    apply=partial(patch.object, schema, "_key_value", _without_key),
)
STRING_AS_OBJECT = Mutant(
    name="string-as-object",
    area="schema",
    violates=("SLJ-SCH-005",),
    doc="A STRING is an ObjectMessage.",
    apply=partial(patch.object, wire_decoding, "schema_body", _object),
)
NUMBER_AS_TEXT = Mutant(
    name="number-as-text",
    area="schema",
    violates=("SLJ-SCH-006",),
    doc="What is neither a record nor a text becomes a TextMessage.",
    apply=partial(patch.object, wire_decoding, "schema_body", _text),
)
