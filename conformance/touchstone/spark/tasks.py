"""The reading half of a plan as a data source: each partition is a stage and the files it reads.

Internal to the plans of this package; `touchstone.spark.source` is for everybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from touchstone.history.reader import History, Part, open_history
from touchstone.spark import exchange, stages
from touchstone.spark.stages import Job

NAME: Final = "touchstone-tasks"


@dataclass
class Task(InputPartition):  # type: ignore[misc]
    """A stage, by name, and the pieces of files it works on; number is a bucket's, else 0."""

    stage: str
    parts: tuple[Part, ...]
    number: int = 0


class TaskSource(DataSource):  # type: ignore[misc]
    """Rows of `exchange`: what the tasks of a stage hand on. Options: path, stage, and Job's."""

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
        job = Job(options["path"], int(options["buckets"]), int(options["links"]))
        return TaskReader(job, options["stage"], int(options["rows"]))


class TaskReader(DataSourceReader):  # type: ignore[misc]
    """The tasks of one stage; rows: about how many of a file one task spreads."""

    def __init__(self, job: Job, stage: str, rows: int) -> None:
        self._job, self._stage, self._rows = job, stage, rows

    def partitions(self) -> list[Task]:
        """The tasks, the largest first."""
        history = open_history(self._job.folder)
        tasks = _TASKS[self._stage](history, self._rows)
        return sorted(tasks, key=lambda task: -sum(part.rows for part in task.parts))

    def read(self, partition: Task) -> Iterator[Any]:
        """What one task hands on."""
        yield from exchange.batches(_rows(partition, self._job))


def _rows(task: Task, job: Job) -> Iterator[exchange.Row]:
    if task.stage == "bucket":
        yield from stages.judge_bucket(task.number, task.parts, job)
        return
    for part in task.parts:
        if task.stage == "spread":
            yield from stages.spread_part(part, job)
        elif task.stage == "sessions":
            yield from stages.spread_sessions(part)
        else:
            yield from stages.judge_file(part, job)


def _spread(history: History, rows: int) -> list[Task]:
    return [
        Task("spread", (part,))
        for table in ("send", "delivery")
        for part in history.parts(table, rows=rows)
    ]


def _sessions(history: History, rows: int) -> list[Task]:
    return [Task("sessions", (part,)) for part in history.parts("delivery", rows=rows)]


def _files(history: History, rows: int) -> list[Task]:
    return [Task("file", (part,)) for part in history.parts("delivery")]


def _buckets(history: History, rows: int) -> list[Task]:
    parts = tuple(part for table in ("send", "delivery") for part in history.parts(table))
    return [Task("bucket", parts, number) for number in range(history.manifest.buckets)]


_TASKS: Final = {"spread": _spread, "sessions": _sessions, "file": _files, "bucket": _buckets}
