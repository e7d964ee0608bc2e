"""Whether the machine's clock was set while a scenario ran: what it saw of times then says nothing.

The time since boot goes on evenly whoever sets the time of day; between the two there is a fixed
distance as long as nobody does, and the machine does not sleep.
"""

from __future__ import annotations

import time

_TRIES = 5
_STEP = 0.1
"""Seconds; less is no step, but a pause between looking at one clock and at the other."""


class ClockWatch:
    """The clock as it goes from now on."""

    def __init__(self) -> None:
        self._distance = _distance()

    def was_set(self) -> str | None:
        """That it was set since, and by how much; None while it goes on evenly."""
        by = _distance() - self._distance
        if abs(by) < _STEP:
            return None
        return f"the clock was set {'forward' if by > 0 else 'back'} by {abs(by):.1f} s meanwhile"


def _distance() -> float:
    """Seconds from the start of the machine's own time to that of the time of day.

    Of several looks at both clocks the quickest counts.
    """
    looks = []
    for _ in range(_TRIES):
        before, now, after = time.monotonic(), time.time(), time.monotonic()
        looks.append((after - before, now - before))
    return min(looks)[1]
