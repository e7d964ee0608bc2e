"""What distributions register, read once: that reads the files of every one on the path."""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points


def registered_entry_points(group: str) -> list[EntryPoint]:
    """The entry points of a group, as far as the path is as it was when they were read."""
    return [point for point in all_entry_points() if point.group == group]


def all_entry_points() -> tuple[EntryPoint, ...]:
    """Those of every group."""
    return _entry_points_on(tuple(sys.path))


@lru_cache(maxsize=1)
def _entry_points_on(path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    points = entry_points()
    return tuple(point for group in sorted(points.groups) for point in points.select(group=group))
