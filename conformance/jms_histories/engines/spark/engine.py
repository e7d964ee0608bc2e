"""Verifies a history by Spark: here, on a cluster, or in a session that the caller has."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Final

from jms_histories.engines.local.local import MANY_SUSPECTS
from jms_histories.engines.result import ExecutedPlan, VerificationResult
from jms_histories.engines.spark import ending, plans, progress, resources, session, shipping
from jms_histories.engines.spark.errors import explain_error, is_ending
from jms_histories.engines.spark.plans import Plans
from jms_histories.engines.spark.resources import Machine, Resources, Size
from jms_histories.errors import HistoriesError
from jms_histories.history.reader import History

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from rich.console import Console

LOCAL: Final = "local[*]"


def verify_on_spark(
    history: History,
    *,
    exact: bool = False,
    checks: Iterable[str] | None = None,
    spark: SparkSession | None = None,
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
    console: Console | None = None,
) -> VerificationResult:
    """All checks (or those named) and all statistics of a history.

    With `spark` in that session, which is neither reconfigured nor stopped; else in one of our own
    at `master` (this machine), configured for this history and by `conf`. Without `exact` the plan
    is screened, unless more than a fifth of the messages are suspects. Progress: on a terminal.
    Raises HistoryError for a damaged history, SparkError if Spark cannot do it: then nothing is
    judged.
    """
    begun = time.perf_counter()
    conf = conf or {}
    master = master or LOCAL
    size = _size(history)
    machine = _machine(master, conf)
    chosen = _resources(history, size, machine, exact=exact)
    moves = exact and not plans.is_bucketed(history)
    plan = ExecutedPlan(
        "spark",
        "exact" if exact else "screened",
        size.sends,
        size.deliveries,
        size.bytes,
        suspects=size.sends if exact else 0,
    )
    wanted = session.settings(master, history.manifest.run, chosen, shuffled=moves, conf=conf)
    with session.session(wanted, spark) as running:
        plan.steps.append(("start", time.perf_counter() - begun))
        plan.master = running.conf.get("spark.master")
        plan.settings |= {"spark": running.version, **asdict(chosen)}
        try:
            with progress.show_progress(running, f"verifying {history.manifest.run}", console):
                plan.settings["shipped"] = shipping.ship(running, plan.master or "")
                steps = Plans(running, history, chosen, checks)
                judged = _judge(steps, plan, partial(_resources, history, size, machine))
        except HistoriesError:
            raise
        except Exception as error:  # whatever py4j, the JVM, Spark and its workers can think of
            raise explain_error(error, ending.java_exit_status(soon=is_ending(error))) from error
    plan.seconds = time.perf_counter() - begun
    return judged


def _judge(
    steps: Plans, plan: ExecutedPlan, resources_for: Callable[..., Resources]
) -> VerificationResult:
    screened = plan.name == "screened"
    if screened and not steps.can_screen():
        plan.name, plan.suspects = "exact", plan.sends
    with plan.step("scan and reduce"):
        scanned = steps.scan(bits=plan.name == "screened")
    if plan.name == "screened":
        plan.suspects = len(scanned.reduced.suspects)
        if plan.suspects > MANY_SUSPECTS * max(plan.sends, 1):
            plan.name, plan.suspects = "exact", plan.sends
    if screened and plan.name == "exact":
        # the session has its tasks and its heap; into how much the rows are divided is still open
        wanted = resources_for(exact=True)
        steps = steps.divided(wanted)
        plan.settings |= {"partitions": wanted.partitions, "buckets": wanted.buckets}
    if plan.name == "screened":
        with plan.step("second look and link"):
            findings, statistics = steps.second_look(scanned)
    else:
        with plan.step("judge and link"):
            findings, statistics = steps.exact(scanned)
    return VerificationResult(findings, statistics, plan)


def _size(history: History) -> Size:
    place = Path(history.location.folder)
    files = history.manifest.files if place.is_dir() else ()
    return Size(
        history.rows("send"),
        history.rows("delivery"),
        sum((place / file.path).stat().st_size for file in files),
    )


def _machine(master: str, conf: Mapping[str, str]) -> Machine:
    if session.is_local(master):
        scratch = session.scratch_folders(conf)[0]
        return resources.this_machine(scratch, session.processor_count(master))
    # what its workers have is for Spark to know
    return Machine(resources.this_machine(Path(gettempdir())).processors, None, None)


def _resources(history: History, size: Size, machine: Machine, *, exact: bool) -> Resources:
    """Raises SparkError where memory or disk cannot do."""
    written = history.manifest.buckets if plans.is_bucketed(history) else 0
    return resources.choose(
        size, machine, exact=exact, shuffled=exact and not written, written=written
    )
