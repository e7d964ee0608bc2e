"""Drawn programs on subscriptions notice wrong clients, by the statement that they break."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

import pytest

from drawn.listed_programs import listed
from drawn.sessions_in_memory import declared_by
from drawn.subscriptions_in_memory import InMemory
from drawn.wrong_subscriptions import (
    Admits,
    Ahead,
    Early,
    Elsewhere,
    FirstOnly,
    Forgets,
    Late,
    NeverFree,
    NoClientId,
    OneDomain,
    OneFactory,
    OneFilter,
    OneUse,
    OnlyOnceSelected,
    OtherFactories,
    Resets,
    TakesAll,
    TakesLocal,
    ToAll,
    Unsubscribes,
    asks_for_failover,
    asks_for_key_shared,
    filtered,
    lasting,
    named,
    names,
    of_queues,
    typed,
)
from jms_model.pulsar_subscriptions.kinds import RECEIVER
from jms_scenarios.starlight.subscriptions import test_drawn_programs as test_subscriptions
from touchstone.drawn.lockstep import Program
from touchstone.drawn.subscriptions.drawing import programs
from touchstone.drawn.subscriptions.driving import SubscriptionDriver
from touchstone.drawn.subscriptions.judging import PROGRAMS

DECLARED: Final = declared_by(test_subscriptions.test_drawn_programs_on_subscriptions)


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
