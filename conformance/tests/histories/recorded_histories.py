"""Small histories recorded as a workload's sessions record them, and records that lose a part."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random

import numpy as np

from jms_histories.checks.small_history import DeliveryRow, Happening, SendRow, SmallHistory
from jms_histories.definitions import CHECKS
from jms_histories.history import log
from jms_histories.history.description import Description, encode
from jms_histories.history.log import DELIVERIES, EVENTS, KINDS, SENDS, LogKind, path_of
from jms_histories.history.manifest import ConsumerPlace
from jms_histories.history.recorder import Recorder, SessionRecorder
from jms_histories.history.recording import (
    FOLDER,
    HistoryDescription,
    Moment,
    SubscriptionEntry,
    this_boot,
)
from jms_histories.values import Event, SendFate, Settle, SettlementOutcome

RUN = "run-1"
PRODUCING = 1_000_000
"""Producers that belong to no consumer's session have sessions of their own from here on."""
CALLS = (Settle.CLIENT_ACK, Settle.RECOVER, Settle.ROLLBACK)
"""Settled by a call for all that a session has received so far; in a transaction all are."""


def described(row: SendRow | DeliveryRow, t_sent: int) -> bytes:
    """The description that a message carries, whole."""
    names = ("uid", "dest", "key", "gseq", "priority", "mode", "deliver_at", "expire_at")
    known = {name: getattr(row, name) for name in names}
    return encode(Description(**known, t_sent=t_sent, body64=row.body64, head64=row.head64))


@dataclass
class Call:
    """Something that a session does at a time, after it has received so many deliveries."""

    t: int
    kind: Event | Settle
    arg: int = -1
    outcome: SettlementOutcome = SettlementOutcome.OK
    t_ok: int = -1
    upto: int = 0
    tx: int = -1


@dataclass
class Session:
    """What one session did."""

    sends: list[SendRow] = field(default_factory=list)
    rows: list[DeliveryRow] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)

    @property
    def transacted(self) -> bool:
        """Whether all it did was in transactions."""
        return any(send.tx >= 0 for send in self.sends) or any(row.tx >= 0 for row in self.rows)

    def settled(self) -> list[Call]:
        """The calls that settled deliveries, and the ends of transactions that only sent."""
        calls_by_row: dict[tuple[int, int], Call] = {}
        for place, row in enumerate(self.rows):
            if self.by_call(row):
                kind, outcome = Settle(row.settle), SettlementOutcome(row.s_out)
                call = Call(row.s_inv, kind, -1, outcome, row.s_ok, place + 1, row.tx)
                calls_by_row[row.s_inv, row.settle] = call
        if self.rows:
            return list(calls_by_row.values())
        ends = {send.tx: send for send in self.sends if send.tx >= 0}
        return [ended(send) for send in ends.values()]

    def by_call(self, row: DeliveryRow) -> bool:
        """Whether it was settled by a call for all."""
        return row.settle in CALLS or (row.tx >= 0 and row.settle == Settle.ACK)

    def record(self, recorder: SessionRecorder) -> None:
        """Record all of it, in the order in which it happened."""
        rows, sends = list(self.rows), list(self.sends)
        calls = self.settled()
        recovered = {call.t for call in calls if call.kind == Settle.RECOVER}
        calls += [
            recorded
            for recorded in self.calls
            if recorded.kind != Event.RECOVER or recorded.t not in recovered
        ]
        for call in sorted(calls, key=lambda call: call.t):
            while rows and (rows[0].t_enter < call.t or rows[0].ridx < call.upto):
                self._deliver(recorder, rows.pop(0))
            while sends and (sends[0].t_inv < call.t or sends[0].tx == call.tx >= 0):
                _send(recorder, sends.pop(0))
            _call(recorder, call)
        for row in rows:
            self._deliver(recorder, row)
        for send in sends:
            _send(recorder, send)

    def _deliver(self, recorder: SessionRecorder, row: DeliveryRow) -> None:
        alone = row.settle != Settle.NONE and not self.by_call(row)
        how = (row.settle, row.s_out, row.s_inv, row.s_ok) if alone else (0, 3, -1, -1)
        recorder.delivered(
            described(row, row.t_sent),
            row.consumer,
            row.sub,
            row.t_enter,
            row.t_exit,
            row.redelivered,
            row.count,
            row.body64,
            row.head64,
            *how,
        )


def ended(last: SendRow) -> Call:
    """The end of a transaction that only sent, by the last of its sends."""
    if last.fate == SendFate.NEVER:
        return Call(max(last.t_inv, last.t_ok), Settle.ROLLBACK, tx=last.tx)
    outcome = SettlementOutcome.OK if last.fate == SendFate.MUST else SettlementOutcome.INFO
    return Call(last.t_visible, Settle.ACK, -1, outcome, last.t_visible, tx=last.tx)


def _send(recorder: SessionRecorder, send: SendRow) -> None:
    number = recorder.sent_invoked(described(send, send.t_inv), send.match, send.cause)
    if send.t_ok >= 0:
        recorder.sent_ok(number, send.t_ok, send.mid64)
    elif send.fate == SendFate.NEVER and send.tx < 0:
        recorder.sent_failed(number)


def _call(recorder: SessionRecorder, call: Call) -> None:
    settling = {
        Settle.CLIENT_ACK: recorder.acknowledging,
        Settle.RECOVER: recorder.recovering,
        Settle.ACK: recorder.committing,
        Settle.ROLLBACK: recorder.rolling_back,
    }
    if isinstance(call.kind, Settle):
        number = settling[call.kind](call.t)
        if call.outcome != SettlementOutcome.INFO:
            recorder.ended(number, call.outcome, call.t_ok)
    elif call.kind == Event.RECOVER:
        recorder.ended(recorder.recovering(call.t), SettlementOutcome.OK, call.t)
    else:
        recorder.event(call.kind, call.t, call.arg)


