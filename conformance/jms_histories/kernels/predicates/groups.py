"""Epochs of groups: between them the consumers of a subscription come and go, or faults do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import HistoryTables, Ints, length
from jms_histories.kernels.arrays.segments import alike
from jms_histories.kernels.arrays.timelines import Timeline
from jms_histories.values import Event


@dataclass(frozen=True)
class Epochs:
    """The membership events of every grouped subscription."""

    _events: Timeline

    @classmethod
    def of(cls, spec: HistoryTables) -> Epochs:
        """The epochs of a history: events of consumers that the manifest names, and faults."""
        events, consumers = spec.events, spec.consumers
        subs = spec.subscriptions["sub"][spec.subscriptions["grouped"]].astype(np.int64)
        grouped = np.isin(consumers["sub"], subs)
        kind = events["event"]
        opened = np.isin(kind, (Event.CONSUMER_OPEN, Event.CONSUMER_CLOSE))
        ended = np.isin(kind, (Event.KILLED, Event.CLOSE))
        faults = np.flatnonzero(np.isin(kind, (Event.FAULT_BEGIN, Event.FAULT_END)))
        of_consumer = _pairs(
            consumers["sub"][grouped], consumers["consumer"][grouped], events["arg"], opened
        )
        of_session = _pairs(
            consumers["sub"][grouped], consumers["session"][grouped], events["session"], ended
        )
        of_fault = np.repeat(subs, len(faults)), np.tile(faults, len(subs))
        groups = np.concatenate([of_consumer[0], of_session[0], of_fault[0]])
        rows = np.concatenate([of_consumer[1], of_session[1], of_fault[1]])
        return cls(Timeline.of(groups, events["t"][rows] if length(events) else rows))

    def number(self, subs: NDArray[Any], times: NDArray[Any]) -> Ints:
        """A number of the epoch of a message that was sent at this time, for its subscription.

        Such numbers ascend by one from event to event, whatever the first one is.
        """
        return self._events.until(subs, times)

    def number_and_end(self, subs: NDArray[Any], times: NDArray[Any]) -> tuple[Ints, Ints]:
        """Both of some messages; one of each, if they are those of all."""
        if alike(subs):
            sub, bounds = subs[[0, 0]], np.array([times.min(), times.max()])
            first, last = self.number(sub, bounds).tolist()
            if first == last:
                subs, times = sub[:1], bounds[:1]
        number = self.number(subs, times)
        return number, self._events.time(number, subs)

    def end(self, subs: NDArray[Any], times: NDArray[Any]) -> Ints:
        """When that epoch ends: the first membership event after this time; GREATEST if none."""
        return self._events.time(self.number(subs, times), subs)


def _pairs(
    subs: NDArray[Any], members: NDArray[Any], names: NDArray[Any], chosen: NDArray[np.bool_]
) -> tuple[Ints, Ints]:
    """For each chosen event and each distinct subscription that has its name as a member: both."""
    joined = np.unique(np.stack([members.astype(np.int64), subs.astype(np.int64)]), axis=1)
    rows = np.flatnonzero(chosen)
    low = np.searchsorted(joined[0], names[rows], side="left")
    high = np.searchsorted(joined[0], names[rows], side="right")
    many = high - low
    start = np.repeat(low - (np.cumsum(many) - many), many)
    return joined[1][start + np.arange(int(many.sum()))], np.repeat(rows, many)
