"""Messages that are to be nacked together, once their wait is over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from pulsar_jms.transport.transport_protocol import DeliveredMessage


@dataclass(eq=False, slots=True)
class PendingNack:
    """A negative acknowledgement that is not done yet; with `halt` nothing is handed out before."""

    items: Sequence[DeliveredMessage]
    halt: bool
    due: bool = False
    """Whether the wait is over; a poll may still hold it up."""

    def would_overtake(self, pending: Iterable[PendingNack]) -> bool:
        """Whether one of `pending`, in the order they came in, is due before this one."""
        earlier = takewhile(lambda other: other is not self, pending)
        return any(other.due for other in earlier)
