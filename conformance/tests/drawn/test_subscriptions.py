"""Drawn programs on subscriptions notice wrong clients, by the statement that they break."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

import pytest

from jms_model.pulsar_subscriptions.destinations import QUEUE, Destination
from jms_model.pulsar_subscriptions.filters import Filter
from jms_model.pulsar_subscriptions.kinds import RECEIVER, Settings
from jms_scenarios.starlight.drawn import test_subscriptions
from jmsapi import JMSException
from listed_programs import listed
from sessions_in_memory import declared_by
from subscriptions_in_memory import Client, Consumer, InMemory, Subscription, Topic
from touchstone.drawn.subscriptions.drawing import programs
from touchstone.drawn.subscriptions.driving import SubscriptionDriver
from touchstone.drawn.subscriptions.judging import PROGRAMS
from touchstone.drawn.subscriptions.program import Program

DECLARED: Final = declared_by(test_subscriptions.test_drawn_programs_on_subscriptions)


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

    def sources(self, destination: Destination, settings: Settings) -> Sequence[str]:
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

    def sources(self, destination: Destination, settings: Settings) -> Sequence[str]:
        found = super().sources(destination, settings)
        for each in found:
            if self._uses.setdefault(each, destination.domain) != destination.domain:
                raise JMSException("used otherwise")
        return found


def asks_for_failover(settings: Settings) -> bool:
    return settings.shared_type == "Failover"


def asks_for_key_shared(settings: Settings) -> bool:
    return settings.shared_type == "Key_Shared"


WRONG: Final[Mapping[str, Any]] = {
    "SLJ-IDN-001": NoClientId,
    "SLJ-IDN-002": NoClientId,
    "SLJ-IDN-003": named("shared_consumer", client_id=True),
    "SLJ-IDN-004": named("shared_durable_consumer", client_id=False),
    "SLJ-IDN-006": OtherFactories,
    "SLJ-IDN-007": OneFactory,
    "SLJ-IDN-008": NeverFree,
    "SLJ-DEST-002": OneDomain,
    "SLJ-DEST-003": OneUse,
    "SLJ-DEST-006": ToAll,
    "SLJ-DEST-007": of_queues(lambda s, d: not (s.queue_subscription or d.subscription), "queue"),
    "SLJ-DEST-008": Late,
    "SLJ-DEST-009": typed(RECEIVER, "Exclusive"),
    "SLJ-DEST-010": lasting(RECEIVER),
    "SLJ-DEST-011": ToAll,
    "SLJ-DEST-012": of_queues(
        lambda s, d: s.queue_subscription and not d.subscription, "jms-queue"
    ),
    "SLJ-DEST-014": of_queues(lambda s, d: d.subscription and not d.namespace, "jms-queue"),
    "SLJ-DEST-015": lambda: Elsewhere(
        lambda d, s: d.subscription and not (s.namespace or d.namespace or d.is_virtual)
    ),
    "SLJ-DEST-016": of_queues(lambda s, d: s.queue_subscription and d.subscription, "jms-queue"),
    "SLJ-DEST-017": lambda: Elsewhere(lambda d, s: s.namespace and not d.namespace),
    "SLJ-DEST-018": lambda: Elsewhere(lambda d, s: not (s.namespace or d.namespace)),
    "SLJ-DEST-019": lambda: Elsewhere(lambda d, s: d.namespace and d.subscription),
    "SLJ-DEST-020": of_queues(lambda s, d: d.subscription and d.namespace, "jms-queue"),
    "SLJ-DEST-021": lambda: Elsewhere(lambda d, s: d.namespace and not d.subscription),
    "SLJ-SUB-001": typed("consumer", "Shared", lambda s: s.exclusive_simple is None),
    "SLJ-SUB-002": lasting("consumer"),
    "SLJ-SUB-003": names(
        lambda right, client, kind, *_: (
            (f"simple-{uuid.uuid4()}", *right[1:]) if kind == "consumer" else None
        )
    ),
    "SLJ-SUB-004": typed("durable_consumer", "Failover"),
    "SLJ-SUB-005": lasting("durable_consumer"),
    "SLJ-SUB-006": named("durable_consumer"),
    "SLJ-SUB-007": typed("shared_consumer", "Failover"),
    "SLJ-SUB-008": lasting("shared_consumer"),
    "SLJ-SUB-009": named("shared_consumer", client_id=True),
    "SLJ-SUB-010": typed("shared_durable_consumer", "Failover"),
    "SLJ-SUB-011": lasting("shared_durable_consumer"),
    "SLJ-SUB-012": named("shared_durable_consumer", client_id=True),
    "SLJ-SUB-013": typed("durable_subscriber", "Failover"),
    "SLJ-SUB-014": lasting("durable_subscriber"),
    "SLJ-SUB-015": named("durable_subscriber"),
    "SLJ-SUB-016": Forgets,
    "SLJ-SUB-017": Early,
    "SLJ-SUB-018": Admits,
    "SLJ-SUB-019": ToAll,
    "SLJ-SUB-020": FirstOnly,
    "SLJ-SUB-021": typed("shared_consumer", "Shared", asks_for_key_shared),
    "SLJ-SUB-022": typed("shared_durable_consumer", "Shared", asks_for_key_shared),
    "SLJ-SUB-023": typed(RECEIVER, "Key_Shared", asks_for_key_shared),
    "SLJ-SUB-025": Unsubscribes,
    "SLJ-SUB-026": lambda: Resets(lambda by: by.selector or ""),
    "SLJ-SUB-027": lambda: OneFilter(lambda by: by.selector or ""),
    "SLJ-SUB-028": lambda: OneFilter(lambda by: bool(by.no_local)),
    "SLJ-SUB-034": Ahead,
    "SLJ-SEL-001": TakesAll,
    "SLJ-NLOC-001": TakesLocal,
    "SLJ-DLY-002": typed("consumer", "Exclusive"),
    "SLJ-DLY-003": lasting("consumer", lambda s: s.exclusive_simple is False),
    "SLJ-DLY-005": typed("durable_consumer", "Shared", lambda s: s.exclusive_simple is False),
    "SLJ-VIRT-005": of_queues(lambda s, d: d.is_virtual and d.subscription, "jms-queue"),
    "SLJ-CFG-005": typed("consumer", "Exclusive", lambda s: s.as_texts),
}


OTHERS: Final[Mapping[str, tuple[str, Any]]] = {
    "durable with a selector": (
        "SLJ-SUB-005",
        filtered("durable_consumer", lambda by: by.selector),
    ),
    "durable with noLocal": ("SLJ-SUB-005", filtered("durable_consumer", lambda by: by.no_local)),
    "subscriber with noLocal": (
        "SLJ-SUB-014",
        filtered("durable_subscriber", lambda by: by.no_local),
    ),
    "shared durable with a selector": (
        "SLJ-SUB-011",
        filtered("shared_durable_consumer", lambda by: by.selector),
    ),
    "shared with a selector": (
        "SLJ-SUB-008",
        filtered("shared_consumer", lambda by: by.selector),
    ),
    "queue with a selector": ("SLJ-DEST-010", filtered(RECEIVER, lambda by: by.selector)),
    "queue with a selector, of another type": (
        "SLJ-DEST-009",
        filtered(RECEIVER, lambda by: by.selector, "Exclusive"),
    ),
    "consumer with noLocal, of another type": (
        "SLJ-SUB-001",
        filtered("consumer", lambda by: by.no_local, "Shared"),
    ),
    "queue as a shared topic consumer": (
        "SLJ-SUB-023",
        typed(RECEIVER, "Failover", asks_for_failover),
    ),
    "durable consumer as a shared one": (
        "SLJ-SUB-004",
        typed("durable_consumer", "Failover", asks_for_failover),
    ),
    "shared consumer as a simple one": (
        "SLJ-SUB-007",
        typed("shared_consumer", "Exclusive", lambda s: s.exclusive_simple),
    ),
    "topic's subscription with a queue's name": (
        "SLJ-SUB-009",
        names(
            lambda right, client, kind, *_: (
                (client.settings.queue_subscription, *right[1:])
                if kind == "shared_consumer" and client.settings.queue_subscription
                else None
            )
        ),
    ),
    "noLocal of another subscription": ("SLJ-SUB-028", lambda: Resets(lambda by: by.no_local)),
    "selector of the first consumer alone": ("SLJ-SEL-001", OnlyOnceSelected),
}
"""More ways to break a statement: in what a filter or a setting must not change."""


@cache
def drawn(seed: int) -> Sequence[Program]:
    """The programs of one run: all clients meet the same, so they are drawn once."""
    return listed(programs(), PROGRAMS, seed)


def driver_of(client: Callable[[], InMemory]) -> SubscriptionDriver:
    return SubscriptionDriver(lambda _: client(), shown_within=0)


def accused_of(client: Callable[[], InMemory]) -> set[str]:
    driver = driver_of(client)
    return {id_ for each in drawn(0) for of in driver.disagreements(each) for id_ in of.ids}


@pytest.mark.parametrize("seed", range(20))
def test_right_client_is_not_accused(seed: int) -> None:
    driver = driver_of(InMemory)
    assert [each for program in drawn(seed) for each in driver.disagreements(program)] == []


def test_each_statement_is_decided_by_the_programs_of_every_run() -> None:
    driver = driver_of(InMemory)
    for program in drawn(0):
        list(driver.disagreements(program))
    assert sorted(id_ for id_ in DECLARED if not driver.decided[id_]) == []


@pytest.mark.parametrize("id_", WRONG)
def test_wrong_client_is_accused_by_the_statement_that_it_breaks(id_: str) -> None:
    assert id_ in accused_of(WRONG[id_])


@pytest.mark.parametrize("wrong", OTHERS)
def test_what_filters_and_settings_must_not_change_is_noticed(wrong: str) -> None:
    id_, client = OTHERS[wrong]
    assert id_ in accused_of(client)
