"""What recording a delivery costs the thread that received it, beside two ways one might choose.

All write what a history needs of a delivery. `mapped` is the recorder of histories. `buffered`
packs the same record into a buffer that is appended to a file when it is full; it loses the buffer
when the process is killed. `tuples` keeps rows in a list and writes them by column, as Parquet.
`clock alone` is the loop without recording: what the machine takes, and how long it interrupts.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter_ns, thread_time_ns
from typing import Final, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from jms_histories.history.description import Description, encode
from jms_histories.history.log import DELIVERIES, DELIVERY, WHOLE, path_of
from jms_histories.history.manifest import ConsumerPlace
from jms_histories.history.recorder import Recorder, now
from jms_histories.history.recording import FOLDER, HistoryDescription, SubscriptionEntry, this_boot
from jms_histories.history.seal import HISTORY, seal
from jms_histories.values import INTACT

COST: Final = 400.0
"""Nanoseconds of the calling thread for a delivery that are aimed at."""
PAUSE: Final = 5.0
"""Milliseconds of the longest interruption that are aimed at."""

BUFFER: Final = 1 << 16
_BURST: Final = 200
_RAW: Final = encode(Description(1 << 40, 3, 5, 0, 4, 2, -1, -1, 17, 23, 29))
_NAMES: Final = (
    *("uid", "dest", "key", "gseq", "priority", "mode", "deliver_at", "expire_at", "t_sent"),
    *("t_enter", "t_exit", "s_inv", "s_ok", "tx", "body64", "head64", "consumer", "sub", "count"),
    *("redelivered", "settle", "s_out", "intact"),
)

Receive: TypeAlias = Callable[[], None]
"""Receives and records _BURST deliveries."""
Way: TypeAlias = Callable[[Path], AbstractContextManager[Receive]]


class RecordingCost(NamedTuple):
    """Of one way of recording: nanoseconds of CPU a delivery, milliseconds, bytes a delivery."""

    way: str
    nanoseconds: float
    pause: float
    bytes: float


class Sealing(NamedTuple):
    """What comes after: nanoseconds and bytes a delivery."""

    nanoseconds: float
    bytes: float


def measure(deliveries: int, rounds: int) -> list[RecordingCost]:
    """The ways in turn, as often as there are rounds: medians of cost and of the longest pause."""
    costs_by_way: dict[str, list[RecordingCost]] = {name: [] for name in _WAYS}
    for _ in range(rounds):
        for name, way in _WAYS.items():
            with tempfile.TemporaryDirectory(prefix="bench-recorder-") as folder:
                costs_by_way[name].append(_measure_way(name, way, Path(folder), deliveries))
    return [
        RecordingCost(
            name,
            median(cost.nanoseconds for cost in costs),
            median(cost.pause for cost in costs),
            costs[0].bytes,
        )
        for name, costs in costs_by_way.items()
    ]


def measure_sealing(deliveries: int) -> Sealing:
    """How long it takes to seal so many deliveries, and what they take in the history."""
    with tempfile.TemporaryDirectory(prefix="bench-recorder-") as name:
        run = Path(name)
        with Recorder(run / FOLDER, "bench") as recorder:
            session = recorder.session(1)
            for number in range(deliveries):
                t = now()
                raw = encode(
                    Description((1 + number % 8) << 40 | number, 3, -1, -1, 4, 2, -1, -1, t, 23, 29)
                )
                session.delivered(raw, 7, 0, t, t, False, 1, 23, 29, 1, 0, t, t)
        HistoryDescription(
            "bench",
            0,
            0,
            (),
            {1: "here"},
            consumers=(ConsumerPlace(7, 1, 0),),
            subscriptions=(SubscriptionEntry(0, 3, 0, now()),),
            finished_on=this_boot(),
        ).write(run / FOLDER)
        begun = thread_time_ns()
        manifest = seal(run)
        spent = thread_time_ns() - begun
        size = sum((run / HISTORY / file.path).stat().st_size for file in manifest.of("delivery"))
    return Sealing(spent / deliveries, size / deliveries)


def _measure_way(name: str, way: Way, folder: Path, deliveries: int) -> RecordingCost:
    with way(folder) as receive:
        pause = 0
        begun, last = thread_time_ns(), perf_counter_ns()
        for _ in range(deliveries // _BURST):
            receive()
            ended = perf_counter_ns()
            pause, last = max(pause, ended - last), ended
        spent = thread_time_ns() - begun
    size = sum(path.stat().st_size for path in folder.iterdir())
    return RecordingCost(name, spent / deliveries, pause / 1e6, size / deliveries)


@contextmanager
def _clock(folder: Path) -> Iterator[Receive]:
    def receive() -> None:
        for _ in range(_BURST):
            now()

    yield receive


@contextmanager
def _mapped_recorder(folder: Path) -> Iterator[Receive]:
    with Recorder(folder, "bench") as recorder:
        delivered = recorder.session(1).delivered

        def receive() -> None:
            for _ in range(_BURST):
                t = now()
                delivered(_RAW, 7, 0, t, t, False, 1, 23, 29, 1, 0, t, t)

        yield receive
    for path in folder.iterdir():
        if path != path_of(folder, 1, DELIVERIES):
            path.unlink()


@contextmanager
def _buffered_recorder(folder: Path) -> Iterator[Receive]:
    size, pack = DELIVERY.size, DELIVERY.pack_into
    buffer = bytearray(BUFFER // size * size)
    at, limit = 0, len(buffer)
    file = os.open(folder / "log", os.O_WRONLY | os.O_CREAT)

    def delivered(raw: bytes, t: int) -> None:
        nonlocal at
        if at == limit:
            os.write(file, buffer)
            at = 0
        pack(buffer, at, raw, t, t, t, t, -1, 23, 29, 7, 0, 1, False, 1, 0, WHOLE)
        at += size

    def receive() -> None:
        for _ in range(_BURST):
            delivered(_RAW, now())

    yield receive
    os.write(file, buffer[:at])
    os.close(file)


@contextmanager
def _parquet_recorder(folder: Path) -> Iterator[Receive]:
    rows: list[tuple[int, ...]] = []
    schema = pa.schema([(name, pa.int64()) for name in _NAMES])
    writer = pq.ParquetWriter(folder / "rows.parquet", schema, compression="lz4")

    def write() -> None:
        columns = zip(*rows, strict=True)
        writer.write_table(
            pa.Table.from_arrays([pa.array(column) for column in columns], schema=schema)
        )
        rows.clear()

    def receive() -> None:
        for _ in range(_BURST):
            t = now()
            rows.append(
                (1, 3, 5, 0, 4, 2, -1, -1, t, t, t, t, t, -1, 23, 29, 7, 0, 1, 0, 1, 0, INTACT)
            )
        if len(rows) >= BUFFER:
            write()

    yield receive
    if rows:
        write()
    writer.close()


_WAYS: Final[dict[str, Way]] = {
    "clock alone": _clock,
    "mapped": _mapped_recorder,
    "buffered": _buffered_recorder,
    "tuples": _parquet_recorder,
}
