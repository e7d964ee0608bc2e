"""Waiting for a condition, without sleeping longer than need be."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from jms_brokers.errors import NotAsExpected
from jms_brokers.machine.patience import patience
from jms_brokers.machine.spending import Purpose, spent_on

T = TypeVar("T")
_PAUSES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
"""Seconds between polls: short at first, then steady."""


def until(condition: Callable[[], T], within: float = 10.0) -> T:
    """The first truthy value of `condition`, polled for `within` seconds; else NotAsExpected.

    On a busy machine it is polled for longer.
    """
    __tracebackhide__ = True
    polls = 0
    waiting = threading.Event()
    with spent_on(Purpose.CONDITION):
        for seconds in patience(within):
            end = time.monotonic() + seconds
            while not (value := condition()) and time.monotonic() < end:
                waiting.wait(_PAUSES[min(polls, len(_PAUSES) - 1)])
                polls += 1
            if value:
                return value
    raise NotAsExpected(f"not within {within:g} s: the last value was {value!r}")
