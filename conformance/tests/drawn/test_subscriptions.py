"""Drawn programs on subscriptions notice wrong clients, by the statement that they break."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

import pytest

from jms_model.pulsar_subscriptions.destinations import QUEUE, Destination
from jms_model.pulsar_subscriptions.kinds import RECEIVER, Settings
from jms_scenarios.starlight.drawn import test_subscriptions
from listed_programs import listed
from sessions_in_memory import declared_by
from subscriptions_in_memory import Client, InMemory, Subscription, Topic
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
    "SLJ-DLY-002": typed("consumer", "Exclusive"),
    "SLJ-DLY-003": lasting("consumer", lambda s: s.exclusive_simple is False),
    "SLJ-DLY-005": typed("durable_consumer", "Shared", lambda s: s.exclusive_simple is False),
    "SLJ-VIRT-005": of_queues(lambda s, d: d.is_virtual and d.subscription, "jms-queue"),
    "SLJ-CFG-005": typed("consumer", "Exclusive", lambda s: s.as_texts),
}


@cache
def drawn(seed: int) -> Sequence[Program]:
    """The programs of one run: all clients meet the same, so they are drawn once."""
    return listed(programs(), PROGRAMS, seed)


def driver_of(client: Callable[[], InMemory]) -> SubscriptionDriver:
    return SubscriptionDriver(lambda _: client(), shown_within=0)


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
    driver = driver_of(WRONG[id_])
    accused = {id_ for each in drawn(0) for of in driver.disagreements(each) for id_ in of.ids}
    assert id_ in accused
