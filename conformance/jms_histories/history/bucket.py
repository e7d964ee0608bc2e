"""Rewrites a history in layout "bucket": all rows of a message are in row groups of one number.

So a reader that wants whole messages takes bucket by bucket and moves nothing. The layout
"session", by which sessions are judged, is lost: keep the history it was made from.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, concatenate, length, take
from jms_histories.errors import HistoryError
from jms_histories.history.manifest import Manifest
from jms_histories.history.reader import History, empty_table, open_history
from jms_histories.history.rows import read_rows
from jms_histories.history.schema import TABLES
from jms_histories.history.writer import LARGE, HistoryWriter, TableWriter

BUCKET_ROWS: Final = 900_000
"""At most about so many deliveries a bucket, if nobody says otherwise."""
CHUNK_ROWS: Final = 1 << 20
"""Rows that are sorted in memory: each chunk becomes a file with a row group for each bucket."""
_RUN_BITS: Final = 14
"""Runs of 2^14 numbers of a producer stay together, so that rows move in pieces of some size."""
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
"""2^64 by the golden ratio: its multiples lie evenly, those of runs and those of producers."""


def bucket_of(uids: NDArray[Any], buckets: int) -> NDArray[np.int64]:
    """The bucket of each message. buckets: a power of 2."""
    if buckets == 1:
        return np.zeros(len(uids), np.int64)
    runs = (uids >> _RUN_BITS).view(np.uint64)
    runs *= _GOLDEN
    runs >>= np.uint64(65 - buckets.bit_length())
    return runs.view(np.int64)


def buckets_for(rows: int) -> int:
    """The least power of 2 for which that many deliveries make buckets of BUCKET_ROWS or fewer."""
    buckets = 1
    while rows > buckets * BUCKET_ROWS:
        buckets *= 2
    return buckets


def bucket(
    folder: str | Path,
    target: Path,
    buckets: int | None = None,
    *,
    chunk_rows: int = CHUNK_ROWS,
    compression: str = "lz4",
) -> Manifest:
    """Write the history in `folder` to `target` in layout "bucket".

    Raises HistoryError if `target` exists or `buckets` is no power of 2; then nothing is written.
    """
    history = open_history(folder)
    count = buckets_for(history.rows("delivery")) if buckets is None else buckets
    if count < 1 or count & (count - 1):
        raise HistoryError(
            f"{count} is not a possible number of buckets", hint="Give a power of 2: 1, 2, 4, …"
        )
    if target.exists():
        raise HistoryError(f"{target} is there already", hint="Remove it or name another folder.")
    part = target.with_name(f"{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        manifest = _write(history, part, count, chunk_rows, compression)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    part.rename(target)
    return manifest


def _write(
    history: History, part: Path, buckets: int, chunk_rows: int, compression: str
) -> Manifest:
    old = history.manifest
    with HistoryWriter(part, run=old.run, compression=compression) as writer:
        for chunk in _chunks(history.sends(), chunk_rows):
            _write_buckets(writer.sends(), chunk, ("uid",), buckets)
        for chunk in _chunks(history.deliveries(), chunk_rows):
            _write_buckets(writer.deliveries(), chunk, ("uid", "t_enter"), buckets)
        for table in TABLES:
            if table not in LARGE:
                [file] = old.of(table)
                rows = read_rows(history.location, file.path, file.checksums)
                writer.table(table, concatenate([empty_table(table), *rows]))
        return writer.finish(
            epsilon=old.epsilon,
            priority_slack=old.priority_slack,
            checks=old.checks,
            consumers=old.consumers,
            truncated=old.truncated,
            layout=dict.fromkeys(LARGE, "bucket"),
            buckets=buckets,
            names=old.names,
            settings=old.settings,
            clock_offsets=old.clock_offsets,
        )


def _write_buckets(
    writer: TableWriter, rows: Columns, order: tuple[str, ...], buckets: int
) -> None:
    numbers = bucket_of(rows["uid"], buckets)
    chosen = np.lexsort([rows[name] for name in reversed(order)] + [numbers])
    bounds = np.searchsorted(numbers[chosen], np.arange(buckets + 1))
    for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        writer.write_group(take(rows, chosen[start:end]))
    writer.close()


def _chunks(batches: Iterator[Columns], rows: int) -> Iterator[Columns]:
    waiting: list[Columns] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += length(batch)
        if count >= rows:
            yield concatenate(waiting)
            waiting, count = [], 0
    if count:
        yield concatenate(waiting)