def sessions_of(history: SmallHistory) -> dict[int, Session]:
    """What each session did; producers whose messages have no cause are sessions of their own."""
    sessions: dict[int, Session] = {consumer.session: Session() for consumer in history.consumers}
    for row in sorted(history.deliveries, key=lambda row: row.ridx):
        sessions.setdefault(row.session, Session()).rows.append(row)
    producing = producers_of(history)
    for send in history.sends:
        sessions.setdefault(producing[send.uid >> 40], Session()).sends.append(send)
    for event in history.events:
        if not told_by_coordinator(event):
            session = sessions.setdefault(event.session, Session())
            session.calls.append(Call(event.t, Event(event.event), event.arg))
    return sessions


def producers_of(history: SmallHistory) -> dict[int, int]:
    """The session of each producer."""
    of_cause = {
        send.uid >> 40: row.session
        for send in history.sends
        for row in history.deliveries
        if send.cause == row.uid and send.tx == row.tx >= 0
    }
    alone = sorted({send.uid >> 40 for send in history.sends} - set(of_cause))
    return of_cause | {producer: PRODUCING + place for place, producer in enumerate(alone)}


def told_by_coordinator(event: Happening) -> bool:
    """Whether the coordinator recorded it: faults, and the death of sessions."""
    return event.session < 0 or event.event == Event.KILLED


def record(history: SmallHistory, run: Path) -> None:
    """Record a history into `run`/recording, as all its sessions do and their coordinator."""
    sessions = sessions_of(history)
    with Recorder(run / FOLDER, RUN) as recorder:
        for number, session in sessions.items():
            session.record(recorder.session(number, transacted=session.transacted))
    HistoryDescription(
        RUN,
        history.epsilon,
        history.priority_slack,
        tuple(CHECKS),
        dict.fromkeys(sessions, "here"),
        producers_of(history),
        tuple(
            ConsumerPlace(consumer.consumer, consumer.session, consumer.sub)
            for consumer in history.consumers
        ),
        tuple(SubscriptionEntry(**asdict(at)) for at in history.subscriptions),
        tuple(
            Moment(event.session, event.t, event.event, event.arg)
            for event in history.events
            if told_by_coordinator(event)
        ),
        finished_on=this_boot(),
    ).write(run / FOLDER)


# --- what may be lost


def shorten(run: Path, random: Random) -> None:
    """Some files lose their ends, or are not there at all."""
    for session in sessions_in(run):
        for kind in KINDS:
            if random.random() < 0.2:
                path = path_of(run / FOLDER, session, kind)
                records = path.stat().st_size // kind.record.size - 1
                if random.random() < 0.1:
                    path.unlink()
                else:
                    os.truncate(
                        path, kind.record.size * (1 + random.randint(0, max(records - 1, 0)))
                    )


def crash(run: Path, random: Random, times: Iterable[int]) -> None:
    """A host crashes: of some sessions the disk had taken all until a time, and some of later."""
    flushed = random.choice([0, *times]) + random.choice((-1, 0, 0, 1))
    for session in sessions_in(run):
        if random.random() < 0.6:
            for kind in KINDS:
                _crash(path_of(run / FOLDER, session, kind), kind, max(flushed, 0), random)


def _crash(path: Path, kind: LogKind, flushed: int, random: Random) -> None:
    """Records begun since then may be missing, and of others what came of them."""
    content = bytearray(path.read_bytes())
    content += bytes(-len(content) % (log.PER_SEGMENT * kind.record.size))
    magic, run, _, session, number, _, _, whole = log._HEADER.unpack_from(content)
    header = magic, run, bytes(16), session, number, log._OPEN, flushed, whole
    log._HEADER.pack_into(content, 0, *header)
    records = np.frombuffer(content, kind.dtype, offset=kind.record.size)
    records = records[: np.count_nonzero(records["whole"])]
    begun = records["raw"]["t_sent"] if kind is SENDS else records[BEGUN[kind]]
    first = int(np.searchsorted(begun, flushed))
    keep = random.randint(first, len(records))
    records["whole"][keep : random.choice((keep + 1, len(records)))] = 0
    for name, values in UNTOLD[kind].items():
        for record in records[:keep]:
            if record[name] >= flushed and random.random() < 0.5:
                for column, value in values.items():
                    record[column] = value
    path.write_bytes(content)


BEGUN = {DELIVERIES: "t_enter", EVENTS: "t_inv"}
_SETTLED = {"s_inv": -1, "s_ok": -1, "settle": Settle.NONE, "s_out": SettlementOutcome.NONE}
UNTOLD = {
    SENDS: {"t_ok": {"t_ok": -1, "mid64": -1, "outcome": SettlementOutcome.INFO}},
    DELIVERIES: {
        "s_ok": {"s_ok": -1, "s_out": SettlementOutcome.INFO},
        "s_inv": _SETTLED,
        "t_exit": {"t_exit": -1},
    },
    EVENTS: {"t_ok": {"t_ok": -1, "outcome": SettlementOutcome.INFO}},
}
"""What may be missing of a record that is there, by the time that must have come before."""


def sessions_in(run: Path) -> list[int]:
    """The sessions of a recording."""
    return sorted({int(path.name.split(".")[0]) for path in (run / FOLDER).glob("*.tsw")})
