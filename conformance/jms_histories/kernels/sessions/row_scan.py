"""What a single delivery shows: D12, D15, D16, and the power of D21 and D33."""

from __future__ import annotations

import numpy as np

from jms_histories.kernels.collecting import Collector
from jms_histories.kernels.sessions.chunks import Chunk
from jms_histories.values import Settle, SettlementOutcome


def judge_rows(chunk: Chunk, collector: Collector) -> None:
    """Judge each row of a chunk by itself."""
    rows = chunk.rows
    uid, sub, t_enter = rows["uid"], rows["sub"], rows["t_enter"]
    epsilon = chunk.setting.spec.epsilon
    collector.judged("D33", len(chunk.first_seen))
    acknowledged = (rows["settle"] == Settle.CLIENT_ACK) & (rows["s_out"] == SettlementOutcome.OK)
    collector.judged("D21", np.count_nonzero(acknowledged & chunk.live))

    at = np.flatnonzero(rows["redelivered"] & chunk.live)
    at = at[rows["count"][at] != -1]
    collector.judged("D12", len(at))
    at = at[rows["count"][at] < 2]
    collector.add("D12", uid[at], sub[at], rows["count"][at], t_enter[at])

    at = np.flatnonzero((rows["deliver_at"] != -1) & chunk.live)
    collector.judged("D15", len(at))
    if len(at):
        at = at[t_enter[at] + epsilon < rows["deliver_at"][at]]
        collector.add("D15", uid[at], sub[at], t_enter[at], rows["deliver_at"][at])

    at = np.flatnonzero((rows["expire_at"] != -1) & chunk.live)
    collector.judged("D16", len(at))
    if len(at):
        at = at[t_enter[at] - epsilon > rows["expire_at"][at]]
        collector.add("D16", uid[at], sub[at], t_enter[at], rows["expire_at"][at], should=True)
