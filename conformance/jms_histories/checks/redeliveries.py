"""Deliveries of one message to one subscription: when it may come again, and as what."""

from __future__ import annotations

from jms_histories.checks.findings import Answer, Finding, by, with_earlier
from jms_histories.checks.small_history import NEVER, DeliveryRow, SmallHistory
from jms_histories.values import (
    Event,
    SendFate,
    Settle,
    SettlementOutcome,
)


def end_of_ownership(history: SmallHistory, row: DeliveryRow) -> int:
    """When a delivery is its consumer's no more."""
    if row.s_inv >= 0:
        return row.s_inv
    ends = [
        event.t
        for event in history.events
        if event.t >= row.t_enter
        and (
            (event.event in (Event.CLOSE, Event.KILLED) and event.session == row.session)
            or (event.event == Event.CONSUMER_CLOSE and event.arg == row.consumer)
        )
    ]
    return min(ends, default=NEVER)


def again_after_acknowledgement(history: SmallHistory) -> Answer:
    """D05 again after acknowledgement: row with an earlier row of (uid, sub) that is fin with s_ok
    < t_enter; should if faulted.

    a, b: t_enter, least such s_ok. Power: (uid, sub) with a fin row.
    """
    findings, power = [], 0
    for rows in history.rows.values():
        power += any(row.fin for row in rows)
        for row, earlier in with_earlier(rows):
            finished = [old.s_ok for old in earlier if old.fin and old.s_ok < row.t_enter]
            if finished:
                should = history.faulted(row)
                findings.append(
                    Finding("D05", row.uid, row.sub, row.t_enter, min(finished), should)
                )
    return findings, power


def unflagged_redelivery(history: SmallHistory) -> Answer:
    """D06 unflagged redelivery: row with k > 1, not redelivered; should if faulted.

    a, b: k, count. Power: rows with k > 1.
    """
    findings, power = [], 0
    for rows in history.rows.values():
        for row, earlier in with_earlier(rows):
            power += 1
            if not row.redelivered:
                k = len(earlier) + 1
                should = history.faulted(row)
                findings.append(Finding("D06", row.uid, row.sub, k, row.count, should))
    return findings, power


def two_owners(history: SmallHistory) -> Answer:
    """D07 two owners: row with k > 1 and t_enter < the largest *end of ownership* of earlier rows
    of (uid, sub): s_inv if ≥ 0, else the first CLOSE or KILLED of its session or CONSUMER_CLOSE
    of its consumer at or after its t_enter, else never; should if faulted.

    a, b: t_enter, that end (never: 2^63 - 1). Power: rows with k > 1.
    """
    findings, power = [], 0
    for rows in history.rows.values():
        for row, earlier in with_earlier(rows):
            power += 1
            end = max(end_of_ownership(history, old) for old in earlier)
            if row.t_enter < end:
                should = history.faulted(row)
                findings.append(Finding("D07", row.uid, row.sub, row.t_enter, end, should))
    return findings, power


def finished_twice(history: SmallHistory) -> Answer:
    """D08 finished twice: (uid, sub) with more than one fin row; should if any of its rows is
    faulted.

    a, b: fin rows, t_enter of the second of them. Power: (uid, sub) with a fin row.
    """
    findings, power = [], 0
    for (uid, sub), rows in history.rows.items():
        fin = [row for row in rows if row.fin]
        power += bool(fin)
        if len(fin) > 1:
            should = any(history.faulted(row) for row in rows)
            findings.append(Finding("D08", uid, sub, len(fin), fin[1].t_enter, should))
    return findings, power


def count(history: SmallHistory) -> Answer:
    """D11 count: row, sub ≥ 0, count not -1 and not k; should if faulted.

    a, b: count, k. Power: rows with sub ≥ 0 and count not -1.
    """
    findings, power = [], 0
    for rows in history.rows.values():
        for k, row in enumerate(rows, 1):
            if row.count != -1:
                power += 1
                if row.count != k:
                    should = history.faulted(row)
                    findings.append(Finding("D11", row.uid, row.sub, row.count, k, should))
    return findings, power


def flag_and_count(history: SmallHistory) -> Answer:
    """D12 flag and count: row, sub ≥ 0, redelivered, count not -1 and < 2.

    a, b: count, t_enter. Power: rows redelivered with a count, sub ≥ 0.
    """
    judged = [
        row for row in history.deliveries if row.sub >= 0 and row.redelivered and row.count != -1
    ]
    findings = [
        Finding("D12", row.uid, row.sub, row.count, row.t_enter) for row in judged if row.count < 2
    ]
    return findings, len(judged)


