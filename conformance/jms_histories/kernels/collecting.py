"""Findings gathered check by check: counted exactly, kept up to a cap that forgets the largest."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, Findings, concatenate, length, take
from jms_histories.kernels.arrays.segments import order_by

CAP: Final = 1_000
"""Rows of a check that are kept of one bucket: the smallest by (should, uid, sub, a, b)."""

_TYPES: Final = {
    "check": np.dtype("<U3"),
    "uid": np.dtype(np.int64),
    "sub": np.dtype(np.int32),
    "a": np.dtype(np.int64),
    "b": np.dtype(np.int64),
    "should": np.dtype(np.bool_),
}


def no_rows() -> Columns:
    """Findings' rows, of which there are none."""
    return {name: np.zeros(0, kind) for name, kind in _TYPES.items()}


def no_findings() -> Findings:
    """What is found where there is nothing to judge."""
    return Findings(no_rows(), {}, {}, {})


def smallest(rows: Columns, most: int = CAP) -> Columns:
    """The smallest rows of one check, in order, at most so many; shoulds come after the others."""
    if length(rows) > most:
        kept = [np.flatnonzero(~rows["should"]), np.flatnonzero(rows["should"])]
        for place, at in enumerate(kept):
            if len(at) > most:
                uid = rows["uid"][at]
                kept[place] = at[uid <= np.partition(uid, most)[most]]
        rows = take(rows, np.concatenate(kept))
    order = order_by(*(rows[name] for name in ("should", "uid", "sub", "a", "b")))
    return take(rows, order[:most])


class Collector:
    """What the checks of one bucket find."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Columns]] = {}
        self._counts: dict[str, int] = {}
        self._shoulds: dict[str, int] = {}
        self._power: dict[str, int] = {}

    def judged(self, check: str, power: int | np.integer[Any]) -> None:
        """A check was looked at, and this many more things could have been found."""
        self._power[check] = self._power.get(check, 0) + int(power)

    def add(
        self,
        check: str,
        uid: NDArray[Any],
        sub: NDArray[Any] | int,
        a: NDArray[Any],
        b: NDArray[Any],
        should: NDArray[Any] | bool = False,
    ) -> None:
        """Findings of a check, one a row; sub and should may be those of all."""
        if not len(uid):
            return
        given = {"check": check, "uid": uid, "sub": sub, "a": a, "b": b, "should": should}
        rows = {
            name: np.broadcast_to(np.asarray(given[name]).astype(kind), len(uid))
            for name, kind in _TYPES.items()
        }
        shoulds = int(np.count_nonzero(rows["should"]))
        self._shoulds[check] = self._shoulds.get(check, 0) + shoulds
        self._counts[check] = self._counts.get(check, 0) + len(uid) - shoulds
        self._rows.setdefault(check, []).append(smallest(rows))

    def findings(self) -> Findings:
        """All of them."""
        judged = sorted(self._power)
        rows = [smallest(concatenate(self._rows[check])) for check in judged if check in self._rows]
        return Findings(
            rows=concatenate([no_rows(), *rows]),
            counts={check: self._counts.get(check, 0) for check in judged},
            shoulds={check: self._shoulds.get(check, 0) for check in judged},
            power={check: self._power[check] for check in judged},
        )
