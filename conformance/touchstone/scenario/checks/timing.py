"""Timing: no message is handed over before it is due.

Instants are epoch milliseconds of one clock; messages are known by ids, unique among those sent.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def none_early(
    due: Mapping[T, float],
    arrivals: Iterable[tuple[T, float]],
    tolerance: float = 0.0,
) -> list[str]:
    """Violations of: no arrival of an id lies more than `tolerance` ms before it was due.

    Repeats count each for itself; ids that are not in `due` are left to the other checks.
    """
    return [
        f"{id_!r} came {due[id_] - at:.0f} ms before it was due"
        for id_, at in arrivals
        if id_ in due and at < due[id_] - tolerance
    ]
