"""What the kernels work on: columns of NumPy arrays, and what holds for a whole history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

Columns: TypeAlias = "dict[str, NDArray[Any]]"
"""Name of a column to its values; all of one length, in the types of `history.schema`."""


@dataclass(frozen=True)
class HistoryTables:
    """What every kernel may look up: small tables and limits of one history.

    consumers has the columns consumer, session and sub, for all that were ever opened.
    truncated maps a producer to the first sequence number that its record does not have any more.
    epsilon and priority_slack are nanoseconds. checks are those to be judged, all if it is None: of
    others nothing is promised, and what only they need need not be there.
    """

    subscriptions: Columns
    events: Columns
    consumers: Columns
    epsilon: int
    priority_slack: int
    truncated: Mapping[int, int] = field(default_factory=dict)
    checks: frozenset[str] | None = None

    def judges(self, *checks: str) -> bool:
        """Whether one of these checks is to be judged."""
        return self.checks is None or not self.checks.isdisjoint(checks)

    def without(self, columns: Iterable[str], needed_by: Mapping[str, Sequence[str]]) -> list[str]:
        """The columns but those that only checks need, named by column, which are not judged."""
        return [name for name in columns if name not in needed_by or self.judges(*needed_by[name])]


@dataclass
class Findings:
    """Findings of some checks, with what is needed to add those of several buckets.

    rows has the columns of jms_histories.history.schema.FINDING, check as an array of ids such as
    "D05". counts (of findings that are no shoulds) and shoulds (of those that are) are exact,
    whatever was capped in rows; power is what could have been found. Each of the three maps a
    check's id to a number; a check that was looked at is in power.
    """

    rows: Columns
    counts: dict[str, int]
    shoulds: dict[str, int]
    power: dict[str, int]


def length(columns: Columns) -> int:
    """How many rows there are."""
    return len(next(iter(columns.values()))) if columns else 0


def take(columns: Columns, chosen: NDArray[Any] | slice) -> Columns:
    """The rows that an array of indices, a mask or a slice chooses."""
    return {name: values[chosen] for name, values in columns.items()}


def concatenate(parts: list[Columns]) -> Columns:
    """All rows of several tables with the same columns, in turn; at least one is needed."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
