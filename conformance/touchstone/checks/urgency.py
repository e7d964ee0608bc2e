"""D32 and D33: whether a more urgent message waited behind a less urgent one, and what is fresh."""

from __future__ import annotations

import numpy as np

from touchstone.checks.collecting import Collector
from touchstone.checks.columns import Columns, take
from touchstone.checks.rows import fresh
from touchstone.checks.segments import begins, heads, order_by


def judge_urgency(rows: Columns, slack: int, found: Collector) -> None:
    """Judge the fresh rows of each consumer; rows sorted by session and ridx."""
    chosen = fresh(rows) & (rows["sub"] >= 0)
    found.judged("D33", np.count_nonzero(chosen))
    found.judged("D32", 0)
    levels = np.unique(rows["priority"][chosen])
    if len(levels) < 2:
        return
    names = ("session", "consumer", "sub", "uid", "priority", "deliver_at", "t_sent", "t_enter")
    rows = take({name: rows[name] for name in names}, chosen)
    rows = take(rows, order_by(rows["session"], rows["consumer"], rows["sub"]))
    head = heads(begins(rows["session"], rows["consumer"], rows["sub"]))
    place = np.arange(len(head))
    lower = np.full(len(head), -1, np.int64)
    for level in levels[1:]:
        latest = np.maximum.accumulate(np.where(rows["priority"] < level, place, -1))
        here = rows["priority"] == level
        lower[here] = latest[here]
    judged = np.flatnonzero(lower >= head)
    found.judged("D32", len(judged))
    delayed = rows["deliver_at"][judged]
    available = np.where(delayed == -1, rows["t_sent"][judged], delayed)
    time = rows["t_enter"][lower[judged]]
    late = time - slack > available
    at = judged[late]
    found.add("D32", rows["uid"][at], rows["sub"][at], available[late], time[late])
