"""Transactions: all of one or nothing, and nothing too early."""

from __future__ import annotations

from collections import defaultdict

from jms_histories.checks.findings import Answer, Finding
from jms_histories.checks.small_history import SmallHistory


def torn_transaction(history: SmallHistory) -> Answer:
    """D17 torn transaction: (tx, b) with 0 < visible < pairs, over sends with tx ≥ 0 and due(s, b);
    visible: a row or a dead-letter copy; uid: the least that is not visible.

    a, b: tx, visible. Power: (tx, b) with two or more such pairs.
    """
    due: dict[tuple[int, int], list[int]] = defaultdict(list)
    for send in history.known_sends:
        for at in history.subscriptions:
            if send.tx >= 0 and history.due(send, at.sub):
                due[send.tx, at.sub].append(send.uid)
    findings = []
    for (tx, sub), uids in due.items():
        hidden = [uid for uid in uids if not history.arrived(uid, sub)]
        visible = len(uids) - len(hidden)
        if 0 < visible < len(uids):
            findings.append(Finding("D17", min(hidden), sub, tx, visible))
    return findings, sum(len(uids) >= 2 for uids in due.values())


def dirty_read(history: SmallHistory) -> Answer:
    """D18 dirty read: (uid, sub ≥ 0), known, tx ≥ 0, t_visible ≥ 0, first t_enter < t_visible.

    a, b: first t_enter, t_visible. Power: such pairs delivered.
    """
    findings, power = [], 0
    for (uid, sub), rows in history.rows.items():
        send = history.send_of.get(uid)
        if send and send.tx >= 0 and send.t_visible >= 0:
            power += 1
            if rows[0].t_enter < send.t_visible:
                findings.append(Finding("D18", uid, sub, rows[0].t_enter, send.t_visible))
    return findings, power
