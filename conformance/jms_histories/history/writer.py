"""Writes the tables of one history as Parquet, and its manifest last.

The folder has `send/` and `delivery/` with any number of files each, and one file for each small
table. A folder without a manifest is not a history: a writer that dies leaves none behind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from jms_histories.columns import Columns, concatenate, length, take
from jms_histories.errors import HistoryError
from jms_histories.history.checksums import checksums_of
from jms_histories.history.manifest import NAME, ConsumerPlace, Manifest, TableFile
from jms_histories.history.schema import DICTIONARY, HASHES, TABLES

ROW_GROUP: Final = 1 << 20
PAGE_BYTES: Final = 1 << 20
COMPRESSIONS: Final[Mapping[str, int | None]] = {"lz4": None, "zstd": 1}
"""By name, with the level: lz4 is fastest, zstd takes a quarter less room."""
RUN: Final = b"touchstone.run"
TABLE: Final = b"touchstone.table"
LARGE: Final = ("send", "delivery")


def arrow_table(table: str, columns: Columns, schema: pa.Schema | None = None) -> pa.Table:
    """Columns as an Arrow table of the schema of `table`.

    Raises HistoryError if columns are missing, unknown or of different lengths, or if a value does
    not fit its type.
    """
    expected = TABLES[table]
    if set(columns) != set(expected.names):
        raise HistoryError(
            f"table {table} {_difference(set(columns), set(expected.names))}",
            hint="docs/volume.md and jms_histories.history.schema list the columns.",
        )
    rows = length(columns)
    if any(len(values) != rows for values in columns.values()):
        raise HistoryError(
            f"the columns of table {table} have different lengths: "
            + ", ".join(f"{name} {len(values)}" for name, values in columns.items()),
            hint="Give each row a value in each column; -1 stands for none.",
        )
    arrays = []
    for field in expected:
        try:
            arrays.append(pa.array(columns[field.name]).cast(field.type))
        except pa.ArrowInvalid as error:
            raise HistoryError(
                f"column {field.name} of table {table}: {error}", hint=f"Its type is {field.type}."
            ) from error
    return pa.Table.from_arrays(arrays, schema=expected if schema is None else schema)


def _difference(actual: set[str], expected: set[str]) -> str:
    missing, unknown = sorted(expected - actual), sorted(actual - expected)
    return " and ".join(
        f"{verb} {', '.join(names)}"
        for verb, names in (("lacks the columns", missing), ("has unknown columns", unknown))
        if names
    )


class TableWriter:
    """One Parquet file of a table; rows are collected until a row group is full.

    path is relative to the history's folder. Usable in a process of its own: `close` gives what
    the manifest needs. Raises HistoryError for columns that do not fit the table.
    """

    def __init__(
        self,
        folder: Path,
        path: str,
        table: str,
        *,
        run: str,
        compression: str = "lz4",
        row_group: int = ROW_GROUP,
    ) -> None:
        if compression not in COMPRESSIONS:
            raise HistoryError(
                f"{compression} is not a compression of histories",
                hint=f"Choose one of {', '.join(COMPRESSIONS)}.",
            )
        self._table, self._path, self._row_group = table, path, row_group
        self._schema = TABLES[table].with_metadata({RUN: run, TABLE: table})
        self._waiting: list[Columns] = []
        self._waiting_rows = self._rows = 0
        self._bounds: tuple[int, int] | None = None
        self._target = target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        dictionary = [name for name in self._schema.names if name in DICTIONARY]
        self._file = pq.ParquetWriter(
            target,
            self._schema,
            compression=compression,
            compression_level=COMPRESSIONS[compression],
            use_dictionary=dictionary,
            column_encoding={
                name: "PLAIN" if name in HASHES or kind == pa.bool_() else "DELTA_BINARY_PACKED"
                for name, kind in zip(self._schema.names, self._schema.types, strict=True)
                if name not in DICTIONARY
            },
            data_page_size=PAGE_BYTES,
            write_statistics=True,
        )

    def write(self, columns: Columns) -> None:
        """Append rows. The arrays must not be changed until the file is closed."""
        rows = length(columns)
        self._waiting.append(columns)
        self._waiting_rows += rows
        if self._waiting_rows < self._row_group:
            return
        waiting = concatenate(self._waiting) if len(self._waiting) > 1 else columns
        full = self._waiting_rows - self._waiting_rows % self._row_group
        for start in range(0, full, self._row_group):
            self._write(take(waiting, slice(start, start + self._row_group)))
        self._waiting_rows -= full
        self._waiting = [take(waiting, slice(full, None))] if self._waiting_rows else []

    def write_group(self, columns: Columns) -> None:
        """Write these rows as one row group of their own, empty ones too: a bucket."""
        self._flush()
        self._write(columns)

    def close(self) -> TableFile:
        """Finish the file, once; what the manifest says of it."""
        if self._file.is_open:
            self._flush()
            self._file.close()
        first, last = self._bounds or (-1, -1)
        sums = checksums_of(self._target)
        return TableFile(self._path, self._table, self._rows, sums, first, last)

    def abandon(self) -> None:
        """Close the file without what has not been written; it is not part of a history."""
        self._file.close()

    def _flush(self) -> None:
        if self._waiting:
            self._write(concatenate(self._waiting))
            self._waiting, self._waiting_rows = [], 0

    def _write(self, columns: Columns) -> None:
        table = arrow_table(self._table, columns, self._schema)
        self._file.write_table(table, row_group_size=max(table.num_rows, 1))
        self._rows += table.num_rows
        uids = columns.get("uid")
        if uids is not None and len(uids):
            first, last = int(np.min(uids)), int(np.max(uids))
            before = self._bounds or (first, last)
            self._bounds = min(first, before[0]), max(last, before[1])


class HistoryWriter:
    """Writes one history into an empty or new folder; `finish` makes it one by its manifest.

    Raises HistoryError if the folder holds a history already. As a context manager it closes its
    files when the block ends without `finish`; what they hold is then no history.
    """

    def __init__(
        self, folder: Path, *, run: str, compression: str = "lz4", row_group: int = ROW_GROUP
    ) -> None:
        if (folder / NAME).exists() or any((folder / table).exists() for table in LARGE):
            raise HistoryError(
                f"{folder} holds a history, or an unfinished one, already",
                hint="Remove it or write to another folder.",
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise HistoryError(
                f"{folder} cannot be written: {error.strerror}", hint="Name another folder."
            ) from error
        self.folder, self.run = folder, run
        self._compression, self._row_group = compression, row_group
        self._open: list[TableWriter] = []
        self._files: list[TableFile] = []
        self._numbers = dict.fromkeys(LARGE, 0)

    def sends(self) -> TableWriter:
        """A further file of sends: sends of a producer in order, whole producers."""
        return self._large("send")

    def deliveries(self) -> TableWriter:
        """A further file of deliveries: whole sessions in order of ridx (layout "session")."""
        return self._large("delivery")

    def table(self, name: str, columns: Columns) -> None:
        """Write a small table whole: tx, subscription or session."""
        writer = self._writer(f"{name}.parquet", name)
        writer.write(columns)
        self._files.append(writer.close())

    def add(self, file: TableFile) -> None:
        """Count in a file that another process has written into the folder with a TableWriter."""
        self._files.append(file)

    def finish(
        self,
        *,
        epsilon: int,
        priority_slack: int,
        checks: Sequence[str],
        consumers: Sequence[ConsumerPlace] = (),
        truncated: Mapping[int, int] | None = None,
        layout: Mapping[str, str] | None = None,
        buckets: int = 1,
        names: Mapping[str, Mapping[str, str]] | None = None,
        settings: Mapping[str, object] | None = None,
        clock_offsets: Mapping[str, int] | None = None,
    ) -> Manifest:
        """Close all files, write small tables that are missing as empty ones, and the manifest."""
        self._files.extend(writer.close() for writer in self._open)
        self._open = []
        for name in TABLES:
            if name not in LARGE and all(file.table != name for file in self._files):
                schema = TABLES[name]
                self.table(name, {f.name: np.empty(0, f.type.to_pandas_dtype()) for f in schema})
        manifest = Manifest(
            run=self.run,
            epsilon=epsilon,
            priority_slack=priority_slack,
            checks=tuple(checks),
            files=tuple(sorted(self._files, key=lambda file: file.path)),
            consumers=tuple(consumers),
            truncated=dict(truncated or {}),
            layout={"send": "session", "delivery": "session", **(layout or {})},
            buckets=buckets,
            names=names or {},
            settings=settings or {},
            clock_offsets=clock_offsets or {},
        )
        manifest.write(self.folder)
        return manifest

    def __enter__(self) -> HistoryWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for writer in self._open:
            writer.abandon()
        self._open = []

    def _large(self, table: str) -> TableWriter:
        number = self._numbers[table]
        self._numbers[table] += 1
        writer = self._writer(f"{table}/{number:05d}.parquet", table)
        self._open.append(writer)
        return writer

    def _writer(self, path: str, table: str) -> TableWriter:
        return TableWriter(
            self.folder,
            path,
            table,
            run=self.run,
            compression=self._compression,
            row_group=self._row_group,
        )
