"""What tasks hand to tasks: rows of a key, a kind and packed bytes, in Arrow batches.

The JVM moves some large binary values instead of many small rows: it sorts and hashes keys only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jms_histories.columns import Columns, concatenate, length, take
from jms_histories.engines.spark.packing import pack, unpack
from jms_histories.history.reader import empty_table

DDL: Final = "key bigint, kind int, place bigint, payload binary"
_SCHEMA: Final = pa.schema(
    [
        pa.field("key", pa.int64()),
        pa.field("kind", pa.int32()),
        pa.field("place", pa.int64()),
        pa.field("payload", pa.binary()),
    ]
)
BATCH_BYTES: Final = 8 << 20
"""About how large a batch is, of rows that go to the JVM and of those that come from there."""
PAYLOAD_ROWS: Final = 1 << 16
"""Rows of a table in one payload, at most: some MiB."""


class PayloadKind(IntEnum):
    """What a payload is."""

    SENDS = 0
    DELIVERIES = 1
    MESSAGES = 2
    """MessagePartials"""
    FINDINGS = 3
    STATISTICS = 4
    TASK = 5
    """Which pieces of files to read."""
    SENT = 6
    """Numbers of a scan of sends."""
    SCREENED = 7
    """Findings and numbers of a scan of sessions."""
    SENT_BLOCKS = 8
    DELIVERED_BLOCKS = 9
    SUSPECTS = 10
    FINGERPRINTS = 11
    REDUCED = 12
    IDENTITIES = 13


TABLE_OF: Final = {PayloadKind.SENDS: "send", PayloadKind.DELIVERIES: "delivery"}
KIND_OF: Final = {table: kind for kind, table in TABLE_OF.items()}


class ExchangedValue(NamedTuple):
    """One value on its way to the task of its key; place: its order there, where that matters."""

    key: int
    kind: int
    payload: bytes
    place: int = 0


def batches(rows: Iterable[ExchangedValue]) -> Iterator[Any]:
    """The rows as Arrow batches of some MiB each."""
    waiting: list[ExchangedValue] = []
    size = 0
    for row in rows:
        waiting.append(row)
        size += len(row.payload)
        if size >= BATCH_BYTES:
            yield _take_batch(waiting)
            size = 0
    yield _take_batch(waiting)


def _take_batch(waiting: list[ExchangedValue]) -> Any:
    """The rows as one Arrow batch; only that is in memory while it travels."""
    made = batch(waiting)
    waiting.clear()
    return made


def rows(arrived: Iterable[Any]) -> Iterator[ExchangedValue]:
    """The rows of Arrow batches."""
    for record_batch in arrived:
        keys, kinds, places, payloads = (record_batch.column(name) for name in _SCHEMA.names)
        for key, kind, place, payload in zip(keys, kinds, places, payloads, strict=True):
            yield ExchangedValue(key.as_py(), kind.as_py(), payload.as_py(), place.as_py())


def batch(rows: list[ExchangedValue]) -> Any:
    """Some rows as one Arrow batch."""
    ends = np.zeros(len(rows) + 1, np.int32)
    np.cumsum([len(row.payload) for row in rows], out=ends[1:])
    # Made of buffers: pa.array would import pandas first, and its builders take twice the room
    buffers: tuple[list[Any], ...] = (
        [np.array([row.key for row in rows], np.int64)],
        [np.array([row.kind for row in rows], np.int32)],
        [np.array([row.place for row in rows], np.int64)],
        [ends, b"".join([row.payload for row in rows])],
    )
    return pa.RecordBatch.from_arrays(
        [
            pa.Array.from_buffers(field.type, len(rows), [None, *map(pa.py_buffer, those)])
            for field, those in zip(_SCHEMA, buffers, strict=True)
        ],
        schema=_SCHEMA,
    )


def split(keys: NDArray[Any]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Each key that occurs, and the indices of its rows in order."""
    if not len(keys):
        return
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    bounds = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    yield from zip(
        ordered[np.concatenate([[0], bounds])].tolist(), np.split(order, bounds), strict=True
    )


def address_rows(
    table: str, columns: Columns, keys: NDArray[Any], order: str | None = None
) -> Iterator[ExchangedValue]:
    """Rows of a table on their way to the tasks of their keys; place: the least of a column."""
    for key, chosen in split(keys):
        for begin in range(0, len(chosen), PAYLOAD_ROWS):
            rows = take(columns, chosen[begin : begin + PAYLOAD_ROWS])
            place = 0 if order is None else int(rows[order].min())
            yield ExchangedValue(key, KIND_OF[table], pack(rows), place)


def merge_tables(parts: Iterable[Columns]) -> Iterator[Columns]:
    """The rows of small tables in larger ones: as many as there are in a few payloads."""
    waiting: list[Columns] = []
    size = 0
    for part in parts:
        waiting.append(part)
        size += length(part)
        if size >= PAYLOAD_ROWS:
            yield concatenate(waiting)
            waiting, size = [], 0
    if waiting:
        yield concatenate(waiting)


def gather_by_key(
    arrived: Iterable[ExchangedValue],
) -> Iterator[tuple[int, dict[int, list[bytes]]]]:
    """What arrived for each key, by kind; memory is given back key by key."""
    payloads: dict[int, dict[int, list[bytes]]] = defaultdict(lambda: defaultdict(list))
    for row in arrived:
        payloads[row.key][row.kind].append(row.payload)
    for key in sorted(payloads):
        yield key, payloads.pop(key)


def table(name: str, payloads: Iterable[bytes], columns: Sequence[str] | None = None) -> Columns:
    """All rows of a table that arrived."""
    return join_parts(name, map(unpack, payloads), columns)


def join_parts(
    name: str, parts: Iterable[Columns], columns: Sequence[str] | None = None
) -> Columns:
    """All rows of the parts of a table, which may be none."""
    return concatenate([empty_table(name, columns), *parts])
