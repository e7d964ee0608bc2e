"""How often a message was delivered, and how long to wait before it is delivered again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pulsar_jms.implements import implements


@implements("SLJ-REDL-001", "SLJ-REDL-004", "JMS-REDL-002", "JMS-REDL-003")
def delivery_count(redelivery_count: int) -> int:
    """JMSXDeliveryCount: one more than Pulsar's redelivery count."""
    return redelivery_count + 1


@implements("SLJ-REDL-002", "SLJ-REDL-003", "JMS-REDL-001", "JMS-REDL-004")
def is_redelivered(redelivery_count: int) -> bool:
    """JMSRedelivered: whether JMSXDeliveryCount exceeds 1."""
    return delivery_count(redelivery_count) > 1


@implements(
    "SLJ-REDL-006",
    "SLJ-REDL-007",
    "SLJ-REDL-008",
    "SLJ-REDL-009",
    "SLJ-REDL-010",
    "SLJ-REDL-011",
    "SLJ-REDL-012",
    "SLJ-REDL-013",
)
@dataclass(frozen=True)
class Backoff:
    """Growing waits before a redelivery: milliseconds, and the factor from one to the next."""

    min_delay: int = 10_000
    max_delay: int = 600_000
    multiplier: float = 2.0
    """1 or more."""

    def __post_init__(self) -> None:
        """`ValueError` says what the longest wait must be, if it is below the smallest."""
        if self.max_delay < self.min_delay:
            raise ValueError(f"{self.min_delay} or more, which is minDelayMs")

    def delay(self, redelivery_count: int) -> int:
        """Milliseconds to wait when the message was redelivered so often: 0 for the first time."""
        if not self.min_delay:
            return 0
        try:
            grown = self.min_delay * self.multiplier ** max(redelivery_count, 0)
        except OverflowError:
            return self.max_delay
        return int(min(grown, self.max_delay))

    def series(self) -> Iterator[int]:
        """The waits one after another, without end."""
        count = 0
        while True:
            yield self.delay(count)
            count += 1
