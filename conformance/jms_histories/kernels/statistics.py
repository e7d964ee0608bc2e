"""Statistics of a history: what can be added over its parts, never the rows.

Most come from every row while it streams by. How often messages were delivered needs all rows of a
message: of those that were not delivered just once these are looked at, the others are counted by
what is left (`redelivery_statistics`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, HistoryTables, Ints, concatenate, take
from jms_histories.kernels.arrays.segments import (
    GREATEST,
    among,
    begins,
    lasts,
    order_by,
    ranks,
    sizes,
)
from jms_histories.kernels.packing import packed, unpacked
from jms_histories.kernels.predicates.fault_windows import fault_windows
from jms_histories.kernels.predicates.obligations import lo
from jms_histories.kernels.predicates.rows import knowable
from jms_histories.kernels.predicates.subscriptions import Subscriptions
from jms_histories.kernels.summaries import Histogram, TimeSeries

HISTOGRAMS: Final = ("latency", "lateness", "reorder_distance")
SERIES: Final = ("sends", "deliveries", "redeliveries")
_NUMBERS: Final = ("sent", "dead_letters", "redelivered_messages", "inversions")
NO_RUNS: Final = {name: np.zeros(0, np.int64) for name in ("sub", "first", "last")}
_COUNTERS: Final = ("rows", "looked_at", "delivery_counts", "causes")


@dataclass
class HistoryStatistics:
    """Counts, histograms and series; times and durations are nanoseconds.

    rows and looked_at count deliveries by (sub, priority): all, and those whose messages were
    looked at as a whole; delivery_counts counts the latter messages by (sub, priority, deliveries),
    causes redeliveries by how the delivery before had been settled. next_delivery: the first
    delivery after each end of a fault, by the time of the end. lost: runs of lost messages.
    """

    sent: int = 0
    dead_letters: int = 0
    redelivered_messages: int = 0
    inversions: int = 0
    longest_inversion: int = -1
    latency: Histogram = field(default_factory=Histogram)
    lateness: Histogram = field(default_factory=Histogram)
    reorder_distance: Histogram = field(default_factory=Histogram)
    sends: TimeSeries = field(default_factory=TimeSeries)
    deliveries: TimeSeries = field(default_factory=TimeSeries)
    redeliveries: TimeSeries = field(default_factory=TimeSeries)
    rows: Counter[tuple[int, ...]] = field(default_factory=Counter)
    looked_at: Counter[tuple[int, ...]] = field(default_factory=Counter)
    delivery_counts: Counter[tuple[int, ...]] = field(default_factory=Counter)
    causes: Counter[tuple[int, ...]] = field(default_factory=Counter)
    next_delivery: dict[int, int] = field(default_factory=dict)
    lost: Columns = field(default_factory=lambda: NO_RUNS)

    def inverted(self, waited: Ints) -> None:
        """Messages waited so long when something of a lower priority was delivered."""
        self.inversions += len(waited)
        self.longest_inversion = max(self.longest_inversion, int(waited.max(initial=-1)))

    def after_faults(self, ends: Ints, t_enter: Ints) -> None:
        """Look for the first delivery after each end of a fault; ends ascend."""
        if not len(ends) or not len(t_enter):
            return
        bounds = np.array([t_enter.min(), t_enter.max()])
        before, after = np.searchsorted(ends, bounds, side="right").tolist()
        first = np.full(len(ends) + 1, GREATEST)
        if before == after:
            first[before - 1] = bounds[0]
        else:
            ended = np.searchsorted(ends, t_enter, side="right") - 1
            np.minimum.at(first, ended, t_enter)
        first = np.minimum.accumulate(first[-2::-1])[::-1]
        self._after(dict(zip(ends.tolist(), first.tolist(), strict=True)))

    def _after(self, next_times: dict[int, int]) -> None:
        for end, time in next_times.items():
            self.next_delivery[end] = min(self.next_delivery.get(end, GREATEST), time)

    def merge(self, other: HistoryStatistics) -> None:
        """Add what another part says."""
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.longest_inversion = max(self.longest_inversion, other.longest_inversion)
        for name in (*HISTOGRAMS, *SERIES):
            getattr(self, name).merge(getattr(other, name))
        for name in _COUNTERS:
            getattr(self, name).update(getattr(other, name))
        self._after(other.next_delivery)
        self.lost = concatenate([self.lost, other.lost])

    def pack(self) -> bytes:
        """As bytes, for another process."""
        tables: dict[str, Columns] = {"lost": self.lost}
        for name in HISTOGRAMS:
            bins = getattr(self, name).bins
            at = np.flatnonzero(bins)
            tables[name] = {"bin": at, "count": bins[at]}
        for name in SERIES:
            tables[f"{name}_over_time"] = {"count": getattr(self, name).counts}
        return packed(
            tables,
            {
                "numbers": {name: getattr(self, name) for name in (*_NUMBERS, "longest_inversion")},
                "most": {name: getattr(self, name).most for name in HISTOGRAMS},
                "series": {
                    name: [getattr(self, name).bits, getattr(self, name).first] for name in SERIES
                },
                "counters": {name: list(getattr(self, name).items()) for name in _COUNTERS},
                "next_delivery": list(self.next_delivery.items()),
            },
        )

    @classmethod
    def unpack(cls, data: bytes) -> HistoryStatistics:
        """What `pack` made bytes of."""
        tables, said = unpacked(data)
        result = cls(**said["numbers"])
        for name in HISTOGRAMS:
            histogram = getattr(result, name)
            histogram.bins[tables[name]["bin"]] = tables[name]["count"]
            histogram.most = said["most"][name]
        for name in SERIES:
            bits, first = said["series"][name]
            counts = tables[f"{name}_over_time"]["count"].copy()
            setattr(result, name, TimeSeries(bits, first, counts))
        for name in _COUNTERS:
            counter = {tuple(key): number for key, number in said["counters"][name]}
            setattr(result, name, Counter(counter))
        result.lost = tables["lost"]
        result.next_delivery = dict(said["next_delivery"])
        return result

    def gaps(self) -> Histogram:
        """Lengths of runs of consecutive messages that were lost."""
        result = Histogram()
        runs = joined_runs(self.lost)
        result.add(runs["last"] - runs["first"] + 1)
        return result

    def distribution(self) -> Counter[tuple[int, ...]]:
        """Messages by (sub, priority, deliveries); those not looked at were delivered once."""
        result = Counter(self.delivery_counts)
        for (sub, priority), rows in self.rows.items():
            once = rows - self.looked_at[sub, priority]
            if once:
                result[sub, priority, 1] += once
        return result


def redelivery_statistics(deliveries: Columns) -> HistoryStatistics:
    """What whole messages show together: how often they were delivered, and why again."""
    result = HistoryStatistics()
    names = ("uid", "sub", "t_enter", "session", "ridx", "priority", "settle")
    rows = take({name: deliveries[name] for name in names}, deliveries["sub"] >= 0)
    rows = take(rows, order_by(*(rows[name] for name in names[:5])))
    if not len(rows["uid"]):
        return result
    first = begins(rows["uid"], rows["sub"])
    sub, priority = rows["sub"][first], rows["priority"][first]
    count_by(result.delivery_counts, sub, priority, sizes(first))
    count_by(result.looked_at, rows["sub"], rows["priority"])
    again = np.flatnonzero(ranks(first) > 1)
    count_by(result.causes, rows["settle"][again - 1])
    result.redelivered_messages = len(np.unique(rows["uid"][again]))
    return result


def count_by(counter: Counter[tuple[int, ...]], *keys: NDArray[Any]) -> None:
    """Count rows by some keys of few different values."""
    if not len(keys[0]):
        return
    order = order_by(*keys)
    ordered = [key[order] for key in keys]
    first = begins(*ordered)
    for *key, many in zip(
        *(values[first].tolist() for values in ordered), sizes(first).tolist(), strict=True
    ):
        counter[tuple(key)] += many


def lost_runs(sends: Columns, deliveries: Columns, spec: HistoryTables) -> Columns:
    """Runs of consecutive messages that are lost (D01): sub, first and last uid of each."""
    faults, subscriptions = fault_windows(spec.events), Subscriptions.of(spec.subscriptions)
    sends = take(sends, np.argsort(sends["uid"], kind="stable"))
    sends = take(sends, knowable(sends["uid"], spec.truncated))
    sub = deliveries["sub"].astype(np.int64)
    sub = np.where(sub < 0, -1 - sub, sub)
    runs = [NO_RUNS]
    for row in range(len(subscriptions)):
        here = subscriptions.at(row)
        if not np.any(sends["dest"] == here["dest"]):
            continue
        arrived = np.unique(deliveries["uid"][sub == here["sub"]])
        lost = sends["uid"][lo(sends, here, faults)]
        lost = lost[~among(arrived, lost)]
        subs = np.full(len(lost), here["sub"], np.int64)
        runs.append(joined_runs({"sub": subs, "first": lost, "last": lost}))
    return concatenate(runs)


def joined_runs(runs: Columns) -> Columns:
    """Runs that follow each other as one."""
    runs = take(runs, order_by(runs["sub"], runs["first"]))
    first = begins(runs["sub"])
    first[1:] |= runs["first"][1:] != runs["last"][:-1] + 1
    return {
        "sub": runs["sub"][first],
        "first": runs["first"][first],
        "last": runs["last"][lasts(first)],
    }
