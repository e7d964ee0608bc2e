"""Records what a workload's sessions do: each operation as it happens, at little cost.

A process has one `Recorder`; each session of it a `SessionRecorder`, used by the session's thread.
Only the completion of asynchronous sends may come from other threads. Nothing is locked, formatted
or looked up on the way: a record is packed into mapped memory (see `jms_histories.history.log`), so
the death of the process loses nothing, and that of the host at most the last second.

Times are nanoseconds of `now()`; -1 is none; numbers are those of docs/volume.md.
"""

from __future__ import annotations

import threading
from pathlib import Path
from struct import Struct
from time import monotonic_ns
from types import TracebackType
from typing import Final

from jms_histories.errors import HistoryError
from jms_histories.history.description import SIZE
from jms_histories.history.log import (
    ACKNOWLEDGE,
    COMMIT,
    DELIVERIES,
    DELIVERY,
    EVENT,
    EVENTS,
    ROLLBACK,
    SEND,
    SENDS,
    WHOLE,
    WritableLog,
)
from jms_histories.values import Event, Settle, SettlementOutcome

now = monotonic_ns
"""The clock of every time that is recorded: one for all processes of a host."""

TX_BITS: Final = 32
FLUSH_SECONDS: Final = 1.0

_OK, _INFO, _NONE = (
    int(SettlementOutcome.OK),
    int(SettlementOutcome.INFO),
    int(SettlementOutcome.NONE),
)
_DELIVERY_PACK, _DELIVERY_SIZE = DELIVERY.pack_into, DELIVERY.size
_LONG: Final = Struct("<q")
_TWO_LONGS: Final = Struct("<qq")
_T_OK: Final = SIZE
_T_EXIT: Final = SIZE + 8
_S_INV: Final = SIZE + 16
_S_OK: Final = SIZE + 24
_SETTLE: Final = SIZE + 67
_S_OUT: Final = SIZE + 68
_SEND_OUTCOME: Final = SEND.size - 2
_EVENT_T_OK: Final = 8
_EVENT_OUTCOME: Final = EVENT.size - 2


