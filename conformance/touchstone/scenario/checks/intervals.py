"""Intervals of time, such as the runs of listener callbacks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Interval(NamedTuple):
    """From `start` to `end`, in seconds of one clock; the end is not part of it."""

    start: float
    end: float
    name: str = ""


def overlap(first: Interval, second: Interval) -> bool:
    """Whether there is a time that lies in both."""
    return max(first.start, second.start) < min(first.end, second.end)


def no_overlap(intervals: Iterable[tuple[float, float] | Interval]) -> list[str]:
    """Violations of: no two intervals have a time in common; each is told once, by its victim."""
    rows = sorted(Interval(*interval) for interval in intervals)
    violations = []
    longest: Interval | None = None
    for row in rows:
        if longest is not None and overlap(longest, row):
            violations.append(f"{_text(row)} overlaps {_text(longest)}")
        if longest is None or row.end > longest.end:
            longest = row
    return violations


def _text(interval: Interval) -> str:
    return f"{interval.name or 'an interval'} [{interval.start:.6f}, {interval.end:.6f})"
