"""Clients in memory whose subscriptions are wrong, each in one thing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drawn.subscriptions_in_memory import Client, Consumer, InMemory, Subscription, Topic
from jms_model.pulsar_subscriptions.destinations import QUEUE, Destination
from jms_model.pulsar_subscriptions.filters import Filter
from jms_model.pulsar_subscriptions.kinds import RECEIVER, SubscriptionSettings
from jmsapi import JMSException


def names(change: Any) -> type[InMemory]:
    """A client whose subscriptions have other names: `change(client, kind, destination, name)`."""

    class Wrong(InMemory):
        def wanted(
            self, client: Client, kind: str, destination: Destination, name: str
        ) -> tuple[str, str, bool]:
            right = super().wanted(client, kind, destination, name)
            return change(right, client, kind, destination, name) or right

    return Wrong


def named(kind: str, client_id: bool | None = None) -> Any:
    """Swaps client id and name in the subscriptions of one kind."""

    def change(right: Any, client: Client, of: str, _: Destination, name: str) -> Any:
        if of != kind or (client_id is not None and bool(client.client_id) is not client_id):
            return None
        return (f"{name}-{client.client_id}", *right[1:])

    return names(change)


def typed(kind: str, type_: str, when: Any = lambda _: True) -> Any:
    """Gives the subscriptions of one kind another type, where the settings are such."""
    return names(
        lambda right, client, of, *_: (
            (right[0], type_, right[2]) if of == kind and when(client.settings) else None
        )
    )


def lasting(kind: str, when: Any = lambda _: True) -> Any:
    """Has the subscriptions of one kind live as long as they should not."""
    return names(
        lambda right, client, of, *_: (
            (*right[:2], not right[2]) if of == kind and when(client.settings) else None
        )
    )


def of_queues(when: Any, name: str) -> Any:
    """Gives queues' subscriptions another name, where settings and destination are such."""
    return names(
        lambda right, client, kind, destination, _: (
            (name, *right[1:]) if kind == RECEIVER and when(client.settings, destination) else None
        )
    )


class Elsewhere(InMemory):
    """Takes names for those of topics elsewhere."""

    def __init__(self, when: Any) -> None:
        super().__init__()
        self._when = when

    def sources(self, destination: Destination, settings: SubscriptionSettings) -> Sequence[str]:
        right = super().sources(destination, settings)
        if not self._when(destination, settings):
            return right
        return [
            each.replace("t/n1/", "t/n2/").replace("public/default/", "t/n2/") for each in right
        ]


class OneFactory(InMemory):
    """Client ids are known to their factory alone."""

    def is_taken(self, client_id: str, factory: str) -> bool:
        every = self.clients.values()
        return any((each.client_id, each.factory) == (client_id, factory) for each in every)


class OtherFactories(InMemory):
    """A client id is not taken for a factory that has clients."""

    def is_taken(self, client_id: str, factory: str) -> bool:
        taken = super().is_taken(client_id, factory)
        here = any(each.factory == factory for each in self.clients.values())
        return taken and not here


class NeverFree(InMemory):
    """Client ids stay taken."""

    def __init__(self) -> None:
        super().__init__()
        self.used: set[str] = set()

    def is_taken(self, client_id: str, factory: str) -> bool:
        taken = client_id in self.used
        self.used.add(client_id)
        return taken


class Admits(InMemory):
    """Each subscription may have several consumers."""

    def admits_one(self, known: Subscription, type_: str) -> bool:
        return False


class Late(InMemory):
    """Queues begin with what comes next."""

    def first_due(self, topic: Topic, kind: str) -> list[int]:
        return []


class Early(InMemory):
    """Non-durable subscriptions begin with the first message."""

    def first_due(self, topic: Topic, kind: str) -> list[int]:
        return [*topic.sent]


class Forgets(InMemory):
    """Durable subscriptions without a consumer get nothing."""

    def reaches(self, subscription: Subscription, destination: Destination, topic: Topic) -> bool:
        return bool(subscription.consumers)