def forgotten(history: SmallHistory) -> Answer:
    """D19 forgotten: (uid, sub): known, not NEVER, expire_at -1, mode PERSISTENT or no fault window
    meets [t_inv, t_drained], t_drained ≥ 0, dead-letter queue drained if max_deliveries ≥ 0, no
    row *unsure* (settled ACK, CLIENT_ACK or LAZY with INFO); the last row is settled NACK,
    ROLLBACK or RECOVER, s_inv ≤ t_drained, no row is done, and there is no dead-letter copy.

    a, b: last k, s_inv. Power: such pairs with any row settled NACK, ROLLBACK or RECOVER.
    """
    findings, power = [], 0
    for (uid, sub), rows in history.rows.items():
        send, at = history.send_of.get(uid), history.subs.get(sub)
        if send is None or at is None or send.fate == SendFate.NEVER or send.expire_at != -1:
            continue
        if at.t_drained < 0 or not history.survives(send.mode, send.t_inv, at):
            continue
        if at.max_deliveries >= 0 and at.t_dlq_drained < 0:
            continue
        if any(row.unsure for row in rows):
            continue
        power += any(row.returned for row in rows)
        last = rows[-1]
        ended = any(row.done for row in rows) or history.copies(uid, sub)
        if last.returned and last.s_inv <= at.t_drained and not ended:
            findings.append(Finding("D19", uid, sub, len(rows), last.s_inv))
    return findings, power


def scope_of_acknowledge(history: SmallHistory) -> Answer:
    """D21 scope of acknowledge(): row with an earlier row of (uid, sub) in the same session that is
    CLIENT_ACK with OK and s_ok < t_enter; should if faulted.

    a, b: t_enter, least such s_ok. Power: rows that are CLIENT_ACK with OK, sub ≥ 0.
    """
    findings, power = [], 0
    for rows in history.rows.values():
        power += sum(
            row.settle == Settle.CLIENT_ACK and row.s_out == SettlementOutcome.OK for row in rows
        )
        for row, earlier in with_earlier(rows):
            covered = [
                old.s_ok
                for old in earlier
                if old.session == row.session
                and old.settle == Settle.CLIENT_ACK
                and old.s_out == SettlementOutcome.OK
            ]
            before = [s_ok for s_ok in covered if s_ok < row.t_enter]
            if before:
                should = history.faulted(row)
                findings.append(Finding("D21", row.uid, row.sub, row.t_enter, min(before), should))
    return findings, power


def recover(history: SmallHistory) -> Answer:
    """D30 recover: for each RECOVER of a session at t and each consumer of it whose subscription is
    exclusive with max_deliveries -1: W are its rows with t_enter < t that are unsettled then
    (s_inv -1 or ≥ t); its first row by ridx with t_enter ≥ t has another uid than the row of W
    with least ridx, whose expire_at is -1, and not that of an unsure row of the consumer with
    t_enter < t; uid: that of the first row; should if it is faulted.

    a, b: uid expected, t. Power: such pairs with W, whose least row has no expire_at, and a next
    row.
    """
    findings, power = [], 0
    consumers = by(
        [
            row
            for row in history.in_sessions
            if row.sub in history.subs
            and history.subs[row.sub].exclusive
            and history.subs[row.sub].max_deliveries == -1
        ],
        lambda row: (row.session, row.consumer, row.sub),
    )
    for event in history.events:
        if event.event != Event.RECOVER:
            continue
        for (session, _, _), rows in consumers.items():
            if session != event.session:
                continue
            open_rows = [
                row
                for row in rows
                if row.t_enter < event.t and (row.s_inv == -1 or row.s_inv >= event.t)
            ]
            after = [row for row in rows if row.t_enter >= event.t]
            if not open_rows or open_rows[0].expire_at != -1 or not after:
                continue
            power += 1
            oldest, first = open_rows[0], after[0]
            doubtful = {row.uid for row in rows if row.t_enter < event.t and row.unsure}
            if first.uid != oldest.uid and first.uid not in doubtful:
                should = history.faulted(first)
                findings.append(Finding("D30", first.uid, first.sub, oldest.uid, event.t, should))
    return findings, power
