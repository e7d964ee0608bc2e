"""What the tasks of a stage read: each is given the names of pieces of files and reads them itself.

Rows are read by Python in the worker, next to the kernels: nothing but the names of pieces comes to
it through the JVM.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from jms_histories.engines.spark import scanning, stages
from jms_histories.engines.spark.exchange import ExchangedValue, PayloadKind, batches, rows
from jms_histories.engines.spark.packing import pack, unpack
from jms_histories.engines.spark.stages import Job
from jms_histories.history.from_json import of_json
from jms_histories.history.reader import History, Part

READ_ROWS: Final = 1 << 20
"""Rows of a file that one task reads at least, where a part of it will do."""
SCAN_ROWS: Final = 1 << 22
"""Rows of a file that one task reads at most, where a part of it will do."""
_TURNS: Final = 4
"""How many tasks each processor has in turn, if they are large enough."""


@dataclass(frozen=True)
class StageTask:
    """A stage, by name, and the pieces of files it works on; number is a bucket's, else 0."""

    stage: str
    parts: tuple[Part, ...]
    number: int = 0

    @property
    def rows(self) -> int:
        """How many rows it reads."""
        return sum(part.rows for part in self.parts)


def plan_tasks(stage: str, history: History, rows: int) -> list[StageTask]:
    """The tasks of a stage, the largest first.

    Sends are read in pieces of about so many rows, deliveries as well unless sessions are screened.
    """
    sends, deliveries = (history.parts(table, rows=rows) for table in ("send", "delivery"))
    if stage == "bucket":
        parts = tuple(part for table in ("send", "delivery") for part in history.parts(table))
        return [
            StageTask(stage, tuple(part.only(number) for part in parts), number)
            for number in range(history.manifest.buckets)
        ]
    chosen = {
        "scan": [*sends, *history.parts("delivery")],
        "scan sends": sends,
        "spread sessions": deliveries,
        "spread": [*sends, *deliveries],
        "look": [*sends, *deliveries],
    }
    return sorted(
        (StageTask(stage, (part,)) for part in chosen[stage]), key=lambda task: -task.rows
    )


def rows_at_once(history: History, at_once: int) -> int:
    """About how many rows a task reads, so that each of `at_once` processors has a few in turn."""
    rows = history.rows("send") + history.rows("delivery")
    return min(max(rows // (_TURNS * at_once), READ_ROWS), SCAN_ROWS)


def pack_tasks(tasks: Iterable[StageTask]) -> list[ExchangedValue]:
    """The tasks on their way to the workers: the key of each is its place."""
    return [
        ExchangedValue(place, PayloadKind.TASK, pack(_task_as_dict(task)))
        for place, task in enumerate(tasks)
    ]


def _task_as_dict(task: StageTask) -> dict[str, Any]:
    parts = {str(place): part for place, part in enumerate(task.parts)}
    return {"stage": task.stage, "parts": parts, "number": task.number}


def unpack_task(payload: bytes) -> StageTask:
    """A task that has arrived."""
    tree = unpack(payload)
    parts = (of_json(Part, part) for part in tree["parts"].values())
    return StageTask(tree["stage"], tuple(parts), tree["number"])


def work(job: Job, look: scanning.SecondLook | None, arrived: Iterable[Any]) -> Iterator[Any]:
    """What the tasks that have arrived hand on; the second look has to know its suspects."""

    def task_rows() -> Iterator[ExchangedValue]:
        for row in rows(arrived):
            yield from _rows(unpack_task(row.payload), job, look)

    return batches(task_rows())


def _rows(task: StageTask, job: Job, look: scanning.SecondLook | None) -> Iterator[ExchangedValue]:
    if task.stage == "bucket":
        yield from stages.judge_bucket(task.number, task.parts, job)
        return
    for part in task.parts:
        if task.stage == "spread":
            yield from stages.spread_part(part, job)
        elif task.stage == "spread sessions":
            yield from stages.spread_sessions(part, job)
        elif look is not None:
            yield from scanning.look_again(part, look, job)
        else:
            yield from scanning.scan_part(part, job)
