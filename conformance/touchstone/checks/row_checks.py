"""D12, D15, D16: what a single delivery shows by itself."""

from __future__ import annotations

import numpy as np

from touchstone.checks.collecting import Collector
from touchstone.checks.columns import Columns


def judge_rows(rows: Columns, epsilon: int, found: Collector) -> None:
    """Judge flag and count, deliveries before their time, and after it; rows in any order."""
    regular = rows["sub"] >= 0
    uid, sub, count, t_enter = rows["uid"], rows["sub"], rows["count"], rows["t_enter"]

    counted = np.flatnonzero(regular & rows["redelivered"] & (count != -1))
    found.judged("D12", len(counted))
    at = counted[count[counted] < 2]
    found.add("D12", uid[at], sub[at], count[at], t_enter[at])

    timed = np.flatnonzero(regular & (rows["deliver_at"] != -1))
    found.judged("D15", len(timed))
    at = timed[t_enter[timed] + epsilon < rows["deliver_at"][timed]]
    found.add("D15", uid[at], sub[at], t_enter[at], rows["deliver_at"][at])

    limited = np.flatnonzero(regular & (rows["expire_at"] != -1))
    found.judged("D16", len(limited))
    at = limited[t_enter[limited] - epsilon > rows["expire_at"][limited]]
    found.add("D16", uid[at], sub[at], t_enter[at], rows["expire_at"][at], should=True)
