"""Brings times of several hosts onto the coordinator's clock."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns
from jms_histories.history.recording import HistoryDescription
from jms_histories.values import SEQUENCE_BITS

_OWN: Final = frozenset({"t", "t_inv", "t_ok", "t_visible", "t_enter", "t_exit", "s_inv", "s_ok"})
_SENDERS: Final = frozenset({"t_sent", "deliver_at", "expire_at"})
"""Times that a delivery has from its message: of the clock of the sender's host."""


class Clocks:
    """The measured offsets of a recording; nothing is copied where they are 0."""

    def __init__(self, recording: HistoryDescription) -> None:
        self._of_session = {
            session: recording.clock_offsets.get(host, 0)
            for session, host in recording.sessions.items()
        }
        self._of_producer = {
            producer: self._of_session.get(session, 0)
            for producer, session in recording.producers.items()
        }
        self._differ = any(self._of_session.values())

    def of_session(self, session: int, columns: Columns) -> Columns:
        """All times of the columns shifted from the session's clock."""
        if not self._differ:
            return columns
        return _shift_times(columns, _OWN | _SENDERS, self._of_session.get(session, 0))

    def of_deliveries(self, session: int, columns: Columns) -> Columns:
        """The same for deliveries, whose messages come from other hosts."""
        if not self._differ:
            return columns
        producers, at = np.unique(columns["uid"] >> SEQUENCE_BITS, return_inverse=True)
        offsets = np.array(
            [self._of_producer.get(producer, 0) for producer in producers.tolist()], np.int64
        )
        columns = _shift_times(columns, _OWN, self._of_session.get(session, 0))
        return _shift_times(columns, _SENDERS, offsets[at])


def _shift_times(columns: Columns, names: frozenset[str], by: int | NDArray[Any]) -> Columns:
    return {
        name: np.where(values == -1, -1, values + by) if name in names else values
        for name, values in columns.items()
    }
