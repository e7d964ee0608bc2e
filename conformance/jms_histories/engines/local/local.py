"""Verifies a history on this machine: some processes, memory that does not grow with the rows.

screened  every row streams by once, as bits; the messages that these do not prove right are read
          again, whole, and judged exactly
exact     every message is judged exactly; sessions stream by
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from jms_histories.columns import Columns, Ints, concatenate, length
from jms_histories.engines.local import tasks
from jms_histories.engines.result import ExecutedPlan, VerificationResult
from jms_histories.errors import HistoryError, VerificationError
from jms_histories.history.reader import History, Part, empty_table
from jms_histories.kernels.links.judging import link
from jms_histories.kernels.links.merging import restricted
from jms_histories.kernels.links.partials import IDENTITIES
from jms_histories.kernels.screening.fingerprints import all_doubled
from jms_histories.kernels.screening.plan import link_screened, second_look_checks
from jms_histories.kernels.screening.reduction import Reduced, reduce
from jms_histories.kernels.screening.send_scan import MOST_SUBSCRIPTIONS, KnownSends, SentTwiceError
from jms_histories.kernels.screening.session_scan import Screened
from jms_histories.kernels.statistics import HistoryStatistics
from jvm_runtime.own_folders import OwnFolder

MANY_SUSPECTS: Final = 0.2
"""The share of suspects from which on the exact plan is cheaper."""

_ALONE_ROWS: Final = 3_000_000
"""Histories up to so many rows are not worth the start of processes."""
_PART_ROWS: Final = 1 << 23
_BUCKET_ROWS: Final = 1 << 20
_ROWS_OF_SUSPECT: Final = 4

T = TypeVar("T")


@dataclass(frozen=True)
class Pool:
    """Calls functions in processes, or in this one if there are none."""

    executor: ProcessPoolExecutor | None
    processes: int

    def map(self, function: Callable[..., T], calls: Iterable[tuple[Any, ...]]) -> list[T]:
        """The results of all calls. Raises VerificationError if a process dies."""
        if self.executor is None:
            return [function(*arguments) for arguments in calls]
        waiting: list[Future[T]] = [self.executor.submit(function, *call) for call in calls]
        try:
            return [future.result() for future in waiting]
        except BrokenProcessPool as error:
            raise VerificationError(
                "A process that verifies a part of the history has died; nothing was judged",
                hint="The kernel may have ended it for lack of memory (see dmesg): verify with "
                "fewer processes, or by --engine spark.",
            ) from error
        finally:
            for future in waiting:
                future.cancel()


@contextmanager
def pool(rows: int, processes: int | None) -> Iterator[Pool]:
    """Processes that suit a history of so many rows."""
    wanted = processes or (1 if rows <= _ALONE_ROWS else len(os.sched_getaffinity(0)))
    if wanted == 1:
        yield Pool(None, 1)
        return
    with ProcessPoolExecutor(wanted, get_context("spawn")) as executor:
        yield Pool(executor, wanted)


def judge_locally(
    history: History,
    *,
    exact: bool = False,
    processes: int | None = None,
    checks: Iterable[str] | None = None,
) -> VerificationResult:
    """All checks (or those named) and all statistics of a history.

    Without `exact` the plan is screened, unless more than a fifth of the messages are suspects.
    Raises HistoryError for a damaged history, VerificationError if there is no room or a process
    dies.
    """
    begun = time.perf_counter()
    sends, deliveries = history.rows("send"), history.rows("delivery")
    plan = ExecutedPlan(
        "local", "exact" if exact else "screened", sends, deliveries, _bytes(history)
    )
    with pool(sends + deliveries, processes) as workers:
        plan.settings["processes"] = workers.processes
        try:
            judged = _judge(history, plan, workers, None if checks is None else frozenset(checks))
        except MemoryError as error:
            raise VerificationError(
                f"Too little memory to verify {history.location.folder}; nothing was judged",
                hint="Verify with fewer processes (--processes 1), without --exact, or by "
                "--engine spark, whose tasks hold less at a time.",
            ) from error
    plan.seconds = time.perf_counter() - begun
    return judged


def _judge(
    history: History, plan: ExecutedPlan, workers: Pool, checks: tasks.Checks
) -> VerificationResult:
    with plan.step("screen"):
        sends = history.parts("send", rows=_PART_ROWS)
        sent = workers.map(tasks.screen_sends, [(part, checks) for part in sends])
        sessions = _sessions(history, workers, checks)
    with plan.step("reduce"):
        reduced = _reduced(history, sent, sessions)
        twice = all_doubled([part.fingerprints for part in sent])
        for part in sent:
            part.fingerprints = ()
    plan.suspects = len(reduced.suspects)
    if len(reduced.suspects) > MANY_SUSPECTS * max(plan.sends, 1):
        plan.name = "exact"
    if plan.name == "exact":
        plan.suspects = plan.sends
    with plan.step("second look"):
        chosen = reduced.suspects if plan.name == "screened" else None
        judged = second_look_checks(checks) if plan.name == "screened" else checks
        looked_at = _second_look(history, chosen, plan, workers, judged)
        same_name = _namesakes(history, twice, workers) if len(twice) else IDENTITIES
    with plan.step("link"):
        partials = [partial for partial, _ in looked_at]
        if plan.name == "exact":
            findings = link(partials, [session.partials for session in sessions], history.spec)
        else:
            findings = link_screened(sent, sessions, reduced, partials, same_name, history.spec)
    statistics = HistoryStatistics()
    for part in sent:
        statistics.sent += part.rows
        statistics.sends.merge(part.over_time)
    for described in (
        *(session.statistics for session in sessions),
        *(told for _, told in looked_at),
    ):
        statistics.merge(described)
    return VerificationResult(
        findings if checks is None else restricted(findings, checks), statistics, plan
    )


def _sessions(history: History, workers: Pool, checks: tasks.Checks) -> list[Screened]:
    parts = history.parts("delivery")
    if all(part.layout == "session" for part in parts):
        biggest = sorted(parts, key=lambda part: -part.rows)
        return workers.map(tasks.screen_sessions, [(part, checks) for part in biggest])
    rows: dict[int, int] = {}
    for counted in workers.map(tasks.sessions_in, [(part,) for part in parts]):
        for session, many in counted.items():
            rows[session] = rows.get(session, 0) + many
    groups: list[list[int]] = []
    size = _PART_ROWS
    for session, many in rows.items():
        if size + many > _PART_ROWS:
            groups.append([])
            size = 0
        groups[-1].append(session)
        size += many
    return workers.map(tasks.screen_gathered, [(parts, group, checks) for group in groups])


def _reduced(history: History, sent: list[KnownSends], sessions: list[Screened]) -> Reduced:
    if length(history.spec.subscriptions) and max(history.spec.subscriptions["sub"]) >= (
        MOST_SUBSCRIPTIONS
    ):
        raise HistoryError(
            f"{history.location.folder} numbers subscriptions from {MOST_SUBSCRIPTIONS} on",
            hint="Number subscriptions from 0, without holes.",
        )
    try:
        return reduce(
            (block for part in sent for block in part.blocks),
            (block for part in sessions for block in part.delivered),
            [*(part.suspects for part in sent), *(part.suspects for part in sessions)],
        )
    except SentTwiceError as error:
        raise HistoryError(
            f"{history.location.folder}: {error}",
            hint="The history is damaged or made wrongly: seal or make it again.",
        ) from error


def _second_look(
    history: History, suspects: Ints | None, plan: ExecutedPlan, workers: Pool, checks: tasks.Checks
) -> list[tuple[Any, HistoryStatistics]]:
    rows = plan.sends + plan.deliveries
    if suspects is not None:
        if not len(suspects):
            return []
        rows = min(rows, len(suspects) * _ROWS_OF_SUSPECT)
    buckets = 1
    while buckets * _BUCKET_ROWS < rows:
        buckets *= 2
    plan.settings["buckets"] = buckets
    parts: list[Part] = [
        part for table in ("delivery", "send") for part in history.parts(table, rows=_PART_ROWS)
    ]
    with OwnFolder("verify") as folder:
        chosen = None
        if suspects is not None:
            chosen = folder / "suspects.npy"
            np.save(chosen, suspects)
        workers.map(
            tasks.spill_part,
            [(part, chosen, folder, str(i), buckets, checks) for i, part in enumerate(parts)],
        )
        return workers.map(
            tasks.judge_spilled,
            [(folder, history.location.folder, bucket, checks) for bucket in range(buckets)],
        )


def _namesakes(history: History, twice: Ints, workers: Pool) -> Columns:
    identities = workers.map(
        tasks.find_namesakes, [(part, twice) for part in history.parts("send")]
    )
    return concatenate([empty_table("send", ("mid64", "uid")), *identities])


def _bytes(history: History) -> int:
    folder = Path(history.location.folder)
    if not folder.is_dir():
        return 0
    return sum((folder / file.path).stat().st_size for file in history.manifest.files)
