"""When a message may come, and how soon."""

from __future__ import annotations

from jms_histories.checks.findings import Answer, Finding
from jms_histories.checks.small_history import SmallHistory


def early(history: SmallHistory) -> Answer:
    """D15 early: row, sub ≥ 0, deliver_at not -1, t_enter < deliver_at - epsilon.

    a, b: t_enter, deliver_at. Power: rows with deliver_at, sub ≥ 0.
    """
    judged = [row for row in history.deliveries if row.sub >= 0 and row.deliver_at != -1]
    findings = [
        Finding("D15", row.uid, row.sub, row.t_enter, row.deliver_at)
        for row in judged
        if row.t_enter < row.deliver_at - history.epsilon
    ]
    return findings, len(judged)


def expired(history: SmallHistory) -> Answer:
    """D16 expired (should): row, sub ≥ 0, expire_at not -1, t_enter > expire_at + epsilon.

    a, b: t_enter, expire_at. Power: rows with expire_at, sub ≥ 0.
    """
    judged = [row for row in history.deliveries if row.sub >= 0 and row.expire_at != -1]
    findings = [
        Finding("D16", row.uid, row.sub, row.t_enter, row.expire_at, True)
        for row in judged
        if row.t_enter > row.expire_at + history.epsilon
    ]
    return findings, len(judged)


def liveness(history: SmallHistory) -> Answer:
    """D33 liveness (metric): no findings: lag of fresh rows after available, and after each
    FAULT_END the time until the next delivery.

    Power: fresh rows, sub ≥ 0.
    """
    return [], sum(row.sub >= 0 and row.fresh for row in history.deliveries)
