"""What a selector sees of a message, and what becomes of a message that a consumer rejects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Protocol

from jmsapi.constants import DEFAULT_PRIORITY, DeliveryMode
from jmsapi.errors import InvalidSelectorException
from jmsapi.values import Int, Long, PropertyValue
from pulsar_jms.implements import implements, implements_rows
from pulsar_jms.mapping.delivery_mode import read_delivery_mode
from pulsar_jms.mapping.headers import (
    Position,
    decode_correlation_id,
    decode_priority,
    read_message_id,
)
from pulsar_jms.selectors import Selector


class SelectedFrom(Protocol):
    """What the header fields of a received message are read from."""

    @property
    def properties(self) -> Mapping[str, str]: ...
    @property
    def position(self) -> Position: ...
    @property
    def first_part(self) -> Position | None: ...
    @property
    def event_time(self) -> int | None: ...


def _correlation_id(message: SelectedFrom) -> str | None:
    text = message.properties.get("JMSCorrelationID")
    return None if text is None else decode_correlation_id(text).decode("utf-8", "replace")


@implements("JMS-SEL-065")
def _delivery_mode(message: SelectedFrom) -> str:
    """JMSDeliveryMode in a selector: the text PERSISTENT or NON_PERSISTENT."""
    return DeliveryMode(read_delivery_mode(message.properties.get("JMSDeliveryMode", ""))).name


def _priority(message: SelectedFrom) -> Int:
    return Int(decode_priority(message.properties.get("JMSPriority", str(DEFAULT_PRIORITY))))


HEADER_VALUES: Mapping[str, Callable[[SelectedFrom], PropertyValue | None]] = {
    "JMSMessageID": lambda message: read_message_id(
        message.properties, message.position, message.first_part
    ),
    "JMSTimestamp": lambda message: Long(message.event_time or 0),
    "JMSCorrelationID": _correlation_id,
    "JMSType": lambda message: message.properties.get("JMSType"),
    "JMSPriority": _priority,
    "JMSDeliveryMode": _delivery_mode,
}
"""The header fields that a selector may name (JMS 2.0, section 3.8.1.1); None is NULL."""

implements_rows(
    __name__,
    "HEADER_VALUES",
    [
        (f"{name} in a selector is the message's", ("SLJ-SEL-006", "JMS-SEL-015..016"))
        for name in HEADER_VALUES
    ],
)


class FilterResult(Enum):
    """What becomes of a message that a consumer took."""

    DELIVERED = "handed to the application"
    ACKNOWLEDGED = "dropped and acknowledged"
    NACKED = "negatively acknowledged, for another consumer"
    LEFT = "left unacknowledged, for the consumer that is active next"


@implements("SLJ-SEL-006", "SLJ-SEL-007", "JMS-SEL-002", "JMS-SEL-039")
def selector_of(text: str | None) -> Selector | None:
    """The selector written in `text`, None where it selects everything: null or empty.

    `InvalidSelectorException` says what is wrong with any other.
    """
    if text is None or text == "":
        return None
    if not isinstance(text, str):
        raise InvalidSelectorException(f"The selector {text!r} is no text")
    return Selector.parse(text)


@implements("SLJ-SEL-001", "SLJ-SEL-002", "SLJ-SEL-005", "JMS-SEL-003")
def selects(selector: Selector | None, values: Mapping[str, PropertyValue | None]) -> bool:
    """Whether a message with these values is for a consumer or browser with this selector."""
    return selector is None or selector.matches(values)


@implements(
    "SLJ-SEL-003",
    "SLJ-SEL-004",
    "SLJ-SEL-009",
    "SLJ-NLOC-003",
    "SLJ-NLOC-004",
    "JMS-SEL-067",
    "JMS-SEL-068",
    "JMS-SUB-017",
)
def result_for_rejected(subscription_type: str, acknowledge_rejected: bool = False) -> FilterResult:
    """What becomes of a message that selector or noLocal rejects.

    Acknowledged on Exclusive subscriptions, nacked on shared ones, left on Failover.
    `acknowledge_rejected` is jms.acknowledgeRejectedMessages: acknowledged on all of them.
    """
    if subscription_type == "Exclusive" or acknowledge_rejected:
        return FilterResult.ACKNOWLEDGED
    return FilterResult.LEFT if subscription_type == "Failover" else FilterResult.NACKED
