"""Header fields on the wire: which raw property carries which field, in which form.

What a field holds is decided where messages are sent; here is only how it is written and read.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Protocol

from jmsapi.constants import DEFAULT_PRIORITY
from jmsapi.destinations import Destination, Topic
from jmsapi.errors import JMSException, NumberFormatException
from jmsapi.numbers_as_text import parse_java_integral
from jmsapi.values import Int, Long
from pulsar_jms.formats.modified_utf8 import as_utf8_allows
from pulsar_jms.implements import implements, implements_rows
from pulsar_jms.mapping.delivery_mode import DELIVERY_MODE_ROW
from pulsar_jms.mapping.destinations import PulsarDestination, PulsarQueue, PulsarTopic
from pulsar_jms.mapping.header_row import HeaderRow
from pulsar_jms.mapping.properties import COMPANION

REPLY_TO, REPLY_TO_TYPE = "JMSReplyTo", "JMSReplyToType"
Position = tuple[int, int, int, int]
"""Ledger, entry, partition and index in a batch; -1 where there is none."""
MESSAGE_ID = "JMSMessageId"
DELIVERY_TIME = "JMSDeliveryTime"
EXPIRATION = "JMSExpiration"


def encode_correlation_id(value: bytes) -> str:
    """The bytes of a correlation id in Base64, as the raw property has them."""
    return base64.b64encode(value).decode("ascii")


def decode_correlation_id(text: str) -> bytes:
    """The bytes of a correlation id; those of the text itself where it is no Base64."""
    try:
        # As in Java the padding may be left out, but not a part of it.
        padded = text if text.endswith("=") else text + "=" * (-len(text) % 4)
        return base64.b64decode(padded, validate=True)
    except (binascii.Error, ValueError):
        return text.encode("utf-8", "replace")


def decode_priority(text: str) -> int:
    """The priority, 4 where the text is none of 0 to 9 by Java's Integer.parseInt."""
    try:
        priority = int(parse_java_integral(text, Int))
    except NumberFormatException:
        return DEFAULT_PRIORITY
    return priority if 0 <= priority <= 9 else DEFAULT_PRIORITY


def check_priority(priority: int) -> int:
    """`priority` if it is one of 0 to 9, else `JMSException`."""
    if not isinstance(priority, int) or isinstance(priority, bool) or not 0 <= priority <= 9:
        raise JMSException(f"priority {priority!r} is unknown: 0 (lowest) to 9 are allowed")
    return int(priority)


def decode_milliseconds(text: str) -> int | None:
    """Milliseconds since the epoch; None where the text is no number to Java's Long.parseLong."""
    if len(text) < 19 and text.isdecimal() and text.isascii():
        return int(text)
    try:
        return int(parse_java_integral(text, Long))
    except NumberFormatException:
        return None


HEADER_ROWS: tuple[HeaderRow, ...] = (
    HeaderRow(
        "JMSType", "jms_type", None, as_utf8_allows, str, ("SLJ-HDR-001", "JMS-HDR-017..018")
    ),
    HeaderRow(
        "JMSCorrelationID",
        "correlation",
        None,
        encode_correlation_id,
        decode_correlation_id,
        ("SLJ-HDR-002", "SLJ-HDR-003", "JMS-HDR-013..014"),
    ),
    HeaderRow(
        "JMSPriority",
        "jms_priority",
        DEFAULT_PRIORITY,
        str,
        decode_priority,
        ("SLJ-PRIO-001", "SLJ-PRIO-002", "SLJ-PRIO-003", "JMS-PRIO-001"),
    ),
    DELIVERY_MODE_ROW,
)
"""The header fields that one property carries, left out where they hold their default."""

implements_rows(
    __name__,
    "HEADER_ROWS",
    [(f"{row.attribute} travels as {row.property}", row.requirements) for row in HEADER_ROWS],
)

_WRITERS = tuple((row.property, row.attribute, row.default, row.write) for row in HEADER_ROWS)
_READERS: Mapping[str, tuple[str, Callable[[str], object]]] = {
    row.property: (row.attribute, row.read) for row in HEADER_ROWS
}
_READ_NAMES = frozenset(_READERS)


