"""Rows on their way to the process that judges their bucket: files of one folder, read once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from jms_histories.columns import Columns, concatenate, length, take
from jms_histories.errors import VerificationError
from jms_histories.history.bucket import bucket_of
from jms_histories.history.reader import empty_table
from jms_histories.kernels.packing import packed, unpacked

_HELD_ROWS: Final = 1 << 18


class Spill:
    """Writes rows of one part of a history, sorted into buckets."""

    def __init__(self, folder: Path, name: str, buckets: int) -> None:
        self._folder, self._name, self._buckets = folder, name, buckets
        self._held: list[Columns] = []
        self._rows = self._files = 0

    def add(self, rows: Columns) -> None:
        """Some more rows."""
        self._held.append({name: values.copy() for name, values in rows.items()})
        self._rows += length(rows)
        if self._rows >= _HELD_ROWS:
            self.flush()

    def flush(self) -> None:
        """Write what is held. Raises VerificationError if there is no room."""
        if not self._rows:
            return
        rows = concatenate(self._held)
        self._held, self._rows = [], 0
        bucket = bucket_of(rows["uid"], self._buckets)
        order = np.argsort(bucket, kind="stable")
        bounds = np.searchsorted(bucket[order], np.arange(self._buckets + 1)).tolist()
        for number, (low, high) in enumerate(itertools.pairwise(bounds)):
            if high > low:
                file = self._folder / f"{number}-{self._name}-{self._files}"
                try:
                    file.write_bytes(packed({"rows": take(rows, order[low:high])}))
                except OSError as error:
                    raise VerificationError(
                        f"{file} cannot be written: {error}",
                        hint="The second look keeps rows in the folder for temporary files: free "
                        "some room there, or set TMPDIR to a folder that has it.",
                    ) from error
        self._files += 1


def read_spilled(folder: Path, table: str, bucket: int, columns: Sequence[str]) -> Columns:
    """All rows of a table that were written for a bucket, with these columns."""
    return concatenate([empty_table(table, columns), *_parts(folder, table, bucket)])


def _parts(folder: Path, table: str, bucket: int) -> Iterator[Columns]:
    for file in sorted(folder.glob(f"{bucket}-{table}-*")):
        tables, _ = unpacked(file.read_bytes())
        yield tables["rows"]
