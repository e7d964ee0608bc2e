"""What Spark is doing, on a terminal: tasks done of tasks known, per stage."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_EVERY: Final = 0.5
"""Seconds between two looks."""


@dataclass(frozen=True)
class RunningStages:
    """The stages that run now: their tasks, and how many of them are done, run or failed."""

    tasks: int
    done: int
    running: int
    failed: int


def running_stages(spark: SparkSession) -> RunningStages:
    """What runs now; nothing where the session does not say (Spark Connect, or it has died)."""
    try:
        tracker = spark.sparkContext.statusTracker()
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    except Exception:  # a remote session has no context; of the others the job says it
        return RunningStages(0, 0, 0, 0)
    known = [stage for stage in stages if stage is not None]
    return RunningStages(
        sum(stage.numTasks for stage in known),
        sum(stage.numCompletedTasks for stage in known),
        sum(stage.numActiveTasks for stage in known),
        sum(stage.numFailedTasks for stage in known),
    )


@contextmanager
def show_progress(spark: SparkSession, what: str, console: Console | None = None) -> Iterator[None]:
    """Show the tasks of the block's jobs on a terminal; on anything else nothing."""
    console = console or Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    over = threading.Event()
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        bar = progress.add_task(what, total=None)

        def follow() -> None:
            while not over.wait(_EVERY):
                seen = running_stages(spark)
                if seen.tasks:
                    failed = f", {seen.failed} failed" if seen.failed else ""
                    progress.update(
                        bar, total=seen.tasks, completed=seen.done, description=what + failed
                    )

        follower = threading.Thread(target=follow, name="spark-progress", daemon=True)
        follower.start()
        try:
            yield
        finally:
            over.set()
            follower.join()