class HeaderFields(Protocol):
    """The header fields of a message, as far as the wire has them."""

    jms_type: str | None
    correlation: bytes | None
    jms_priority: int
    jms_delivery_mode: int
    jms_delivery_time: int
    jms_reply_to: Destination | None

    @property
    def chosen_message_id(self) -> str | None:
        """The message id that the application chose itself; None where the broker's applies."""
        ...

    @property
    def chosen_expiration(self) -> int | None:
        """The expiration to write; None where the message has none and none was set."""
        ...


def write_headers(fields: HeaderFields, namespace: str, wire: dict[str, str]) -> None:
    """Add the header fields to the raw properties."""
    for name, attribute, default, write in _WRITERS:
        value = getattr(fields, attribute)
        if value != default:
            wire[name] = write(value)
    wire[DELIVERY_TIME] = str(fields.jms_delivery_time)
    message_id = fields.chosen_message_id
    if message_id is not None:
        wire[MESSAGE_ID] = as_utf8_allows(message_id)
    expiration = fields.chosen_expiration
    if expiration is not None:
        wire[EXPIRATION] = str(expiration)
        wire[EXPIRATION + COMPANION] = "long"
    if fields.jms_reply_to is not None:
        wire.update(write_reply_to(fields.jms_reply_to, namespace))


@implements("SLJ-HDR-005", "SLJ-HDR-006", "SLJ-HDR-007", "JMS-HDR-015", "JMS-HDR-016")
def write_reply_to(destination: Destination, namespace: str) -> dict[str, str]:
    """JMSReplyTo as the full name; only a topic is marked, as the real client does."""
    if not isinstance(destination, PulsarDestination):
        raise JMSException(
            f"JMSReplyTo {destination!r} is of another JMS client: create it by this session"
        )
    written = {REPLY_TO: as_utf8_allows(destination.wire_name(namespace))}
    if isinstance(destination, Topic):
        written[REPLY_TO_TYPE] = "topic"
    return written


@implements("SLJ-HDR-008", "SLJ-HDR-009", "JMS-HDR-015")
def read_reply_to(wire: Mapping[str, str]) -> PulsarDestination | None:
    """The reply destination: a queue where it is marked so or, as real clients send it, not at all.

    Any other mark is read as topic, the documents' default.
    """
    name = wire.get(REPLY_TO)
    if name is None:
        return None
    return (PulsarQueue if wire.get(REPLY_TO_TYPE) in (None, "queue") else PulsarTopic)(name)


def read_headers(wire: Mapping[str, str]) -> dict[str, object]:
    """The header fields that the raw properties carry, by attribute; the rest keep defaults."""
    values: dict[str, object] = {}
    for name in _READ_NAMES & wire.keys():
        attribute, read = _READERS[name]
        values[attribute] = read(wire[name])
    return values


@implements("SLJ-HDR-004")
def read_message_id(wire: Mapping[str, str], position: Position, first: Position | None) -> str:
    """JMSMessageID: the logical id in the raw property, else the broker's id."""
    chosen = wire.get(MESSAGE_ID)
    return message_id_text(position, first) if chosen is None else chosen


@implements("JMS-HDR-006", "JMS-HDR-007", "AMQ-FAIL-018", "AMQ-FAIL-023", "AMQ-FAIL-027")
def message_id_text(position: Position, first: Position | None = None) -> str:
    """The broker's id of a message as text: ID:ledger:entry:partition, then :index in a batch.

    Of a message in several parts the id of the first stands before that of the last, after which
    the message is called: ID:ledger:entry:partition;ledger:entry:partition.
    """
    last = _position_text(position)
    return f"ID:{last}" if first is None else f"ID:{_position_text(first)};{last}"


def _position_text(position: Position) -> str:
    ledger, entry, partition, batch_index = position
    text = f"{ledger}:{entry}:{partition}"
    return text if batch_index < 0 else f"{text}:{batch_index}"


@implements("SLJ-DLY-007", "JMS-DLY-002")
def read_delivery_time(wire: Mapping[str, str], event_time: int) -> int:
    """JMSDeliveryTime in ms; the time of sending where the property is missing or no number."""
    value = decode_milliseconds(wire.get(DELIVERY_TIME, ""))
    return event_time if value is None else value


@implements("SLJ-EXP-001", "JMS-EXP-004")
def read_expiration(wire: Mapping[str, str]) -> int:
    """JMSExpiration in ms; 0, for never, where the property is missing or no number."""
    text = wire.get(EXPIRATION)
    return 0 if text is None else decode_milliseconds(text) or 0
