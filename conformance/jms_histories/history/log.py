"""Write-ahead files: fixed binary records in a file that is mapped into memory.

What a process has written there belongs to the operating system at once: killing the process loses
nothing. A crash of the host loses what was not flushed (`WritableLog.flush`). The last byte of a
record is written last, so a record that was cut short shows. The first slot of a file is its
header.
"""

from __future__ import annotations

import mmap
import os
import threading
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from struct import Struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.errors import HistoryError
from jms_histories.history import description

SUFFIX: Final = ".tsw"
WHOLE: Final = 0xA5
"""The last byte of a record."""

PER_SEGMENT: Final = 1 << 14
"""Slots by which a file grows; a multiple of the page size, so each segment begins on a page."""
_MAPPED: Final = 8
_NOTHING: Final = np.empty(0, np.uint8)
_HEADER: Final = Struct("<8s16s16siBqqB")
_COUNT_AT: Final = _HEADER.size - 17
_FLUSHED_AT: Final = _HEADER.size - 9
_OPEN: Final = -1
_CLOSED: Final = -1
_EVER: Final = (1 << 63) - 1
_MAGIC: Final = b"TSWAL\0\0\2"

SEND: Final = Struct(f"<{description.SIZE}s5q6xBB")
SEND_DTYPE: Final = np.dtype(
    [("raw", description.DTYPE)]
    + [(name, "<i8") for name in ("t_ok", "mid64", "tx", "cause", "match")]
    + [("pad", "V6"), ("outcome", "u1"), ("whole", "u1")]
)
DELIVERY: Final = Struct(f"<{description.SIZE}s7qiihbbb2xB")
DELIVERY_DTYPE: Final = np.dtype(
    [("raw", description.DTYPE)]
    + [(name, "<i8") for name in ("t_enter", "t_exit", "s_inv", "s_ok", "tx", "body64", "head64")]
    + [("consumer", "<i4"), ("sub", "<i4"), ("count", "<i2"), ("redelivered", "i1")]
    + [("settle", "i1"), ("s_out", "i1"), ("pad", "V2"), ("whole", "u1")]
)
EVENT: Final = Struct("<4qi25xBBB")
EVENT_DTYPE: Final = np.dtype(
    [(name, "<i8") for name in ("t_inv", "t_ok", "tx", "upto")]
    + [("arg", "<i4"), ("pad", "V25"), ("kind", "u1"), ("outcome", "u1"), ("whole", "u1")]
)


ACKNOWLEDGE: Final = 32
COMMIT: Final = 33
ROLLBACK: Final = 34
"""Kinds of events, besides those of `Event`, that settle what a session has received so far."""


@dataclass(frozen=True, slots=True)
class LogKind:
    """One of the three files that a session writes."""

    name: str
    number: int
    record: Struct
    dtype: np.dtype[Any]


SENDS: Final = LogKind("sends", 1, SEND, SEND_DTYPE)
DELIVERIES: Final = LogKind("deliveries", 2, DELIVERY, DELIVERY_DTYPE)
EVENTS: Final = LogKind("events", 3, EVENT, EVENT_DTYPE)
KINDS: Final = (SENDS, DELIVERIES, EVENTS)


def path_of(folder: Path, session: int, kind: LogKind) -> Path:
    """The file of a session."""
    return folder / f"{session:07d}.{kind.name}{SUFFIX}"


def boot() -> bytes:
    """16 bytes that differ between two starts of a host, and between hosts."""
    return bytes.fromhex(
        Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip().replace("-", "")
    )


def _run_digest(run: str) -> bytes:
    return blake2b(run.encode(), digest_size=16).digest()


