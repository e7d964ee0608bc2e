"""D20 and D29 while rows stream by: one at a time in a session, and none while it is stopped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jms_histories.columns import Ints, Mask
from jms_histories.kernels.arrays.segments import LEAST, begins, highest, order_by
from jms_histories.kernels.collecting import Collector
from jms_histories.kernels.sessions.chunks import Chunk, Setting
from jms_histories.values import Event


class SerialScan:
    """The largest t_exit of each session."""

    def __init__(self) -> None:
        self._busy: dict[int, int] = {}

    def feed(self, chunk: Chunk, collector: Collector) -> None:
        """Judge the rows of a chunk."""
        rows = chunk.rows
        collector.judged("D20", 0)
        for session, part in sessions(chunk):
            carried = self._busy.get(session, LEAST)
            t_exit, t_enter = rows["t_exit"][part], rows["t_enter"][part]
            busy = np.empty(len(t_exit) + 1, np.int64)
            busy[0] = carried
            busy[1:] = t_exit
            busy = highest(busy)
            late = np.flatnonzero(t_enter < busy[:-1])
            collector.judged("D20", len(t_exit) - (session not in self._busy))
            if len(late):
                collector.add(
                    "D20", rows["uid"][part][late], rows["sub"][part][late], t_enter[late],
                    busy[late],
                )  # fmt: skip
            self._busy[session] = int(busy[-1])


@dataclass(frozen=True)
class _Stops:
    """The STARTs and STOPs of a session by time."""

    times: Ints
    is_stop: Mask


class StopScan:
    """When the sessions that stop are stopped."""

    def __init__(self, setting: Setting) -> None:
        events = setting.spec.events
        chosen = np.isin(events["event"], (Event.START, Event.STOP))
        session, time, kind = (events[name][chosen] for name in ("session", "t", "event"))
        order = order_by(session, time)
        session, time, kind = session[order], time[order].astype(np.int64), kind[order]
        self._stops: dict[int, _Stops] = {}
        stopping = np.unique(session[kind == Event.STOP])
        low = np.searchsorted(session, stopping, side="left").tolist()
        high = np.searchsorted(session, stopping, side="right").tolist()
        for number, begin, end in zip(stopping.tolist(), low, high, strict=True):
            self._stops[number] = _Stops(time[begin:end], kind[begin:end] == Event.STOP)

    def feed(self, chunk: Chunk, collector: Collector) -> None:
        """Judge the rows of a chunk."""
        collector.judged("D29", 0)
        if not self._stops:
            return
        rows = chunk.rows
        for session, part in sessions(chunk):
            stops = self._stops.get(session)
            if stops is None:
                continue
            t_enter = rows["t_enter"][part]
            collector.judged("D29", len(t_enter))
            last = np.searchsorted(stops.times, t_enter, side="right") - 1
            wrong = np.flatnonzero(np.append(stops.is_stop, False)[last])
            if len(wrong):
                collector.add(
                    "D29", rows["uid"][part][wrong], rows["sub"][part][wrong], t_enter[wrong],
                    stops.times[last[wrong]],
                )  # fmt: skip


def sessions(chunk: Chunk) -> list[tuple[int, slice]]:
    """Each session of a chunk with its rows."""
    session = chunk.rows["session"]
    if not len(session):
        return []
    if session[0] == session[-1]:
        return [(int(session[0]), slice(0, len(session)))]
    heads = np.flatnonzero(begins(session))
    bounds = np.append(heads, len(session)).tolist()
    return [
        (number, slice(low, high))
        for number, low, high in zip(session[heads].tolist(), bounds[:-1], bounds[1:], strict=True)
    ]
