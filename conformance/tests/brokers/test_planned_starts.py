"""How many brokers a whole run of the reference starts, which is where much of its time goes.

Nothing is started here: the catalogue says which broker each scenario needs.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Self

import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.shared.settings import BrokerSettings
from jms_clients.registry import load_provider
from touchstone.brokers import broker_set
from touchstone.brokers.broker_set import BrokerSet
from touchstone.catalogue import load_library
from touchstone.catalogue.items import Scenario
from touchstone.catalogue.scenarios import collect_scenarios
from touchstone.judging.selection import applicable, ordered, runs_silently

WORKERS = 3
PROFILES = {
    "plain", "auth", "default-ports", "filters", "limits", "no-auto-create", "no-transactions",
    "tls",
}  # fmt: skip
"""One broker of each for all scenarios that share it."""
STARTS_OF_PRIVATE_ONES = {
    "exceptions/test_sender_over_the_limit_is_refused[connections]": 1,  # no limit is left over
    "connections/test_lost_connection_is_told_to_the_exception_listener[killed]": 1,  # for good
    "delivery-mode/test_modes_through_a_failure_of_the_broker": 2,
    "delivery-mode/test_non_persistent_survives_a_restart": 2,
    "destinations/test_queue_keeps_messages_while_nobody_consumes": 2,
    "headers/test_message_ids_differ_over_a_restart": 2,
    "producers/test_what_send_has_returned_for_outlives_the_broker": 2,
    "redelivery/test_unacknowledged_messages_outlive_client_and_broker": 2,
    "redelivery/test_workload_outlives_the_broker": 2,
    "subscriptions/test_idle_durable_subscription_outlives_a_restart": 2,
}
"""Each judges what is seen when its broker goes down: the second start is its coming back."""


@pytest.fixture(scope="module")
def scenarios() -> Sequence[Scenario]:
    """Those that a run of the reference runs."""
    library, reference = load_library(), load_provider("reference")
    return [
        scenario
        for scenario in collect_scenarios(library)
        if applicable(scenario, reference, library)[0] or runs_silently(scenario, reference)
    ]


def test_a_whole_run_starts_26_brokers(scenarios: Sequence[Scenario]) -> None:
    """Another one costs every run a start: it needs a reason, and its line above."""
    private = {scenario.id for scenario in scenarios if scenario.exclusive}

    assert private == STARTS_OF_PRIVATE_ONES.keys()
    assert {scenario.profile for scenario in scenarios if not scenario.exclusive} == PROFILES
    assert len(PROFILES) + sum(STARTS_OF_PRIVATE_ONES.values()) == 26


class Noted:
    """A broker that is none."""

    def __init__(self, profile: str, started: Counter[str]) -> None:
        self.address = BrokerAddress("echo://127.0.0.1:7", "", profile, "embedded", "", "echo")
        self._started = started

    def __enter__(self) -> Self:
        self._started[self.address.profile] += 1
        return self

    def close(self) -> None:
        """Nothing has to be ended."""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a broker of each profile was started."""
    counts = Counter[str]()
    monkeypatch.setattr(broker_set, "broker_for", lambda _, profile: Noted(profile, counts))
    return counts


@pytest.mark.parametrize("seed", range(8))
def test_in_the_order_of_a_run_each_shared_broker_is_started_once(
    scenarios: Sequence[Scenario], started: Counter[str], seed: int
) -> None:
    running = deque[ExitStack]()
    with BrokerSet(BrokerSettings()) as brokers:
        for scenario in ordered(scenarios, seed):
            if len(running) == WORKERS:
                running.popleft().close()
            running.append(ExitStack())
            if not scenario.exclusive:
                running[-1].enter_context(brokers.lease(scenario.profile))
        while running:
            running.pop().close()

    assert started == dict.fromkeys(PROFILES, 1)
