"""What must hold of the rows of a history, looked at while they are read anyway.

A history that breaks one of these was not recorded properly: nothing may be concluded from it.
A client that does wrong never breaks one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, length
from jms_histories.errors import HistoryError
from jms_histories.kernels.arrays.segments import ascending
from jms_histories.values import SEQUENCE_BITS

RowCheck: TypeAlias = Callable[[Columns], None]
_Runs: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]

SEND_COLUMNS: Final = ("uid", "t_inv", "t_ok")
DELIVERY_COLUMNS: Final = ("session", "ridx", "t_enter", "t_exit", "s_inv", "s_ok")
"""What the checks look at; those that are not read are not looked at."""

_DAMAGED: Final = "The history is damaged or made wrongly: seal or make it again."
_CLOCK: Final = (
    "Record all processes of a host by one monotone clock, and do not suspend or move the machine "
    "while it records; then run the workload again."
)


class SendRows:
    """Checks sends of one file in the order of its rows, given in batches.

    Sends of a producer come in the order of their numbers; in layout "bucket" that holds within a
    row group only, so each has a checker of its own.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._last: dict[int, int] = {}

    def __call__(self, columns: Columns) -> None:
        """Raises HistoryError if a message is sent twice, or its send ends before it begins."""
        if not length(columns):
            return
        if "uid" in columns:
            self._in_order(columns["uid"])
        if "t_inv" in columns and "t_ok" in columns:
            _check_forwards(self._name, columns, "t_inv", "t_ok")

    def _in_order(self, uids: NDArray[Any]) -> None:
        producers = uids >> SEQUENCE_BITS
        if ascending(producers):
            ordered, of = uids, producers
        else:
            order = np.argsort(producers, kind="stable")
            ordered, of = uids[order], producers[order]
        firsts, lasts = _runs(of)
        wrong = np.flatnonzero(ordered[1:] <= ordered[:-1]) + 1
        wrong = wrong[of[wrong] == of[wrong - 1]]
        if len(wrong):
            self._refuse(int(ordered[wrong[0]]))
        for producer, first, last in zip(
            of[firsts].tolist(), ordered[firsts].tolist(), ordered[lasts].tolist(), strict=True
        ):
            if first <= self._last.get(producer, -1):
                self._refuse(first)
            self._last[producer] = last

    def _refuse(self, uid: int) -> None:
        producer, sequence = uid >> SEQUENCE_BITS, uid & ((1 << SEQUENCE_BITS) - 1)
        raise HistoryError(
            f"{self._name} has send {sequence} of producer {producer} (uid {uid}) twice, or after "
            "a later one",
            hint=_DAMAGED,
        )


class DeliveryRows:
    """Checks deliveries in the order of the rows of one file of layout "session", in batches.

    whole: reading begins with the first row of the file, so each session begins with ridx 0.
    """

    def __init__(self, name: str, *, whole: bool = True) -> None:
        self._name, self._whole = name, whole
        self._next: dict[int, int] = {}
        self._entered: dict[int, int] = {}

    def __call__(self, columns: Columns) -> None:
        """Raises HistoryError if ridx is not dense or the clock of a session runs backwards."""
        if not length(columns):
            return
        check_times(self._name, columns)
        if "session" not in columns:
            return
        runs = _runs(columns["session"])
        if "ridx" in columns:
            self._dense(columns["session"], columns["ridx"], runs)
        if "t_enter" in columns:
            self._monotone(columns["session"], columns["t_enter"], runs)

    def _dense(self, sessions: NDArray[Any], ridx: NDArray[Any], runs: _Runs) -> None:
        wrong = np.flatnonzero(ridx[1:] - ridx[:-1] != 1) + 1
        wrong = wrong[sessions[wrong] == sessions[wrong - 1]]
        if len(wrong):
            at = int(wrong[0])
            self._not_dense(int(sessions[at]), int(ridx[at - 1]) + 1, int(ridx[at]))
        firsts, lasts = runs
        for session, first, last in zip(
            sessions[firsts].tolist(), ridx[firsts].tolist(), ridx[lasts].tolist(), strict=True
        ):
            expected = self._next.get(session, 0 if self._whole else first)
            if first != expected:
                self._not_dense(session, expected, first)
            self._next[session] = last + 1

    def _monotone(self, sessions: NDArray[Any], t_enter: NDArray[Any], runs: _Runs) -> None:
        wrong = np.flatnonzero(t_enter[1:] < t_enter[:-1]) + 1
        wrong = wrong[sessions[wrong] == sessions[wrong - 1]]
        if len(wrong):
            at = int(wrong[0])
            self._backwards(int(sessions[at]), int(t_enter[at - 1]), int(t_enter[at]))
        firsts, lasts = runs
        for session, first, last in zip(
            sessions[firsts].tolist(),
            t_enter[firsts].tolist(),
            t_enter[lasts].tolist(),
            strict=True,
        ):
            before = self._entered.get(session, first)
            if first < before:
                self._backwards(session, before, first)
            self._entered[session] = last

    def _not_dense(self, session: int, expected: int, actual: int) -> None:
        raise HistoryError(
            f"{self._name}: session {session} has ridx {actual} where {expected} is due; "
            "deliveries are missing, doubled or out of order",
            hint=_DAMAGED,
        )

    def _backwards(self, session: int, before: int, after: int) -> None:
        raise HistoryError(
            f"{self._name}: the clock of session {session} runs backwards: t_enter {after} after "
            f"{before}",
            hint=_CLOCK,
        )


def _runs(values: NDArray[Any]) -> _Runs:
    """The first and the last row of each run of equal values."""
    begins = np.flatnonzero(values[1:] != values[:-1]) + 1
    return np.append(0, begins), np.append(begins - 1, len(values) - 1)


def check_times(name: str, columns: Columns) -> None:
    """Raises HistoryError if the second time of a delivery or settlement is before its first."""
    for first, second in (("t_enter", "t_exit"), ("s_inv", "s_ok")):
        if first in columns and second in columns:
            _check_forwards(name, columns, first, second)


def _check_forwards(name: str, columns: Columns, first: str, second: str) -> None:
    begun, ended = columns[first], columns[second]
    wrong = np.flatnonzero(ended < begun)
    wrong = wrong[ended[wrong] >= 0]
    if len(wrong):
        at = int(wrong[0])
        where = ", ".join(
            f"{column} {int(columns[column][at])}"
            for column in ("session", "ridx", "uid")
            if column in columns
        )
        raise HistoryError(
            f"{name}: the clock runs backwards: {second} {int(ended[at])} is before {first} "
            f"{int(begun[at])} ({where})",
            hint=_CLOCK,
        )
