"""Applications and a broker in memory, with the reference's names and subscriptions."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from jms_model.pulsar_subscriptions.calls import BROKER
from jms_model.pulsar_subscriptions.cluster import Due
from jms_model.pulsar_subscriptions.destinations import QUEUE, Destination
from jms_model.pulsar_subscriptions.differences import ObservedSubscription
from jms_model.pulsar_subscriptions.filters import EVERYTHING, Filter
from jms_model.pulsar_subscriptions.kinds import RECEIVER, SubscriptionSettings
from jmsapi import (
    InvalidClientIDException,
    InvalidClientIDRuntimeException,
    JMSException,
    JMSRuntimeException,
)
from pulsar_jms.mapping.destinations import PulsarQueue, PulsarTopic
from pulsar_jms.mapping.subscriptions import ConsumerKind, subscription_for
from touchstone.drawn.subscriptions.program import FOR_QUEUES, SIMPLIFIED, Step

KINDS: Final = {
    RECEIVER: ConsumerKind.QUEUE,
    "consumer": ConsumerKind.SIMPLE,
    "durable_consumer": ConsumerKind.DURABLE,
    "durable_subscriber": ConsumerKind.DURABLE,
    "shared_consumer": ConsumerKind.SHARED,
    "shared_durable_consumer": ConsumerKind.SHARED_DURABLE,
}


@dataclass(eq=False)
class Client:
    api: str
    settings: SubscriptionSettings
    client_id: str | None
    factory: str


@dataclass(eq=False)
class Subscription:
    name: str
    type: str
    durable: bool
    waiting: list[int]
    consumers: list[Consumer] = field(default_factory=list)
    taken: int = 0
    filters: list[Filter] = field(default_factory=list)


@dataclass(eq=False)
class Consumer:
    client: Client
    kind: str
    filter: Filter
    subscriptions: list[tuple[str, Subscription]] = field(default_factory=list)


@dataclass
class Topic:
    sent: list[int] = field(default_factory=list)
    subscriptions: dict[str, Subscription] = field(default_factory=dict)


class InMemory:
    """Applications and broker: names and subscriptions are the reference's, the rest is naive."""

    def __init__(self) -> None:
        self.factories: dict[str, SubscriptionSettings] = {}
        self.clients: dict[str, Client] = {}
        self.consumers: dict[str, Consumer] = {}
        self.every: dict[str, Topic] = {}
        self.senders: dict[int, Client] = {}

    def call(self, step: Step, due: Due | None) -> object:
        if step.on == BROKER:
            return self.seen(str(step.args[0])) if step.args else self.topics()
        if step.method == "take":
            assert due is not None
            return self.take([*due.consumers])
        if step.method == "close":
            self.close_one(step.on)
            return None
        given = [step.on, *step.args, *([step.makes] if step.makes else [])]
        return getattr(self, step.method)(*given)

    def close(self) -> None:
        """Nothing is open."""

    # Clients

    def factory(self, _: str, settings: SubscriptionSettings, makes: str) -> None:
        self.factories[makes] = settings

    def connect(self, factory: str, api: str, client_id: str | None, makes: str) -> None:
        settings = self.factories[factory]
        asked = settings.client_id or client_id
        if asked is not None and self.is_taken(asked, factory):
            raise self.taken(api, configured=settings.client_id is not None)
        self.clients[makes] = Client(api, settings, asked, factory)

    def is_taken(self, client_id: str, _factory: str) -> bool:
        return any(each.client_id == client_id for each in self.clients.values())

    def taken(self, api: str, *, configured: bool) -> Exception:
        if api != SIMPLIFIED:
            return InvalidClientIDException("taken")
        return JMSRuntimeException("no") if configured else InvalidClientIDRuntimeException("taken")

    def client_id(self, name: str) -> str | None:
        return self.clients[name].client_id

    def unsubscribe(self, name: str, _subscription: str) -> None:
        raise self.refusal(self.clients[name])

    def refusal(self, client: Client) -> Exception:
        return (JMSRuntimeException if client.api == SIMPLIFIED else JMSException)("no")

    def close_one(self, name: str) -> None:
        if name in self.clients:
            client = self.clients.pop(name)
            consumers = [key for key, each in self.consumers.items() if each.client is client]
            for each in consumers:
                self.close_one(each)
            return
        consumer = self.consumers.pop(name)
        for topic, subscription in consumer.subscriptions:
            subscription.consumers.remove(consumer)
            if not (subscription.durable or subscription.consumers):
                del self.every[topic].subscriptions[subscription.name]

    # Consumers and messages

    def destination(self, destination: Destination) -> PulsarQueue | PulsarTopic:
        return (PulsarQueue if destination.domain == QUEUE else PulsarTopic)(destination.text)

    def sources(self, destination: Destination, settings: SubscriptionSettings) -> Sequence[str]:
        return self.destination(destination).source(settings.namespace or "public/default").topics

    def wanted(
        self, client: Client, kind: str, destination: Destination, name: str
    ) -> tuple[str, str, bool]:
        settings = client.settings
        subscription = subscription_for(
            KINDS[kind],
            self.destination(destination),
            name,
            client.client_id,
            queue_subscription=settings.queue_subscription or "jms-queue",
            shared_type=settings.shared_type or "Shared",
            exclusive_simple=settings.exclusive_simple is not False,
        )
        return subscription.name, subscription.type, subscription.durable

    def open(
        self,
        client: str,
        kind: str,
        destination: Destination,
        name: str,
        by: Filter | None,
        makes: str,
    ) -> None:
        of = self.clients[client]
        assert by is None or by.no_local is None or of.api != FOR_QUEUES
        consumer = Consumer(of, kind, by or EVERYTHING)
        subscribed, type_, durable = self.filtered(
            self.wanted(of, kind, destination, name), kind, consumer.filter
        )
        topics = [self.every.setdefault(t, Topic()) for t in self.sources(destination, of.settings)]
        for topic in topics:
            known = topic.subscriptions.get(subscribed)
            if known is not None and known.consumers and self.admits_one(known, type_):
                raise self.refusal(of)
            if known is not None and not self.admits(known, consumer):
                raise self.refusal(of)
            if known is not None and self.resets(known, consumer):
                del topic.subscriptions[subscribed]
        for text, topic in zip(self.sources(destination, of.settings), topics, strict=True):
            if subscribed not in topic.subscriptions:
                waiting = self.first_due(topic, kind)
                made = Subscription(subscribed, type_, durable, waiting)
                topic.subscriptions[subscribed] = made
            subscription = topic.subscriptions[subscribed]
            subscription.type = type_
            subscription.filters.append(consumer.filter)
            subscription.consumers.append(consumer)
            consumer.subscriptions.append((text, subscription))
        self.consumers[makes] = consumer

    def filtered(
        self, right: tuple[str, str, bool], _kind: str, _filter: Filter
    ) -> tuple[str, str, bool]:
        return right

    def admits(self, _known: Subscription, _consumer: Consumer) -> bool:
        return True

    def resets(self, _known: Subscription, _consumer: Consumer) -> bool:
        return False

    def admits_one(self, _known: Subscription, type_: str) -> bool:
        return type_ == "Exclusive"

    def first_due(self, topic: Topic, kind: str) -> list[int]:
        return [*topic.sent] if kind == RECEIVER else []

    def send(self, client: str, destination: Destination, number: int) -> None:
        (name,) = self.sources(destination, self.clients[client].settings)
        topic = self.every.setdefault(name, Topic())
        topic.sent.append(number)
        self.senders[number] = self.clients[client]
        self.ahead(topic, self.clients[client], destination)
        for each in topic.subscriptions.values():
            if self.reaches(each, destination, topic):
                each.waiting.append(number)

    def ahead(self, topic: Topic, client: Client, destination: Destination) -> None:
        """Subscriptions are made by consumers alone."""

    def takes(self, consumer: Consumer, number: int) -> bool:
        local = consumer.filter.no_local and self.senders[number] is consumer.client
        return consumer.filter.selects(number) and not local

    def reaches(self, _subscription: Subscription, _destination: Destination, _: Topic) -> bool:
        return True

    def take(self, names: Sequence[str]) -> Mapping[str, list[int]]:
        got: dict[str, list[int]] = {name: [] for name in names}
        every = dict.fromkeys(s for name in names for _, s in self.consumers[name].subscriptions)
        for subscription in every:
            takers = [n for n, each in self.consumers.items() if each in subscription.consumers]
            turns = itertools.cycle(takers)
            left = []
            for number in subscription.waiting:
                first = next(turns)
                able = [n for n in takers if self.takes(self.consumers[n], number)]
                if able:
                    name = first if first in able else able[0]
                    for taker in self.takers(subscription, name, able):
                        got[taker].append(number)
                elif subscription.type != "Exclusive":
                    left.append(number)
            subscription.taken += len(subscription.waiting) - len(left)
            subscription.waiting = left
        return got

    def takers(self, _: Subscription, name: str, _takers: Sequence[str]) -> Sequence[str]:
        return [name]

    # The administrator

    def seen(self, topic: str) -> Mapping[str, ObservedSubscription]:
        known = self.every.get(topic, Topic()).subscriptions
        return {
            name: ObservedSubscription(
                each.type if each.consumers else "None", each.durable, len(each.consumers)
            )
            for name, each in known.items()
        }

    def topics(self) -> set[str]:
        return {*self.every}
