"""D09, and what D10 needs: the order of fresh messages within each scope."""

from __future__ import annotations

import numpy as np

from touchstone.checks.collecting import Collector
from touchstone.checks.columns import Columns, take
from touchstone.checks.fault_windows import FaultWindows
from touchstone.checks.partials import SCOPES
from touchstone.checks.rows import fresh, ordered, producer, scope_key, sequence
from touchstone.checks.segments import begins, largest, least, max_before, order_by
from touchstone.checks.subscriptions import Subscriptions

SCOPE = ("session", "consumer", "sub", "producer", "priority", "mode", "key")
"""What makes a scope of order."""


def judge_order(
    rows: Columns, subscriptions: Subscriptions, faults: FaultWindows, found: Collector
) -> Columns:
    """Judge whole sessions, whose rows are sorted by session and ridx; returns their scopes."""
    ordering = subscriptions.column("ordering", rows["sub"])
    chosen = np.flatnonzero(fresh(rows) & ordered(ordering, rows["key"], rows["deliver_at"]))
    names = ("session", "consumer", "sub", "priority", "mode", "key", "uid", "t_sent", "t_enter")
    rows = take({name: rows[name] for name in names}, chosen)
    rows["producer"], rows["seq"] = producer(rows["uid"]), sequence(rows["uid"])
    rows["key"] = scope_key(ordering[chosen], rows["key"])
    rows = take(rows, order_by(*(rows[name] for name in SCOPE)))
    first = begins(*(rows[name] for name in SCOPE))
    before = max_before(rows["seq"], first)
    at = np.flatnonzero(rows["seq"] < before)
    found.judged("D09", len(first) - np.count_nonzero(first))
    found.add(
        "D09",
        rows["uid"][at],
        rows["sub"][at],
        rows["seq"][at],
        before[at],
        faults.faulted(rows, at),
    )
    scopes = {name: rows[name][first] for name in SCOPE}
    scopes["least"], scopes["largest"] = least(rows["seq"], first), largest(rows["seq"], first)
    return {name: scopes[name].astype(kind.dtype) for name, kind in SCOPES.items()}
