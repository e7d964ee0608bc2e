"""A history as a data source of Spark: `spark.read.format("touchstone").load(FOLDER)`.

Rows are read by Python in the worker, next to the kernels: a row that need not meet another one
never crosses into the JVM. Workers need numpy and pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from jms_histories.history.reader import Part, open_history
from jms_histories.history.schema import TABLES

NAME: Final = "touchstone"
VIEWS: Final = {"sends": "send", "deliveries": "delivery"}
_SQL: Final = {
    pa.int8(): "tinyint",
    pa.int16(): "smallint",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.bool_(): "boolean",
}


@dataclass
class PartPartition(InputPartition):  # type: ignore[misc]
    """What one task reads."""

    part: Part


class HistorySource(DataSource):  # type: ignore[misc]
    """Rows of a history. Options: `view` is sends or deliveries (the default); `rows`, about how
    many rows of a file one task reads (default: whole files).
    """

    @classmethod
    def name(cls) -> str:
        """What stands in spark.read.format."""
        return NAME

    def schema(self) -> str:
        """The columns of the view."""
        schema = TABLES[self._table()]
        return ", ".join(f"`{field.name}` {_SQL[field.type]}" for field in schema)

    def reader(self, schema: Any) -> DataSourceReader:
        """Read the view."""
        rows = self.options.get("rows")
        return RowsReader(self.options["path"], self._table(), int(rows) if rows else None)

    def _table(self) -> str:
        view = self.options.get("view", "deliveries")
        if view not in VIEWS:
            raise ValueError(f"There is no view {view} of a history: choose one of {list(VIEWS)}")
        return VIEWS[view]


class RowsReader(DataSourceReader):  # type: ignore[misc]
    """The rows of one table."""

    def __init__(self, folder: str, table: str, rows: int | None) -> None:
        self._folder, self._table, self._rows = folder, table, rows

    def partitions(self) -> list[PartPartition]:
        """Files, or pieces of them."""
        parts = open_history(self._folder).parts(self._table, rows=self._rows)
        return [PartPartition(part) for part in parts]

    def read(self, partition: PartPartition) -> Iterator[Any]:
        """The rows of one part as Arrow batches."""
        for columns in partition.part.read():
            arrays = [pa.array(columns[name]) for name in TABLES[self._table].names]
            yield pa.RecordBatch.from_arrays(arrays, names=TABLES[self._table].names)
