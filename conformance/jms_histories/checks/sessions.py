"""What a session sees: order, turns, and silence while its connection is stopped."""

from __future__ import annotations

from jms_histories.checks.findings import Answer, Finding, by, with_earlier
from jms_histories.checks.small_history import DeliveryRow, SmallHistory
from jms_histories.values import (
    Event,
    Ordering,
)

Scope = tuple[int, int, int, int, int, int, int]


def scopes(history: SmallHistory) -> dict[Scope, list[DeliveryRow]]:
    """Fresh rows by (session, consumer, sub, producer, priority, mode, key or -1), by ridx."""
    ordered = [
        row
        for row in history.in_sessions
        if row.fresh
        and row.sub in history.subs
        and history.subs[row.sub].orders(row.key, row.deliver_at)
    ]
    return by(
        ordered,
        lambda row: (
            row.session,
            row.consumer,
            row.sub,
            row.producer,
            row.priority,
            row.mode,
            scope_key(history, row.sub, row.key),
        ),
    )


def scope_key(history: SmallHistory, sub: int, key: int) -> int:
    """The key if the subscription keeps order by keys, else none."""
    return key if history.subs[sub].ordering == Ordering.KEY else -1


def order(history: SmallHistory) -> Answer:
    """D09 order: fresh ordered row, sub ≥ 0: seq < the largest seq of earlier such rows (by ridx)
    of its *scope*: (session, consumer, sub, producer, priority, mode, and key for ordering KEY);
    should if faulted.

    a, b: seq, that largest. Power: such rows that are not first in their scope.
    """
    findings, power = [], 0
    for rows in scopes(history).values():
        for row, earlier in with_earlier(rows):
            power += 1
            largest = max(old.seq for old in earlier)
            if row.seq < largest:
                should = history.faulted(row)
                findings.append(Finding("D09", row.uid, row.sub, row.seq, largest, should))
    return findings, power


def skip(history: SmallHistory) -> Answer:
    """D10 skip: an ordered D01 finding with an exclusive subscription that has a scope of D09 with
    the message's producer, priority, mode (and key) and least seq < seq < largest seq.

    a, b: least, largest of the widest such scope (then of the least session, consumer). Power:
    ordered pairs with lo of exclusive subscriptions.
    """
    findings, power = [], 0
    for send, at in history.owed:
        if not at.exclusive or not at.orders(send.key, send.deliver_at):
            continue
        power += 1
        if history.arrived(send.uid, at.sub):
            continue
        wanted = (send.uid >> 40, send.priority, send.mode, scope_key(history, at.sub, send.key))
        around = []
        for (session, consumer, sub, *kind), rows in scopes(history).items():
            if sub == at.sub and tuple(kind) == wanted:
                least, largest = min(row.seq for row in rows), max(row.seq for row in rows)
                if least < send.uid & ((1 << 40) - 1) < largest:
                    around.append((least - largest, session, consumer, least, largest))
        if around:
            *_, least, largest = min(around)
            findings.append(Finding("D10", send.uid, at.sub, least, largest))
    return findings, power


def serial(history: SmallHistory) -> Answer:
    """D20 serial: row (copies included) with t_enter < the largest t_exit of earlier rows (by ridx)
    of its session.

    a, b: t_enter, that t_exit. Power: rows not first in their session.
    """
    findings, power = [], 0
    for rows in by(history.in_sessions, lambda row: row.session).values():
        for row, earlier in with_earlier(rows):
            power += 1
            busy = max(old.t_exit for old in earlier)
            if row.t_enter < busy:
                findings.append(Finding("D20", row.uid, row.sub, row.t_enter, busy))
    return findings, power


def stopped(history: SmallHistory) -> Answer:
    """D29 stopped: row (copies included): the last START or STOP of its session with t ≤ t_enter
    (at equal times the later row of the table) is STOP.

    a, b: t_enter, time of the STOP. Power: rows of sessions with a STOP.
    """
    findings, power = [], 0
    for row in history.deliveries:
        switches = [
            event
            for event in history.happenings
            if event.session == row.session and event.event in (Event.START, Event.STOP)
        ]
        power += any(event.event == Event.STOP for event in switches)
        before = [event for event in switches if event.t <= row.t_enter]
        if before and before[-1].event == Event.STOP:
            findings.append(Finding("D29", row.uid, row.sub, row.t_enter, before[-1].t))
    return findings, power


def priority(history: SmallHistory) -> Answer:
    """D32 priority (metric): fresh row, sub ≥ 0, of its consumer: the last earlier (by ridx) fresh
    row of a lower priority has t_enter > available + priority_slack; available is deliver_at,
    else t_sent.

    a, b: available, that t_enter. Power: fresh rows with an earlier fresh row of lower priority.
    """
    findings, power = [], 0
    fresh = [row for row in history.in_sessions if row.sub >= 0 and row.fresh]
    for rows in by(fresh, lambda row: (row.session, row.consumer, row.sub)).values():
        for row, earlier in with_earlier(rows):
            lower = [old for old in earlier if old.priority < row.priority]
            if not lower:
                continue
            power += 1
            available = row.deliver_at if row.deliver_at != -1 else row.t_sent
            if lower[-1].t_enter > available + history.priority_slack:
                findings.append(Finding("D32", row.uid, row.sub, available, lower[-1].t_enter))
    return findings, power
