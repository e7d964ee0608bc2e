"""Dead letters: of whom, when, and of whom not."""

from __future__ import annotations

from jms_histories.checks.findings import Answer, Finding
from jms_histories.checks.small_history import DeliveryRow, SmallHistory


def dead_letters(history: SmallHistory) -> dict[tuple[int, int], list[DeliveryRow]]:
    """(uid, -1-b) that are present, with their copies."""
    return {pair: rows for pair, rows in history.pairs.items() if pair[1] < 0}


def dead_letter_too_early(history: SmallHistory) -> Answer:
    """D24 dead letter too early: (uid, -1-b) present, known or not, and fewer than max_deliveries
    rows of (uid, b), or no policy; should if any of its copies is faulted.

    a, b: rows, max_deliveries. Power: (uid, -1-b) present.
    """
    findings = []
    for (uid, sub), copies in dead_letters(history).items():
        at = history.subs.get(-1 - sub)
        limit = at.max_deliveries if at else -1
        deliveries = len(history.rows.get((uid, -1 - sub), []))
        if limit < 0 or deliveries < limit:
            should = any(history.faulted(row) for row in copies)
            findings.append(Finding("D24", uid, sub, deliveries, limit, should))
    return findings, len(dead_letters(history))


def dead_letter_missing(history: SmallHistory) -> Answer:
    """D25 dead letter missing: (uid, b) with max_deliveries ≥ 0 rows or more, none of them done,
    unsure, with expire_at, or NON_PERSISTENT while a fault window meets [t_sent, t_drained];
    t_drained ≥ last row's max(t_enter, s_inv), t_dlq_drained ≥ 0; and no copy.

    a, b: rows, max_deliveries. Power: the same, with a copy or without.
    """
    findings, power = [], 0
    for (uid, sub), rows in history.rows.items():
        at = history.subs.get(sub)
        if at is None or at.max_deliveries < 0 or len(rows) < at.max_deliveries:
            continue
        if any(row.done or row.unsure or row.expire_at != -1 for row in rows):
            continue
        if any(not history.survives(row.mode, row.t_sent, at) for row in rows):
            continue
        if at.t_drained < max(rows[-1].t_enter, rows[-1].s_inv) or at.t_dlq_drained < 0:
            continue
        power += 1
        if not history.copies(uid, sub):
            findings.append(Finding("D25", uid, sub, len(rows), at.max_deliveries))
    return findings, power


def dead_letter_of_a_finished_message(history: SmallHistory) -> Answer:
    """D26 dead letter of a finished message: (uid, -1-b) present and (uid, b) has a done row;
    should if any copy or done row is faulted.

    a, b: done rows, copies. Power: (uid, -1-b) present.
    """
    findings = []
    for (uid, sub), copies in dead_letters(history).items():
        done = [row for row in history.rows.get((uid, -1 - sub), []) if row.done]
        if done:
            should = any(history.faulted(row) for row in copies + done)
            findings.append(Finding("D26", uid, sub, len(done), len(copies), should))
    return findings, len(dead_letters(history))
