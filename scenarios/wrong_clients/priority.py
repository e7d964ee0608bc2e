"""Clients that are wrong about priorities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.mutant import WORKLOADS
from jms_clients.mutants.wrong import wrong
from jmsapi import Int, Message
from pulsar_jms.configuration import checking, keys
from pulsar_jms.deliveries import priority_consumer
from pulsar_jms.mapping import headers, priority, selectors
from pulsar_jms.mapping.header_row import HeaderRow
from pulsar_jms.mapping.headers import read_headers
from pulsar_jms.mapping.priority import Chance, PriorityRouter
from pulsar_jms.messages import wire_decoding
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.transport.pulsar_client import pulsar_transport


@wrong("JMS-PRIO-001", patches=(wire_decoding, "read_headers"))
def priority_is_not_read(wire: Any) -> dict[str, object]:
    """Every message is received with priority 4."""
    fields = read_headers(wire)
    fields.pop("jms_priority", None)
    return fields


@wrong("JMS-PRIO-001", patches=(wire_decoding, "read_headers"))
def lowest_priority_taken_for_none(wire: Any) -> dict[str, object]:
    """Priority 0 is received as 4."""
    fields = read_headers(wire)
    fields["jms_priority"] = fields.get("jms_priority") or 4
    return fields


@wrong("JMS-PRIO-001", patches=(selectors.HEADER_VALUES, "JMSPriority"))
def selector_sees_one_priority(message: Any) -> Any:
    """JMSPriority is 4 for every selector."""
    return Int(4)


@wrong("SLJ-PRIO-005", "SLJ-PRIO-008", "SLJ-PRIO-010", scenarios=WORKLOADS)
def lowest_priority_of_many_first() -> AbstractContextManager[object]:
    """The lowest priority that was fetched ahead is handed out first."""
    return consumer_prefers_the_lowest_priority.apply()


@wrong("SLJ-PRIO-008", "SLJ-PRIO-017", "SLJ-PRIO-026", patches=(priority, "linear"))
def partition_0_is_the_highest_priority(
    original: Callable[..., int], level: int, partitions: int, chance: Chance
) -> int:
    """The linear mapping runs from the last partition down to partition 0."""
    return max(partitions, 1) - 1 - original(level, partitions, chance)


@wrong("SLJ-PRIO-027", "SLJ-PRIO-029", patches=(priority, "linear"))
def one_partition_for_a_level(
    original: Callable[..., int], level: int, partitions: int, chance: Chance
) -> int:
    """The linear mapping uses only the first of a level's partitions."""
    return original(level, partitions, lambda: 0.0)


@wrong("SLJ-PRIO-033", "SLJ-PRIO-035", patches=(priority, "non_linear"))
def priority_without_default_class(level: int, partitions: int, chance: Chance) -> int:
    """The non-linear mapping knows low and high priorities only, half of the partitions each."""
    half = partitions // 2
    return int(chance() * half) + (half if level > 4 else 0)


@wrong("SLJ-PRIO-006")
def priority_mapping_is_always_non_linear() -> AbstractContextManager[object]:
    """The linear mapping, too, works by three classes."""
    return patch.object(priority, "linear", priority.non_linear)


@wrong("SLJ-PRIO-007", "SLJ-PRIO-030", patches=(PriorityRouter, "__call__"))
def priority_does_not_choose_the_partition(
    router: PriorityRouter, properties: Mapping[str, str], partitions: int
) -> int:
    """The group of a message chooses its partition, not the priority."""
    return len(properties.get("JMSXGroupID", "")) % partitions


@wrong("SLJ-PRIO-015")
def priority_mapping_non_linear_unless_set() -> AbstractContextManager[object]:
    """Without jms.priorityMapping the mapping is non-linear."""
    return patch.object(checking, "LINEAR", "non-linear")


@wrong("SLJ-PRIO-010", patches=(priority_consumer, "priority_of"))
def consumer_does_not_reorder(properties: Any) -> int:
    """What a consumer has fetched ahead is handed out in the order of publishing."""
    return 4


@wrong("SLJ-PRIO-005", "SLJ-PRIO-008", patches=(priority_consumer, "priority_of"))
def consumer_prefers_the_lowest_priority(properties: Any) -> Any:
    """The lowest priority that was fetched ahead is handed out first."""
    return 9 - priority.priority_of(properties)


def _always_written(row: HeaderRow) -> tuple[object, ...]:
    default = None if row.attribute == "jms_priority" else row.default
    return (row.property, row.attribute, default, row.write)


@wrong("SLJ-PRIO-002")
def default_priority_written() -> AbstractContextManager[object]:
    """Priority 4 travels as a property, too."""
    return patch.object(headers, "_WRITERS", tuple(map(_always_written, headers.HEADER_ROWS)))


@wrong("SLJ-PRIO-011", patches=(pulsar_transport, "producer_metadata"))
def producer_does_not_announce_its_mapping(mapping: Any) -> Any:
    """The metadata of a producer say nothing of priorities."""
    return {}


@wrong("SLJ-PRIO-014")
def any_priority_mapping() -> AbstractContextManager[object]:
    """jms.priorityMapping takes any word; an unknown one means linear."""
    return patch.dict(keys.PARSERS, {"jms.priorityMapping": keys.PARSERS["jms.systemNamespace"]})


@wrong("SLJ-PRIO-002", patches=(PulsarMessageProducer, "send"))
def default_in_a_call_ignored(
    original: Callable[..., None],
    producer: PulsarMessageProducer,
    message: Message,
    *,
    priority: int | None = None,
    **others: Any,
) -> None:
    """A send with priority 4 has the producer's priority."""
    original(producer, message, priority=None if priority == 4 else priority, **others)
