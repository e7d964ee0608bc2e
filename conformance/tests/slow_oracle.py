"""The 33 checks of docs/volume.md as one would write them without any thought of speed.

Each function answers one check of a small history: its findings, and its power. Written from the
document alone; the kernels are compared with it, never the other way round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from jms_histories.history.values import (
    NO_SUBSCRIPTION,
    Event,
    Fate,
    Intact,
    Ordering,
    Outcome,
    Settle,
)
from slow_history import NEVER, Delivery, SmallHistory


class Finding(NamedTuple):
    """One thing found wrong."""

    check: str
    uid: int
    sub: int
    a: int
    b: int
    should: bool = False


Answer = tuple[list[Finding], int]
"""The findings of a check and its power."""

Key = TypeVar("Key")


def by(rows: Iterable[Delivery], key: Callable[[Delivery], Key]) -> dict[Key, list[Delivery]]:
    """Rows in groups, each in the order in which the rows come."""
    groups: dict[Key, list[Delivery]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def with_earlier(rows: Sequence[Delivery]) -> list[tuple[Delivery, Sequence[Delivery]]]:
    """Each row but the first, with those before it."""
    return [(row, rows[:place]) for place, row in enumerate(rows) if place]


def d01(history: SmallHistory) -> Answer:
    """Lost."""
    found = [
        Finding("D01", send.uid, at.sub, send.t_inv, send.t_ok)
        for send, at in history.owed
        if not history.arrived(send.uid, at.sub)
    ]
    return found, len(history.owed)


def d02(history: SmallHistory) -> Answer:
    """Phantom."""
    seen = {pair: rows for pair, rows in history.pairs.items() if not history.unknowable(pair[0])}
    found = [
        Finding("D02", uid, sub, rows[0].t_enter, len(rows))
        for (uid, sub), rows in seen.items()
        if uid not in history.send_of
    ]
    return found, len(seen)


def d03(history: SmallHistory) -> Answer:
    """Aborted read."""
    aborted = {send.uid for send in history.known_sends if send.fate == Fate.NEVER}
    found = [
        Finding("D03", uid, sub, rows[0].t_enter, len(rows))
        for (uid, sub), rows in history.pairs.items()
        if uid in aborted
    ]
    return found, len(aborted)


def d04(history: SmallHistory) -> Answer:
    """Wrong subscriber."""
    seen = [
        (history.send_of[uid], sub, rows)
        for (uid, sub), rows in history.rows.items()
        if uid in history.send_of
    ]
    found = [
        Finding("D04", send.uid, sub, rows[0].t_enter, send.t_inv)
        for send, sub, rows in seen
        if send.fate != Fate.NEVER and not history.hi(send, sub)
    ]
    return found, len(seen)


def d05(history: SmallHistory) -> Answer:
    """Again after acknowledgement."""
    found, power = [], 0
    for rows in history.rows.values():
        power += any(row.fin for row in rows)
        for row, earlier in with_earlier(rows):
            finished = [old.s_ok for old in earlier if old.fin and old.s_ok < row.t_enter]
            if finished:
                should = history.faulted(row)
                found.append(Finding("D05", row.uid, row.sub, row.t_enter, min(finished), should))
    return found, power


def d06(history: SmallHistory) -> Answer:
    """Unflagged."""
    found, power = [], 0
    for rows in history.rows.values():
        for row, earlier in with_earlier(rows):
            power += 1
            if not row.redelivered:
                k = len(earlier) + 1
                should = history.faulted(row)
                found.append(Finding("D06", row.uid, row.sub, k, row.count, should))
    return found, power


def end_of_ownership(history: SmallHistory, row: Delivery) -> int:
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


def d07(history: SmallHistory) -> Answer:
    """Two owners."""
    found, power = [], 0
    for rows in history.rows.values():
        for row, earlier in with_earlier(rows):
            power += 1
            end = max(end_of_ownership(history, old) for old in earlier)
            if row.t_enter < end:
                should = history.faulted(row)
                found.append(Finding("D07", row.uid, row.sub, row.t_enter, end, should))
    return found, power


def d08(history: SmallHistory) -> Answer:
    """Finished twice."""
    found, power = [], 0
    for (uid, sub), rows in history.rows.items():
        fin = [row for row in rows if row.fin]
        power += bool(fin)
        if len(fin) > 1:
            should = any(history.faulted(row) for row in rows)
            found.append(Finding("D08", uid, sub, len(fin), fin[1].t_enter, should))
    return found, power


Scope = tuple[int, int, int, int, int, int, int]


def scopes(history: SmallHistory) -> dict[Scope, list[Delivery]]:
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


def d09(history: SmallHistory) -> Answer:
    """Order."""
    found, power = [], 0
    for rows in scopes(history).values():
        for row, earlier in with_earlier(rows):
            power += 1
            largest = max(old.seq for old in earlier)
            if row.seq < largest:
                should = history.faulted(row)
                found.append(Finding("D09", row.uid, row.sub, row.seq, largest, should))
    return found, power


def d10(history: SmallHistory) -> Answer:
    """Skip."""
    found, power = [], 0
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
            found.append(Finding("D10", send.uid, at.sub, least, largest))
    return found, power


def d11(history: SmallHistory) -> Answer:
    """Count."""
    found, power = [], 0
    for rows in history.rows.values():
        for k, row in enumerate(rows, 1):
            if row.count != -1:
                power += 1
                if row.count != k:
                    should = history.faulted(row)
                    found.append(Finding("D11", row.uid, row.sub, row.count, k, should))
    return found, power


def d12(history: SmallHistory) -> Answer:
    """Flag and count."""
    judged = [
        row for row in history.deliveries if row.sub >= 0 and row.redelivered and row.count != -1
    ]
    found = [
        Finding("D12", row.uid, row.sub, row.count, row.t_enter) for row in judged if row.count < 2
    ]
    return found, len(judged)


def _digests(history: SmallHistory, check: str, bit: Intact, column: str) -> Answer:
    found, power = [], 0
    for row in history.deliveries:
        send = history.send_of.get(row.uid)
        if not row.readable and send is None:
            continue
        power += 1
        mine, sent = getattr(row, column), getattr(send, column) if send else -1
        differ = mine != -1 and sent != -1 and mine != sent
        if not row.intact & bit if row.readable else differ:
            found.append(Finding(check, row.uid, row.sub, mine, sent))
    return found, power


def d13(history: SmallHistory) -> Answer:
    """Body."""
    return _digests(history, "D13", Intact.BODY, "body64")


def d14(history: SmallHistory) -> Answer:
    """Headers."""
    return _digests(history, "D14", Intact.HEADERS, "head64")


def d15(history: SmallHistory) -> Answer:
    """Early."""
    judged = [row for row in history.deliveries if row.sub >= 0 and row.deliver_at != -1]
    found = [
        Finding("D15", row.uid, row.sub, row.t_enter, row.deliver_at)
        for row in judged
        if row.t_enter < row.deliver_at - history.epsilon
    ]
    return found, len(judged)


def d16(history: SmallHistory) -> Answer:
    """Expired."""
    judged = [row for row in history.deliveries if row.sub >= 0 and row.expire_at != -1]
    found = [
        Finding("D16", row.uid, row.sub, row.t_enter, row.expire_at, True)
        for row in judged
        if row.t_enter > row.expire_at + history.epsilon
    ]
    return found, len(judged)


def d17(history: SmallHistory) -> Answer:
    """Torn transaction."""
    due: dict[tuple[int, int], list[int]] = defaultdict(list)
    for send in history.known_sends:
        for at in history.subscriptions:
            if send.tx >= 0 and history.due(send, at.sub):
                due[send.tx, at.sub].append(send.uid)
    found = []
    for (tx, sub), uids in due.items():
        hidden = [uid for uid in uids if not history.arrived(uid, sub)]
        visible = len(uids) - len(hidden)
        if 0 < visible < len(uids):
            found.append(Finding("D17", min(hidden), sub, tx, visible))
    return found, sum(len(uids) >= 2 for uids in due.values())


def d18(history: SmallHistory) -> Answer:
    """Dirty read."""
    found, power = [], 0
    for (uid, sub), rows in history.rows.items():
        send = history.send_of.get(uid)
        if send and send.tx >= 0 and send.t_visible >= 0:
            power += 1
            if rows[0].t_enter < send.t_visible:
                found.append(Finding("D18", uid, sub, rows[0].t_enter, send.t_visible))
    return found, power


def _unsure(row: Delivery) -> bool:
    """Acknowledged, and nobody knows what came of it."""
    acknowledged = row.settle in (Settle.ACK, Settle.CLIENT_ACK, Settle.LAZY)
    return acknowledged and row.s_out == Outcome.INFO


def d19(history: SmallHistory) -> Answer:
    """Forgotten."""
    found, power = [], 0
    for (uid, sub), rows in history.rows.items():
        send, at = history.send_of.get(uid), history.subs.get(sub)
        if send is None or at is None or send.fate == Fate.NEVER or send.expire_at != -1:
            continue
        if at.t_drained < 0 or not history.survives(send.mode, send.t_inv, at):
            continue
        if at.max_deliveries >= 0 and at.t_dlq_drained < 0:
            continue
        if any(_unsure(row) for row in rows):
            continue
        power += any(row.returned for row in rows)
        last = rows[-1]
        ended = any(row.done for row in rows) or history.copies(uid, sub)
        if last.returned and last.s_inv <= at.t_drained and not ended:
            found.append(Finding("D19", uid, sub, len(rows), last.s_inv))
    return found, power


def d20(history: SmallHistory) -> Answer:
    """Serial."""
    found, power = [], 0
    for rows in by(history.in_sessions, lambda row: row.session).values():
        for row, earlier in with_earlier(rows):
            power += 1
            busy = max(old.t_exit for old in earlier)
            if row.t_enter < busy:
                found.append(Finding("D20", row.uid, row.sub, row.t_enter, busy))
    return found, power


def d21(history: SmallHistory) -> Answer:
    """Scope of acknowledge()."""
    found, power = [], 0
    for rows in history.rows.values():
        power += sum(row.settle == Settle.CLIENT_ACK and row.s_out == Outcome.OK for row in rows)
        for row, earlier in with_earlier(rows):
            covered = [
                old.s_ok
                for old in earlier
                if old.session == row.session
                and old.settle == Settle.CLIENT_ACK
                and old.s_out == Outcome.OK
            ]
            before = [s_ok for s_ok in covered if s_ok < row.t_enter]
            if before:
                should = history.faulted(row)
                found.append(Finding("D21", row.uid, row.sub, row.t_enter, min(before), should))
    return found, power


def grouped(history: SmallHistory) -> list[Delivery]:
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


def epoch(history: SmallHistory, row: Delivery) -> int:
    """How often the members may have changed until the row was sent."""
    return sum(t <= row.t_sent for t in membership(history, row.sub))


def d22(history: SmallHistory) -> Answer:
    """Group split."""
    settled = []
    for row in grouped(history):
        later = membership(history, row.sub)[epoch(history, row) :]
        if not later or row.t_enter < later[0]:
            settled.append(row)
    ranked = sorted(settled, key=lambda row: (row.t_enter, row.session, row.ridx))
    epochs = by(ranked, lambda row: (row.sub, row.key, epoch(history, row)))
    found = []
    for rows in epochs.values():
        cells = by(rows, lambda row: row.consumer)
        for consumer, mine in cells.items():
            if consumer != rows[0].consumer:
                should = history.faulted(mine[0])
                found.append(
                    Finding("D22", mine[0].uid, mine[0].sub, rows[0].consumer, consumer, should)
                )
    return found, len(settled) - len(epochs)


def d23(history: SmallHistory) -> Answer:
    """Group order."""
    rows = grouped(history)
    found = []
    for mine in by(rows, lambda row: (row.session, row.consumer, row.sub, row.key)).values():
        for row, earlier in with_earlier(mine):
            largest = max(old.gseq for old in earlier)
            if row.gseq < largest:
                should = history.faulted(row)
                found.append(Finding("D23", row.uid, row.sub, row.gseq, largest, should))
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
                found.append(Finding("D23", least.uid, least.sub, least.gseq, max(before), should))
    return found, len(rows) - len(groups)


def dead_letters(history: SmallHistory) -> dict[tuple[int, int], list[Delivery]]:
    """(uid, -1-b) that are present, with their copies."""
    return {pair: rows for pair, rows in history.pairs.items() if pair[1] < 0}


def d24(history: SmallHistory) -> Answer:
    """Dead letter too early."""
    found = []
    for (uid, sub), copies in dead_letters(history).items():
        at = history.subs.get(-1 - sub)
        limit = at.max_deliveries if at else -1
        deliveries = len(history.rows.get((uid, -1 - sub), []))
        if limit < 0 or deliveries < limit:
            should = any(history.faulted(row) for row in copies)
            found.append(Finding("D24", uid, sub, deliveries, limit, should))
    return found, len(dead_letters(history))


def d25(history: SmallHistory) -> Answer:
    """Dead letter missing."""
    found, power = [], 0
    for (uid, sub), rows in history.rows.items():
        at = history.subs.get(sub)
        if at is None or at.max_deliveries < 0 or len(rows) < at.max_deliveries:
            continue
        if any(row.done or _unsure(row) or row.expire_at != -1 for row in rows):
            continue
        if any(not history.survives(row.mode, row.t_sent, at) for row in rows):
            continue
        if at.t_drained < max(rows[-1].t_enter, rows[-1].s_inv) or at.t_dlq_drained < 0:
            continue
        power += 1
        if not history.copies(uid, sub):
            found.append(Finding("D25", uid, sub, len(rows), at.max_deliveries))
    return found, power


def d26(history: SmallHistory) -> Answer:
    """Dead letter of a finished message."""
    found = []
    for (uid, sub), copies in dead_letters(history).items():
        done = [row for row in history.rows.get((uid, -1 - sub), []) if row.done]
        if done:
            should = any(history.faulted(row) for row in copies + done)
            found.append(Finding("D26", uid, sub, len(done), len(copies), should))
    return found, len(dead_letters(history))


def d27(history: SmallHistory) -> Answer:
    """Message id."""
    named = [send for send in history.known_sends if send.mid64 != -1]
    found = []
    for send in named:
        smallest = min(other.uid for other in named if other.mid64 == send.mid64)
        if smallest < send.uid:
            found.append(Finding("D27", send.uid, NO_SUBSCRIPTION, send.mid64, smallest))
    return found, len(named)


def d28(history: SmallHistory) -> Answer:
    """Conservation."""
    found = []
    for at in history.subscriptions:
        owed = [send.uid for send, other in history.owed if other is at]
        settled = [
            uid
            for uid in owed
            if any(row.done for row in history.rows.get((uid, at.sub), []))
            or history.copies(uid, at.sub)
        ]
        if len(settled) < len(owed):
            found.append(Finding("D28", -1, at.sub, len(owed), len(settled), True))
    return found, len(history.owed)


def d29(history: SmallHistory) -> Answer:
    """Stopped."""
    found, power = [], 0
    for row in history.deliveries:
        switches = [
            event
            for event in history.happenings
            if event.session == row.session and event.event in (Event.START, Event.STOP)
        ]
        power += any(event.event == Event.STOP for event in switches)
        before = [event for event in switches if event.t <= row.t_enter]
        if before and before[-1].event == Event.STOP:
            found.append(Finding("D29", row.uid, row.sub, row.t_enter, before[-1].t))
    return found, power


def d30(history: SmallHistory) -> Answer:
    """Recover."""
    found, power = [], 0
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
            doubtful = {row.uid for row in rows if row.t_enter < event.t and _unsure(row)}
            if first.uid != oldest.uid and first.uid not in doubtful:
                should = history.faulted(first)
                found.append(Finding("D30", first.uid, first.sub, oldest.uid, event.t, should))
    return found, power


def d31(history: SmallHistory) -> Answer:
    """Once through."""
    if any(at.t_drained < 0 for at in history.subscriptions):
        return [], 0
    delivered = {uid for uid, _ in history.rows}
    found, power = [], 0
    for (uid, sub), rows in history.rows.items():
        at = history.subs.get(sub)
        if at is None or not at.through or not any(row.fin for row in rows):
            continue
        power += 1
        outputs = [send.uid for send in history.known_sends if send.cause == uid >= 0]
        visible = len([output for output in outputs if output in delivered])
        if visible > 1 or (visible == 0 and not history.truncated):
            found.append(Finding("D31", uid, sub, visible, len(outputs)))
    return found, power


def d32(history: SmallHistory) -> Answer:
    """Priority."""
    found, power = [], 0
    fresh = [row for row in history.in_sessions if row.sub >= 0 and row.fresh]
    for rows in by(fresh, lambda row: (row.session, row.consumer, row.sub)).values():
        for row, earlier in with_earlier(rows):
            lower = [old for old in earlier if old.priority < row.priority]
            if not lower:
                continue
            power += 1
            available = row.deliver_at if row.deliver_at != -1 else row.t_sent
            if lower[-1].t_enter > available + history.priority_slack:
                found.append(Finding("D32", row.uid, row.sub, available, lower[-1].t_enter))
    return found, power


def d33(history: SmallHistory) -> Answer:
    """Liveness."""
    return [], sum(row.sub >= 0 and row.fresh for row in history.deliveries)


ORACLES: dict[str, Callable[[SmallHistory], Answer]] = {
    function.__name__.upper(): function
    for function in (
        *(d01, d02, d03, d04, d05, d06, d07, d08, d09, d10, d11, d12, d13, d14, d15, d16, d17),
        *(d18, d19, d20, d21, d22, d23, d24, d25, d26, d27, d28, d29, d30, d31, d32, d33),
    )
}


def judge(history: SmallHistory) -> tuple[list[Finding], dict[str, int]]:
    """All findings, sorted, and the power of each check."""
    answers = {check: oracle(history) for check, oracle in ORACLES.items()}
    findings = sorted(finding for found, _ in answers.values() for finding in found)
    return findings, {check: power for check, (_, power) in answers.items()}
