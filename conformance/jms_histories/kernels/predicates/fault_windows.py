"""When faults were under way, and which intervals of time met them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, Ints, Mask
from jms_histories.kernels.arrays.segments import GREATEST, order_by
from jms_histories.values import Event, FaultKind


@dataclass(frozen=True)
class FaultWindows:
    """Closed intervals by their begin; ends holds the latest end of all that began until then."""

    begins: Ints
    ends: Ints

    def meet(self, since: NDArray[Any] | int, until: NDArray[Any] | int) -> Mask:
        """Which of the closed intervals [since, until] meet a window."""
        at = np.searchsorted(self.begins, until, side="right")
        latest = np.concatenate([[-1], self.ends])[at]
        return np.asarray((at > 0) & (latest >= since))

    def faulted(self, deliveries: Columns, rows: NDArray[Any]) -> Mask:
        """Which of the chosen rows of deliveries are faulted."""
        return self.meet(deliveries["t_sent"][rows], deliveries["t_enter"][rows])


def record_cut(events: Columns) -> bool:
    """Whether a part of the record is lost: what came last of it is not known."""
    begins = events["event"] == Event.FAULT_BEGIN
    return bool((begins & (events["arg"] == FaultKind.LOST_RECORD)).any())


def fault_windows(events: Columns) -> FaultWindows:
    """The windows from each FAULT_BEGIN to the next FAULT_END of its kind; open-ended without one.

    Next by time; at equal times by the order of the table.
    """
    chosen = np.isin(events["event"], (Event.FAULT_BEGIN, Event.FAULT_END))
    kind, time, event = (events[name][chosen] for name in ("arg", "t", "event"))
    order = order_by(kind, time)
    kind, time, is_end = kind[order], time[order].astype(np.int64), event[order] == Event.FAULT_END
    rows = np.arange(len(time))
    after = np.minimum.accumulate(np.where(is_end, rows, len(rows))[::-1])[::-1]
    end = np.append(time, GREATEST)[after]
    end[np.append(kind, -1)[after] != kind] = GREATEST
    begin, end = time[~is_end], end[~is_end]
    order = np.argsort(begin, kind="stable")
    return FaultWindows(begin[order], np.maximum.accumulate(end[order]))