class SessionRecorder:
    """The record of one session. transacted: every send and delivery belongs to a transaction."""

    __slots__ = (
        "_closed",
        "_deliveries",
        "_events",
        "_file_lock",
        "_sends",
        "session",
        "transacted",
        "tx",
    )

    def __init__(self, folder: Path, session: int, run: str, *, transacted: bool = False) -> None:
        self.session, self.transacted = session, transacted
        self.tx = session << TX_BITS if transacted else -1
        """The transaction that is open now."""
        self._deliveries = WritableLog(folder, session, DELIVERIES, run)
        self._sends = WritableLog(folder, session, SENDS, run)
        self._events = WritableLog(folder, session, EVENTS, run)
        self._closed = False
        self._file_lock = threading.Lock()  # between flush and close only

    def sent_invoked(self, description: bytes, match: int = -1, cause: int = -1) -> int:
        """Before calling send: `description.encode(…)`; its t_sent is the time of calling.

        match has a bit for each subscription of the destination whose selector and noLocal let the
        message pass. Gives the number by which the send is completed.
        """
        log = self._sends
        if log.at == log.limit:
            log.grow()
        at = log.at
        SEND.pack_into(log.view, at, description, -1, -1, self.tx, cause, match, _INFO, WHOLE)
        log.at = at + log.size
        return log.count - 1

    def sent_ok(self, send: int, t: int, mid64: int = -1) -> None:
        """send has returned, or completion was reported: at t, with this hash of JMSMessageID."""
        view, at = self._sends.place(send)
        _TWO_LONGS.pack_into(view, at + _T_OK, t, mid64)
        view[at + _SEND_OUTCOME] = _OK

    def sent_failed(self, send: int) -> None:
        """send was refused for sure: the message does not exist. Not known: leave it open."""
        view, at = self._sends.place(send)
        view[at + _SEND_OUTCOME] = SettlementOutcome.FAIL

    def delivered(
        self,
        description: bytes,
        consumer: int,
        sub: int,
        t_enter: int,
        t_exit: int,
        redelivered: bool,
        count: int,
        body64: int,
        head64: int,
        settle: int = 0,
        s_out: int = 3,
        s_inv: int = -1,
        s_ok: int = -1,
    ) -> int:
        """A message was handed to the application; gives its ridx.

        description: the bytes as they arrived, or `description.unreadable`; body64 and head64: the
        digests of what arrived; count: 32767 at most. t_exit: t_enter for receive(), for a listener
        -1 until `exited`. settle to s_ok: how it is settled already, as by AUTO_ACKNOWLEDGE.
        """
        log = self._deliveries
        at = log.at
        if at == log.limit:
            log.grow()
            at = 0
        _DELIVERY_PACK(
            log.view,
            at,
            description,
            t_enter,
            t_exit,
            s_inv,
            s_ok,
            self.tx,
            body64,
            head64,
            consumer,
            sub,
            count,
            redelivered,
            settle,
            s_out,
            WHOLE,
        )
        log.at = at + _DELIVERY_SIZE
        return log.before + at // _DELIVERY_SIZE

    def exited(self, ridx: int, t: int) -> None:
        """The listener has returned from this delivery."""
        view, at = self._deliveries.place(ridx)
        _LONG.pack_into(view, at + _T_EXIT, t)

    def settling(self, ridx: int, settle: Settle, t: int) -> None:
        """One delivery is about to be settled by itself: ACK, NACK or LAZY; once done stays."""
        view, at = self._deliveries.place(ridx)
        if view[at + _S_OUT] == _OK:
            return
        _TWO_LONGS.pack_into(view, at + _S_INV, t, -1)
        view[at + _S_OUT] = _INFO
        view[at + _SETTLE] = settle

    def settled(self, ridx: int, outcome: SettlementOutcome, t: int) -> None:
        """What came of it; t is -1 unless the call returned normally."""
        view, at = self._deliveries.place(ridx)
        if view[at + _S_OUT] == _OK:
            return
        _LONG.pack_into(view, at + _S_OK, t)
        view[at + _S_OUT] = outcome

    def acknowledging(self, t: int) -> int:
        """acknowledge() of CLIENT_ACKNOWLEDGE is called: for all that is unsettled so far."""
        return self._event(ACKNOWLEDGE, t, -1)

    def recovering(self, t: int) -> int:
        """recover() is called: all that is unsettled so far comes again."""
        return self._event(Event.RECOVER, t, -1)

    def committing(self, t: int) -> int:
        """commit() is called: ends the transaction; sends and deliveries are now of the next."""
        return self._end_of_transaction(COMMIT, t)

    def rolling_back(self, t: int) -> int:
        """rollback() is called: ends the transaction."""
        return self._end_of_transaction(ROLLBACK, t)

    def ended(self, call: int, outcome: SettlementOutcome, t: int) -> None:
        """What came of acknowledging, recovering, committing or rolling_back, which gave `call`.

        t is -1 unless it returned normally. Without `ended` the outcome is not known.
        """
        view, at = self._events.place(call)
        _LONG.pack_into(view, at + _EVENT_T_OK, t)
        view[at + _EVENT_OUTCOME] = outcome

    def event(self, event: Event, t: int, arg: int = -1) -> None:
        """Anything else that happens to the session: `Event` says which time counts."""
        self._event(event, t, arg)

    def flush(self) -> None:
        """Have the disk take what was recorded."""
        with self._file_lock:
            if not self._closed:
                began = now()
                for log in (self._deliveries, self._sends, self._events):
                    log.flush(began)

    def close(self) -> None:
        """The record is complete. Deliveries and sends that are open stay so."""
        with self._file_lock:
            if not self._closed:
                self._closed = True
                for log in (self._deliveries, self._sends, self._events):
                    log.close()

    def _end_of_transaction(self, kind: int, t: int) -> int:
        if not self.transacted:
            raise HistoryError(
                f"session {self.session} is not recorded as transacted",
                hint="Open its recorder with transacted=True.",
            )
        call = self._event(kind, t, -1)
        self.tx += 1
        return call

    def _event(self, kind: int, t: int, arg: int) -> int:
        log = self._events
        if log.at == log.limit:
            log.grow()
        upto = self._deliveries.count
        EVENT.pack_into(log.view, log.at, t, -1, self.tx, upto, arg, kind, _INFO, WHOLE)
        log.at += log.size
        return log.count - 1


class Recorder:
    """All sessions of a process; a thread of it has the disk take the records every second."""

    def __init__(self, folder: Path, run: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._run = folder, run
        self._sessions: dict[int, SessionRecorder] = {}
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._failure: OSError | None = None
        self._thread = threading.Thread(target=self._flush, name="recorder", daemon=True)
        self._thread.start()

    def session(self, session: int, *, transacted: bool = False) -> SessionRecorder:
        """Begin the record of a session; its number is its own in the run."""
        recorder = SessionRecorder(self._folder, session, self._run, transacted=transacted)
        with self._lock:
            self._sessions[session] = recorder
        return recorder

    def close(self) -> None:
        """Complete all records. Raises HistoryError if the disk did not take them."""
        self._ending.set()
        self._thread.join()
        for session in self._sessions.values():
            session.close()
        if self._failure is not None:
            raise HistoryError(
                f"the disk did not take what was recorded in {self._folder}: {self._failure}",
                hint="Record to another disk; this record is complete only if the host lives on.",
            ) from self._failure

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _flush(self) -> None:
        while not self._ending.wait(FLUSH_SECONDS):
            with self._lock:
                sessions = list(self._sessions.values())
            try:
                for session in sessions:
                    session.flush()
            except OSError as error:
                self._failure = error
