"""What is summed up of sends and deliveries while they stream by, counted one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from jms_histories.checks import FUNCTIONS
from jms_histories.checks.findings import Finding
from jms_histories.checks.small_history import DeliveryRow, SmallHistory
from jms_histories.kernels.statistics import HISTOGRAMS, SERIES, HistoryStatistics
from jms_histories.kernels.summaries import Histogram, TimeSeries
from jms_histories.values import Event


def available(row: DeliveryRow) -> int:
    """When a message may be delivered."""
    return row.deliver_at if row.deliver_at != -1 else row.t_sent


def next_deliveries(history: SmallHistory) -> dict[int, int]:
    """The first delivery at or after each end of a fault that any came after."""
    ends = [event.t for event in history.events if event.event == Event.FAULT_END]
    after = {end: [r.t_enter for r in history.deliveries if r.t_enter >= end] for end in ends}
    return {end: min(times) for end, times in after.items() if times}


def runs_of_lost(findings: Iterable[Finding]) -> list[tuple[int, int, int]]:
    """Subscription, first and last uid of each run of consecutive messages that are lost."""
    runs: list[tuple[int, int, int]] = []
    for sub, uid in sorted(
        (finding.sub, finding.uid) for finding in findings if finding.check == "D01"
    ):
        first = uid
        if runs and (runs[-1][0], runs[-1][2]) == (sub, uid - 1):
            first = runs.pop()[1]
        runs.append((sub, first, uid))
    return runs


def streamed(history: SmallHistory) -> dict[str, object]:
    """What sends and deliveries say, as `plain` says it of Statistics."""
    live = [row for row in history.deliveries if row.sub >= 0]
    fresh = [row for row in live if row.fresh]
    waited = [finding.b - finding.a for finding in FUNCTIONS["D32"](history)[0]]
    durations = {
        "latency": [row.t_enter - available(row) for row in fresh],
        "lateness": [row.t_enter - row.deliver_at for row in fresh if row.deliver_at != -1],
        "reorder_distance": [finding.b - finding.a for finding in FUNCTIONS["D09"](history)[0]],
    }
    times = {
        "sends": [send.t_inv for send in history.known_sends],
        "deliveries": [row.t_enter for row in live],
        "redeliveries": [row.t_enter for row in live if not row.fresh],
    }
    return {
        "rows": Counter((row.sub, row.priority) for row in live),
        "dead_letters": len(history.deliveries) - len(live),
        "inversions": len(waited),
        "longest_inversion": max(waited, default=-1),
        "next_delivery": next_deliveries(history),
        **{name: _binned(values) for name, values in durations.items()},
        **{name: _stepped(values) for name, values in times.items()},
    }


def plain(parts: Iterable[HistoryStatistics]) -> Mapping[str, object]:
    """What several parts say together, as values that can be compared."""
    whole = HistoryStatistics()
    for part in parts:
        whole.merge(part)
    names = ("rows", "dead_letters", "inversions", "longest_inversion")
    never = (1 << 63) - 1
    return {
        **{name: getattr(whole, name) for name in names},
        "next_delivery": {end: t for end, t in whole.next_delivery.items() if t != never},
        **{name: _of_histogram(getattr(whole, name)) for name in HISTOGRAMS},
        **{name: of_series(getattr(whole, name)) for name in SERIES},
    }


def of_series(series: TimeSeries) -> tuple[int, int, list[int]]:
    """A series as values that can be compared."""
    return series.bits, series.first, series.counts.tolist()


def _of_histogram(histogram: Histogram) -> tuple[list[tuple[int, int]], int]:
    return histogram.sparse(), histogram.most


def _binned(values: list[int]) -> tuple[list[tuple[int, int]], int]:
    histogram = Histogram()
    histogram.add(np.array(values, np.int64))
    return _of_histogram(histogram)


def _stepped(times: list[int]) -> tuple[int, int, list[int]]:
    series = TimeSeries()
    series.add(np.array(times, np.int64))
    return of_series(series)
