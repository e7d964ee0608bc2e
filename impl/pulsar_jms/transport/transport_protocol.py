"""What every transport offers: producers, consumers, readers and transactions of one client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

from jmsapi import JMSException
from pulsar_jms.transport.wire_messages import (
    Incoming,
    MessagePosition,
    OutgoingMessage,
    StoredMessage,
)


class SubscriptionType(Enum):
    """How the consumers of one subscription divide its messages."""

    EXCLUSIVE = "Exclusive"
    FAILOVER = "Failover"
    SHARED = "Shared"
    KEY_SHARED = "Key_Shared"

    @property
    def redelivers_single_messages(self) -> bool:
        """Whether single messages can be nacked; if not, the broker redelivers all or none."""
        return self in (SubscriptionType.SHARED, SubscriptionType.KEY_SHARED)

    @property
    def heeds_delays(self) -> bool:
        """Whether the broker delivers a delayed message when it is due; if not, at once."""
        return self in (SubscriptionType.SHARED, SubscriptionType.KEY_SHARED)


@dataclass(frozen=True)
class SubscriptionRequest:
    """One consumer on one subscription of a topic, or on those of several topics at once."""

    topics: tuple[str, ...]
    """Full names; empty where a pattern chooses the topics."""
    name: str
    type: SubscriptionType
    durable: bool
    earliest: bool
    """Where a subscription that does not exist yet starts: at the first message or at the end."""
    properties: Mapping[str, str]
    """What the broker gets to know of the consumer."""
    prefetch: int = 1000
    """How many messages are fetched ahead."""
    prefetch_of_all_partitions: int = 50_000
    consumer_name: str | None = None
    batch_index: bool = True
    """Whether single messages of a batch are acknowledged, not whole batches only."""
    pattern: str | None = None
    """A regular expression for whole full names, which covers topics that come later, too."""
    discovery_period: int = 1
    """Seconds between two looks for topics that a pattern covers."""
    subscription_properties: Mapping[str, str] = field(default_factory=dict)
    """What the broker gets to know of the subscription, where the transport can."""
    compacted: bool = False
    """Whether of each key only the newest message is read, as far as the topic is compacted."""
    replicated: bool = False
    """Whether the position of the subscription goes to the other clusters, too."""
    new_partitions_every: int = 3
    """Seconds between two looks for added partitions, for the transport that can be told of each
    consumer."""
    tuning: Mapping[str, object] = field(default_factory=dict)
    """Settings of Pulsar's Java client by its own names, for the transport that has it."""

    @property
    def source(self) -> str:
        """What is consumed, in words."""
        return self.pattern or ", ".join(self.topics)


SendCallback = Callable[..., None]
"""Called once for a send, with an outcome that `TransportProducer.read_outcome` understands."""

Router = Callable[[Mapping[str, str], int], int]
"""Chooses the partition for a message's properties and the number of partitions."""


class BrokerTransaction(Protocol):
    """A transaction of the broker; sends and acknowledgements take part by naming it."""

    def commit(self, given_up: Callable[[], bool] | None = None) -> None:
        """Commit.

        `given_up` is asked again and again until the broker answers; once it is true, the answer is
        not waited for, though it may still be that the broker committed.
        Raises `TransactionRolledBackException` where the broker did not commit or was given up.
        """
        ...

    def abort(self, within: int | None = None) -> None:
        """Abort; wait `within` ms at most for the answer, else as long as any operation may take.

        Raises `JMSException` when the outcome is unknown; the broker ends it by its time-out.
        """
        ...


class TransportProducer(Protocol):
    """Sends to one topic, for every session of a factory at once."""

    def send(
        self, message: OutgoingMessage, transaction: BrokerTransaction | None = None
    ) -> StoredMessage:
        """Send and wait for the broker's confirmation."""
        ...

    def send_async(
        self,
        message: OutgoingMessage,
        outcome: SendCallback,
        transaction: BrokerTransaction | None = None,
    ) -> None:
        """Send and return; `outcome` is called on a thread of the transport and must not block."""
        ...

    def read_outcome(self, *outcome: Any) -> StoredMessage:
        """The stored message that an outcome stands for; `JMSException` for a failed send."""
        ...

    def is_connected(self) -> bool: ...

    def lost_at(self) -> int:
        """When its connection was lost last: milliseconds since the epoch, 0 for never.

        Always 0 where the client underneath does not report it.
        """
        ...

    def close(self) -> None:
        """Close it at the broker; nothing can be sent any more."""
        ...


