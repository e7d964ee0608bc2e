"""Rows of one file of a history, in batches of NumPy arrays, unchecked.

The arrays may be read-only: they are views of what Arrow has read, or stand for one value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from jms_histories.columns import Columns
from jms_histories.history.checksums import CheckedFile, Checksums, damage, footer_of
from jms_histories.history.location import Location
from jms_histories.kernels.arrays.segments import GREATEST, LEAST

BATCH_ROWS: Final = 1 << 17


def read_rows(
    location: Location,
    path: str,
    sums: Checksums,
    columns: Sequence[str] | None = None,
    batch_rows: int = BATCH_ROWS,
) -> Iterator[Columns]:
    """Rows of those row groups of a file that have checksums, in batches that may span them.

    They are those that were written; what they say is not looked at.
    """
    with open_file(location, path, sums) as file:
        yield from file.rows(columns, tuple(sums.groups), batch_rows)


@dataclass(frozen=True)
class OpenFile:
    """A file of a table whose footer has been read."""

    name: str
    file: Any

    def rows(
        self,
        columns: Sequence[str] | None,
        groups: Sequence[int],
        batch_rows: int = BATCH_ROWS,
    ) -> Iterator[Columns]:
        """Rows of some row groups in batches, unchecked. Raises HistoryError for damaged ones.

        Columns of which a row group has one value only are not decoded.
        """
        names = self.file.schema_arrow.names if columns is None else list(columns)
        repeated = _Repeated()
        with damage(self.name):
            for same, those in groupby(groups, lambda group: self._same(group, names)):
                decoded = [name for name in names if name not in same]
                for batch in self.file.iter_batches(
                    batch_rows, row_groups=list(those), columns=decoded
                ):
                    read = as_columns(batch)
                    yield read | {
                        name: repeated(name, value, batch.num_rows) for name, value in same.items()
                    }

    def _same(self, group: int, names: Sequence[str]) -> dict[str, Any]:
        """What all rows of a row group agree in, but for one column at least."""
        bounds = {name: self.bounds(group, name) for name in names[1:]}
        kinds = self.file.schema_arrow
        return {
            name: np.dtype(kinds.field(name).type.to_pandas_dtype()).type(low)
            for name, (low, high) in bounds.items()
            if low == high
        }

    def bounds(self, group: int, column: str) -> tuple[int, int]:
        """Between which values those of a column of numbers lie in a row group."""
        index = self.file.schema_arrow.get_field_index(column)
        told = self.file.metadata.row_group(group).column(index).statistics
        if told is None or not told.has_min_max:
            return LEAST, GREATEST
        return told.min, told.max


class _Repeated:
    """Columns of one value, made once for as long as the value stays."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __call__(self, name: str, value: Any, rows: int) -> Any:
        made = self._made.get(name)
        if made is None or len(made) < rows or made[0] != value:
            made = self._made[name] = np.full(rows, value)
            made.flags.writeable = False
        return made[:rows]


@contextmanager
def open_file(location: Location, path: str, sums: Checksums) -> Iterator[OpenFile]:
    """A file of a table to read more than once: its footer, which may be large, is read here."""
    name = location.of(path)
    with ExitStack() as stack:
        with damage(name):
            source = stack.enter_context(location.open(path))
            metadata = pq.read_metadata(pa.BufferReader(footer_of(source, name, sums)))
            file = stack.enter_context(
                pq.ParquetFile(
                    CheckedFile(source, name, sums, metadata),
                    metadata=metadata,
                    # What is read ahead stays in memory until all row groups have been read: it is
                    # for places where each request takes long
                    pre_buffer=location.is_remote,
                )
            )
        yield OpenFile(name, file)


def as_columns(batch: Any) -> Columns:
    """An Arrow table or record batch as NumPy arrays, without copying where that is possible."""
    if isinstance(batch, pa.Table):
        batch = batch.combine_chunks()
        columns = [_join_chunks(column) for column in batch.columns]
    else:
        columns = batch.columns
    return {name: _array(column) for name, column in zip(batch.schema.names, columns, strict=True)}


def _join_chunks(column: Any) -> Any:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _array(column: Any) -> Any:
    """The values of an array without nulls; to_numpy of pyarrow would import pandas first."""
    is_mask = column.type == pa.bool_()
    if is_mask:
        column = column.cast(pa.uint8())
    kind = np.dtype(column.type.to_pandas_dtype())
    values = column.buffers()[1]
    if values is None:
        return np.empty(0, np.bool_ if is_mask else kind)
    start = column.offset * kind.itemsize
    array = np.frombuffer(values, kind, len(column), start)
    return array.view(np.bool_) if is_mask else array
