"""Clients that are wrong about properties."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.wrong import wrong
from jmsapi import (
    Byte,
    CompletionListener,
    Double,
    Float,
    Int,
    Long,
    Message,
    MessageFormatException,
    PropertyValue,
    Short,
)
from jmsapi.conversions import PROPERTY_READS, java_text
from pulsar_jms.mapping import properties
from pulsar_jms.mapping.properties import DELIVERY_COUNT, GROUP_SEQUENCE
from pulsar_jms.messages import (
    PulsarMessage,
    PulsarTextMessage,
    message,
    received_properties,
    wire_encoding,
)
from pulsar_jms.messages.received_properties import ReceivedProperties
from pulsar_jms.settling.transactions import EmulatedTransaction
from pulsar_jms.transport.transport_protocol import TransportProducer
from pulsar_jms.transport.wire_messages import Incoming, OutgoingMessage


@wrong("JMS-PROP-001", patches=(message, "check_name"))
def properties_without_names(name: Any) -> None:
    """A property may have an empty name."""


@wrong("JMS-PROP-002", "JMS-PROP-008")
def floats_widened() -> AbstractContextManager[object]:
    """A float property arrives as a double."""
    return patch.dict(properties.TYPE_NAMES, {Float: "double"})


@wrong("JMS-PROP-010", patches=(wire_encoding, "write_properties"))
def empty_texts_lost(
    original: Callable[..., None], values: properties.Properties, wire: dict[str, str]
) -> None:
    """A String property without characters does not travel."""
    original({name: value for name, value in values.items() if value != ""}, wire)


@wrong("JMS-PROP-012", "JMS-HDR-024", patches=(PulsarMessage, "_set_property"))
def received_properties_are_set(pulsar_message: PulsarMessage, name: str, value: Any) -> None:
    """The properties of a received message can be set."""
    properties.check_name(name)
    if not isinstance(pulsar_message._properties, dict):
        pulsar_message._properties = dict(pulsar_message._properties)
    pulsar_message._properties[name] = value


def _reads(kind: type, *others: type) -> AbstractContextManager[object]:
    """A property of the type `kind` is read as `others`, and as nothing else."""
    return patch.dict(PROPERTY_READS, {kind: frozenset(others)})


@wrong("JMS-PROP-013", "JMS-PROP-022")
def int_read_as_double() -> AbstractContextManager[object]:
    """An int property can be read as a double."""
    return _reads(Int, Int, Long, Double, str)


@wrong("JMS-PROP-013", "JMS-PROP-017")
def byte_not_read_as_short() -> AbstractContextManager[object]:
    """A byte property cannot be read as a short."""
    return _reads(Byte, Byte, Int, Long, str)


@wrong("JMS-PROP-030", "JMS-PROP-032", patches=(properties, "read_as"))
def no_number_is_a_wrong_format(
    original: Callable[..., Any], value: Any, kind: Any, reads: Any, what: str
) -> Any:
    """A text that is no number is refused with MessageFormatException."""
    try:
        return original(value, kind, reads, what)
    except ValueError as error:
        raise MessageFormatException(str(error)) from error


@wrong(
    "JMS-PROP-004", "JMS-PROP-005", "JMS-PROP-034", patches=(PulsarMessage, "get_object_property")
)
def small_numbers_are_ints(
    original: Callable[..., Any], pulsar_message: PulsarMessage, name: str
) -> Any:
    """getObjectProperty gives bytes and shorts as Int."""
    value = original(pulsar_message, name)
    return Int(value) if isinstance(value, Byte | Short) else value


@wrong("JMS-PROP-037", patches=(PulsarMessage, "property_names"))
def header_fields_listed(
    original: Callable[..., Iterator[str]], pulsar_message: PulsarMessage
) -> Iterator[str]:
    """getPropertyNames lists JMSType."""
    return iter([*original(pulsar_message), *(("JMSType",) if pulsar_message.jms_type else ())])


@wrong("JMS-PROP-039", patches=(PulsarMessage, "clear_properties"))
def cleared_properties_stay_closed(
    original: Callable[..., None], pulsar_message: PulsarMessage
) -> None:
    """The properties of a received message stay read-only when they are cleared."""
    closed = pulsar_message._properties_read_only
    original(pulsar_message)
    pulsar_message._properties_read_only = closed


@wrong("JMS-PROP-040", patches=(PulsarMessage, "clear_properties"))
def clearing_properties_takes_the_body(
    original: Callable[..., None], pulsar_message: PulsarMessage
) -> None:
    """clearProperties clears the body, too."""
    original(pulsar_message)
    if isinstance(pulsar_message, PulsarTextMessage):
        pulsar_message.clear_body()


@wrong("JMS-PROP-041", patches=(PulsarMessage, "property_exists"))
def property_names_in_any_case(
    original: Callable[..., bool], pulsar_message: PulsarMessage, name: str
) -> bool:
    """Names of properties are matched without regard to case."""
    return original(pulsar_message, name) or name.lower() in (
        each.lower() for each in pulsar_message._properties
    )


@wrong("JMS-PROP-047", patches=(PulsarMessage, "property_exists"))
def delivery_count_of_the_sender(
    original: Callable[..., bool], pulsar_message: PulsarMessage, name: str
) -> bool:
    """A message that nobody received has a JMSXDeliveryCount."""
    return name == DELIVERY_COUNT or original(pulsar_message, name)


@wrong("JMS-PROP-045", patches=(ReceivedProperties, "get"))
def group_sequence_as_long(
    original: Callable[..., Any], received: ReceivedProperties, name: str, default: object = None
) -> Any:
    """JMSXGroupSeq arrives as a Long."""
    value = original(received, name, default)
    return Long(value) if name == GROUP_SEQUENCE and isinstance(value, Int) else value


@wrong("JMS-PROP-044", patches=(wire_encoding, "partition_key"))
def groups_in_ascii(original: Callable[..., str | None], properties: dict[str, Any]) -> str | None:
    """A letter of JMSXGroupID that is not of ASCII arrives as a question mark."""
    key = original(properties)
    return None if key is None else key.encode("ascii", "replace").decode()


@wrong("API-MSG-041", patches=(PulsarMessage, "_set_property"))
def first_property_stays(
    original: Callable[..., None], message: PulsarMessage, name: str, value: Any
) -> None:
    """A property that is set again keeps its first value."""
    if not message.property_exists(name):
        original(message, name, value)


@wrong("SLJ-PROP-011", "SLJ-PROP-012", patches=(properties, "java_text"))
def floats_in_python_text(value: PropertyValue) -> str:
    """Floating point numbers are written as Python prints them."""
    return repr(float(value)) if isinstance(value, float) else java_text(value)


@wrong("SLJ-PROP-005", "SLJ-PROP-015", patches=(wire_encoding, "write_properties"))
def no_type_companion(values: properties.Properties, wire: dict[str, str]) -> None:
    """Properties travel without the property that names their type."""
    with_companions: dict[str, str] = {}
    properties.write_properties(values, with_companions)
    wire.update({name: with_companions[name] for name in values if name in with_companions})


@wrong("SLJ-PROP-010", "SLJ-PROP-017", patches=(received_properties, "received_property"))
def numbers_guessed(
    wire: Mapping[str, str], name: str
) -> PropertyValue | properties.Unreadable | None:
    """A string of digits is received as an int."""
    value = properties.received_property(wire, name)
    return Int(int(value)) if isinstance(value, str) and value.isdecimal() else value


@wrong("SLJ-PROP-019", "SLJ-PROP-022", patches=(wire_encoding, "partition_key"))
def group_without_key(values: Any) -> None:
    """JMSXGroupID does not become the key of the message."""


@wrong("SLJ-PROP-018")
def anything_is_a_property() -> AbstractContextManager[object]:
    """A property of any type is taken, as its text."""
    return patch.object(message, "typed_property", str)


@wrong("SLJ-PROP-026", patches=(message, "ReceivedProperties"))
def user_id_supplied(incoming: Incoming, wire: Mapping[str, str]) -> ReceivedProperties:
    """JMSXUserID is supplied to the receiver."""
    return ReceivedProperties(incoming, {**wire, "JMSXUserID": "somebody"})


@wrong("SLJ-PROP-028", "SLJ-PROP-029", patches=(EmulatedTransaction, "send"))
def transaction_told(
    original: Callable[..., None],
    transaction: EmulatedTransaction,
    transport_producer: TransportProducer,
    outgoing: OutgoingMessage,
    message: Message,
    listener: CompletionListener | None = None,
) -> None:
    """JMSXProducerTXID and JMSXConsumerTXID say in which transaction a message was sent."""
    told = str(id(transaction))
    outgoing.properties.update(JMSXProducerTXID=told, JMSXConsumerTXID=told)
    original(transaction, transport_producer, outgoing, message, listener)
