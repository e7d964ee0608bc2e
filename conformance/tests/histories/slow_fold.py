"""A session in plain Python: what its record must become, told operation by operation.

Written from docs/volume.md alone; it records into the recorder under test what it does itself.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import NamedTuple

from jms_histories.checks.small_history import DeliveryRow, SendRow
from jms_histories.history import description
from jms_histories.history.description import Description
from jms_histories.history.recorder import SessionRecorder
from jms_histories.values import Event, SendFate, Settle, SettlementOutcome

HOW = {
    "acknowledge": Settle.CLIENT_ACK,
    "recover": Settle.RECOVER,
    "commit": Settle.ACK,
    "rollback": Settle.ROLLBACK,
}


class Tried(NamedTuple):
    """One way in which a delivery was to be settled: alone, or by a call for all."""

    alone: bool
    settle: Settle
    outcome: SettlementOutcome
    t: int
    t_ok: int

    @property
    def acknowledges(self) -> bool:
        return self.settle in (Settle.ACK, Settle.CLIENT_ACK, Settle.LAZY)

    @property
    def succeeded(self) -> bool:
        return self.outcome == SettlementOutcome.OK

    @property
    def unsure(self) -> bool:
        return self.acknowledges and self.outcome == SettlementOutcome.INFO


class SlowSession:
    """One session; `time` is advanced by one for each thing that happens."""

    def __init__(self, recorder: SessionRecorder, time: int = 0) -> None:
        self.recorder = recorder
        self.session = recorder.session
        self.transacted = recorder.transacted
        self.time = time
        self.deliveries: list[DeliveryRow] = []
        self.tried: dict[int, list[Tried]] = defaultdict(list)
        """How it was tried to settle each delivery; of what was tried alone only the last."""
        self.sends: list[SendRow] = []
        self.transactions: dict[int, tuple[int, int, SettlementOutcome]] = {}
        self.events: list[tuple[int, int, int, int]] = []
        self._open_sends: list[int] = []
        self._tx = self.session << 32 if self.transacted else -1

    def now(self) -> int:
        self.time += 1
        return self.time

    def send(
        self, written: Description, outcome: SettlementOutcome, mid64: int, cause: int, match: int
    ) -> None:
        written = written._replace(t_sent=self.now())
        number = self.recorder.sent_invoked(description.encode(written), match, cause)
        assert number == len(self.sends)
        t_ok = -1
        if outcome == SettlementOutcome.OK:
            t_ok = self.now()
            self.recorder.sent_ok(number, t_ok, mid64)
        elif outcome == SettlementOutcome.FAIL:
            self.recorder.sent_failed(number)
        fate = {
            SettlementOutcome.OK: SendFate.MUST,
            SettlementOutcome.FAIL: SendFate.NEVER,
            SettlementOutcome.INFO: SendFate.MAYBE,
        }[outcome]
        self.sends.append(
            SendRow(
                uid=written.uid,
                dest=written.dest,
                key=written.key,
                gseq=written.gseq,
                priority=written.priority,
                mode=written.mode,
                t_inv=written.t_sent,
                t_ok=t_ok,
                deliver_at=written.deliver_at,
                expire_at=written.expire_at,
                fate=fate,
                tx=self._tx,
                t_visible=written.t_sent,
                body64=written.body64,
                head64=written.head64,
                mid64=mid64 if outcome == SettlementOutcome.OK else -1,
                cause=cause,
                match=match,
            )
        )
        if self.transacted:
            self._open_sends.append(number)

    def deliver(
        self,
        sent: Description | None,
        damage: str,
        listener: bool,
        own: Settle,
        sub: int,
        redelivered: bool,
        count: int,
        body64: int,
        head64: int,
    ) -> None:
        """damage: "" none, "lost" no description but the uid is known, "bits" not even that."""
        t = self.now()
        known = sent or Description(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1)
        data = description.encode(known)
        intact = 1 + 2 * (known.body64 == body64) + 4 * (known.head64 == head64)
        if damage or sent is None:
            uid = known.uid if damage == "lost" else -1
            data = description.unreadable(uid) if damage == "lost" else b"\1" + data[1:]
            known = Description(uid, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1)
            intact = 0
        ridx = self.recorder.delivered(
            data,
            11,
            sub,
            t,
            -1 if listener else t,
            redelivered,
            count,
            body64,
            head64,
            *((own, SettlementOutcome.OK, t, t) if own else ()),
        )
        assert ridx == len(self.deliveries)
        self.deliveries.append(
            DeliveryRow(
                session=self.session,
                ridx=ridx,
                consumer=11,
                sub=sub,
                uid=known.uid,
                dest=known.dest,
                key=known.key,
                gseq=known.gseq,
                priority=known.priority,
                mode=known.mode,
                deliver_at=known.deliver_at,
                expire_at=known.expire_at,
                t_sent=known.t_sent,
                t_enter=t,
                t_exit=t,
                redelivered=redelivered,
                count=count,
                settle=own,
                s_out=SettlementOutcome.OK if own else SettlementOutcome.NONE,
                s_inv=t if own else -1,
                s_ok=t if own else -1,
                tx=self._tx,
                intact=intact,
                body64=body64,
                head64=head64,
            )
        )
        if own:
            self.tried[ridx].append(Tried(True, own, SettlementOutcome.OK, t, t))

    def exit(self, which: int) -> None:
        if self.deliveries:
            ridx = which % len(self.deliveries)
            t = self.now()
            self.recorder.exited(ridx, t)
            self.deliveries[ridx] = replace(self.deliveries[ridx], t_exit=t)

    def settle(self, which: int, settle: Settle, outcome: SettlementOutcome) -> None:
        """INFO: the call does not return."""
        if not self.deliveries:
            return
        ridx = which % len(self.deliveries)
        t = self.now()
        self.recorder.settling(ridx, settle, t)
        t_ok = self.now() if outcome == SettlementOutcome.OK else -1
        if outcome != SettlementOutcome.INFO:
            self.recorder.settled(ridx, outcome, t_ok)
        self._settle(ridx, Tried(True, settle, outcome, t, t_ok))

    def settle_all(self, how: str, outcome: SettlementOutcome) -> None:
        t = self.now()
        calls = self.recorder
        begin = {
            "acknowledge": calls.acknowledging,
            "recover": calls.recovering,
            "commit": calls.committing,
            "rollback": calls.rolling_back,
        }
        call = begin[how](t)
        t_ok = self.now() if outcome == SettlementOutcome.OK else -1
        if outcome != SettlementOutcome.INFO:
            self.recorder.ended(call, outcome, t_ok)
        if how == "recover":
            self.events.append((self.session, t, Event.RECOVER, -1))
        for ridx in range(len(self.deliveries)):
            self._settle(ridx, Tried(False, HOW[how], outcome, t, t_ok))
        if self.transacted:
            self._end(how, outcome, t, t_ok)

    def event(self, event: Event, arg: int) -> None:
        t = self.now()
        self.recorder.event(event, t, arg)
        self.events.append((self.session, t, event, arg))

    def end(self, *, known: bool = True) -> None:
        """The process is gone: what nobody asked to commit is never seen, if all is known."""
        for number in self._open_sends:
            send = self.sends[number]
            if known:
                self.sends[number] = replace(send, fate=SendFate.NEVER, t_visible=-1)
            else:
                self.sends[number] = replace(send, fate=min(send.fate, SendFate.MAYBE))
        self._open_sends = []

    def _settle(self, ridx: int, now: Tried) -> None:
        """What may have been acknowledged stays so, unless an acknowledgement succeeds."""
        tried = self.tried[ridx]
        if now.alone:
            if any(attempt.alone and attempt.succeeded for attempt in tried):
                return
            tried = [
                attempt for attempt in tried if not attempt.alone
            ]  # there is one place to record it
        self.tried[ridx] = tried = [*tried, now]
        closing = [
            place
            for place, attempt in enumerate(tried)
            if attempt.succeeded or (self.transacted and not attempt.alone)
        ]
        until = closing[0] if closing else len(tried) - 1
        counts = tried[until]
        ends = self.transacted and not counts.alone
        if not ends and not (counts.acknowledges and counts.succeeded):
            counts = next(
                (attempt for attempt in reversed(tried[: until + 1]) if attempt.unsure), counts
            )
        self.deliveries[ridx] = replace(
            self.deliveries[ridx],
            settle=counts.settle,
            s_out=counts.outcome,
            s_inv=counts.t,
            s_ok=counts.t_ok,
        )

    def _end(self, how: str, outcome: SettlementOutcome, t: int, t_ok: int) -> None:
        aborted = how == "rollback" or outcome == SettlementOutcome.FAIL
        for number in self._open_sends:
            send = self.sends[number]
            if aborted:
                send = replace(send, fate=SendFate.NEVER, t_visible=-1)
            elif outcome == SettlementOutcome.OK:
                send = replace(send, t_visible=t)
            else:
                send = replace(send, fate=min(send.fate, SendFate.MAYBE), t_visible=t)
            self.sends[number] = send
        self._open_sends = []
        self.transactions[self._tx] = (
            t,
            t_ok,
            SettlementOutcome.FAIL if how == "rollback" else outcome,
        )
        self._tx += 1
