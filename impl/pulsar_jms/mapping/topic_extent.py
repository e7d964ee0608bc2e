"""What a queue browser shows: from the first message due on, as far as the topic reached."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from pulsar_jms.implements import implements

Entry = tuple[int, int]
"""Ledger and entry: where the broker keeps a message, or a batch of them."""
_RANGE = re.compile(r"\((-?\d+):(-?\d+)\.\.(-?\d+):(-?\d+)\]")


class Extent(NamedTuple):
    """What a topic holds, as a subscription of it sees it at one moment."""

    last: Entry
    """The newest entry; entry number -1 where the topic holds none."""
    subscribed: bool
    """Whether the subscription exists."""
    acknowledged: tuple[tuple[Entry, Entry], ...] = ()
    """Acknowledged ranges behind the first due message, in order: after which entry, to which."""

    @implements("SLJ-BRW-002", "SLJ-BRW-004")
    def is_due(self, entry: Entry) -> bool:
        """Whether an entry from the first due one on is due itself: not acknowledged since."""
        index = bisect_left(self.acknowledged, (entry,))
        return index == 0 or entry > self.acknowledged[index - 1][1]


def acknowledged_ranges(text: str) -> tuple[tuple[Entry, Entry], ...]:
    """The ranges in the broker's text, as in `[(7:2..7:3],(7:5..8:0]]`."""
    ranges = (tuple(map(int, match.groups())) for match in _RANGE.finditer(text))
    return tuple(((first, second), (third, fourth)) for first, second, third, fourth in ranges)


def entry_of(text: str) -> Entry | None:
    """The entry in the broker's text, as in `7:2` or `7:2:0`; None for anything else."""
    ledger, _, rest = text.partition(":")
    try:
        return int(ledger), int(rest.partition(":")[0])
    except ValueError:
        return None


@implements("SLJ-BRW-002", "JMS-BRW-004")
def is_delivered_yet(delivery_time: int, sent_at: int, now: int) -> bool:
    """Whether a message's delivery time has come; all times in milliseconds since the epoch.

    Without a delay the delivery time is that of sending: then a clock of the sender that is fast
    hides nothing.
    """
    return delivery_time <= max(sent_at, now)
