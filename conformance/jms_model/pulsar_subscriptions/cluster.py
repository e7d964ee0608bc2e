"""Topics, subscriptions and clients of a Pulsar broker, as they have to be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from jms_model.pulsar_subscriptions.destinations import Destination, PulsarTopic
from jms_model.pulsar_subscriptions.kinds import RANDOM, RECEIVER, Settings, Wanted


@dataclass(slots=True, eq=False)
class Client:
    """A connection with one session, or a context."""

    api: str
    factory: str
    settings: Settings
    client_id: str | None
    closed: bool = False

    @property
    def simplified(self) -> bool:
        """Whether it is a context."""
        return self.api == "context"


@dataclass(frozen=True, slots=True)
class Message:
    """A message by its number, and the destination to which it was sent."""

    number: int
    destination: Destination


@dataclass(slots=True, eq=False)
class Subscription:
    """A subscription of one topic."""

    kind: str
    wanted: Wanted
    topic: PulsarTopic
    topic_ids: Sequence[str]
    """The statements by which it is of this topic."""
    due: list[Message]
    consumers: list[Consumer] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)
    kept: set[int] = field(default_factory=set)
    """Messages that waited while it had no consumer."""
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


@dataclass(slots=True, eq=False)
class Consumer:
    """A consumer, and the subscriptions that it receives from: one for each topic."""

    name: str
    client: Client
    destination: Destination
    subscriptions: list[Subscription] = field(default_factory=list)
    closed: bool = False


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


@dataclass
class Cluster:
    """What programs have made on a broker."""

    factories: dict[str, Settings] = field(default_factory=dict)
    clients: dict[str, Client] = field(default_factory=dict)
    consumers: dict[str, Consumer] = field(default_factory=dict)
    topics: dict[PulsarTopic, Topic] = field(default_factory=dict)
    freed: set[str] = field(default_factory=set)
    """Client ids that a closed connection had."""

    def topic(self, topic: PulsarTopic, ids: Sequence[str]) -> Topic:
        """A topic, which comes into being by its use."""
        return self.topics.setdefault(topic, Topic(ids))

    def holder_of(self, client_id: str) -> Client | None:
        """The open client that has a client id."""
        every = self.clients.values()
        return next((c for c in every if c.client_id == client_id and not c.closed), None)

    def consumers_of(self, client: Client) -> Iterator[Consumer]:
        """Its open consumers."""
        return (c for c in self.consumers.values() if c.client is client and not c.closed)

    def key_of(self, wanted: Wanted, consumer: str) -> str:
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
