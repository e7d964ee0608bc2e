"""The counts by which engines are compared: what each is, and what else can compute them.

They are those of docs/volume.md. The other engines are asked for these fifteen and a distribution
only, of histories with whole records, and need not tell a should from a finding: their work is less
than ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from jms_histories.columns import HistoryTables
from jms_histories.kernels.predicates.fault_windows import fault_windows

FOUND: Final = {
    "lost": "D01",
    "phantoms": "D02",
    "finished twice": "D08",
    "out of order": "D09",
    "wrong counts": "D11",
    "early": "D15",
    "dead letters too early": "D24",
    "dead letters missing": "D25",
    "overtaken": "D32",
}
"""Numbers of findings of a check, shoulds included."""
POWER: Final = {
    "pairs": "D02",
    "repeats": "D06",
    "finished": "D08",
    "delayed": "D15",
    "dead letters": "D24",
}
"""Numbers of things that a check looks at."""
COUNTED: Final = tuple(sorted({*FOUND.values(), *POWER.values()}))
"""The checks that are asked for these."""
COUNTS: Final = ("deliveries", *FOUND, *POWER)


@dataclass(frozen=True)
class HistoryCounts:
    """The fifteen counts by name, and of how many pairs of message and subscription there were how
    many deliveries. found: of each check, if checks were judged, violations and shoulds."""

    counts: Mapping[str, int]
    distribution: Mapping[int, int]
    found: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class QuerySubscription:
    """What a query has to know of a subscription."""

    sub: int
    dest: int
    t_from: int
    t_to: int
    t_drained: int
    t_dlq_drained: int
    ordering: int
    bit: int
    max_deliveries: int
    lost_until: int
    """What is not persistent and sent until then may be lost in a fault; -1: no such time."""


def subscriptions(spec: HistoryTables) -> list[QuerySubscription]:
    """The subscriptions; ValueError for a history that the queries are not made for."""
    if spec.truncated:
        raise ValueError("The queries are made for whole records: a producer is truncated")
    names = [name for name in QuerySubscription.__dataclass_fields__ if name != "lost_until"]
    rows = zip(*(spec.subscriptions[name].tolist() for name in names), strict=True)
    windows = fault_windows(spec.events)
    bounds = list(zip(windows.begins.tolist(), windows.ends.tolist(), strict=True))
    subscriptions_of_query = []
    for row in rows:
        values = dict(zip(names, row, strict=True))
        ends = [end for begin, end in bounds if begin <= values["t_drained"]]
        subscriptions_of_query.append(QuerySubscription(**values, lost_until=max(ends, default=-1)))
    return subscriptions_of_query


def lo(sub: QuerySubscription) -> str:
    """The condition lo of a send for one subscription in SQL."""
    if sub.t_drained < 0 or (sub.max_deliveries >= 0 and sub.t_dlq_drained < 0):
        return "false"
    return " and ".join(
        [
            "fate = 2",
            f"(mode = 2 or t_inv > {sub.lost_until})",
            f"t_inv >= {sub.t_from}",
            f"t_inv < {sub.t_to}",
            f"(t_ok = -1 or t_ok >= {sub.t_from})",
            f"greatest(t_inv, t_ok, t_visible, deliver_at) <= {sub.t_drained}",
            "expire_at = -1",
            f"(match >> {sub.bit}) & 1 = 1",
        ]
    )
