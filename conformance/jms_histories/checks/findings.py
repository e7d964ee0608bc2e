"""What a check says of a history, and how its rows are looked at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from jms_histories.checks.small_history import DeliveryRow


class Finding(NamedTuple):
    """One thing found wrong; the definition of its check says what a and b are."""

    check: str
    uid: int
    sub: int
    a: int
    b: int
    should: bool = False


Answer = tuple[list[Finding], int]
"""The findings of a check and its power: how much it could have found."""

Key = TypeVar("Key")


def by(
    rows: Iterable[DeliveryRow], key: Callable[[DeliveryRow], Key]
) -> dict[Key, list[DeliveryRow]]:
    """Rows in groups, each in the order in which the rows come."""
    groups: dict[Key, list[DeliveryRow]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def with_earlier(rows: Sequence[DeliveryRow]) -> list[tuple[DeliveryRow, Sequence[DeliveryRow]]]:
    """Each row but the first, with those before it."""
    return [(row, rows[:place]) for place, row in enumerate(rows) if place]
