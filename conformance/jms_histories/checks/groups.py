"""Message groups: who gets a key, and in which order."""

from __future__ import annotations

from jms_histories.checks.findings import Answer, Finding, by, with_earlier
from jms_histories.checks.small_history import DeliveryRow, SmallHistory
from jms_histories.values import (
    Event,
)


def grouped(history: SmallHistory) -> list[DeliveryRow]:
    """What D22 and D23 look at, by (session, ridx)."""
    return [
        row
        for row in history.in_sessions
        if row.fresh
        and row.key >= 0
        and row.gseq >= 0
        and row.deliver_at == -1
        and row.sub in history.subs
        and history.subs[row.sub].grouped
    ]


def membership(history: SmallHistory, sub: int) -> list[int]:
    """Times, in order, at which the members of a subscription may have changed."""
    consumers = {row.consumer for row in history.consumers if row.sub == sub}
    sessions = {row.session for row in history.consumers if row.sub == sub}
    return sorted(
        event.t
        for event in history.events
        if (event.event in (Event.CONSUMER_OPEN, Event.CONSUMER_CLOSE) and event.arg in consumers)
        or (event.event in (Event.KILLED, Event.CLOSE) and event.session in sessions)
        or event.event in (Event.FAULT_BEGIN, Event.FAULT_END)
    )


def epoch(history: SmallHistory, row: DeliveryRow) -> int:
    """How often the members may have changed until the row was sent."""
    return sum(t <= row.t_sent for t in membership(history, row.sub))


def group_split(history: SmallHistory) -> Answer:
    """D22 group split: of a *cell* count the rows with t_enter before the next membership event
    after the epoch (any, if there is none): what was sent and received while nobody came or
    went. Of the cells of (sub, key, epoch) that have such rows, each but the one with the first
    row (by t_enter, session, ridx); uid is that of its first such row; should if faulted.

    a, b: first consumer, this consumer. Power: such rows - triples (sub, key, epoch) with such
    rows.
    """
    settled = []
    for row in grouped(history):
        later = membership(history, row.sub)[epoch(history, row) :]
        if not later or row.t_enter < later[0]:
            settled.append(row)
    ranked = sorted(settled, key=lambda row: (row.t_enter, row.session, row.ridx))
    epochs = by(ranked, lambda row: (row.sub, row.key, epoch(history, row)))
    findings = []
    for rows in epochs.values():
        cells = by(rows, lambda row: row.consumer)
        for consumer, mine in cells.items():
            if consumer != rows[0].consumer:
                should = history.faulted(mine[0])
                findings.append(
                    Finding("D22", mine[0].uid, mine[0].sub, rows[0].consumer, consumer, should)
                )
    return findings, len(settled) - len(epochs)


def group_order(history: SmallHistory) -> Answer:
    """D23 group order: within a consumer: row with gseq < the largest gseq of earlier rows (by
    ridx) of (session, consumer, sub, key). Between consumers: a *cell* whose least gseq is less
    than the largest gseq of all cells of (sub, key) of other consumers that ended (last t_enter)
    before it began (first t_enter); one finding per cell, uid of the first row (by session,
    ridx) with the least gseq. Should if that row is faulted; between consumers also if a fault
    of kind LOST_RECORD began at any time.

    a, b: gseq, the largest before. Power: rows - pairs (sub, key).
    """
    rows = grouped(history)
    findings = []
    for mine in by(rows, lambda row: (row.session, row.consumer, row.sub, row.key)).values():
        for row, earlier in with_earlier(mine):
            largest = max(old.gseq for old in earlier)
            if row.gseq < largest:
                should = history.faulted(row)
                findings.append(Finding("D23", row.uid, row.sub, row.gseq, largest, should))
    groups = by(rows, lambda row: (row.sub, row.key))
    for group in groups.values():
        cells = by(group, lambda row: (epoch(history, row), row.consumer))
        for (_, consumer), mine in cells.items():
            began = min(row.t_enter for row in mine)
            before = [
                max(row.gseq for row in other)
                for (_, owner), other in cells.items()
                if owner != consumer and max(row.t_enter for row in other) < began
            ]
            least = min(mine, key=lambda row: (row.gseq, row.session, row.ridx))
            if before and least.gseq < max(before):
                should = history.faulted(least) or history.record_cut
                findings.append(
                    Finding("D23", least.uid, least.sub, least.gseq, max(before), should)
                )
    return findings, len(rows) - len(groups)