class OneDomain(InMemory):
    """What is sent to a topic does not get to the queue of its name."""

    def reaches(self, subscription: Subscription, destination: Destination, topic: Topic) -> bool:
        kinds = {each.kind for each in subscription.consumers}
        return destination.domain == QUEUE or RECEIVER not in kinds


class FirstOnly(InMemory):
    """Only the first subscription of a topic gets messages."""

    def reaches(self, subscription: Subscription, destination: Destination, topic: Topic) -> bool:
        return subscription is next(iter(topic.subscriptions.values()))


class ToAll(InMemory):
    """Who shares a subscription gets all of it."""

    def takers(self, subscription: Subscription, name: str, takers: Sequence[str]) -> Sequence[str]:
        return takers


class Unsubscribes(InMemory):
    """A name alone is enough."""

    def unsubscribe(self, name: str, _subscription: str) -> None:
        """It seems to work."""


class NoClientId(InMemory):
    """The client id is not told."""

    def client_id(self, name: str) -> str | None:
        return None


def filtered(kind: str, when: Any, type_: str | None = None) -> type[InMemory]:
    """Has subscriptions of one kind another life, or another type, where consumers filter so."""

    class Wrong(InMemory):
        def filtered(
            self, right: tuple[str, str, bool], of: str, by: Filter
        ) -> tuple[str, str, bool]:
            if of != kind or not when(by):
                return right
            name, given, durable = right
            return (name, type_, durable) if type_ else (name, given, not durable)

    return Wrong


class OneFilter(InMemory):
    """Subscriptions have one filter for all of their consumers."""

    def __init__(self, of: Any) -> None:
        super().__init__()
        self._of = of

    def admits(self, known: Subscription, consumer: Consumer) -> bool:
        return bool(self._of(known.filters[-1]) == self._of(consumer.filter))


class Resets(InMemory):
    """Another filter makes another subscription, as JMS wants it."""

    def __init__(self, of: Any) -> None:
        super().__init__()
        self._of = of

    def resets(self, known: Subscription, consumer: Consumer) -> bool:
        if known.consumers or consumer.kind == RECEIVER:
            return False
        return bool(self._of(known.filters[-1]) != self._of(consumer.filter))


class TakesLocal(InMemory):
    """noLocal means nothing."""

    def takes(self, consumer: Consumer, number: int) -> bool:
        return consumer.filter.selects(number)


class TakesAll(InMemory):
    """Selectors mean nothing."""

    def takes(self, consumer: Consumer, number: int) -> bool:
        return True


class OnlyOnceSelected(InMemory):
    """Only the first consumer of a subscription has a selector."""

    def takes(self, consumer: Consumer, number: int) -> bool:
        first = consumer.subscriptions[0][1].filters[0] is consumer.filter
        return not first or super().takes(consumer, number)


class Ahead(InMemory):
    """Who sends to a queue makes its subscription, whatever the settings say."""

    def ahead(self, topic: Topic, client: Client, destination: Destination) -> None:
        if destination.domain == QUEUE:
            name = destination.subscription or client.settings.queue_subscription or "jms-queue"
            topic.subscriptions.setdefault(name, Subscription(name, "Shared", True, [*topic.sent]))


class OneUse(InMemory):
    """What was used as a queue is no topic, and the reverse."""

    def __init__(self) -> None:
        super().__init__()
        self._uses: dict[str, str] = {}

    def sources(self, destination: Destination, settings: SubscriptionSettings) -> Sequence[str]:
        topics = super().sources(destination, settings)
        for each in topics:
            if self._uses.setdefault(each, destination.domain) != destination.domain:
                raise JMSException("used otherwise")
        return topics


def asks_for_failover(settings: SubscriptionSettings) -> bool:
    return settings.shared_type == "Failover"


def asks_for_key_shared(settings: SubscriptionSettings) -> bool:
    return settings.shared_type == "Key_Shared"
