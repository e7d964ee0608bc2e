"""What the broker delivers, seen on its way to the client by a frame proxy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Protocol


class Watching(Protocol):
    """A frame proxy with a rule for MESSAGE, which notes what passes."""

    def seen(self, command: str) -> Iterable[Any]: ...


def redelivery_counts(proxy: Watching) -> list[list[int]]:
    """The broker's redelivery counts in the deliveries of each message, in order."""
    counts: defaultdict[str, list[int]] = defaultdict(list)
    for frame in proxy.seen("MESSAGE"):
        counts[str(frame.fields["message_id"])].append(frame.fields.get("redelivery_count", 0))
    return list(counts.values())
