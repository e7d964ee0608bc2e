"""Counting deliveries: JMSXDeliveryCount against the deliveries themselves and JMSRedelivered.

All of this is of one queue or subscription.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class CountedDelivery:
    """What one delivery of a message says of itself."""

    id: str
    redelivered: bool
    count: int


def counts_rise(deliveries: Iterable[CountedDelivery]) -> list[str]:
    """Violations of: the count is 1 at first, and greater by one at each further delivery.

    Deliveries are in their order; each count is compared with the one before it.
    """
    violations = []
    latest: dict[str, int] = {}
    for row in deliveries:
        expected = latest.get(row.id, 0) + 1
        if row.count != expected:
            violations.append(f"{row.id!r} came with count {row.count} instead of {expected}")
        latest[row.id] = row.count
    return violations


def flags_counted(deliveries: Iterable[CountedDelivery]) -> list[str]:
    """Violations of: what is flagged as redelivered has a count of 2 at least."""
    return [
        f"{row.id!r} came with the flag and count {row.count}"
        for row in deliveries
        if row.redelivered and row.count < 2
    ]
