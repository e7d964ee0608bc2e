"""Clients that break what the specification says of header fields and of foreign messages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any
from unittest.mock import patch

from jmsapi import JMSException, Message
from pulsar_jms.mapping import headers
from pulsar_jms.messages import PulsarMessage, PulsarTextMessage, decode, decoding, wire_encoding
from pulsar_jms.messages.wire_encoding import SendParameters
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.transport.wire_messages import MessagePosition
from touchstone.mutants.core_clients import SENDS_ARE_NOT_AWAITED
from touchstone.mutants.registry import Mutant

_position_text = headers._position_text
_stamp = wire_encoding._stamp
_decode = decode
_send = PulsarMessageProducer.send
_numbers = count(1)


def _stamped_but(*fields: str) -> Callable[[], Any]:
    """A send leaves these fields of the message as they are."""

    def stamp(one: PulsarMessage, decided: SendParameters) -> None:
        kept = {field: getattr(one, field) for field in fields}
        _stamp(one, decided)
        for field, value in kept.items():
            setattr(one, field, value)

    return partial(patch.object, wire_encoding, "_stamp", stamp)


def _then(change: Callable[[PulsarMessage], object]) -> Callable[[], Any]:
    """A send does more to the message than it should."""

    def stamp(one: PulsarMessage, decided: SendParameters) -> None:
        _stamp(one, decided)
        change(one)

    return partial(patch.object, wire_encoding, "_stamp", stamp)


def _send_counted(
    producer: PulsarMessageProducer, message: Message, *given: Any, **options: Any
) -> None:
    message.jms_message_id = f"ID:{next(_numbers)}"
    _send(producer, message, *given, **options)


def _entries_to_a_thousand(position: MessagePosition) -> str:
    return _position_text(position._replace(entry=position.entry % 1_000))


def _answered_here(one: PulsarMessage) -> None:
    one.jms_reply_to = one.jms_reply_to or one.jms_destination


def _send_requests_empty(
    producer: PulsarMessageProducer, message: Message, *given: Any, **options: Any
) -> None:
    asks = message.jms_reply_to is not None
    _send(producer, PulsarTextMessage("") if asks else message, *given, **options)


def _typed(one: PulsarMessage) -> None:
    one.jms_type = one.jms_type or "message"


def _correlated_in_ascii(one: PulsarMessage) -> None:
    if one.jms_correlation_id is not None:
        one.jms_correlation_id = one.jms_correlation_id.encode("ascii", "replace").decode()


def _due_at_once(one: PulsarMessage) -> None:
    one.jms_delivery_time = one.jms_timestamp


def _untimed(one: PulsarMessage) -> None:
    one.jms_timestamp = 0


def _sent_once(self: PulsarMessageProducer, one: Message, **options: Any) -> None:
    if getattr(one, "_sent_before", False):
        raise JMSException("the message was sent before")
    _send(self, one, **options)
    one._sent_before = True  # type: ignore[attr-defined]


def _from_nowhere(incoming: Any, destination: Any, *rest: Any) -> PulsarMessage:
    return _decode(incoming, None, *rest)


def _of_jms_alone(incoming: Any, *rest: Any) -> PulsarMessage:
    if "JMSPulsarMessageType" not in incoming.properties:
        raise JMSException("the message is of no JMS client")
    return _decode(incoming, *rest)


def _of_this_client_alone(destination: Any) -> Any:
    raise JMSException(f"{destination!r} is of another client")


DESTINATION_NOT_TOLD = Mutant(
    name="destination-not-told",
    area="headers",
    violates=("JMS-HDR-001",),
    doc="A received message does not say where it came from.",
    apply=partial(patch.object, decoding, "decode", _from_nowhere),
)
SENDER_IS_NOT_TOLD_WHERE = Mutant(
    name="sender-is-not-told-where",
    area="headers",
    violates=("JMS-HDR-002", "JMS-HDR-003"),
    doc="A send leaves JMSDestination as it was.",
    apply=_stamped_but("jms_destination"),
)
MODE_AND_PRIORITY_OF_THE_MESSAGE = Mutant(
    name="mode-and-priority-of-the-message",
    area="headers",
    violates=("JMS-HDR-003", "JMS-HDR-004", "JMS-HDR-005", "JMS-HDR-021"),
    doc="Mode and priority that are set on a message win over those of the send.",
    apply=_stamped_but("jms_delivery_mode", "jms_priority"),
)
DELIVERY_TIME_WITHOUT_DELAY = Mutant(
    name="delivery-time-without-delay",
    area="headers",
    violates=("JMS-HDR-022",),
    doc="JMSDeliveryTime is the time of sending, whatever the delay.",
    apply=_then(_due_at_once),
)
NO_TIMESTAMP_FOR_THE_SENDER = Mutant(
    name="no-timestamp-for-the-sender",
    area="headers",
    violates=("JMS-HDR-010", "JMS-HDR-011"),
    doc="The sender reads the timestamp 0.",
    apply=_then(_untimed),
)
IDS_WITHOUT_PREFIX = Mutant(
    name="ids-without-prefix",
    area="headers",
    violates=("JMS-HDR-006", "JMS-HDR-008"),
    doc="Message ids that the receiver reads do not begin with ID:.",
    apply=partial(patch.object, headers, "message_id_text", lambda position, first=None: "1"),
)
ONE_ID_FOR_ALL = Mutant(
    name="one-id-for-all",
    area="headers",
    violates=("JMS-HDR-007", "JMS-HDR-009", "JMS-HDR-026"),
    doc="All messages have one id.",
    apply=partial(patch.object, headers, "message_id_text", lambda position, first=None: "ID:1"),
)
IDS_COUNTED_IN_EACH_PROCESS = Mutant(
    name="ids-counted-in-each-process",
    area="headers",
    violates=("JMS-HDR-007",),
    doc="Each process counts its messages, from one on, and these numbers are their ids.",
    apply=partial(patch.object, PulsarMessageProducer, "send", _send_counted),
    scenarios="over_a_restart",
)
IDS_START_OVER = Mutant(
    name="ids-start-over",
    area="headers",
    violates=("JMS-HDR-007",),
    doc="Message ids name the entries of a ledger up to the thousandth, and then from 0 on again.",
    apply=partial(patch.object, headers, "_position_text", _entries_to_a_thousand),
    scenarios="message_ids_differ and not restart",
)
CORRELATION_ID_IN_ASCII = Mutant(
    name="correlation-id-in-ascii",
    area="headers",
    violates=("JMS-HDR-013",),
    doc="A send replaces letters beyond ASCII in the correlation id.",
    apply=_then(_correlated_in_ascii),
)
REPLIES_COME_BACK = Mutant(
    name="replies-come-back",
    area="headers",
    violates=("JMS-HDR-015", "JMS-HDR-016"),
    doc="A message without a reply destination gets the one that it is sent to.",
    apply=_then(_answered_here),
)
REQUESTS_ARE_SENT_EMPTY = Mutant(
    name="requests-are-sent-empty",
    area="headers",
    violates=("JMS-HDR-016",),
    doc="A message with a reply destination is left as it is, and an empty one sent in its place.",
    apply=partial(patch.object, PulsarMessageProducer, "send", _send_requests_empty),
)
TYPE_MADE_UP = Mutant(
    name="type-made-up",
    area="headers",
    violates=("JMS-HDR-017", "JMS-HDR-018"),
    doc="A message without a type gets one when it is sent.",
    apply=_then(_typed),
)
MESSAGES_ARE_SENT_WHEN_THERE_IS_TIME = Mutant(
    name="messages-are-sent-when-there-is-time",
    area="headers",
    violates=("JMS-HDR-025",),
    doc="A send takes the message as it is some time later.",
    apply=SENDS_ARE_NOT_AWAITED.apply,
)
MESSAGES_ARE_SENT_ONCE = Mutant(
    name="messages-are-sent-once",
    area="headers",
    violates=("JMS-HDR-026", "JMS-HDR-008"),
    doc="A message cannot be sent a second time.",
    apply=partial(patch.object, PulsarMessageProducer, "send", _sent_once),
)
NATIVE_MESSAGES_REFUSED = Mutant(
    name="native-messages-refused",
    area="interop",
    violates=("JMS-INTR-001",),
    doc="What no JMS client has sent cannot be received.",
    apply=partial(patch.object, decoding, "decode", _of_jms_alone),
)
FOREIGN_REPLIES_REFUSED = Mutant(
    name="foreign-replies-refused",
    area="interop",
    violates=("JMS-INTR-002",),
    doc="A foreign message with a reply destination of its own client is refused.",
    apply=partial(patch.object, wire_encoding, "own_destination", _of_this_client_alone),
)
