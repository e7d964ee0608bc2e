"""Message properties on the wire: text, with a companion property that names the type.

An int `my-key` = 1234 travels as my-key=1234 and my-key_jsmtype=int; a String has no companion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from jmsapi.conversions import PROPERTY_READS, T, java_text, parse_java, read_as
from jmsapi.errors import (
    IllegalArgumentException,
    MessageFormatException,
    NumberFormatException,
)
from jmsapi.values import Byte, Double, Float, Int, Long, PropertyValue, Short
from pulsar_jms.formats.modified_utf8 import as_utf8_allows
from pulsar_jms.implements import implements, implements_rows

COMPANION = "_jsmtype"
"""Suffix of the property that names another's type, as the real client writes and reads it."""
DOCUMENTED_COMPANION = "_jmstype"
"""The spelling in the documents' running text; read where it can mean nothing else."""
_COMPANIONS = (COMPANION, DOCUMENTED_COMPANION)

TYPE_NAMES: Mapping[type, str] = {
    bool: "boolean",
    Byte: "byte",
    Short: "short",
    Int: "int",
    Long: "long",
    Float: "float",
    Double: "double",
}
"""The type names written into companions; a String has none."""

implements_rows(
    __name__,
    "TYPE_NAMES",
    [
        ("boolean: 'true' or 'false'", ("SLJ-PROP-006",)),
        ("byte: decimal text", ("SLJ-PROP-007",)),
        ("short: decimal text", ("SLJ-PROP-008",)),
        ("int: decimal text", ("SLJ-PROP-002", "SLJ-PROP-004", "SLJ-PROP-005")),
        ("long: decimal text", ("SLJ-PROP-009",)),
        ("float: the text of Float.toString", ("SLJ-PROP-012", "SLJ-PROP-014")),
        ("double: the text of Double.toString", ("SLJ-PROP-011", "SLJ-PROP-013")),
        ("String: the text itself, without companion", ("SLJ-PROP-010",)),
    ],
)

_TYPES_BY_NAME: Mapping[str, type] = {
    **{name: kind for kind, name in TYPE_NAMES.items()},
    "integer": Int,
    "string": str,
}

MESSAGE_TYPE = "JMSPulsarMessageType"
CONNECTION_ID = "JMSConnectionID"
GROUP_ID = "JMSXGroupID"
GROUP_SEQUENCE = "JMSXGroupSeq"
DELIVERY_COUNT = "JMSXDeliveryCount"

BOOKKEEPING = frozenset(
    {
        MESSAGE_TYPE,
        "JMSMessageId",
        "JMSDeliveryTime",
        "JMSExpiration",
        "JMSPriority",
        "JMSDeliveryMode",
        "JMSType",
        "JMSCorrelationID",
        "JMSReplyTo",
        "JMSReplyToType",
        "JMSTX",
    }
)
"""Raw properties that carry header fields; they are not properties of the JMS message."""

RESERVED = BOOKKEEPING | {DELIVERY_COUNT}
"""Names that no setter takes: they belong to a header field or to the client."""

IGNORED_JMSX = frozenset(
    {
        "JMSXUserID",
        "JMSXAppID",
        "JMSXProducerTXID",
        "JMSXConsumerTXID",
        "JMSXRcvTimestamp",
        "JMSXState",
    }
)
"""JMSX properties without a meaning here: never supplied, and ordinary when an application sets
them."""

implements_rows(
    __name__,
    "IGNORED_JMSX",
    [
        (f"{name} is never supplied", requirements)
        for name, *requirements in [
            ("JMSXUserID", "SLJ-PROP-026"),
            ("JMSXAppID", "SLJ-PROP-027"),
            ("JMSXProducerTXID", "SLJ-PROP-028"),
            ("JMSXConsumerTXID", "SLJ-PROP-029"),
            ("JMSXRcvTimestamp", "SLJ-PROP-030"),
            ("JMSXState", "SLJ-PROP-031", "JMS-PROP-053"),
        ]
    ],
)


class Unreadable(NamedTuple):
    """A received property whose text does not fit the type that its companion names."""

    text: str
    kind: type

    def refusal(self, name: str) -> MessageFormatException:
        """The error that every read of this property gives."""
        return MessageFormatException(
            f"property {name!r} is marked {TYPE_NAMES[self.kind]} but holds {self.text[:60]!r}"
        )


Properties = dict[str, PropertyValue | None]
ReadableProperties = Mapping[str, "PropertyValue | Unreadable | None"]


