"""Clients that break what the specification says of properties."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import Any
from unittest.mock import patch

from jmsapi import Byte, Double, Float, Int, Long, MessageFormatException, Short, conversions
from jmsapi.conversions import PROPERTY_READS
from pulsar_jms.mapping import properties
from pulsar_jms.mapping.properties import DELIVERY_COUNT, GROUP_SEQUENCE
from pulsar_jms.messages import PulsarMessage, PulsarTextMessage, message, wire_encoding
from pulsar_jms.messages.received_properties import ReceivedProperties
from touchstone.mutants.registry import Mutant

_write = properties.write_properties
_read_as = conversions.read_as
_object_property = PulsarMessage.get_object_property
_names = PulsarMessage.property_names
_exists = PulsarMessage.property_exists
_clear = PulsarMessage.clear_properties
_of_received = ReceivedProperties.get
_partition_key = properties.partition_key


def _reads(kind: type, *others: type) -> Callable[[], AbstractContextManager[object]]:
    """A property of the type `kind` is read as `others`, and as nothing else."""
    return partial(patch.dict, PROPERTY_READS, {kind: frozenset(others)})


def _set_whatever_was_received(one: PulsarMessage, name: str, value: Any) -> None:
    properties.check_name(name)
    if not isinstance(one._properties, dict):
        one._properties = dict(one._properties)
    one._properties[name] = value


def _without_empty_texts(values: properties.Properties, wire: dict[str, str]) -> None:
    _write({name: value for name, value in values.items() if value != ""}, wire)


def _refused_as_a_format(value: Any, kind: Any, reads: Any, what: str) -> Any:
    try:
        return _read_as(value, kind, reads, what)
    except ValueError as error:
        raise MessageFormatException(str(error)) from error


def _widened(one: PulsarMessage, name: str) -> Any:
    value = _object_property(one, name)
    return Int(value) if isinstance(value, Byte | Short) else value


def _headers_listed(one: PulsarMessage) -> Iterator[str]:
    return iter([*_names(one), *(("JMSType",) if one.jms_type else ())])


def _empty_and_closed(one: PulsarMessage) -> None:
    closed = one._properties_read_only
    _clear(one)
    one._properties_read_only = closed


def _body_as_well(one: PulsarMessage) -> None:
    _clear(one)
    if isinstance(one, PulsarTextMessage):
        one.clear_body()


def _in_any_case(one: PulsarMessage, name: str) -> bool:
    return _exists(one, name) or name.lower() in (each.lower() for each in one._properties)


def _counted_from_the_start(one: PulsarMessage, name: str) -> bool:
    return name == DELIVERY_COUNT or _exists(one, name)


def _sequence_as_long(received: ReceivedProperties, name: str, default: object = None) -> Any:
    value = _of_received(received, name, default)
    return Long(value) if name == GROUP_SEQUENCE and isinstance(value, Int) else value


def _message_property(name: str, wrong: Callable[..., Any]) -> Callable[[], Any]:
    return partial(patch.object, PulsarMessage, name, wrong)


PROPERTIES_WITHOUT_NAMES = Mutant(
    name="properties-without-names",
    area="properties",
    violates=("JMS-PROP-001",),
    doc="A property may have an empty name.",
    apply=partial(patch.object, message, "check_name", lambda name: None),
)
FLOATS_WIDENED = Mutant(
    name="floats-widened",
    area="properties",
    violates=("JMS-PROP-002", "JMS-PROP-008"),
    doc="A float property arrives as a double.",
    apply=partial(patch.dict, properties.TYPE_NAMES, {Float: "double"}),
)
EMPTY_TEXTS_LOST = Mutant(
    name="empty-texts-lost",
    area="properties",
    violates=("JMS-PROP-010",),
    doc="A String property without characters does not travel.",
    apply=partial(patch.object, wire_encoding, "write_properties", _without_empty_texts),
)
RECEIVED_PROPERTIES_ARE_SET = Mutant(
    name="received-properties-are-set",
    area="properties",
    violates=("JMS-PROP-012", "JMS-HDR-024"),
    doc="The properties of a received message can be set.",
    apply=_message_property("_set_property", _set_whatever_was_received),
)
INT_READ_AS_DOUBLE = Mutant(
    name="int-read-as-double",
    area="properties",
    violates=("JMS-PROP-013", "JMS-PROP-022"),
    doc="An int property can be read as a double.",
    apply=_reads(Int, Int, Long, Double, str),
)
BYTE_NOT_READ_AS_SHORT = Mutant(
    name="byte-not-read-as-short",
    area="properties",
    violates=("JMS-PROP-013", "JMS-PROP-017"),
    doc="A byte property cannot be read as a short.",
    apply=_reads(Byte, Byte, Int, Long, str),
)
NO_NUMBER_IS_A_WRONG_FORMAT = Mutant(
    name="no-number-is-a-wrong-format",
    area="properties",
    violates=("JMS-PROP-030", "JMS-PROP-032"),
    doc="A text that is no number is refused with MessageFormatException.",
    apply=partial(patch.object, properties, "read_as", _refused_as_a_format),
)
SMALL_NUMBERS_ARE_INTS = Mutant(
    name="small-numbers-are-ints",
    area="properties",
    violates=("JMS-PROP-004", "JMS-PROP-005", "JMS-PROP-034"),
    doc="getObjectProperty gives bytes and shorts as Int.",
    apply=_message_property("get_object_property", _widened),
)
HEADER_FIELDS_LISTED = Mutant(
    name="header-fields-listed",
    area="properties",
    violates=("JMS-PROP-037",),
    doc="getPropertyNames lists JMSType.",
    apply=_message_property("property_names", _headers_listed),
)
CLEARED_PROPERTIES_STAY_CLOSED = Mutant(
    name="cleared-properties-stay-closed",
    area="properties",
    violates=("JMS-PROP-039",),
    doc="The properties of a received message stay read-only when they are cleared.",
    apply=_message_property("clear_properties", _empty_and_closed),
)
CLEARING_TAKES_THE_BODY = Mutant(
    name="clearing-properties-takes-the-body",
    area="properties",
    violates=("JMS-PROP-040",),
    doc="clearProperties clears the body, too.",
    apply=_message_property("clear_properties", _body_as_well),
)
NAMES_IN_ANY_CASE = Mutant(
    name="property-names-in-any-case",
    area="properties",
    violates=("JMS-PROP-041",),
    doc="Names of properties are matched without regard to case.",
    apply=_message_property("property_exists", _in_any_case),
)
DELIVERY_COUNT_OF_THE_SENDER = Mutant(
    name="delivery-count-of-the-sender",
    area="properties",
    violates=("JMS-PROP-047",),
    doc="A message that nobody received has a JMSXDeliveryCount.",
    apply=_message_property("property_exists", _counted_from_the_start),
)
GROUP_SEQUENCE_AS_LONG = Mutant(
    name="group-sequence-as-long",
    area="properties",
    violates=("JMS-PROP-045",),
    doc="JMSXGroupSeq arrives as a Long.",
    apply=partial(patch.object, ReceivedProperties, "get", _sequence_as_long),
)


def _ascii_key(properties: dict[str, Any]) -> str | None:
    key = _partition_key(properties)
    return None if key is None else key.encode("ascii", "replace").decode()


GROUPS_IN_ASCII = Mutant(
    name="groups-in-ascii",
    area="properties",
    violates=("JMS-PROP-044",),
    doc="A letter of JMSXGroupID that is not of ASCII arrives as a question mark.",
    apply=partial(patch.object, wire_encoding, "partition_key", _ascii_key),
)
