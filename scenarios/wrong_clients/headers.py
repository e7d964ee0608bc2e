"""Clients that are wrong about header fields."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import wraps
from itertools import count
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.wrong import wrong
from jmsapi import JMSException, Message
from pulsar_jms.mapping import headers
from pulsar_jms.mapping.headers import HeaderFields
from pulsar_jms.messages import PulsarMessage, PulsarTextMessage, decoding, wire_encoding
from pulsar_jms.messages.wire_encoding import SendParameters
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.transport.wire_messages import MessagePosition
from wrong_clients.helpers.written_headers import headers_rewritten
from wrong_clients.producers import sends_are_not_awaited

_stamp = wire_encoding._stamp
_numbers = count(1)
_correlation_id: Any = PulsarMessage.jms_correlation_id_as_bytes


@wrong("JMS-HDR-001", patches=(decoding, "decode"))
def destination_not_told(
    original: Callable[..., PulsarMessage], incoming: Any, destination: Any, *rest: Any
) -> PulsarMessage:
    """A received message does not say where it came from."""
    return original(incoming, None, *rest)


def _stamped_but(*fields: str) -> AbstractContextManager[object]:
    """A send leaves these fields of the message as they are."""

    def stamp(message: PulsarMessage, decided: SendParameters) -> None:
        kept = {field: getattr(message, field) for field in fields}
        _stamp(message, decided)
        for field, value in kept.items():
            setattr(message, field, value)

    return patch.object(wire_encoding, "_stamp", stamp)


@wrong("JMS-HDR-002", "JMS-HDR-003")
def sender_is_not_told_where() -> AbstractContextManager[object]:
    """A send leaves JMSDestination as it was."""
    return _stamped_but("jms_destination")


@wrong("JMS-HDR-003", "JMS-HDR-004", "JMS-HDR-005", "JMS-HDR-021")
def mode_and_priority_of_the_message() -> AbstractContextManager[object]:
    """Mode and priority that are set on a message win over those of the send."""
    return _stamped_but("jms_delivery_mode", "jms_priority")


def _then(change: Callable[[PulsarMessage], object]) -> Callable[..., None]:
    """A send does more to the message than it should."""

    @wraps(change)
    def stamp(message: PulsarMessage, decided: SendParameters) -> None:
        _stamp(message, decided)
        change(message)

    return stamp


@wrong("JMS-HDR-022", patches=(wire_encoding, "_stamp"))
@_then
def delivery_time_without_delay(message: PulsarMessage) -> None:
    """JMSDeliveryTime is the time of sending, whatever the delay."""
    message.jms_delivery_time = message.jms_timestamp


@wrong("JMS-HDR-010", "JMS-HDR-011", patches=(wire_encoding, "_stamp"))
@_then
def no_timestamp_for_the_sender(message: PulsarMessage) -> None:
    """The sender reads the timestamp 0."""
    message.jms_timestamp = 0


@wrong("JMS-HDR-006", "JMS-HDR-008", patches=(headers, "message_id_text"))
def ids_without_prefix(position: Any, first: Any = None) -> str:
    """Message ids that the receiver reads do not begin with ID:."""
    return "1"


@wrong("JMS-HDR-007", "JMS-HDR-009", "JMS-HDR-026", patches=(headers, "message_id_text"))
def one_id_for_all(position: Any, first: Any = None) -> str:
    """All messages have one id."""
    return "ID:1"


@wrong("JMS-HDR-007", patches=(PulsarMessageProducer, "send"), scenarios="over_a_restart")
def ids_counted_in_each_process(
    original: Callable[..., None],
    producer: PulsarMessageProducer,
    message: Message,
    *given: Any,
    **options: Any,
) -> None:
    """Each process counts its messages, from one on, and these numbers are their ids."""
    message.jms_message_id = f"ID:{next(_numbers)}"
    original(producer, message, *given, **options)


@wrong(
    "JMS-HDR-007",
    patches=(headers, "_position_text"),
    scenarios="message_ids_differ and not restart",
)
def ids_start_over(original: Callable[..., str], position: MessagePosition) -> str:
    """Message ids name the entries of a ledger up to the thousandth, and then from 0 on again."""
    return original(position._replace(entry=position.entry % 1_000))


@wrong("JMS-HDR-013", patches=(wire_encoding, "_stamp"))
@_then
def correlation_id_in_ascii(message: PulsarMessage) -> None:
    """A send replaces letters beyond ASCII in the correlation id."""
    if message.jms_correlation_id is not None:
        message.jms_correlation_id = message.jms_correlation_id.encode("ascii", "replace").decode()


@wrong("JMS-HDR-015", "JMS-HDR-016", patches=(wire_encoding, "_stamp"))
@_then
def replies_come_back(message: PulsarMessage) -> None:
    """A message without a reply destination gets the one that it is sent to."""
    message.jms_reply_to = message.jms_reply_to or message.jms_destination


@wrong("JMS-HDR-016", patches=(PulsarMessageProducer, "send"))
def requests_are_sent_empty(
    original: Callable[..., None],
    producer: PulsarMessageProducer,
    message: Message,
    *given: Any,
    **options: Any,
) -> None:
    """A message with a reply destination is left as it is, and an empty one sent in its place."""
    asks = message.jms_reply_to is not None
    original(producer, PulsarTextMessage("") if asks else message, *given, **options)


@wrong("JMS-HDR-017", "JMS-HDR-018", patches=(wire_encoding, "_stamp"))
@_then
def type_made_up(message: PulsarMessage) -> None:
    """A message without a type gets one when it is sent."""
    message.jms_type = message.jms_type or "message"


@wrong("JMS-HDR-025")
def messages_are_sent_when_there_is_time() -> AbstractContextManager[object]:
    """A send takes the message as it is some time later."""
    return sends_are_not_awaited.apply()


@wrong("JMS-HDR-026", "JMS-HDR-008", patches=(PulsarMessageProducer, "send"))
def messages_are_sent_once(
    original: Callable[..., None], self: PulsarMessageProducer, message: Message, **options: Any
) -> None:
    """A message cannot be sent a second time."""
    if getattr(message, "_sent_before", False):
        raise JMSException("the message was sent before")
    original(self, message, **options)
    message._sent_before = True  # type: ignore[attr-defined]


@wrong("API-MSG-028")
def type_is_forgotten() -> AbstractContextManager[object]:
    """JMSType is null whatever was set."""
    return patch.object(
        PulsarMessage, "jms_type", property(lambda message: None, lambda message, value: None)
    )


@wrong("API-MSG-042")
def no_correlation_id_is_no_bytes() -> AbstractContextManager[object]:
    """getJMSCorrelationIDAsBytes of a message without a correlation id has no bytes."""
    return patch.object(
        PulsarMessage,
        "jms_correlation_id_as_bytes",
        _correlation_id.getter(lambda message: message.correlation or b""),
    )


@wrong("SLJ-HDR-002", "SLJ-HDR-003", patches=(wire_encoding, "write_headers"))
@headers_rewritten
def correlation_id_in_the_clear(wire: dict[str, str], fields: HeaderFields) -> None:
    """The correlation id travels as its own text, not in base64."""
    if fields.correlation is not None:
        wire["JMSCorrelationID"] = fields.correlation.decode("utf-8", "replace")


@wrong("SLJ-HDR-005", patches=(wire_encoding, "write_headers"))
@headers_rewritten
def reply_by_short_name(wire: dict[str, str], fields: HeaderFields) -> None:
    """JMSReplyTo is the last part of the topic's name."""
    if "JMSReplyTo" in wire:
        wire["JMSReplyTo"] = wire["JMSReplyTo"].rpartition("/")[2]


@wrong("SLJ-HDR-007", patches=(wire_encoding, "write_headers"))
@headers_rewritten
def reply_topic_unmarked(wire: Any, fields: Any) -> Any:
    """A reply topic is not told from a reply queue."""
    return wire.pop("JMSReplyToType", None)


@wrong("SLJ-HDR-001", patches=(wire_encoding, "write_headers"))
@headers_rewritten
def type_lost(wire: Any, fields: Any) -> Any:
    """JMSType is not sent along."""
    return wire.pop("JMSType", None)


@wrong("SLJ-HDR-002", patches=(wire_encoding, "write_headers"))
@headers_rewritten
def correlation_id_taken_for_base64(wire: dict[str, str], fields: HeaderFields) -> None:
    """A correlation id that could be Base64 is taken to be encoded already.

    Base64 of four letters and more, which many a name is.
    """
    if fields.correlation is not None:
        with suppress(ValueError):
            b64decode(fields.correlation, validate=True)
            wire["JMSCorrelationID"] = fields.correlation.decode()
