"""Messages as pulsar-client has them: built to be sent, and read field by field."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import _pulsar

from pulsar_jms.transport.pulsar_client.texts import LenientTexts, text_of
from pulsar_jms.transport.wire_messages import Incoming, MessagePosition, OutgoingMessage

_FIRST_OF_SEVERAL = re.compile(r"\((-?\d+),(-?\d+),(-?\d+),(-?\d+)\);")


def build_message(message: OutgoingMessage) -> Any:
    """The native message to send."""
    builder = _pulsar.MessageBuilder()
    if message.payload is None:
        builder.set_null_value()
    else:
        builder.content(message.payload)
    builder.properties(message.properties)
    if message.partition_key is not None:
        builder.partition_key(message.partition_key)
    if message.event_time is not None:
        builder.event_timestamp(message.event_time)
    if message.deliver_at is not None:
        builder.deliver_at(message.deliver_at)
    return builder.build()


class PulsarStoredMessage:
    """The native id of a message, taken apart when its position is asked for."""

    __slots__ = ("_identifier",)

    def __init__(self, identifier: Any) -> None:
        self._identifier = identifier

    @property
    def position(self) -> MessagePosition:
        """Where the broker keeps the message."""
        return _position(self._identifier)

    @property
    def first_part(self) -> MessagePosition | None:
        """Where it keeps the first of several parts."""
        return _first_part(self._identifier)


class _Identified:
    """What distinguishes a native message from others, without the message."""

    __slots__ = ("_identifier",)

    def __init__(self, identifier: Any) -> None:
        self._identifier = identifier

    def message_id(self) -> Any:
        """The native id."""
        return self._identifier


class PulsarDeliveredMessage:
    """A native message; each field is read when it is asked for, and all but one anew each time."""

    __slots__ = ("_lenient", "_properties", "native")
    sequence_id = None

    def __init__(self, native: Any, lenient: LenientTexts) -> None:
        """`lenient` reads properties that are not UTF-8."""
        self.native = native
        self._lenient = lenient
        self._properties: dict[str, str] | None = None

    @property
    def message(self) -> Incoming:
        """The message itself."""
        return self

    def without_content(self) -> PulsarDeliveredMessage:
        """The message's id alone."""
        return PulsarDeliveredMessage(_Identified(self.native.message_id()), self._lenient)

    @property
    def payload(self) -> bytes:
        payload: bytes = self.native.data()
        return payload

    @property
    def null_value(self) -> bool:
        return bool(self.native.has_null_value())

    @property
    def properties(self) -> dict[str, str]:
        properties = self._properties
        if properties is None:
            try:
                properties = self.native.properties()
            except UnicodeDecodeError:
                properties = self._lenient.properties(self.topic, self.position, self.first_part)
            self._properties = properties
        return properties

    @property
    def position(self) -> MessagePosition:
        return _position(self.native.message_id())

    @property
    def first_part(self) -> MessagePosition | None:
        return _first_part(self.native.message_id())

    @property
    def earlier_parts(self) -> Sequence[MessagePosition]:
        """Where the broker keeps all of its several parts but the last."""
        identifier = self.native.message_id()
        first = _first_part(identifier)
        return () if first is None else parts_between(first, _position(identifier))

    @property
    def partition_key(self) -> str | None:
        try:
            return self.native.partition_key() or None
        except UnicodeDecodeError as error:
            return text_of(error.object)

    @property
    def event_time(self) -> int | None:
        return self.native.event_timestamp() or None

    @property
    def publish_time(self) -> int:
        return int(self.native.publish_timestamp())

    @property
    def redelivery_count(self) -> int:
        return int(self.native.redelivery_count())

    @property
    def topic(self) -> str:
        return str(self.native.topic_name())

    @property
    def schema_version(self) -> int | None:
        version = int(self.native.int_schema_version())
        return version if version >= 0 else None


def native_position(position: MessagePosition | None) -> Any:
    """The native id of a position; of the first message where there is none."""
    if position is None:
        return _pulsar.MessageId.earliest
    return _pulsar.MessageId(
        position.partition, position.ledger, position.entry, position.batch_index
    )


def parts_between(first: MessagePosition, last: MessagePosition) -> Sequence[MessagePosition]:
    """The parts of a message from the first one on, without the last; the client reports no others.

    Entries of other producers that came between are taken for parts. Where the ledger changed
    between them the first part alone is known.
    """
    if first.ledger != last.ledger:
        return [first]
    return [first._replace(entry=entry) for entry in range(first.entry, last.entry)]


def _position(identifier: Any) -> MessagePosition:
    return MessagePosition(
        identifier.ledger_id(),
        identifier.entry_id(),
        identifier.partition(),
        identifier.batch_index(),
    )


def _first_part(identifier: Any) -> MessagePosition | None:
    """Read from the text of an id: `(ledger,entry,batch,partition);(…)`, of first and last."""
    match = _FIRST_OF_SEVERAL.match(str(identifier))
    if match is None:
        return None
    ledger, entry, batch_index, partition = map(int, match.groups())
    return MessagePosition(ledger, entry, partition, batch_index)
