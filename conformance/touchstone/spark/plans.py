"""How a history is verified by Spark: which tables are read, what moves, and where it is judged.

exact     every row is judged. In layout bucket the rows of a message are together and do not move;
          in layout session, as they were recorded, they move once, in packed pieces, to the bucket
          of their message. Sessions are judged where they are whole.
Both end in links: partial results meet by their keys, and what is left are findings, capped.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from touchstone.checks.columns import Findings
from touchstone.checks.merging import merge_findings
from touchstone.history.reader import History
from touchstone.spark.exchange import DDL, rows
from touchstone.spark.packing import unpack_as
from touchstone.spark.resources import Resources

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from touchstone.spark.stages import Job

_LINKED_TOGETHER: Final = 2_000_000
"""Messages whose partial results one task links."""
SPREAD_ROWS: Final = 1 << 20
"""Rows that one task reads and spreads: a row group."""


def links_for(history: History, tasks: int) -> int:
    """Among how many tasks partial results are divided."""
    return max(1, min(-(-history.rows("send") // _LINKED_TOGETHER), 8 * tasks))


def bucketed(history: History) -> bool:
    """Whether the rows of a message are together already."""
    layout = history.manifest.layout
    return all(layout.get(table) == "bucket" for table in ("send", "delivery"))


def exact(spark: SparkSession, history: History, job: Job, resources: Resources) -> Findings:
    """All checks by the exact kernels; the cost is that of judging each row."""
    from touchstone.spark import stages

    judge = partial(stages.judge_arrived, job)
    if bucketed(history):
        messages = _read(spark, job, "bucket")
        spread = _moved(_read(spark, job, "sessions"), resources.partitions)
        sessions = spread.mapInArrow(judge, DDL)
    else:
        spread = _moved(_read(spark, job, "spread"), resources.partitions)
        messages = spread.mapInArrow(judge, DDL)
        sessions = _read(spark, job, "file")
    partials = _moved(messages.unionByName(sessions), job.links)
    return findings(partials.mapInArrow(partial(stages.link_arrived, job), DDL))


def findings(linked: DataFrame) -> Findings:
    """The findings of all linking tasks, merged: some thousand rows at most of each check."""
    arrived = rows(linked.toArrow().to_batches())
    return merge_findings([unpack_as(Findings, row.payload) for row in arrived])


def _read(spark: SparkSession, job: Job, stage: str) -> DataFrame:
    from touchstone.spark.tasks import NAME, TaskSource

    spark.dataSource.register(TaskSource)
    options: dict[str, Any] = {
        "stage": stage,
        "buckets": job.buckets,
        "links": job.links,
        "rows": SPREAD_ROWS,
    }
    return spark.read.format(NAME).options(**options).load(job.folder)


def _moved(frame: DataFrame, tasks: int) -> DataFrame:
    """Rows of a key in one task: of a bucket, a session, or partial results that have to meet."""
    from pyspark.sql import functions

    return frame.repartitionById(tasks, functions.expr(f"cast(pmod(key, {tasks}) as int)"))
