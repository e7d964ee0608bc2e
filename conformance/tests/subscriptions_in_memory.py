"""Applications and a broker in memory, with the reference's names and subscriptions."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from jms_model.pulsar_subscriptions.calls import BROKER
from jms_model.pulsar_subscriptions.cluster import Due
from jms_model.pulsar_subscriptions.destinations import QUEUE, Destination
from jms_model.pulsar_subscriptions.differences import Seen
from jms_model.pulsar_subscriptions.kinds import RECEIVER, Settings
from jmsapi import (
    InvalidClientIDException,
    InvalidClientIDRuntimeException,
    JMSException,
    JMSRuntimeException,
)
from pulsar_jms.mapping.destinations import PulsarQueue, PulsarTopic
from pulsar_jms.mapping.subscriptions import ConsumerKind, subscription_for
from touchstone.drawn.subscriptions.program import SIMPLIFIED, Step

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
    settings: Settings
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


@dataclass(eq=False)
class Consumer:
    client: Client
    kind: str
    subscriptions: list[tuple[str, Subscription]] = field(default_factory=list)


@dataclass
class Topic:
    sent: list[int] = field(default_factory=list)
    subscriptions: dict[str, Subscription] = field(default_factory=dict)


class InMemory:
    """Applications and broker: names and subscriptions are the reference's, the rest is naive."""

    def __init__(self) -> None:
        self.factories: dict[str, Settings] = {}
        self.clients: dict[str, Client] = {}
        self.consumers: dict[str, Consumer] = {}
        self.every: dict[str, Topic] = {}

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

    def factory(self, _: str, settings: Settings, makes: str) -> None:
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

    def sources(self, destination: Destination, settings: Settings) -> Sequence[str]:
        return self.destination(destination).source(settings.namespace or "public/default").topics

    def wanted(
        self, client: Client, kind: str, destination: Destination, name: str
    ) -> tuple[str, str, bool]:
        settings = client.settings
        found = subscription_for(
            KINDS[kind],
            self.destination(destination),
            name,
            client.client_id,
            queue_subscription=settings.queue_subscription or "jms-queue",
            shared_type=settings.shared_type or "Shared",
            exclusive_simple=settings.exclusive_simple is not False,
        )
        return found.name, found.type, found.durable

    def open(self, client: str, kind: str, destination: Destination, name: str, makes: str) -> None:
        of = self.clients[client]
        consumer = Consumer(of, kind)
        subscribed, type_, durable = self.wanted(of, kind, destination, name)
        topics = [self.every.setdefault(t, Topic()) for t in self.sources(destination, of.settings)]
        for topic in topics:
            known = topic.subscriptions.get(subscribed)
            if known is not None and known.consumers and self.admits_one(known, type_):
                raise self.refusal(of)
        for text, topic in zip(self.sources(destination, of.settings), topics, strict=True):
            if subscribed not in topic.subscriptions:
                waiting = self.first_due(topic, kind)
                made = Subscription(subscribed, type_, durable, waiting)
                topic.subscriptions[subscribed] = made
            subscription = topic.subscriptions[subscribed]
            subscription.type = type_
            subscription.consumers.append(consumer)
            consumer.subscriptions.append((text, subscription))
        self.consumers[makes] = consumer

    def admits_one(self, _known: Subscription, type_: str) -> bool:
        return type_ == "Exclusive"

    def first_due(self, topic: Topic, kind: str) -> list[int]:
        return [*topic.sent] if kind == RECEIVER else []

    def send(self, client: str, destination: Destination, number: int) -> None:
        (name,) = self.sources(destination, self.clients[client].settings)
        topic = self.every.setdefault(name, Topic())
        topic.sent.append(number)
        for each in topic.subscriptions.values():
            if self.reaches(each, destination, topic):
                each.waiting.append(number)

    def reaches(self, _subscription: Subscription, _destination: Destination, _: Topic) -> bool:
        return True

    def take(self, names: Sequence[str]) -> Mapping[str, list[int]]:
        got: dict[str, list[int]] = {name: [] for name in names}
        every = dict.fromkeys(s for name in names for _, s in self.consumers[name].subscriptions)
        for subscription in every:
            takers = [n for n, each in self.consumers.items() if each in subscription.consumers]
            for number, name in zip(subscription.waiting, itertools.cycle(takers), strict=False):
                for taker in self.takers(subscription, name, takers):
                    got[taker].append(number)
            subscription.taken += len(subscription.waiting)
            subscription.waiting = []
        return got

    def takers(self, _: Subscription, name: str, _takers: Sequence[str]) -> Sequence[str]:
        return [name]

    # The administrator

    def seen(self, topic: str) -> Mapping[str, Seen]:
        known = self.every.get(topic, Topic()).subscriptions
        return {
            name: Seen(each.type if each.consumers else "None", each.durable, len(each.consumers))
            for name, each in known.items()
        }

    def topics(self) -> set[str]:
        return {*self.every}
