"""The order that scenarios run in: those that wait long first, nobody waits for a start twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.catalogue.items import Scenario
from touchstone.judging.selection import cheapest_first, ordered

SCENARIOS = st.lists(
    st.builds(
        Scenario,
        id=st.uuids().map(str),
        node=st.just(""),
        requirements=st.just(("TRY-ONE-001",)),
        area=st.just("ones"),
        shows=st.just(""),
        profile=st.sampled_from(["plain", "auth", "tls"]),
        exclusive=st.booleans(),
        slow=st.booleans(),
    ),
    unique_by=lambda scenario: scenario.id,
    max_size=30,
)


def scenario(number: int, profile: str, *, slow: bool = False) -> Scenario:
    """One of many."""
    id_ = f"ones/test_{profile}_{number}"
    return Scenario(id_, id_, ("TRY-ONE-001",), "ones", "", profile=profile, slow=slow)


def many() -> list[Scenario]:
    """Twelve plain ones, three of each special broker, and two that wait long."""
    return [
        *(scenario(number, "plain") for number in range(12)),
        *(scenario(number, profile) for profile in ("auth", "tls") for number in range(3)),
        *(scenario(number, profile, slow=True) for number, profile in ((20, "tls"), (21, "plain"))),
    ]


def profiles(order: Sequence[Scenario]) -> list[tuple[str, int]]:
    """The profiles in turn, with how many scenarios in a row need each."""
    return [(name, len(list(row))) for name, row in groupby(s.profile for s in order)]


@given(SCENARIOS, st.integers(0, 9))
def test_each_scenario_comes_once_and_those_that_wait_long_come_first(
    scenarios: list[Scenario], seed: int
) -> None:
    order = ordered(scenarios, seed)
    assert sorted(s.id for s in order) == sorted(s.id for s in scenarios)
    waits = [s.exclusive or (s.slow and s.profile == "plain") for s in order]
    assert waits == sorted(waits, reverse=True)


@given(SCENARIOS, st.integers(0, 9))
def test_the_order_is_that_of_the_seed_whatever_was_collected_first(
    scenarios: list[Scenario], seed: int
) -> None:
    assert ordered(scenarios[::-1], seed) == ordered(scenarios, seed)


def test_plain_ones_bridge_the_start_of_each_special_broker() -> None:
    assert profiles(ordered(many(), 1)) == [
        ("plain", 1),
        ("auth", 1),
        ("plain", 4),
        ("auth", 2),
        ("tls", 1),
        ("plain", 4),
        ("tls", 3),
        ("plain", 4),
    ]


@pytest.mark.parametrize("left_out", ["plain", "auth", "tls"])
def test_any_of_the_brokers_may_be_left_out(left_out: str) -> None:
    wanted = {s.id for s in many() if s.profile != left_out}
    order = ordered((s for s in many() if s.id in wanted), 1)
    assert sorted(s.id for s in order) == sorted(wanted)


def test_another_seed_gives_another_order() -> None:
    assert len({tuple(s.id for s in ordered(many(), seed)) for seed in range(5)}) == 5


@given(SCENARIOS, st.integers(0, 9))
def test_a_run_that_ends_at_a_failure_starts_no_broker_before_it_has_to(
    scenarios: list[Scenario], seed: int
) -> None:
    order = cheapest_first(scenarios, seed, {})
    assert sorted(s.id for s in order) == sorted(s.id for s in scenarios)
    starts = [(s.exclusive, s.profile != "plain") for s in order]
    assert starts == sorted(starts)


def test_of_those_on_the_broker_that_is_there_the_quickest_come_first() -> None:
    scenarios = [scenario(number, "plain") for number in range(3)]
    seconds = {scenarios[0].id: 9.0, scenarios[2].id: 2.0}
    assert cheapest_first(scenarios, 1, seconds) == [scenarios[number] for number in (1, 2, 0)]


def test_what_is_said_to_be_slow_comes_after_what_is_known_to_be_quick() -> None:
    slow, quick, known = (scenario(number, "plain") for number in range(3))
    slow = replace(slow, slow=True)
    assert cheapest_first([slow, quick, known], 1, {known.id: 5.0}) == [quick, known, slow]
