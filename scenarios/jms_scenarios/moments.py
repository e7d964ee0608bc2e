"""Instants as messages name them, and waiting for one."""

from __future__ import annotations

import time

from touchstone.api import eventually, patience

ROUNDING = 2
"""Milliseconds: client and broker count in whole ones, each for itself."""

_A_WHILE = 0.4


def a_while() -> float:
    """Seconds in which what is not to happen would have happened; more on a busy machine."""
    return sum(patience(_A_WHILE))


def now() -> int:
    """Epoch milliseconds."""
    return time.time_ns() // 1_000_000


def wait_until(instant: float) -> None:
    """Let the clock pass `instant`, in epoch milliseconds."""
    left = max(0.0, instant - now()) / 1000
    eventually(lambda: now() > instant, within=left + 5.0)
