"""Priority: which partition a message goes to, who says so, and how much is fetched ahead.

A higher partition stands for a higher priority. Both mappings are those of the real client for any
number of partitions; where the documents give ranges, they are the same.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from jmsapi import DEFAULT_PRIORITY
from pulsar_jms.implements import implements
from pulsar_jms.mapping.headers import decode_priority

LINEAR, NON_LINEAR = "linear", "non-linear"
_PROPERTY: Final = "JMSPriority"
_HIGHEST: Final = 9

Chance = Callable[[], float]
"""A number of 0 or more and less than 1."""


def priority_of(properties: Mapping[str, str]) -> int:
    """The priority that raw properties carry; 4 where they carry none."""
    return decode_priority(properties.get(_PROPERTY, ""))


@implements(
    "SLJ-PRIO-007",
    "SLJ-PRIO-008",
    *(f"SLJ-PRIO-{number:03}" for number in range(16, 32)),
    "SLJ-PRIO-040",
)
def linear(priority: int, partitions: int, chance: Chance) -> int:
    """The partition of a priority in proportion: of 10 the one of its number, of 20 one of two."""
    if partitions <= 1:
        return 0
    if partitions == 2:
        return int(priority > DEFAULT_PRIORITY)
    if partitions == 3:
        return 1 + (priority > DEFAULT_PRIORITY) - (priority < DEFAULT_PRIORITY)
    width = partitions / (_HIGHEST + 1)
    return min(partitions - 1, math.floor(width * priority) + int(chance() * width))


@implements("SLJ-PRIO-040", *(f"SLJ-PRIO-{number:03}" for number in range(32, 40)))
def non_linear(priority: int, partitions: int, chance: Chance) -> int:
    """The partition of a priority by its class: a quarter each for 0-3 and 5-9, half for 4."""
    if partitions <= 1:
        return 0
    quarter = partitions / 4
    if priority < DEFAULT_PRIORITY:
        return int(chance() * quarter) if partitions > 3 else 0
    if priority > DEFAULT_PRIORITY:
        if partitions <= 3:
            return partitions - 1
        return min(partitions - 1, math.ceil(3 * quarter) + int(chance() * quarter))
    if partitions <= 3:
        return partitions - 2
    return min(partitions - 1, math.ceil(quarter) + int(chance() * 2 * quarter))


@implements("SLJ-PRIO-006", "SLJ-PRIO-014", "SLJ-PRIO-015")
class PriorityRouter:
    """Chooses partitions by the setting jms.priorityMapping: linear unless it says non-linear."""

    def __init__(self, mapping: str, chance: Chance = random.random) -> None:
        self._partition = non_linear if mapping == NON_LINEAR else linear
        self._chance = chance

    def __call__(self, properties: Mapping[str, str], partitions: int) -> int:
        """The partition for a message's raw properties; its key has no say."""
        return self._partition(priority_of(properties), partitions, self._chance)


@implements("SLJ-PRIO-011")
def producer_metadata(mapping: str | None) -> dict[str, str]:
    """What a producer announces: that it routes by priority, and how; None where it does not."""
    return {} if mapping is None else {"jms.priority": "enabled", "jms.priorityMapping": mapping}


@implements("SLJ-PRIO-012")
def consumer_metadata(mapping: str | None) -> dict[str, str]:
    """What a consumer announces: that it reorders by priority, not by which mapping."""
    return {} if mapping is None else {"jms.priority": "enabled"}


@implements("SLJ-PRIO-010")
def receiver_queues(size: int, partitions: Sequence[int]) -> list[int]:
    """How many messages are fetched ahead from each of the partitions, 1 or more.

    A receiver queue of `size` messages is divided in proportion to the partition's number plus 1,
    so that more of a high priority is at hand. A topic without partitions counts as partition 0.
    """
    count = len(partitions)
    parts = count * (count + 1) // 2
    return [max(1, (number + 1) * size // parts) for number in partitions]
