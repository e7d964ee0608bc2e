"""Seals a recording: the write-ahead files of all processes become a history.

Works session by session and in pieces, so memory is bounded by the sends of one session (16 bytes
each). What is not known any more is said, never guessed: see docs/volume.md, Recording.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, concatenate, length, take
from jms_histories.errors import HistoryError
from jms_histories.history import fold
from jms_histories.history.clocks import Clocks
from jms_histories.history.log import DELIVERIES, EVENTS, SENDS, SUFFIX, RecordedLog, read_log
from jms_histories.history.manifest import Manifest
from jms_histories.history.reader import empty_table
from jms_histories.history.recording import FOLDER, NAME, HistoryDescription, read_recording
from jms_histories.history.writer import HistoryWriter, TableWriter
from jms_histories.values import SEQUENCE_BITS, Event, FaultKind, SettlementOutcome

HISTORY: Final = "history"
PIECE: Final = 1 << 17
FILE_ROWS: Final = 1 << 20
"""A file takes whole sessions or producers until it has that many rows."""


def seal(run: Path, *, compression: str = "lz4") -> Manifest:
    """Make `run`/history from `run`/recording, which stays as it is.

    Raises HistoryError if there is a history already, if files of two runs are mixed, or if a
    message was recorded as sent twice; then nothing is left behind.
    """
    recording = read_recording(run / FOLDER)
    target, part = run / HISTORY, run / f"{HISTORY}.part"
    if target.exists():
        raise HistoryError(
            f"{target} is there already", hint="Remove it if it is to be sealed again."
        )
    shutil.rmtree(part, ignore_errors=True)
    try:
        with HistoryWriter(part, run=recording.run, compression=compression) as writer:
            manifest = _Seal(run / FOLDER, recording, writer).history()
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    part.rename(target)
    return manifest


class _Seal:
    def __init__(self, folder: Path, recording: HistoryDescription, writer: HistoryWriter) -> None:
        self._folder, self._recording, self._writer = folder, recording, writer
        self._clocks = Clocks(recording)
        self._finished = bytes.fromhex(recording.finished_on)
        self._sends = _Files(writer.sends)
        self._deliveries = _Files(writer.deliveries)
        self._events: list[Columns] = []
        self._transactions: list[Columns] = []
        self._producers: dict[int, int] = {}
        self._delivered: set[int] = set()
        self._cut: dict[int, int] = {}
        self._drained = bool(recording.finished_on)

    def history(self) -> Manifest:
        recording = self._recording
        for session in self._sessions():
            self._session(session)
        if not recording.finished_on:
            self._events.append(_event(-1, 0, Event.FAULT_BEGIN, FaultKind.LOST_RECORD))
            for producer in self._delivered - set(self._producers) - {-1}:
                self._cut.setdefault(producer, 0)
        moments: Columns = {
            "session": np.array([moment.session for moment in recording.moments], np.int32),
            "t": np.array([moment.t for moment in recording.moments], np.int64),
            "event": np.array([moment.event for moment in recording.moments], np.int8),
            "arg": np.array([moment.arg for moment in recording.moments], np.int32),
        }
        events = concatenate([empty_table("session"), *self._events, moments])
        order = np.lexsort((events["t"], events["session"]))
        self._writer.table("session", take(events, order))
        self._writer.table("tx", concatenate([empty_table("tx"), *self._transactions]))
        self._writer.table("subscription", self._subscriptions())
        return self._writer.finish(
            epsilon=recording.epsilon,
            priority_slack=recording.priority_slack,
            checks=recording.checks,
            consumers=recording.consumers,
            truncated=dict(sorted(self._cut.items())),
            names=recording.names,
            settings=recording.settings,
            clock_offsets=recording.clock_offsets,
        )

    def _sessions(self) -> list[int]:
        known = set(self._recording.sessions)
        recorded = {_session_of(path) for path in self._folder.glob(f"*{SUFFIX}")}
        if self._recording.finished_on and recorded - known:
            raise HistoryError(
                f"{self._folder} has records of sessions that {NAME} does not know: "
                f"{', '.join(map(str, sorted(recorded - known)))}",
                hint="Files of two runs may be mixed: keep each recording in a folder of its own.",
            )
        return sorted(known | recorded)

    def _session(self, session: int) -> None:
        sends, deliveries, events = (
            read_log(self._folder, session, kind, self._recording.run, self._finished)
            for kind in (SENDS, DELIVERIES, EVENTS)
        )
        cut = sends.cut or deliveries.cut or events.cut
        folded = fold.events(events.records, cut=events.cut)
        self._write_sends(session, sends, folded)
        last = self._write_deliveries(session, deliveries, folded)
        rows = fold.session_rows(session, folded)
        if cut:
            self._drained = False
            last = max(last, int(folded.calls["t_inv"].max(initial=-1)))
            alone = deliveries.records
            untold = alone["s_inv"][alone["s_out"] == SettlementOutcome.INFO]
            lost = min(
                _known_until(log, times, untold)
                for log, times, untold in (
                    (sends, sends.records["raw"]["t_sent"], untold[:0]),
                    (deliveries, alone["t_enter"], untold),
                    (events, folded.calls["t_inv"], folded.untold),
                )
                if log.cut
            )
            crash = _event(-1, lost, Event.FAULT_BEGIN, FaultKind.LOST_RECORD)
            rows = concatenate([rows, _event(session, last, Event.KILLED), crash])
        self._events.append(self._clocks.of_session(session, rows))
        self._transactions.append(
            self._clocks.of_session(session, fold.transaction_rows(session, folded))
        )

    def _write_sends(self, session: int, sends: RecordedLog, events: fold.Events) -> None:
        records = sends.records
        uids = np.ascontiguousarray(records["raw"]["uid"])
        order = None if (uids[1:] > uids[:-1]).all() else np.argsort(uids, kind="stable")
        ordered = uids if order is None else uids[order]
        _check_sent_once(session, ordered)
        producers, firsts = np.unique(ordered >> SEQUENCE_BITS, return_index=True)
        lasts = ordered[np.append(firsts[1:], len(ordered)) - 1] if len(ordered) else ordered
        for producer, last in zip(producers.tolist(), lasts.tolist(), strict=True):
            self._claim(producer, session)
            if sends.cut:
                self._cut[producer] = (last & ((1 << SEQUENCE_BITS) - 1)) + 1
        if sends.cut:
            for producer, of in self._recording.producers.items():
                if of == session:
                    self._cut.setdefault(producer, 0)
        for piece in _pieces(len(records)):
            chosen = records[piece if order is None else order[piece]]
            rows = fold.send_rows(chosen, events)
            self._sends.write(self._clocks.of_session(session, rows))
        self._sends.whole()

    def _claim(self, producer: int, session: int) -> None:
        known = self._recording.producers.get(producer, session)
        other = self._producers.setdefault(producer, known)
        if other != session:
            raise HistoryError(
                f"producer {producer} is recorded by session {session}, and belongs to {other}",
                hint="The coordinator gives each producer of the run a number of its own.",
            )

    def _write_deliveries(self, session: int, deliveries: RecordedLog, events: fold.Events) -> int:
        """Write them; the last time at which the session is known to have run, or -1."""
        last = -1
        for piece in _pieces(len(deliveries.records)):
            rows = fold.delivery_rows(session, piece.start, deliveries.records[piece], events)
            last = max(last, *(int(rows[name].max()) for name in ("t_enter", "t_exit", "s_inv")))
            if not self._recording.finished_on:
                self._delivered.update(np.unique(rows["uid"] >> SEQUENCE_BITS).tolist())
            self._deliveries.write(self._clocks.of_deliveries(session, rows))
        self._deliveries.whole()
        return last

    def _subscriptions(self) -> Columns:
        rows = [
            asdict(
                subscription
                if self._drained
                else replace(subscription, t_drained=-1, t_dlq_drained=-1)
            )
            for subscription in self._recording.subscriptions
        ]
        none = empty_table("subscription")
        return {
            name: np.array([row[name] for row in rows], values.dtype)
            for name, values in none.items()
        }


class _Files:
    """Rows over files of a reasonable size, each with whole sessions or producers."""

    def __init__(self, begin: Callable[[], TableWriter]) -> None:
        self._begin = begin
        self._writer: TableWriter | None = None
        self._rows = 0

    def write(self, rows: Columns) -> None:
        if self._writer is None:
            self._writer = self._begin()
        self._writer.write(rows)
        self._rows += length(rows)

    def whole(self) -> None:
        """A session ends here: the next one may go into another file."""
        if self._writer is not None and self._rows >= FILE_ROWS:
            self._writer.close()
            self._writer, self._rows = None, 0


def _pieces(rows: int) -> Iterator[slice]:
    for start in range(0, rows, PIECE):
        yield slice(start, min(start + PIECE, rows))


def _session_of(path: Path) -> int:
    number = path.name.split(".")[0]
    if not number.isdigit():
        raise HistoryError(
            f"{path} is not named like the record of a session",
            hint="Keep the names of recorded files, and nothing else beside them.",
        )
    return int(number)


def _known_until(log: RecordedLog, times: NDArray[Any], untold: NDArray[Any]) -> int:
    """The time from which a part of a cut file may be missing.

    That is when the disk last took it: what came later may be missing even of records that are
    there. What was called and has no end may have ended.
    """
    known = log.flushed
    if log.damaged:
        known = min(known, int(times[-1]) if len(times) else 0)
    return min(known, int(untold.min(initial=known)))


def _check_sent_once(session: int, ordered: NDArray[Any]) -> None:
    twice = np.flatnonzero(ordered[1:] == ordered[:-1])
    if len(twice):
        uid = int(ordered[twice[0]])
        raise HistoryError(
            f"session {session} recorded send {uid & ((1 << SEQUENCE_BITS) - 1)} of producer "
            f"{uid >> SEQUENCE_BITS} (uid {uid}) twice",
            hint="A producer numbers its sends from 0, also those that fail, each once.",
        )


def _event(session: int, t: int, event: Event, arg: int = -1) -> Columns:
    return {
        "session": np.array([session], np.int32),
        "t": np.array([t], np.int64),
        "event": np.array([event], np.int8),
        "arg": np.array([arg], np.int32),
    }
