"""How long a consumer waits around a redelivery."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RedeliveryTimes:
    """All in seconds; the defaults suit every broker that answers."""

    flush: float = 0.25
    """Until an acknowledgement has left the client."""
    quiet: float = 1.0
    """Without any other message, until none is thought to be on its way."""
    spread: float = 0.05
    """By which quiet nacks come apart at most: two consumers that nack in step get the same
    messages from the broker each time."""
    retry: float = 1.0
    """Until a nack that failed is tried again."""
    arrival: float = 1.0
    """In which redelivered messages come; longer than any broker should take."""
    trickle: float = 0.05
    """Between two messages that are fetched beyond a receiver queue's worth meanwhile."""
    rewind: float = 3.0
    """After which all that a rewind has sent again has left the broker, or will not."""


DEFAULT_TIMES = RedeliveryTimes()