def check_name(name: str) -> None:
    """Refuse a name that no property may have: `IllegalArgumentException`.

    The documents' own example, my-key, is no Java identifier, so any other name is accepted.
    """
    if not name:
        raise IllegalArgumentException("a property needs a name, this one is empty or null")
    if name in RESERVED:
        raise IllegalArgumentException(
            f"property {name!r} belongs to the JMS client: use the header field, if there is one"
        )


@implements("SLJ-PROP-001", "SLJ-PROP-003", "SLJ-PROP-015", "JMS-PROP-002..011")
def write_properties(properties: Properties, wire: dict[str, str]) -> None:
    """Add each property as text to `wire`, and a companion for all but Strings.

    A null property is left out: reading it gives null, as reading one that was never set does.
    """
    for name, value in properties.items():
        wire_name = name if name.isascii() else as_utf8_allows(name)
        if isinstance(value, str):
            wire[wire_name] = value if value.isascii() else as_utf8_allows(value)
        elif value is not None:
            wire[wire_name] = java_text(value)
            wire[wire_name + COMPANION] = TYPE_NAMES[type(value)]


@implements("SLJ-PROP-005", "SLJ-PROP-016", "SLJ-PROP-017", "JMS-PROP-003..010")
def received_property(wire: Mapping[str, str], name: str) -> PropertyValue | Unreadable | None:
    """The property `name` of a received message, in the type that its companion names.

    Without a companion, or with one of an unknown type, it is a String. None where there is none:
    companions and the bookkeeping of header fields are no properties.
    """
    text = wire.get(name)
    if text is None or not _is_property(name, wire):
        return None
    kind_name = wire.get(name + COMPANION)
    if kind_name is None:
        kind_name = wire.get(name + DOCUMENTED_COMPANION)
    return text if kind_name is None else _parse_typed(text, kind_name)


@implements("JMS-PROP-036", "JMS-PROP-037")
def received_names(wire: Mapping[str, str]) -> Iterator[str]:
    """The names of a received message's properties."""
    return (name for name in wire if _is_property(name, wire))


def _is_property(name: str, wire: Mapping[str, str]) -> bool:
    return name not in BOOKKEEPING and not (
        name.endswith(_COMPANIONS)
        and (name.endswith(COMPANION) or _is_documented_companion(name, wire))
    )


def _is_documented_companion(name: str, wire: Mapping[str, str]) -> bool:
    return name.removesuffix(DOCUMENTED_COMPANION) in wire and wire[name] in _TYPES_BY_NAME


def _parse_typed(text: str, kind_name: str) -> PropertyValue | Unreadable:
    kind = _TYPES_BY_NAME.get(kind_name, str)
    if kind is str:
        return text
    try:
        value: PropertyValue = parse_java(text, kind)
    except NumberFormatException:
        return Unreadable(text, kind)
    return value


@implements(
    "SLJ-PROP-019", "SLJ-PROP-020", "SLJ-PROP-022", "SLJ-INTR-004", "JMS-PROP-043", "JMS-PROP-044"
)
def partition_key(properties: Properties) -> str | None:
    """The key of the Pulsar message: JMSXGroupID, as text."""
    group = properties.get(GROUP_ID)
    return None if group is None else as_utf8_allows(java_text(group))


@implements("SLJ-PROP-021", "JMS-PROP-043", "JMS-PROP-044")
def group_id(key: str | None, wire: Mapping[str, str]) -> str | None:
    """JMSXGroupID of a received message: its key; a raw property of that name is no group.

    Pulsar has no empty key, so only the property says that a group is empty.
    """
    return key or ("" if wire.get(GROUP_ID) == "" else None)


@implements("SLJ-PROP-023", "SLJ-PROP-024")
def group_sequence(sequence_id: int | None) -> Int | Long | None:
    """JMSXGroupSeq where the sender set none: Pulsar's sequence id, if that is known."""
    if sequence_id is None:
        return None
    return Int(sequence_id) if -(1 << 31) <= sequence_id < 1 << 31 else Long(sequence_id)


@implements("SLJ-PROP-018", "JMS-PROP-013..032")
def read_property(properties: ReadableProperties, name: str, kind: type[T]) -> T | None:
    """The property `name` converted to `kind` by the table of JMS 2.0, section 3.5.4."""
    value = properties.get(name)
    if type(value) is kind:
        return value
    if isinstance(value, Unreadable):
        raise value.refusal(name)
    return read_as(value, kind, PROPERTY_READS, f"property {name!r}")


@implements("JMS-PROP-036")
def visible_names(properties: ReadableProperties) -> Iterator[str]:
    """The names of `properties`, without those of companions set by hand."""
    return (name for name in properties if not name.endswith(COMPANION))
