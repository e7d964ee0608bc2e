"""The unacknowledged deliveries of a session: a pure state machine.

Deliveries are numbered in the order in which the session made them, over all its consumers. The
methods say what is to be acknowledged or nacked; doing it is the session's part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

Consumer = TypeVar("Consumer")
Item = TypeVar("Item")


@dataclass(frozen=True, eq=False, slots=True)
class UnacknowledgedDelivery(Generic[Consumer, Item]):
    """One delivery of a message: its number in the session, who received it, and what.

    `connection_epoch` separates deliveries of one connection to the broker from those of the next,
    where that matters; else it is 0.
    """

    number: int
    consumer: Consumer
    item: Item
    connection_epoch: int = 0


class UnacknowledgedDeliveries(Generic[Consumer, Item]):
    """The unacknowledged deliveries of one session, oldest first."""

    def __init__(self) -> None:
        self._numbers = 0
        self._open: dict[int, UnacknowledgedDelivery[Consumer, Item]] = {}

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[UnacknowledgedDelivery[Consumer, Item]]:
        return iter(self._open.values())

    def record(
        self, consumer: Consumer, item: Item, connection_epoch: int = 0
    ) -> UnacknowledgedDelivery[Consumer, Item]:
        """Record a delivery; it is the newest of the session."""
        self._numbers += 1
        delivery = UnacknowledgedDelivery(self._numbers, consumer, item, connection_epoch)
        self._open[delivery.number] = delivery
        return delivery

    def contains(self, delivery: UnacknowledgedDelivery[Consumer, Item]) -> bool:
        """Whether the delivery is neither acknowledged nor nacked nor forgotten."""
        return delivery.number in self._open

    def take_through(self, number: int) -> list[UnacknowledgedDelivery[Consumer, Item]]:
        """Take out the delivery of this number and all earlier ones (CLIENT_ACKNOWLEDGE)."""
        taken = []
        for earlier in self._open:  # in the order of numbers, as they were put in
            if earlier > number:
                break
            taken.append(earlier)
        return [self._open.pop(earlier) for earlier in taken]

    def take(self, delivery: UnacknowledgedDelivery[Consumer, Item]) -> bool:
        """Take out one delivery; False when it is not there any more."""
        return self._open.pop(delivery.number, None) is not None

    def take_all(self) -> list[UnacknowledgedDelivery[Consumer, Item]]:
        """Take out everything, oldest first (recover, commit)."""
        taken = list(self._open.values())
        self._open.clear()
        return taken

    def take_where(
        self, condition: Callable[[UnacknowledgedDelivery[Consumer, Item]], bool]
    ) -> list[UnacknowledgedDelivery[Consumer, Item]]:
        """Take out the deliveries that meet a condition, oldest first."""
        taken = [delivery for delivery in self._open.values() if condition(delivery)]
        for delivery in taken:
            del self._open[delivery.number]
        return taken

    def all(self) -> list[UnacknowledgedDelivery[Consumer, Item]]:
        """The unacknowledged deliveries, oldest first; they stay."""
        return list(self._open.values())

    def of(self, consumer: Consumer) -> list[UnacknowledgedDelivery[Consumer, Item]]:
        """The unacknowledged deliveries of one consumer, oldest first."""
        return [delivery for delivery in self._open.values() if delivery.consumer is consumer]

    def consumers(self) -> set[Consumer]:
        """Who has unacknowledged deliveries."""
        return {delivery.consumer for delivery in self._open.values()}
