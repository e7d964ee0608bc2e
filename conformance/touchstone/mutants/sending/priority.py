"""Clients that are wrong about priorities."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from unittest.mock import patch

from jmsapi import Message
from pulsar_jms.configuration import checking, keys
from pulsar_jms.deliveries import priority_consumer
from pulsar_jms.mapping import headers, priority
from pulsar_jms.mapping.header_row import HeaderRow
from pulsar_jms.mapping.priority import Chance, PriorityRouter
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.transport.pulsar_client import pulsar_transport
from touchstone.mutants.registry import Mutant

_linear = priority.linear
_send = PulsarMessageProducer.send


def _without_the_default(
    producer: PulsarMessageProducer, message: Message, *, priority: int | None = None, **others: Any
) -> None:
    _send(producer, message, priority=None if priority == 4 else priority, **others)


def _from_the_top(level: int, partitions: int, chance: Chance) -> int:
    return max(partitions, 1) - 1 - _linear(level, partitions, chance)


def _first_of_its_partitions(level: int, partitions: int, chance: Chance) -> int:
    return _linear(level, partitions, lambda: 0.0)


def _without_default_class(level: int, partitions: int, chance: Chance) -> int:
    half = partitions // 2
    return int(chance() * half) + (half if level > 4 else 0)


def _by_group(router: PriorityRouter, properties: Mapping[str, str], partitions: int) -> int:
    return len(properties.get("JMSXGroupID", "")) % partitions


def _always_written(row: HeaderRow) -> tuple[object, ...]:
    default = None if row.attribute == "jms_priority" else row.default
    return (row.property, row.attribute, default, row.write)


PARTITION_0_IS_THE_HIGHEST = Mutant(
    name="partition-0-is-the-highest-priority",
    area="priority",
    violates=("SLJ-PRIO-008", "SLJ-PRIO-017", "SLJ-PRIO-026"),
    doc="The linear mapping runs from the last partition down to partition 0.",
    apply=partial(patch.object, priority, "linear", _from_the_top),
)
ONE_PARTITION_FOR_A_LEVEL = Mutant(
    name="one-partition-for-a-level",
    area="priority",
    violates=("SLJ-PRIO-027", "SLJ-PRIO-029"),
    doc="The linear mapping uses only the first of a level's partitions.",
    apply=partial(patch.object, priority, "linear", _first_of_its_partitions),
)
NO_DEFAULT_CLASS = Mutant(
    name="priority-without-default-class",
    area="priority",
    violates=("SLJ-PRIO-033", "SLJ-PRIO-035"),
    doc="The non-linear mapping knows low and high priorities only, half of the partitions each.",
    apply=partial(patch.object, priority, "non_linear", _without_default_class),
)
MAPPING_IS_ALWAYS_NON_LINEAR = Mutant(
    name="priority-mapping-is-always-non-linear",
    area="priority",
    violates=("SLJ-PRIO-006",),
    doc="The linear mapping, too, works by three classes.",
    apply=partial(patch.object, priority, "linear", priority.non_linear),
)
GROUP_CHOOSES_THE_PARTITION = Mutant(
    name="priority-does-not-choose-the-partition",
    area="priority",
    violates=("SLJ-PRIO-007", "SLJ-PRIO-030"),
    doc="The group of a message chooses its partition, not the priority.",
    apply=partial(patch.object, PriorityRouter, "__call__", _by_group),
)
NON_LINEAR_UNLESS_SET = Mutant(
    name="priority-mapping-non-linear-unless-set",
    area="priority",
    violates=("SLJ-PRIO-015",),
    doc="Without jms.priorityMapping the mapping is non-linear.",
    apply=partial(patch.object, checking, "LINEAR", "non-linear"),
)
CONSUMER_KEEPS_THE_ORDER = Mutant(
    name="consumer-does-not-reorder",
    area="priority",
    violates=("SLJ-PRIO-010",),
    doc="What a consumer has fetched ahead is handed out in the order of publishing.",
    apply=partial(patch.object, priority_consumer, "priority_of", lambda properties: 4),
)
CONSUMER_PREFERS_THE_LOWEST = Mutant(
    name="consumer-prefers-the-lowest-priority",
    area="priority",
    violates=("SLJ-PRIO-005", "SLJ-PRIO-008"),
    doc="The lowest priority that was fetched ahead is handed out first.",
    apply=partial(
        patch.object,
        priority_consumer,
        "priority_of",
        lambda properties: 9 - priority.priority_of(properties),
    ),
)
DEFAULT_PRIORITY_WRITTEN = Mutant(
    name="default-priority-written",
    area="priority",
    violates=("SLJ-PRIO-002",),
    doc="Priority 4 travels as a property, too.",
    apply=partial(
        patch.object, headers, "_WRITERS", tuple(map(_always_written, headers.HEADER_ROWS))
    ),
)
SILENT_PRODUCER = Mutant(
    name="producer-does-not-announce-its-mapping",
    area="priority",
    violates=("SLJ-PRIO-011",),
    doc="The metadata of a producer say nothing of priorities.",
    apply=partial(patch.object, pulsar_transport, "producer_metadata", lambda mapping: {}),
)
ANY_MAPPING = Mutant(
    name="any-priority-mapping",
    area="priority",
    violates=("SLJ-PRIO-014",),
    doc="jms.priorityMapping takes any word; an unknown one means linear.",
    apply=partial(
        patch.dict,
        keys.PARSERS,
        {"jms.priorityMapping": keys.PARSERS["jms.systemNamespace"]},
    ),
)
DEFAULT_IN_A_CALL_IGNORED = Mutant(
    name="default-in-a-call-ignored",
    area="priority",
    violates=("SLJ-PRIO-002",),
    doc="A send with priority 4 has the producer's priority.",
    apply=partial(patch.object, PulsarMessageProducer, "send", _without_the_default),
)
