"""The two forms in which messages cross to a transport, and where the broker keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol


class MessagePosition(NamedTuple):
    """Where the broker keeps a message; -1 stands for no partition and no batch."""

    ledger: int
    entry: int
    partition: int = -1
    batch_index: int = -1

    @property
    def position(self) -> MessagePosition:
        """Itself: what is known needs no asking."""
        return self

    @property
    def first_part(self) -> None:
        """None: nothing is known of parts."""
        return


class StoredMessage(Protocol):
    """Something that the broker keeps; where, is found out when it is asked for.

    A message that was too large for the broker is kept in several parts: `position` is that of the
    last, `first_part` that of the first, and None for any other message.
    """

    @property
    def position(self) -> MessagePosition: ...
    @property
    def first_part(self) -> MessagePosition | None: ...


class OutgoingMessage(NamedTuple):
    """A message as it goes to the broker; a tuple, because one is made for every send.

    `payload` None is Pulsar's null value. `event_time` and `deliver_at` are milliseconds since
    the epoch, None where not set.
    """

    payload: bytes | None
    properties: dict[str, str]
    partition_key: str | None = None
    event_time: int | None = None
    deliver_at: int | None = None

    @property
    def null_value(self) -> bool:
        """Whether the message has no payload at all, as opposed to an empty one."""
        return self.payload is None


class Incoming(StoredMessage, Protocol):
    """A message as the broker delivered it; fields as those of `IncomingMessage`."""

    @property
    def payload(self) -> bytes: ...
    @property
    def null_value(self) -> bool: ...
    @property
    def properties(self) -> Mapping[str, str]: ...
    @property
    def partition_key(self) -> str | None: ...
    @property
    def event_time(self) -> int | None: ...
    @property
    def publish_time(self) -> int: ...
    @property
    def redelivery_count(self) -> int: ...
    @property
    def topic(self) -> str: ...
    @property
    def schema_version(self) -> int | None: ...
    @property
    def sequence_id(self) -> int | None: ...


class IncomingMessage(NamedTuple):
    """A message as the broker delivered it, read whole.

    `event_time` and `publish_time` are milliseconds since the epoch; None where the sender set
    none. `sequence_id` is None where the client underneath does not report it. A `partition_key`
    that the sender did not set is None, and so is the `schema_version` of a message that was
    written without a schema.
    """

    payload: bytes
    null_value: bool
    properties: Mapping[str, str]
    position: MessagePosition
    partition_key: str | None = None
    event_time: int | None = None
    publish_time: int = 0
    redelivery_count: int = 0
    topic: str = ""
    schema_version: int | None = None
    sequence_id: int | None = None
    first_part: MessagePosition | None = None
