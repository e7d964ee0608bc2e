"""Messages as the Java client has them: built to be sent, and read field by field."""

from __future__ import annotations

from typing import Any

from pulsar_jms.transport.java_client.classes import JavaClasses
from pulsar_jms.transport.wire_messages import Incoming, MessagePosition, OutgoingMessage


def fill_builder(builder: Any, message: OutgoingMessage, classes: JavaClasses) -> Any:
    """The builder of a Java message with all that `message` says."""
    builder.value(None if message.payload is None else classes.bytes(message.payload))
    for name, value in message.properties.items():
        builder.property(name, value)
    if message.partition_key is not None:
        builder.key(message.partition_key)
    if message.event_time is not None:
        builder.eventTime(message.event_time)
    if message.deliver_at is not None:
        builder.deliverAt(message.deliver_at)
    return builder


class JavaStoredMessage:
    """The Java id of a message, taken apart when its position is asked for."""

    __slots__ = ("_identifier",)

    def __init__(self, identifier: Any) -> None:
        self._identifier = identifier

    @property
    def position(self) -> MessagePosition:
        """Where the broker keeps the message."""
        return position_of(self._identifier)

    @property
    def first_part(self) -> MessagePosition | None:
        """Where it keeps the first of several parts."""
        return _first_part_of(self._identifier)


class _Identified:
    """What distinguishes a Java message from others, without the message."""

    __slots__ = ("_identifier",)

    def __init__(self, identifier: Any) -> None:
        self._identifier = identifier

    def getMessageId(self) -> Any:  # noqa: N802 - the Java name
        """The Java id."""
        return self._identifier


class JavaDeliveredMessage:
    """A Java message; each field is read when it is asked for, and all but one anew each time."""

    __slots__ = ("_properties", "native")

    def __init__(self, native: Any) -> None:
        self.native = native
        self._properties: dict[str, str] | None = None

    @property
    def message(self) -> Incoming:
        """The message itself."""
        return self

    def without_content(self) -> JavaDeliveredMessage:
        """The message's id alone."""
        return JavaDeliveredMessage(_Identified(self.native.getMessageId()))

    @property
    def payload(self) -> bytes:
        data = self.native.getData()
        return b"" if data is None else bytes(data)

    @property
    def null_value(self) -> bool:
        return self.native.getValue() is None

    @property
    def properties(self) -> dict[str, str]:
        properties = self._properties
        if properties is None:
            properties = self._properties = properties_of(self.native)
        return properties

    @property
    def position(self) -> MessagePosition:
        return position_of(self.native.getMessageId())

    @property
    def first_part(self) -> MessagePosition | None:
        return _first_part_of(self.native.getMessageId())

    @property
    def partition_key(self) -> str | None:
        return str(self.native.getKey()) if self.native.hasKey() else None

    @property
    def event_time(self) -> int | None:
        return int(self.native.getEventTime()) or None

    @property
    def publish_time(self) -> int:
        return int(self.native.getPublishTime())

    @property
    def redelivery_count(self) -> int:
        return int(self.native.getRedeliveryCount())

    @property
    def topic(self) -> str:
        return str(self.native.getTopicName())

    @property
    def schema_version(self) -> int | None:
        version = self.native.getSchemaVersion()
        return int.from_bytes(bytes(version), "big") if version else None

    @property
    def sequence_id(self) -> int | None:
        return int(self.native.getSequenceId())


def properties_of(message: Any) -> dict[str, str]:
    """The properties of a Java message."""
    entries = message.getProperties().entrySet()
    return {str(entry.getKey()): str(entry.getValue()) for entry in entries}


def position_of(identifier: Any) -> MessagePosition:
    """Where the broker keeps the message of a Java id."""
    return MessagePosition(
        int(identifier.getLedgerId()),
        int(identifier.getEntryId()),
        int(identifier.getPartitionIndex()),
        int(identifier.getBatchIndex()),
    )


def _first_part_of(identifier: Any) -> MessagePosition | None:
    first = identifier.getFirstChunkMessageId()
    return None if first is None else position_of(first)


def native_position(position: MessagePosition | None, classes: JavaClasses) -> Any:
    """The Java id of a position; of the first message where there is none."""
    if position is None:
        return classes.pulsar("client.api.MessageId").earliest
    if position.batch_index < 0:
        plain = classes.pulsar("client.impl.MessageIdImpl")
        return plain(position.ledger, position.entry, position.partition)
    batched = classes.pulsar("client.impl.BatchMessageIdImpl")
    return batched(position.ledger, position.entry, position.partition, position.batch_index)
