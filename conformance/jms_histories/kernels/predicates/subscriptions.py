"""Looking up what holds for the subscription of each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, Ints, length
from jms_histories.kernels.arrays.segments import find

_ABSENT: Final[dict[str, int]] = {"bit": -1, "t_drained": -1, "max_deliveries": -1}
"""What holds for a subscription that the table does not have; whatever is not here: 0 or False."""
_DIRECT: Final = 100_000
"""Of numbers less than this the rows are looked up in one step."""


@dataclass(frozen=True)
class Subscriptions:
    """The table of subscriptions by number, with one row more, that stands for any other number."""

    table: Columns
    _numbers: Ints
    _rows: Ints
    _direct: Ints | None

    @classmethod
    def of(cls, table: Columns) -> Subscriptions:
        """Subscriptions as Spec has them, in any order."""
        count = length(table)
        extended = {
            name: np.append(values, np.asarray(_ABSENT.get(name, 0), values.dtype))
            for name, values in table.items()
        }
        rows = np.argsort(table["sub"], kind="stable").astype(np.int64)
        numbers = table["sub"][rows].astype(np.int64)
        direct, highest = None, int(numbers.max(initial=-1))
        if highest < _DIRECT:
            # the last place answers for -1, which indexes it, and every other number
            direct = np.full(highest + 2, count, np.int64)
            direct[numbers] = rows
        return cls(extended, numbers, rows, direct)

    def __len__(self) -> int:
        return len(self._numbers)

    def rows(self, subs: NDArray[Any]) -> Ints:
        """The row of `table` of each subscription by its number; that of none is the last."""
        if self._direct is not None:
            return np.asarray(self._direct[np.clip(subs, -1, len(self._direct) - 1)])
        at = find(self._numbers, subs)
        return np.append(self._rows, len(self))[at]

    def column(self, name: str, subs: NDArray[Any]) -> NDArray[Any]:
        """What a column of the table says of each subscription."""
        return self.table[name][self.rows(subs)]

    def at(self, rows: Any, *names: str) -> Columns:
        """Some columns (all, if none is named) of chosen rows of `table`, or of one row."""
        return {name: self.table[name][rows] for name in names or self.table}
