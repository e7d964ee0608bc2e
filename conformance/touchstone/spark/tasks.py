"""The reading half of a plan as a data source: each partition is a stage and the files it reads.

Internal to the plans of this package; `touchstone.spark.source` is for everybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from touchstone.history.reader import History, Part, open_history
from touchstone.spark import exchange, scanning, stages
from touchstone.spark.exchange import Kind, Row
from touchstone.spark.stages import NO_MESSAGE, Job

NAME: Final = "touchstone-tasks"


@dataclass
class Task(InputPartition):  # type: ignore[misc]
    """A stage, by name, and the pieces of files it works on; number is a bucket's, else 0."""

    stage: str
    parts: tuple[Part, ...]
    number: int = 0


class TaskSource(DataSource):  # type: ignore[misc]
    """Rows of `exchange`: what the tasks of a stage hand on. Options: path, stage, rows, Job's."""

    @classmethod
    def name(cls) -> str:
        """What stands in spark.read.format."""
        return NAME

    def schema(self) -> str:
        """Key, kind, payload."""
        return exchange.DDL

    def reader(self, schema: Any) -> DataSourceReader:
        """Reads by a stage."""
        options = self.options
        numbers = {name: int(options[name]) for name in ("buckets", "links", "bits")}
        job = Job(options["path"], numbers["buckets"], numbers["links"], bool(numbers["bits"]))
        return TaskReader(job, options["stage"], int(options["rows"]))


def options(job: Job, stage: str, rows: int) -> dict[str, str]:
    """The options of a data source for a stage; rows: about how many of a file one task reads."""
    numbers = {name: str(int(value)) for name, value in asdict(job).items() if name != "folder"}
    assert len(numbers) == len(fields(Job)) - 1
    return {"stage": stage, "rows": str(rows), **numbers}


class TaskReader(DataSourceReader):  # type: ignore[misc]
    """The tasks of one stage."""

    def __init__(self, job: Job, stage: str, rows: int) -> None:
        self._job, self._stage, self._rows = job, stage, rows

    def partitions(self) -> list[Task]:
        """The tasks, the largest first."""
        tasks = planned(self._stage, open_history(self._job.folder), self._rows)
        return sorted(tasks, key=lambda task: -sum(part.rows for part in task.parts))

    def read(self, partition: Task) -> Iterator[Any]:
        """What one task hands on."""
        yield from exchange.batches(_rows(partition, self._job))


def planned(stage: str, history: History, rows: int) -> list[Task]:
    """The tasks of a stage.

    Sends are read in pieces of about so many rows, deliveries as well unless sessions are screened.
    """
    sends, deliveries = (history.parts(table, rows=rows) for table in ("send", "delivery"))
    if stage == "bucket":
        parts = tuple(part for table in ("send", "delivery") for part in history.parts(table))
        return [Task(stage, parts, number) for number in range(history.manifest.buckets)]
    chosen = {
        "scan": [*sends, *history.parts("delivery")],
        "scan sends": sends,
        "spread sessions": deliveries,
        "spread": [*sends, *deliveries],
        "parts": [*sends, *deliveries],
    }
    return [Task(stage, (part,)) for part in chosen[stage]]


def _rows(task: Task, job: Job) -> Iterator[Row]:
    if task.stage == "bucket":
        yield from stages.judge_bucket(task.number, task.parts, job)
        return
    for part in task.parts:
        if task.stage == "spread":
            yield from stages.spread_part(part, job)
        elif task.stage == "spread sessions":
            yield from stages.spread_sessions(part)
        elif task.stage == "parts":
            yield Row(NO_MESSAGE, Kind.PART, scanning.pack_part(part))
        else:
            yield from scanning.scan_part(part, job)