class WritableLog:
    """One file that is being written: `view` from `at` on is the next record, until `limit`.

    The writer packs a record there and adds its size to `at`; at the limit it calls `grow` first.
    Raises HistoryError if the file exists, or if the disk has no room for a further segment.
    """

    __slots__ = (
        "_file",
        "_lock",
        "_maps",
        "_path",
        "_segments",
        "at",
        "before",
        "limit",
        "size",
        "view",
    )

    def __init__(self, folder: Path, session: int, kind: LogKind, run: str) -> None:
        self._path = path_of(folder, session, kind)
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        except OSError as error:
            raise HistoryError(
                f"{self._path} cannot be written: {error.strerror}",
                hint="Give each session a number of its own, and each run a folder of its own.",
            ) from error
        self._lock = threading.Lock()
        self.size = kind.record.size
        self._segments = 0
        self._maps: dict[int, mmap.mmap] = {}
        self.grow()
        _HEADER.pack_into(
            self.view, 0, _MAGIC, _run_digest(run), boot(), session, kind.number, _OPEN, 0, WHOLE
        )
        self.at = self.size

    @property
    def count(self) -> int:
        """How many records have been written."""
        return self.before + self.at // self.size

    def grow(self) -> None:
        """Map a further segment, on disk already, so that writing it cannot fail."""
        if self._file == _CLOSED:
            raise HistoryError(
                f"{self._path} is closed, and something was to be recorded",
                hint="Close a session's record when the session has ended.",
            )
        length = PER_SEGMENT * self.size
        try:
            os.posix_fallocate(self._file, self._segments * length, length)
        except OSError as error:
            raise HistoryError(
                f"{self._path} cannot grow: {error.strerror}",
                hint="Make room: a delivery takes 144 bytes while it is recorded, a send 120.",
            ) from error
        self.view = self._maps[self._segments] = self._map(self._segments)
        if len(self._maps) > _MAPPED:
            del self._maps[self._segments - _MAPPED]
        self.before = self._segments * PER_SEGMENT - 1
        """Records in the segments before this one; the header is none."""
        self._segments += 1
        self.at, self.limit = 0, length

    def place(self, record: int) -> tuple[mmap.mmap, int]:
        """Where a record that was written is, so that it can be completed; from any thread.

        After `close` it may be nowhere: then what is written there is forgotten.
        """
        segment, slot = divmod(record + 1, PER_SEGMENT)
        return self._maps.get(segment) or self._map(segment), slot * self.size

    def flush(self, began: int) -> None:
        """Have the disk take what was written until now, `began`; others may write meanwhile."""
        os.fdatasync(self._file)
        os.pwrite(self._file, began.to_bytes(8, "little"), _FLUSHED_AT)

    def close(self) -> None:
        """End the file: its header gets the number of records, what follows them is cut off.

        A thread that was left behind may go on writing, to memory that nobody reads: to write
        beyond the end of a mapped file would kill the process.
        """
        with self._lock:
            count, self._maps = self.count, {}
            self.view, self.at = mmap.mmap(-1, self.limit), self.limit
            file, self._file = self._file, _CLOSED
        os.pwrite(file, count.to_bytes(8, "little"), _COUNT_AT)
        os.ftruncate(file, (count + 1) * self.size)
        os.fsync(file)
        os.close(file)

    def _map(self, segment: int) -> mmap.mmap:
        length = PER_SEGMENT * self.size
        with self._lock:
            if self._file == _CLOSED:
                return mmap.mmap(-1, length)
            return mmap.mmap(self._file, length, offset=segment * length)


@dataclass(frozen=True)
class RecordedLog:
    """What a file holds: whole records in order, mapped, not loaded.

    cut: records are missing at its end, or may be. That is not so after the death of the process
    that wrote it, only after that of its host or if the file was shortened or damaged. flushed: the
    latest time until which the disk had taken all, 2^63 - 1 of a file that was closed. damaged:
    even of that a part is missing.
    """

    records: NDArray[Any]
    cut: bool
    flushed: int
    damaged: bool


def read_log(
    folder: Path, session: int, kind: LogKind, run: str, finished_on: bytes
) -> RecordedLog:
    """The records of a session. finished_on: the boot during which the run was seen to end.

    Raises HistoryError if the file belongs to another run, session or kind. A file that is not
    there, or without a header, is cut before its first record.
    """
    path = path_of(folder, session, kind)
    try:
        raw = np.memmap(path, np.uint8, "r") if path.exists() and path.stat().st_size else _NOTHING
    except OSError as error:
        raise HistoryError(
            f"{path} cannot be read: {error.strerror}",
            hint="Copy the recording whole, as a user who may read it.",
        ) from error
    return parse_log(path, raw, session, kind, run, finished_on)


def parse_log(
    path: Path, raw: NDArray[np.uint8], session: int, kind: LogKind, run: str, finished_on: bytes
) -> RecordedLog:
    """The records in the bytes of a file; see `read_log`."""
    size, length = kind.record.size, len(raw)
    none = RecordedLog(np.empty(0, kind.dtype), cut=True, flushed=0, damaged=True)
    if length < size:
        return none
    header = raw[:size].tobytes()
    magic, of_run, booted, of_session, number, count, flushed, whole = _HEADER.unpack_from(header)
    if magic == bytes(8):
        return none
    if magic != _MAGIC or whole != WHOLE or number != kind.number or of_session != session:
        raise HistoryError(
            f"{path} is not the record of the {kind.name} of session {session}",
            hint="Keep the names of recorded files, and each recording in a folder of its own.",
        )
    if of_run != _run_digest(run):
        raise HistoryError(
            f"{path} belongs to another run than {run}",
            hint="Files of two runs are mixed: keep each recording in a folder of its own.",
        )
    slots = raw[: length // size * size].view(kind.dtype)[1:]
    torn = np.flatnonzero(slots["whole"] != WHOLE)
    end = int(torn[0]) if len(torn) else len(slots)
    later = bool((slots["whole"][end:] != 0).any())
    if count != _OPEN:
        return RecordedLog(slots[:end], end != count, _EVER, end != count)
    damaged = later or bool(length % (PER_SEGMENT * size))
    return RecordedLog(slots[:end], damaged or booted != finished_on, flushed, damaged)
