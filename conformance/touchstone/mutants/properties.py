"""Clients that are wrong about properties."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from unittest.mock import patch

from jmsapi import Int, PropertyValue
from jmsapi.conversions import java_text
from pulsar_jms.mapping import properties
from pulsar_jms.messages import message, received_properties, wire_encoding
from pulsar_jms.messages.received_properties import ReceivedProperties
from pulsar_jms.transport.wire_messages import Incoming
from touchstone.mutants.registry import Mutant


def _numbers_guessed(
    wire: Mapping[str, str], name: str
) -> PropertyValue | properties.Unreadable | None:
    value = properties.received_property(wire, name)
    return Int(int(value)) if isinstance(value, str) and value.isdecimal() else value


def _with_user(incoming: Incoming, wire: Mapping[str, str]) -> ReceivedProperties:
    return ReceivedProperties(incoming, {**wire, "JMSXUserID": "somebody"})


def _text_alone(values: properties.Properties, wire: dict[str, str]) -> None:
    with_companions: dict[str, str] = {}
    properties.write_properties(values, with_companions)
    wire.update({name: with_companions[name] for name in values if name in with_companions})


def _python_text(value: PropertyValue) -> str:
    return repr(float(value)) if isinstance(value, float) else java_text(value)


FLOATS_IN_PYTHON_TEXT = Mutant(
    name="floats-in-python-text",
    area="properties",
    violates=("SLJ-PROP-011", "SLJ-PROP-012"),
    doc="Floating point numbers are written as Python prints them.",
    apply=partial(patch.object, properties, "java_text", _python_text),
)
NO_TYPE_COMPANION = Mutant(
    name="no-type-companion",
    area="properties",
    violates=("SLJ-PROP-005", "SLJ-PROP-015"),
    doc="Properties travel without the property that names their type.",
    apply=partial(patch.object, wire_encoding, "write_properties", _text_alone),
)
NUMBERS_GUESSED = Mutant(
    name="numbers-guessed",
    area="properties",
    violates=("SLJ-PROP-010", "SLJ-PROP-017"),
    doc="A string of digits is received as an int.",
    apply=partial(patch.object, received_properties, "received_property", _numbers_guessed),
)
GROUP_WITHOUT_KEY = Mutant(
    name="group-without-key",
    area="properties",
    violates=("SLJ-PROP-019", "SLJ-PROP-022"),
    doc="JMSXGroupID does not become the key of the message.",
    apply=partial(patch.object, wire_encoding, "partition_key", lambda values: None),
)
ANYTHING_IS_A_PROPERTY = Mutant(
    name="anything-is-a-property",
    area="properties",
    violates=("SLJ-PROP-018",),
    doc="A property of any type is taken, as its text.",
    apply=partial(patch.object, message, "typed_property", str),
)
USER_ID_SUPPLIED = Mutant(
    name="user-id-supplied",
    area="properties",
    violates=("SLJ-PROP-026",),
    doc="JMSXUserID is supplied to the receiver.",
    apply=partial(patch.object, message, "ReceivedProperties", _with_user),
)
