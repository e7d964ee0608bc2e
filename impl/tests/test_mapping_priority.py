"""Priority: partitions for every level, as the real client was seen to choose them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsar_jms.mapping.priority import (
    LINEAR,
    NON_LINEAR,
    PriorityRouter,
    consumer_metadata,
    linear,
    non_linear,
    priority_of,
    producer_metadata,
    receiver_queues,
)

ALMOST_ONE = 1 - 2**-53
PRIORITIES = st.integers(0, 9)
PARTITIONS = st.integers(1, 200)
CHANCES = st.floats(0, ALMOST_ONE)

LINEAR_TABLE = {
    1: "0 0 0 0 0 0 0 0 0 0",
    2: "0 0 0 0 0 1 1 1 1 1",
    3: "0 0 0 0 1 2 2 2 2 2",
    4: "0 0 0 1 1 2 2 2 3 3",
    5: "0 0 1 1 2 2 3 3 4 4",
    6: "0 0 1 1 2 3 3 4 4 5",
    8: "0 0 1 2 3 4 4 5 6 7",
    9: "0 0 1 2 3 4 5 6 7 8",
    10: "0 1 2 3 4 5 6 7 8 9",
    11: "0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8 8-9 9-10",
    12: "0-1 1-2 2-3 3-4 4-5 6-7 7-8 8-9 9-10 10-11",
    15: "0-1 1-2 3-4 4-5 6-7 7-8 9-10 10-11 12-13 13-14",
    16: "0-1 1-2 3-4 4-5 6-7 8-9 9-10 11-12 12-13 14-15",
    20: "0-1 2-3 4-5 6-7 8-9 10-11 12-13 14-15 16-17 18-19",
    25: "0-2 2-4 5-7 7-9 10-12 12-14 15-17 17-19 20-22 22-24",
    30: "0-2 3-5 6-8 9-11 12-14 15-17 18-20 21-23 24-26 27-29",
    50: "0-4 5-9 10-14 15-19 20-24 25-29 30-34 35-39 40-44 45-49",
    100: "0-9 10-19 20-29 30-39 40-49 50-59 60-69 70-79 80-89 90-99",
}
NON_LINEAR_TABLE = {
    1: "0 0 0",
    2: "0 0 1",
    3: "0 1 2",
    4: "0 1-2 3",
    5: "0-1 2-4 4",
    6: "0-1 2-4 5",
    8: "0-1 2-5 6-7",
    9: "0-2 3-7 7-8",
    10: "0-2 3-7 8-9",
    11: "0-2 3-8 9-10",
    12: "0-2 3-8 9-11",
    15: "0-3 4-11 12-14",
    16: "0-3 4-11 12-15",
    20: "0-4 5-14 15-19",
    25: "0-6 7-19 19-24",
    30: "0-7 8-22 23-29",
    40: "0-9 10-29 30-39",
    50: "0-12 13-37 38-49",
    100: "0-24 25-74 75-99",
}


def ends(text: str) -> list[tuple[int, int]]:
    """The first and last partition of each entry of a row."""
    ranges = (entry.partition("-") for entry in text.split())
    return [(int(first), int(last or first)) for first, _, last in ranges]


@pytest.mark.parametrize(("partitions", "row"), LINEAR_TABLE.items())
def test_linear_ranges_are_those_of_the_real_client(partitions: int, row: str) -> None:
    assert [
        (
            linear(priority, partitions, lambda: 0.0),
            linear(priority, partitions, lambda: ALMOST_ONE),
        )
        for priority in range(10)
    ] == ends(row)


@pytest.mark.parametrize(("partitions", "row"), NON_LINEAR_TABLE.items())
def test_non_linear_ranges_are_those_of_the_real_client(partitions: int, row: str) -> None:
    low, default, high = ends(row)
    assert [
        (
            non_linear(priority, partitions, lambda: 0.0),
            non_linear(priority, partitions, lambda: ALMOST_ONE),
        )
        for priority in range(10)
    ] == [low] * 4 + [default] + [high] * 5


@pytest.mark.parametrize("mapping", [linear, non_linear])
@given(priority=PRIORITIES, partitions=PARTITIONS, chance=CHANCES)
def test_every_partition_exists(mapping, priority, partitions, chance) -> None:  # type: ignore[no-untyped-def]
    assert 0 <= mapping(priority, partitions, lambda: chance) < partitions


@pytest.mark.parametrize("mapping", [linear, non_linear])
@given(lower=PRIORITIES, higher=PRIORITIES, partitions=PARTITIONS, chance=CHANCES)
def test_a_higher_priority_has_no_lower_partition(  # type: ignore[no-untyped-def]
    mapping, lower, higher, partitions, chance
) -> None:
    lower, higher = sorted((lower, higher))
    assert mapping(lower, partitions, lambda: chance) <= mapping(higher, partitions, lambda: chance)


@pytest.mark.parametrize(
    ("properties", "priority"),
    [
        ({}, 4),
        ({"JMSPriority": "0"}, 0),
        ({"JMSPriority": "9"}, 9),
        ({"JMSPriority": "10"}, 4),
        ({"JMSPriority": "-1"}, 4),
        ({"JMSPriority": "high"}, 4),
        ({"JMSPriority": ""}, 4),
    ],
)
def test_priority_of_properties(properties: dict[str, str], priority: int) -> None:
    assert priority_of(properties) == priority


def test_a_router_follows_its_mapping() -> None:
    for mapping, partition in ((LINEAR, 8), (NON_LINEAR, 5)):
        assert PriorityRouter(mapping, lambda: 0.0)({}, 20) == partition
    assert {PriorityRouter(LINEAR)({"JMSPriority": "7"}, 20) for _ in range(200)} == {14, 15}


def test_what_is_announced() -> None:
    assert producer_metadata(None) == consumer_metadata(None) == {}
    assert producer_metadata(NON_LINEAR) == {
        "jms.priority": "enabled",
        "jms.priorityMapping": "non-linear",
    }
    assert consumer_metadata(LINEAR) == {"jms.priority": "enabled"}


@pytest.mark.parametrize(
    ("size", "partitions", "queues"),
    [
        (1000, range(4), [100, 200, 300, 400]),
        (1000, range(10), [18, 36, 54, 72, 90, 109, 127, 145, 163, 181]),
        (10, range(10), [1] * 10),
        (1000, [0], [1000]),
        (1, [0], [1]),
        (600, [0, 0, 1], [100, 100, 200]),
    ],
)
def test_receiver_queues(size: int, partitions: list[int], queues: list[int]) -> None:
    assert receiver_queues(size, partitions) == queues
