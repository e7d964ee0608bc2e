"""Whether the files of a history are what its manifest says, by their footers alone."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from jms_histories.errors import HistoryError
from jms_histories.history.checksums import AGAIN, damage, footer_of
from jms_histories.history.location import Location
from jms_histories.history.manifest import (
    NAME,
    Manifest,
    TableFile,
    UnknownFormatError,
    manifest_of,
)
from jms_histories.history.schema import TABLES
from jms_histories.history.writer import RUN, TABLE


def manifest_in(location: Location) -> Manifest:
    """The manifest at a location. Raises HistoryError if there is none, or no valid one."""
    text = location.read_text(NAME)
    try:
        return manifest_of(text)
    except UnknownFormatError as error:
        raise HistoryError(
            f"{location.of(NAME)} cannot be read: {error}",
            hint="Verify the history by the version of Touchstone that wrote it, or seal it again.",
        ) from error
    except ValueError as error:
        raise HistoryError(
            f"{location.of(NAME)} is not the manifest of a history: {error}", hint=AGAIN
        ) from error


def footer(location: Location, file: TableFile, run: str) -> tuple[int, ...]:
    """Compares a file's footer with the manifest; the numbers of rows of its row groups.

    Raises HistoryError if the file is missing, is not the one that was sealed, is of another run,
    or has other columns, types or rows.
    """
    name = location.of(file.path)
    with damage(name), location.open(file.path) as source:
        tail = footer_of(source, name, file.checksums)
        with pq.ParquetFile(pa.BufferReader(tail)) as parquet:
            schema, footer_data = parquet.schema_arrow, parquet.metadata
    described = schema.metadata or {}
    of_run, table = (described.get(key, b"").decode(errors="replace") for key in (RUN, TABLE))
    if of_run != run:
        raise HistoryError(
            f"{name} belongs to run {of_run or 'unknown'}, the manifest to run {run}",
            hint="Files of two runs are mixed: keep each history in a folder of its own.",
        )
    if table != file.table:
        raise HistoryError(
            f"{name} holds table {table or 'unknown'}, not {file.table} as the manifest says",
            hint=AGAIN,
        )
    _same_columns(name, schema, TABLES[file.table])
    if footer_data.num_rows != file.rows:
        raise HistoryError(
            f"{name} has {footer_data.num_rows} rows, the manifest says {file.rows}", hint=AGAIN
        )
    if file.checksums.groups.keys() != {*range(footer_data.num_row_groups)}:
        raise HistoryError(
            f"{name} has other row groups than the manifest has checksums of", hint=AGAIN
        )
    return tuple(
        footer_data.row_group(group).num_rows for group in range(footer_data.num_row_groups)
    )


def _same_columns(name: str, actual: Any, expected: Any) -> None:
    missing = [column for column in expected.names if column not in actual.names]
    unknown = [column for column in actual.names if column not in expected.names]
    other = [
        f"{column} ({actual.field(column).type} instead of {expected.field(column).type})"
        for column in expected.names
        if column in actual.names and actual.field(column).type != expected.field(column).type
    ]
    for verb, columns in (
        ("lacks the columns", missing),
        ("has the unknown columns", unknown),
        ("has columns of the wrong type:", other),
    ):
        if columns:
            raise HistoryError(
                f"{name} {verb} {', '.join(columns)}",
                hint="docs/volume.md lists the columns. " + AGAIN,
            )
    if not actual.equals(expected):
        raise HistoryError(f"{name} has columns twice, with nulls or in another order", hint=AGAIN)
