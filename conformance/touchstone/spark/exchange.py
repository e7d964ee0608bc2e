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

from touchstone.checks.columns import Columns, concatenate, length, take
from touchstone.history.reader import empty
from touchstone.spark.packing import pack, unpack

DDL: Final = "key bigint, kind int, payload binary"
_SCHEMA: Final = pa.schema(
    [pa.field("key", pa.int64()), pa.field("kind", pa.int32()), pa.field("payload", pa.binary())]
)
_BATCH_BYTES: Final = 32 << 20
PAYLOAD_ROWS: Final = 1 << 16
"""Rows of a table in one payload, at most: some MiB."""


class Kind(IntEnum):
    """What a payload is."""

    SENDS = 0
    DELIVERIES = 1
    MESSAGES = 2
    """MessagePartials"""
    SESSIONS = 3
    """SessionPartials"""
    FINDINGS = 4
    ROWS = 5
    """A task's account of what it has read."""
    STATISTICS = 6
    SCANNED = 7
    """What the screening hands on."""


TABLE_OF: Final = {Kind.SENDS: "send", Kind.DELIVERIES: "delivery"}
KIND_OF: Final = {table: kind for kind, table in TABLE_OF.items()}


class Row(NamedTuple):
    """One value on its way to the task of its key."""

    key: int
    kind: int
    payload: bytes


def batches(rows: Iterable[Row]) -> Iterator[Any]:
    """The rows as Arrow batches of some MiB each."""
    waiting: list[Row] = []
    size = 0
    for row in rows:
        waiting.append(row)
        size += len(row.payload)
        if size >= _BATCH_BYTES:
            yield _batch(waiting)
            waiting, size = [], 0
    yield _batch(waiting)


def rows(arrived: Iterable[Any]) -> Iterator[Row]:
    """The rows of Arrow batches."""
    for batch in arrived:
        keys, kinds, payloads = (batch.column(name) for name in _SCHEMA.names)
        for key, kind, payload in zip(keys, kinds, payloads, strict=True):
            yield Row(key.as_py(), kind.as_py(), payload.as_py())


def _batch(rows: list[Row]) -> Any:
    keys, kinds, payloads = zip(*rows, strict=True) if rows else ((), (), ())
    return pa.RecordBatch.from_arrays(
        [pa.array(keys, pa.int64()), pa.array(kinds, pa.int32()), pa.array(payloads, pa.binary())],
        schema=_SCHEMA,
    )


def spread(table: str, columns: Columns, keys: np.ndarray[Any, Any]) -> Iterator[Row]:
    """Rows of a table on their way to the tasks of their keys."""
    if not length(columns):
        return
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]]))
    ends = [*starts[1:].tolist(), len(keys)]
    for start, end in zip(starts.tolist(), ends, strict=True):
        for begin in range(start, end, PAYLOAD_ROWS):
            chosen = order[begin : min(begin + PAYLOAD_ROWS, end)]
            yield Row(int(sorted_keys[start]), KIND_OF[table], pack(take(columns, chosen)))


def gathered(arrived: Iterable[Row]) -> Iterator[tuple[int, dict[int, list[bytes]]]]:
    """What arrived for each key, by kind; memory is given back key by key."""
    found: dict[int, dict[int, list[bytes]]] = defaultdict(lambda: defaultdict(list))
    for row in arrived:
        found[row.key][row.kind].append(row.payload)
    for key in sorted(found):
        yield key, found.pop(key)


def table(name: str, payloads: Iterable[bytes], columns: Sequence[str] | None = None) -> Columns:
    """All rows of a table that arrived."""
    return joined(name, map(unpack, payloads), columns)


def joined(name: str, parts: Iterable[Columns], columns: Sequence[str] | None = None) -> Columns:
    """All rows of the parts of a table, which may be none."""
    return concatenate([empty(name, columns), *parts])
