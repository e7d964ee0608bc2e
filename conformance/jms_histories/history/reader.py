"""Reads a sealed history: checked by its footers when it is opened, by its rows when they are read.

Rows are read by file and row group, with the columns that are asked for, so memory is bounded and
the functions of this module can be called in any process: a location and a path are text.
The arrays may be read-only: they are views of what Arrow has read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from jms_histories.columns import Columns, HistoryTables, concatenate
from jms_histories.errors import HistoryError
from jms_histories.history.checksums import AGAIN, Checksums
from jms_histories.history.footers import footer, manifest_in
from jms_histories.history.location import Location
from jms_histories.history.manifest import NAME, Manifest
from jms_histories.history.row_checks import DeliveryRows, RowCheck, SendRows, check_times
from jms_histories.history.rows import BATCH_ROWS, OpenFile, open_file, read_rows
from jms_histories.history.schema import TABLES
from jms_histories.history.writer import LARGE


@dataclass(frozen=True)
class Part:
    """Some row groups of one file: what one task reads. Text and numbers only, so it travels."""

    folder: str
    path: str
    table: str
    groups: tuple[int, ...]
    rows: int
    layout: str
    checksums: Checksums
    """Of these row groups."""

    def only(self, group: int) -> Part:
        """One of its row groups."""
        return replace(self, groups=(group,), checksums=self.checksums.of((group,)))

    def open(self) -> AbstractContextManager[OpenFile]:
        """Its file, of which these row groups can be read."""
        return open_file(Location(self.folder), self.path, self.checksums)

    def read_unchecked(
        self, columns: Sequence[str] | None = None, *, batch_rows: int = BATCH_ROWS
    ) -> Iterator[Columns]:
        """Its rows in batches, whatever they say."""
        return read_rows(Location(self.folder), self.path, self.checksums, columns, batch_rows)

    def read(
        self, columns: Sequence[str] | None = None, *, batch_rows: int = BATCH_ROWS
    ) -> Iterator[Columns]:
        """Its rows in batches, checked; all columns, or those named, in the schema's types.

        Raises HistoryError for rows that are not those of a properly recorded history.
        """
        name = Location(self.folder).of(self.path)
        if self.layout == "bucket":
            for group in self.groups:
                check = _check_of(self.table, name, self.layout, whole=False)
                for batch in self.only(group).read_unchecked(columns, batch_rows=batch_rows):
                    check(batch)
                    yield batch
            return
        check = _check_of(self.table, name, self.layout, whole=self.groups[:1] == (0,))
        for batch in self.read_unchecked(columns, batch_rows=batch_rows):
            check(batch)
            yield batch


def _check_of(table: str, name: str, layout: str, *, whole: bool) -> RowCheck:
    if table == "send":
        return SendRows(name)
    if layout == "bucket":
        return lambda columns: check_times(name, columns)
    return DeliveryRows(name, whole=whole)


@dataclass(frozen=True)
class History:
    """A sealed history whose files are all there, whole, and of one run."""

    location: Location
    manifest: Manifest
    groups: dict[str, tuple[int, ...]]
    """Of each large file, by path: the rows of its row groups."""

    @cached_property
    def spec(self) -> HistoryTables:
        """The small tables and limits."""
        return _spec(self.location, self.manifest)

    def rows(self, table: str) -> int:
        """How many rows a table has."""
        return sum(file.rows for file in self.manifest.of(table))

    def parts(self, table: str, *, rows: int | None = None) -> list[Part]:
        """A large table cut into parts: whole files, or with `rows` pieces of at most about that.

        In layout "session" a piece may begin and end within a session.
        """
        layout = self.manifest.layout.get(table, "session")
        return [
            Part(
                self.location.folder,
                file.path,
                table,
                groups,
                sum(sizes[group] for group in groups),
                layout,
                file.checksums.of(groups),
            )
            for file in self.manifest.of(table)
            for sizes in [self.groups[file.path]]
            for groups in _ranges(sizes, rows)
        ]

    def sends(
        self, columns: Sequence[str] | None = None, *, batch_rows: int = BATCH_ROWS
    ) -> Iterator[Columns]:
        """All sends in batches, file by file."""
        for part in self.parts("send"):
            yield from part.read(columns, batch_rows=batch_rows)

    def deliveries(
        self, columns: Sequence[str] | None = None, *, batch_rows: int = BATCH_ROWS
    ) -> Iterator[Columns]:
        """All deliveries in batches, file by file: in layout "session" each session in order."""
        for part in self.parts("delivery"):
            yield from part.read(columns, batch_rows=batch_rows)

    def all_sends(self, columns: Sequence[str] | None = None) -> Columns:
        """All sends at once: for a history that fits into memory."""
        return _join_batches("send", columns, self.sends(columns))

    def all_deliveries(self, columns: Sequence[str] | None = None) -> Columns:
        """All deliveries at once: for a history that fits into memory."""
        return _join_batches("delivery", columns, self.deliveries(columns))


def open_history(folder: str | Path) -> History:
    """The history in a folder, or at a URL that pyarrow.fs knows.

    Looks at the manifest and the footer of every file. Raises HistoryError if one is missing,
    truncated, of another run, has other columns, types or row counts than the manifest says, or if
    there are files that the manifest does not know.
    """
    location = Location(str(folder)).absolute()
    manifest = manifest_in(location)
    groups = {file.path: footer(location, file, manifest.run) for file in manifest.files}
    for table in TABLES:
        if table not in LARGE and len(manifest.of(table)) != 1:
            raise HistoryError(
                f"{location.of(NAME)} names {len(manifest.of(table))} files of table {table}, "
                "not one",
                hint=AGAIN,
            )
    for table in LARGE:
        if manifest.layout.get(table) == "bucket":
            for file in manifest.of(table):
                if len(groups[file.path]) != manifest.buckets:
                    raise HistoryError(
                        f"{location.of(file.path)} has {len(groups[file.path])} row groups, and "
                        f"the history {manifest.buckets} buckets",
                        hint=AGAIN,
                    )
        for path in location.files(table):
            if path not in groups:
                raise HistoryError(
                    f"{location.of(path)} is not in the manifest",
                    hint="Files of two runs may be mixed: keep each history in a folder of its "
                    "own.",
                )
    return History(location, manifest, groups)


def read_spec(folder: str | Path) -> HistoryTables:
    """The small tables and limits of a history. Raises HistoryError if they cannot be read."""
    location = Location(str(folder))
    manifest = manifest_in(location)
    for file in manifest.files:
        if file.table not in LARGE:
            footer(location, file, manifest.run)
    return _spec(location, manifest)


def empty_table(table: str, columns: Sequence[str] | None = None) -> Columns:
    """No rows of a table, with columns in its types."""
    schema = TABLES[table]
    return {
        name: np.empty(0, schema.field(name).type.to_pandas_dtype())
        for name in (schema.names if columns is None else columns)
    }


def _join_batches(table: str, columns: Sequence[str] | None, batches: Iterator[Columns]) -> Columns:
    return concatenate([empty_table(table, columns), *batches])


def _ranges(sizes: tuple[int, ...], rows: int | None) -> Iterator[tuple[int, ...]]:
    chosen: list[int] = []
    taken = 0
    for group, size in enumerate(sizes):
        if chosen and rows is not None and taken + size > rows:
            yield tuple(chosen)
            chosen, taken = [], 0
        chosen.append(group)
        taken += size
    if chosen:
        yield tuple(chosen)


def _spec(location: Location, manifest: Manifest) -> HistoryTables:
    def small(table: str) -> Columns:
        [file] = manifest.of(table)
        return _join_batches(table, None, read_rows(location, file.path, file.checksums))

    consumers = manifest.consumers
    return HistoryTables(
        subscriptions=small("subscription"),
        events=small("session"),
        consumers={
            "consumer": np.array([consumer.consumer for consumer in consumers], np.int32),
            "session": np.array([consumer.session for consumer in consumers], np.int32),
            "sub": np.array([consumer.sub for consumer in consumers], np.int32),
        },
        epsilon=manifest.epsilon,
        priority_slack=manifest.priority_slack,
        truncated=dict(manifest.truncated),
    )
