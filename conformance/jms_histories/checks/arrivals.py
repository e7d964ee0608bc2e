"""What arrives: all that was sent, nothing else, whole."""

from __future__ import annotations

from jms_histories.checks.findings import Answer, Finding
from jms_histories.checks.small_history import SmallHistory
from jms_histories.values import (
    NO_SUBSCRIPTION,
    Intact,
    SendFate,
)


def lost(history: SmallHistory) -> Answer:
    """D01 lost: (s, b) has lo, and neither a row of (uid, b) nor a copy in its dead-letter queue.

    a, b: t_inv, t_ok. Power: pairs with lo.
    """
    findings = [
        Finding("D01", send.uid, at.sub, send.t_inv, send.t_ok)
        for send, at in history.owed
        if not history.arrived(send.uid, at.sub)
    ]
    return findings, len(history.owed)


def phantom(history: SmallHistory) -> Answer:
    """D02 phantom: (uid, sub) delivered, copies in dead-letter queues included, and uid is neither
    known nor unknowable; one per pair.

    a, b: first t_enter, rows. Power: pairs (uid, sub) delivered.
    """
    seen = {pair: rows for pair, rows in history.pairs.items() if not history.unknowable(pair[0])}
    findings = [
        Finding("D02", uid, sub, rows[0].t_enter, len(rows))
        for (uid, sub), rows in seen.items()
        if uid not in history.send_of
    ]
    return findings, len(seen)


def aborted_read(history: SmallHistory) -> Answer:
    """D03 aborted read: known, fate NEVER, delivered (copies included); one per (uid, sub).

    a, b: first t_enter, rows. Power: sends with fate NEVER.
    """
    aborted = {send.uid for send in history.known_sends if send.fate == SendFate.NEVER}
    findings = [
        Finding("D03", uid, sub, rows[0].t_enter, len(rows))
        for (uid, sub), rows in history.pairs.items()
        if uid in aborted
    ]
    return findings, len(aborted)


def wrong_subscriber(history: SmallHistory) -> Answer:
    """D04 wrong subscriber: (uid, sub ≥ 0) delivered, known, fate not NEVER, not hi.

    a, b: first t_enter, t_inv. Power: pairs (uid, sub ≥ 0) delivered with a known send.
    """
    seen = [
        (history.send_of[uid], sub, rows)
        for (uid, sub), rows in history.rows.items()
        if uid in history.send_of
    ]
    findings = [
        Finding("D04", send.uid, sub, rows[0].t_enter, send.t_inv)
        for send, sub, rows in seen
        if send.fate != SendFate.NEVER and not history.hi(send, sub)
    ]
    return findings, len(seen)


def _digests(history: SmallHistory, check: str, bit: Intact, column: str) -> Answer:
    findings, power = [], 0
    for row in history.deliveries:
        send = history.send_of.get(row.uid)
        if not row.readable and send is None:
            continue
        power += 1
        mine, sent = getattr(row, column), getattr(send, column) if send else -1
        differ = mine != -1 and sent != -1 and mine != sent
        if not row.intact & bit if row.readable else differ:
            findings.append(Finding(check, row.uid, row.sub, mine, sent))
    return findings, power


def body(history: SmallHistory) -> Answer:
    """D13 body: row (copies included): description readable and the body bit missing; or not
    readable, known, and body64 of row and send differ (both not -1).

    a, b: body64 of the row, of the send or -1. Power: rows that are readable or known.
    """
    return _digests(history, "D13", Intact.BODY, "body64")


def headers(history: SmallHistory) -> Answer:
    """D14 headers: row (copies included): description readable and the headers' bit missing; or not
    readable, known, and head64 of row and send differ (both not -1).

    a, b: head64 of the row, of the send or -1. Power: rows that are readable or known.
    """
    return _digests(history, "D14", Intact.HEADERS, "head64")


def message_id(history: SmallHistory) -> Answer:
    """D27 message id: send whose mid64 (not -1) belongs to a smaller uid as well; sub is
    NO_SUBSCRIPTION.

    a, b: mid64, that smallest uid. Power: sends with mid64.
    """
    named = [send for send in history.known_sends if send.mid64 != -1]
    findings = []
    for send in named:
        smallest = min(other.uid for other in named if other.mid64 == send.mid64)
        if smallest < send.uid:
            findings.append(Finding("D27", send.uid, NO_SUBSCRIPTION, send.mid64, smallest))
    return findings, len(named)


def conservation(history: SmallHistory) -> Answer:
    """D28 conservation (should): subscription with fewer pairs that have lo and are done or
    dead-lettered than pairs with lo; uid -1.

    a, b: pairs with lo, those done or dead-lettered. Power: pairs with lo.
    """
    findings = []
    for at in history.subscriptions:
        owed = [send.uid for send, other in history.owed if other is at]
        settled = [
            uid
            for uid in owed
            if any(row.done for row in history.rows.get((uid, at.sub), []))
            or history.copies(uid, at.sub)
        ]
        if len(settled) < len(owed):
            findings.append(Finding("D28", -1, at.sub, len(owed), len(settled), True))
    return findings, len(history.owed)


def once_through(history: SmallHistory) -> Answer:
    """D31 once through: (uid, b) with b through, a fin row, and not exactly one visible output:
    sends with cause uid that have a row with sub ≥ 0; judged if every subscription has t_drained
    ≥ 0; no visible output is no finding where a producer is truncated.

    a, b: visible outputs, outputs. Power: pairs judged.
    """
    if any(at.t_drained < 0 for at in history.subscriptions):
        return [], 0
    delivered = {uid for uid, _ in history.rows}
    findings, power = [], 0
    for (uid, sub), rows in history.rows.items():
        at = history.subs.get(sub)
        if at is None or not at.through or not any(row.fin for row in rows):
            continue
        power += 1
        outputs = [send.uid for send in history.known_sends if send.cause == uid >= 0]
        visible = len([output for output in outputs if output in delivered])
        if visible > 1 or (visible == 0 and not history.truncated):
            findings.append(Finding("D31", uid, sub, visible, len(outputs)))
    return findings, power
