"""Verifies a history by Spark: here, on a cluster, or in a session that the caller has."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from touchstone.checks.columns import Findings
from touchstone.errors import TouchstoneError
from touchstone.history.reader import History, open_history
from touchstone.spark import plans, progress, resources, session, shipping
from touchstone.spark.errors import explained
from touchstone.spark.resources import Resources, Size

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from rich.console import Console

LOCAL: str = "local[*]"


@dataclass(frozen=True)
class Judged:
    """What Spark found, and how: names and numbers for the plan of a report, times in seconds."""

    findings: Findings
    plan: dict[str, Any] = field(default_factory=dict)


def judge_on_spark(
    folder: str | Path,
    *,
    spark: SparkSession | None = None,
    master: str = LOCAL,
    conf: Mapping[str, str] | None = None,
    console: Console | None = None,
) -> Judged:
    """All checks over the history in `folder`, or at a URL that pyarrow.fs knows.

    With `spark` in that session, which is neither reconfigured nor stopped; else in one of our own
    at `master`, configured for this history and by `conf`. Shows its progress on a terminal.
    Raises HistoryError for a damaged history, SparkError if Spark cannot do it: then nothing is
    judged.
    """
    history = open_history(_absolute(folder))
    chosen = _resources(history, master, conf or {})
    moves = not plans.bucketed(history)
    wanted = session.settings(master, history.manifest.run, chosen, shuffled=moves, conf=conf or {})
    begun = time.monotonic()
    with session.session(wanted, spark) as running:
        started = time.monotonic()
        shipped = _shipped(running)
        try:
            with progress.shown(running, f"verifying {history.manifest.run}", console):
                found = plans.exact(running, history, _job(history, chosen), chosen)
        except TouchstoneError:
            raise
        except Exception as error:  # whatever py4j, the JVM, Spark and its workers can think of
            raise explained(error) from error
        judged = time.monotonic()
        plan = {
            "engine": "spark",
            "plan": "exact, rows move" if moves else "exact, rows stay",
            "master": running.conf.get("spark.master"),
            "spark": running.version,
            "shipped": shipped,
            "rows": history.rows("send") + history.rows("delivery"),
            "bytes": _size(history).bytes,
            "seconds to start": round(started - begun, 3),
            "seconds to judge": round(judged - started, 3),
            **chosen.as_dict(),
        }
    return Judged(found, plan)


def _absolute(folder: str | Path) -> str:
    """A path that means the same in each process; a URL as it is."""
    text = str(folder)
    return text if "://" in text else str(Path(text).absolute())


def _job(history: History, chosen: Resources) -> Any:
    from touchstone.spark.stages import Job

    buckets = history.manifest.buckets if plans.bucketed(history) else chosen.buckets
    return Job(history.place.folder, buckets, plans.links_for(history, chosen.tasks))


def _shipped(running: SparkSession) -> bool:
    try:
        return shipping.ship(running, running.conf.get("spark.master", "") or "")
    except Exception as error:  # as above
        raise explained(error) from error


def _size(history: History) -> Size:
    files = history.manifest.files
    place = Path(history.place.folder)
    return Size(
        history.rows("send"),
        history.rows("delivery"),
        sum((place / file.path).stat().st_size for file in files) if place.is_dir() else 0,
    )


def _resources(history: History, master: str, conf: Mapping[str, str]) -> Resources:
    folder = Path(conf.get("spark.local.dir", gettempdir()).split(",")[0])
    here = resources.this_machine(folder if folder.is_dir() else Path(gettempdir()))
    if session.is_local(master):
        processors = session.processors_named(master) or here.processors
        machine = resources.Machine(processors, here.memory_mib, here.disk_mib)
    else:  # what its workers have is for Spark to know
        machine = resources.Machine(here.processors, None, None)
    return resources.choose(
        _size(history), machine, exact=True, shuffled=not plans.bucketed(history)
    )
