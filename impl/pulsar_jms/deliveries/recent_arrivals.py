"""Which messages a consumer got last: enough to know whether more are on their way."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from pulsar_jms.transport.transport_protocol import DeliveredMessage

_KEPT = 16
"""Messages; a consumer that got more of late was not quiet."""


class RecentArrivals:
    """The messages that one thread took last; times are seconds of one clock."""

    def __init__(self) -> None:
        self._latest: deque[tuple[float, DeliveredMessage]] = deque(maxlen=_KEPT)

    def note(self, delivered: DeliveredMessage, now: float) -> None:
        """Note that a message came."""
        self._latest.append((now, delivered))

    @property
    def last_at(self) -> float:
        """When the last one came; 0 for none yet."""
        return self._latest[-1][0] if self._latest else 0.0

    def are_only(self, items: Sequence[DeliveredMessage], since: float) -> bool:
        """Whether `items` is one message, and nothing else came after `since`."""
        lately = {item.message.position for at, item in [*self._latest] if at > since}
        return len(items) == 1 and lately <= {items[0].message.position}
