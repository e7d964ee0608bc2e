"""Priority: how far it leads, which is a number and no verdict."""

from __future__ import annotations

from collections.abc import Iterable


def overtaken(priorities: Iterable[int], high: int = 5) -> int:
    """How many messages below priority `high` came before the last one of at least `high`.

    A number to report, no violation: JMS only asks that high priorities come ahead if they can.
    """
    waiting = passed = 0
    for priority in priorities:
        if priority < high:
            waiting += 1
        else:
            passed = waiting
    return passed