class DeliveredMessage(Protocol):
    """A message as its transport consumer knows it, to acknowledge or nack it there."""

    @property
    def message(self) -> Incoming: ...

    def without_content(self) -> DeliveredMessage:
        """What is left to be kept of a message that is to be nacked, and no more."""
        ...


class TransportConsumer(Protocol):
    """One consumer of one subscription."""

    def receive(self, timeout: int) -> DeliveredMessage | None:
        """The next message; None when none came within `timeout` ms or the consumer was closed."""
        ...

    def acknowledge(
        self, delivered: DeliveredMessage, transaction: BrokerTransaction | None = None
    ) -> None:
        """Acknowledge one message; `JMSException` when that cannot be done.

        In a transaction this may return before the broker has answered; a refusal then makes the
        commit fail.
        """
        ...

    def acknowledge_async(
        self, delivered: DeliveredMessage, failed: Callable[[JMSException], None]
    ) -> None:
        """Start to acknowledge one message; `failed` is called on a thread of the transport."""
        ...

    def nack(self, delivered: DeliveredMessage) -> None:
        """Ask for redelivery of one message, as soon as the transport can."""
        ...

    def nack_all(self) -> None:
        """Ask for redelivery of everything received and not acknowledged, prefetched included."""
        ...

    def is_connected(self) -> bool: ...

    def lost_at(self) -> int:
        """When its connection was lost last: milliseconds since the epoch, 0 for never.

        Always 0 where the client underneath does not report it.
        """
        ...

    def close(self) -> None:
        """Close; a non-durable subscription ends with its last consumer."""
        ...


class AsyncTransportConsumer(TransportConsumer, Protocol):
    """A consumer as transports make it: it can be asked without waiting, too."""

    def receive_async(self, arrived: Callable[[DeliveredMessage | None], None]) -> None:
        """Call `arrived` once with the next message, or with None when the consumer was closed.

        It is called at once or on a thread of the transport, and must not block.
        """
        ...


class Reader(Protocol):
    """Reads one topic or partition from a position on, and leaves no subscription behind."""

    def has_next(self) -> bool:
        """Whether the topic holds a message after the last one read."""
        ...

    def read(self, timeout: int) -> Incoming | None:
        """The next message; None when none came within `timeout` ms."""
        ...

    def close(self) -> None: ...


class Transport(Protocol):
    """A client of the broker, shared by all connections of a factory."""

    @property
    def has_transactions(self) -> bool:
        """Whether `begin` can work, if the broker has a coordinator."""
        ...

    @property
    def redelivery_floor(self) -> float:
        """The shortest delay of a redelivery after `TransportConsumer.nack`; milliseconds."""
        ...

    def partitions(self, topic: str) -> tuple[str, ...]:
        """The full names of a topic's partitions in their order; itself where it has none."""
        ...

    def producer(
        self, topic: str, router: Router | None = None, *, chunked: bool = False
    ) -> TransportProducer:
        """The producer of `topic` by its full name; the same one for the same arguments.

        A `chunked` one is the client's own, not the application's: what is over the broker's limit
        goes in chunks whatever the settings say, and its producer has no name of theirs.
        """
        ...

    def forget(self, producer: TransportProducer) -> None:
        """Make a new producer where one is asked for the next time; this one is for closing."""
        ...

    def reader(self, topic: str, start: MessagePosition | None) -> Reader:
        """A reader of a topic without partitions from `start` on, that one included.

        Without a start it reads from the first message that the broker still holds.
        """
        ...

    def begin(self, timeout: int) -> BrokerTransaction:
        """A transaction, which the broker ends after `timeout` ms.

        `JMSException` when the broker has no coordinator or the transport no transactions.
        """
        ...

    def subscribe(self, request: SubscriptionRequest) -> AsyncTransportConsumer:
        """A consumer; `JMSException` when the broker refuses it."""
        ...

    def close(self) -> None:
        """Give back every connection and thread."""
        ...
