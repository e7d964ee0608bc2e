"""Where anomalies are planted: the slots of their messages, and what that forces about these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.history.simulation.pattern import Dest

MATE: Final = 0
"""In place of a check's number: a message that another's plant needs to be ordinary."""
LAST_PRIORITY: Final = (9, 23)
"""Checks whose plants come late: at the lowest priority, nothing overtakes them unduly."""
FIRST_PRIORITY: Final = (32,)
ODD_KEY: Final = (9, 10, 28, 30)
"""Checks planted at the subscription with a selector."""


@dataclass(frozen=True)
class Planted:
    """Plants by slot, ascending: check is the number of a check or MATE; variant is the kind of
    plant of that check; ordinal numbers those of a check and variant; partner is a slot that the
    plant needs besides; faulted: it is at a fault."""

    slots: NDArray[np.int64]
    checks: NDArray[np.int64]
    variants: NDArray[np.int64]
    ordinals: NDArray[np.int64]
    partners: NDArray[np.int64]
    faulted: NDArray[np.int64]

    def at(self, chosen: NDArray[Any] | slice) -> Planted:
        """Some of the plants."""
        return Planted(*(getattr(self, name)[chosen] for name in _COLUMNS))

    def between(self, begin: int, end: int) -> Planted:
        """The plants of slots begin..end-1."""
        first, last = np.searchsorted(self.slots, [begin, end])
        return self.at(slice(int(first), int(last)))

    def of(self, *checks: int, variant: int | None = None) -> NDArray[np.int64]:
        """The slots of the plants of some checks."""
        chosen = np.isin(self.checks, checks)
        if variant is not None:
            chosen &= self.variants == variant
        return self.slots[chosen]

    def ordinal_of(self, slots: NDArray[Any]) -> NDArray[np.int64]:
        """The ordinals of the plants of slots."""
        return self.ordinals[np.searchsorted(self.slots, slots)]

    def partner_of(self, slots: NDArray[Any]) -> NDArray[np.int64]:
        """The partners of the plants of slots."""
        return self.partners[np.searchsorted(self.slots, slots)]

    def force(
        self,
        begin: int,
        *,
        dest: NDArray[Any],
        kind: NDArray[Any],
        key: NDArray[Any],
        priority: NDArray[Any],
    ) -> None:
        """Make the messages of plants ordinary, and what their plant needs besides."""
        rows = self.slots - begin
        kind[rows] = 0
        priority[rows] = 4
        last = np.isin(self.checks, LAST_PRIORITY) | (self.checks == MATE) & (self.variants == 1)
        priority[rows[last]] = 0
        priority[rows[np.isin(self.checks, FIRST_PRIORITY)]] = 9
        topic = rows[dest[rows] == Dest.PRICES]
        key[topic] = 1
        even = rows[self.checks == 4]
        key[even] = 2


_COLUMNS: Final = tuple(field.name for field in fields(Planted))

NO_PLANTS: Final = Planted(*(np.empty(0, np.int64) for _ in _COLUMNS))


def join_plants(parts: Sequence[Planted]) -> Planted:
    """All plants of several, one after the other."""
    return Planted(*(np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS))
