"""Topics, subscriptions and clients of a Pulsar broker, as they have to be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from jms_model.pulsar_subscriptions.destinations import QUEUE, Destination, PulsarTopic
from jms_model.pulsar_subscriptions.filters import EVERYTHING, Filter
from jms_model.pulsar_subscriptions.kinds import (
    RANDOM,
    RECEIVER,
    RequiredSubscription,
    SubscriptionSettings,
)


@dataclass(slots=True, eq=False)
class SessionClient:
    """A connection with one session, or a context."""

    api: str
    factory: str
    settings: SubscriptionSettings
    client_id: str | None
    closed: bool = False

    @property
    def simplified(self) -> bool:
        """Whether it is a context."""
        return self.api == "context"


@dataclass(frozen=True, slots=True)
class Message:
    """A message by its number, the destination to which it was sent, and the client that did."""

    number: int
    destination: Destination
    sender: SessionClient


@dataclass(slots=True, eq=False)
class Subscription:
    """A subscription of one topic."""

    kind: str
    wanted: RequiredSubscription
    topic: PulsarTopic
    topic_ids: Sequence[str]
    """The statements by which it is of this topic."""
    due: list[Message]
    consumers: list[Consumer] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)
    kept: set[int] = field(default_factory=set)
    """Messages that waited while it had no consumer."""
    left_out: set[int] = field(default_factory=set)
    """Messages that a consumer may have left out: they may be gone, or come to another one."""
    filters: list[Filter] = field(default_factory=list)
    """Those of all consumers that it ever had."""
    has_kept: bool = False
    """Whether a message that waited while it had no consumer came to a later one."""
    early: set[int] = field(default_factory=set)
    """Those that were there before it."""
    had_several: bool = False
    """Whether it ever had more than one consumer."""
    is_made: bool = True
    """If not, a queue's consumer may not make it before it first receives."""
    is_used: bool = True
    """If not, a queue's consumers may not use it yet, which have received nothing."""
    reopened: bool = False
    """Whether a consumer of it was closed: what that has acknowledged may come again."""

    @property
    def changed_by(self) -> str:
        """The statement on what its last consumer filters by and the one before did not."""
        return self.filters[-1].differs_from(self.filters[-2]) if len(self.filters) > 1 else ""

    @property
    def is_changed(self) -> bool:
        """Whether its last consumer filters by anything else than the one before."""
        return len(self.filters) > 1 and self.filters[-1] != self.filters[-2]

    def leave_out(self) -> None:
        """What a consumer may leave out need not come any more."""
        out = [m for m in self.due if any(each.may_leave_out(m) for each in self.consumers)]
        self.due = [message for message in self.due if message not in out]
        self.left_out.update(message.number for message in out)


@dataclass(slots=True, eq=False)
class Consumer:
    """A consumer, and the subscriptions that it receives from: one for each topic."""

    name: str
    client: SessionClient
    destination: Destination
    filter: Filter = EVERYTHING
    subscriptions: list[Subscription] = field(default_factory=list)
    closed: bool = False

    def rejects_by(self, message: Message) -> str:
        """The statement by which it does not get a message; "": none.

        What noLocal does to queues JMS leaves open.
        """
        if not self.filter.selects(message.number):
            return "SLJ-SEL-001"
        is_local = message.sender is self.client and self.destination.domain != QUEUE
        return "SLJ-NLOC-001" if self.filter.no_local and is_local else ""

    def may_leave_out(self, message: Message) -> bool:
        """Whether it need not get a message, such as one of another connection of its client id."""
        sender, client = message.sender, self.client
        same_id = sender.client_id is not None and sender.client_id == client.client_id
        may_be_local = bool(self.filter.no_local) and (sender is client or same_id)
        return may_be_local or bool(self.rejects_by(message))


class Due(NamedTuple):
    """What is to be received."""

    consumers: Sequence[str]
    """The names of those of which any may get it."""
    numbers: Counter[int]
    """The messages, and how often each comes."""


@dataclass(slots=True)
class Topic:
    """A topic with all that was sent to it."""

    ids: Sequence[str]
    """The statements by which it is there."""
    sent: list[Message] = field(default_factory=list)
    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    """By name; where that is random, by that of its consumer."""
    gone: dict[str, Sequence[str]] = field(default_factory=dict)
    """Subscriptions that went with their last consumer, and the statements that say so."""
    is_made: bool = False
    """If not, nobody may have made it yet."""
    may_have: set[str] = field(default_factory=set)
    """Subscriptions that a client may have made ahead of use."""
    not_ahead: set[str] = field(default_factory=set)
    """Those that clients would have made ahead of use if they were not told not to."""
    domains: set[str] = field(default_factory=set)
    """As what it was used: as a queue, or as a topic."""

    @property
    def stays_without(self) -> set[str]:
        """Subscriptions that nobody makes ahead of use, nor has made."""
        return self.not_ahead - self.may_have - set(self.subscriptions)

    def is_used_otherwise(self, domain: str) -> bool:
        """Whether it was used as what it is not in this domain."""
        return bool(self.domains - {domain})


@dataclass
class Cluster:
    """What programs have made on a broker."""

    factories: dict[str, SubscriptionSettings] = field(default_factory=dict)
    clients: dict[str, SessionClient] = field(default_factory=dict)
    consumers: dict[str, Consumer] = field(default_factory=dict)
    topics: dict[PulsarTopic, Topic] = field(default_factory=dict)
    freed: set[str] = field(default_factory=set)
    """Client ids that a closed connection had."""

    def topic(self, topic: PulsarTopic, ids: Sequence[str]) -> Topic:
        """A topic, which comes into being by its use."""
        return self.topics.setdefault(topic, Topic(ids))

    def holder_of(self, client_id: str) -> SessionClient | None:
        """The open client that has a client id."""
        every = self.clients.values()
        return next((c for c in every if c.client_id == client_id and not c.closed), None)

    def consumers_of(self, client: SessionClient) -> Iterator[Consumer]:
        """Its open consumers."""
        return (c for c in self.consumers.values() if c.client is client and not c.closed)

    def key_of(self, wanted: RequiredSubscription, consumer: str) -> str:
        """By what a topic knows a subscription."""
        return consumer if wanted.name == RANDOM else wanted.name

    def due(self, consumer: Consumer) -> Due:
        """What is due to a consumer, and to those that it shares subscriptions with."""
        subscriptions, consumers = together(consumer)
        numbers = Counter(message.number for each in subscriptions for message in each.due)
        return Due([each.name for each in consumers], numbers)

    def close(self, consumer: Consumer) -> None:
        """A consumer goes; with the last one of it a subscription that is not durable."""
        consumer.closed = True
        for subscription in consumer.subscriptions:
            subscription.consumers.remove(consumer)
            subscription.reopened = True
            subscription.is_used = subscription.kind != RECEIVER
            if subscription.consumers:
                continue
            subscription.kept.update(message.number for message in subscription.due)
            if not subscription.wanted.durable:
                topic = self.topics[subscription.topic]
                key = self.key_of(subscription.wanted, consumer.name)
                del topic.subscriptions[key]
                topic.gone[subscription.wanted.name] = subscription.wanted.life_ids


def together(consumer: Consumer) -> tuple[list[Subscription], list[Consumer]]:
    """All subscriptions and consumers that share one with another, beginning with this consumer."""
    consumers = [consumer]
    subscriptions: list[Subscription] = []
    for each in consumers:
        for subscription in each.subscriptions:
            if subscription not in subscriptions:
                subscriptions.append(subscription)
                consumers += [other for other in subscription.consumers if other not in consumers]
    return subscriptions, consumers
