"""How long to wait on a busy machine: for what it does more slowly nobody else is to blame."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

_SPIN = 0.05
"""Seconds of CPU time that show how much of it this process gets."""
_TOLERATED_SLOWDOWN = 2.0
"""Up to this slowdown, a factor, time limits are not stretched. They are ample: with a tenth of a
processor for each thread twenty messages, one behind the other, took more than ten seconds."""
_MOST = 20.0


def patience(within: float) -> Iterator[float]:
    """Seconds to wait: `within`, and when these were in vain as many more as the machine needs.

    A machine that is not busy gives nothing more, and nothing is measured before it is needed.
    """
    yield within
    if (longer := within * (stretch() - 1)) > 0:
        yield longer


def stretch() -> float:
    """How many times longer than usual to wait, 1 to 20: by the CPU time that is to be had now.

    The load of the last minute counts as well, since what is waited for may have met that.
    """
    slower = max(_slower_now(), os.getloadavg()[0] / len(os.sched_getaffinity(0)))
    return min(max(slower / _TOLERATED_SLOWDOWN, 1.0), _MOST)


def _slower_now() -> float:
    """Seconds that pass for each second of CPU time."""
    began, used = time.monotonic(), time.thread_time()
    while time.thread_time() - used < _SPIN:
        pass
    return (time.monotonic() - began) / _SPIN
