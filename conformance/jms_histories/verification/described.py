"""Statistics and plan as report.json says them (touchstone_reports/volume.schema.json)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from jms_histories.columns import Columns
from jms_histories.engines.result import ExecutedPlan
from jms_histories.kernels.arrays.segments import GREATEST, order_by
from jms_histories.kernels.statistics import SERIES, HistoryStatistics
from jms_histories.kernels.summaries import Histogram
from jms_histories.values import Event, FaultKind, Settle, name_of

_PROBABILITIES: Final = (0.5, 0.9, 0.99, 0.999)
_MOST_STEPS: Final = 480


def statistics_as_dict(statistics: HistoryStatistics, events: Columns) -> dict[str, Any]:
    """The statistics of a history, with its faults."""
    return {
        "sends": statistics.sent,
        "deliveries": sum(statistics.rows.values()),
        "dead_letters": statistics.dead_letters,
        "redelivered_messages": statistics.redelivered_messages,
        "delivery_counts": _delivery_counts(statistics),
        "redelivery_causes": {
            Settle(settle).name: count for (settle,), count in sorted(statistics.causes.items())
        },
        "latency": _histogram(statistics.latency),
        "lateness": _histogram(statistics.lateness),
        "reorder_distance": _histogram(statistics.reorder_distance),
        "gaps": _histogram(statistics.gaps()),
        "inversions": {
            "count": statistics.inversions,
            "longest": statistics.longest_inversion,
        },
        "throughput": _throughput(statistics),
        "faults": _faults(events, statistics),
    }


def plan_as_dict(plan: ExecutedPlan) -> dict[str, Any]:
    """What was done."""
    return {
        "engine": plan.engine,
        "name": plan.name,
        "master": plan.master,
        "rows": {"send": plan.sends, "delivery": plan.deliveries},
        "bytes": plan.bytes,
        "suspects": plan.suspects,
        "seconds": round(plan.seconds, 3),
        "steps": [{"name": name, "seconds": round(seconds, 3)} for name, seconds in plan.steps],
        "settings": dict(plan.settings),
    }


def _delivery_counts(statistics: HistoryStatistics) -> list[dict[str, Any]]:
    by_kind: dict[tuple[int, int], list[list[int]]] = {}
    for (sub, priority, many), messages in sorted(statistics.distribution().items()):
        by_kind.setdefault((sub, priority), []).append([many, messages])
    return [
        {"sub": sub, "priority": priority, "counts": counts}
        for (sub, priority), counts in by_kind.items()
    ]


def _histogram(histogram: Histogram) -> dict[str, Any]:
    count = histogram.count
    return {
        "count": count,
        "max": histogram.most,
        "bins": [list(bin_) for bin_ in histogram.sparse()],
        "quantiles": {str(p): histogram.quantile(p) for p in _PROBABILITIES} if count else {},
    }


def _throughput(statistics: HistoryStatistics) -> dict[str, Any]:
    series = {name: getattr(statistics, name) for name in SERIES}
    bits = max(data.bits for data in series.values())
    some = [data for data in series.values() if len(data.counts)]
    if not some:
        return {"start": 0, "step": 1 << bits, **{name: [] for name in series}}
    while True:
        coarse = {name: data.coarsened(bits) for name, data in series.items()}
        filled = [data for data in coarse.values() if len(data.counts)]
        first = min(data.first for data in filled)
        last = max(data.first + len(data.counts) for data in filled)
        if last - first <= _MOST_STEPS:
            break
        bits += 1
    counts = {name: np.zeros(last - first, np.int64) for name in series}
    for name, data in coarse.items():
        at = data.first - first
        counts[name][at : at + len(data.counts)] = data.counts
    return {
        "start": first << bits,
        "step": 1 << bits,
        **{name: values.tolist() for name, values in counts.items()},
    }


def _faults(events: Columns, statistics: HistoryStatistics) -> list[dict[str, Any]]:
    """Each fault with its end, -1 if there is none, and the first delivery after it."""
    chosen = np.flatnonzero(np.isin(events["event"], (Event.FAULT_BEGIN, Event.FAULT_END)))
    chosen = chosen[order_by(events["t"][chosen])]
    result: list[dict[str, Any]] = []
    for kind, time, event in zip(
        *(events[name][chosen].tolist() for name in ("arg", "t", "event")), strict=True
    ):
        name = str(name_of(FaultKind, kind))
        if event == Event.FAULT_BEGIN:
            result.append({"kind": name, "begin": time, "end": -1, "next_delivery": -1})
            continue
        after = statistics.next_delivery.get(time, GREATEST)
        for fault in result:
            if fault["kind"] == name and fault["end"] == -1:
                fault["end"] = time
                fault["next_delivery"] = after if after != GREATEST else -1
    return result
