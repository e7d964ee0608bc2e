"""Whether the kernels, as they are imported now, agree with the oracle about a history."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from histories.small_histories import findings_of, shuffled
from jms_histories.columns import Columns, Findings, take
from jms_histories.definitions import CHECKS
from jms_histories.kernels.links.judging import link
from jms_histories.kernels.links.merging import merge_messages, restricted
from jms_histories.kernels.messages.judging import judge_messages
from jms_histories.kernels.predicates.rows import knowable
from jms_histories.kernels.sessions.judging import judge_sessions
from jms_histories.kernels.statistics import HistoryStatistics, lost_runs
from jms_histories.kernels.whole import judge
from kernels.screened_plan import columns_read, judged_screened
from kernels.slow_statistics import plain, runs_of_lost

if TYPE_CHECKING:
    from kernels.kernel_mutants import Shown

MOST_SUBSCRIPTIONS = 32_767
"""Histories with such numbers, and higher ones, are judged exactly."""
MOST = 2
EACH = 5
"""So many histories are judged whole for one that is also judged in buckets."""
SMALL = {
    "arrays.segments": {"_PACKED_BITS": 9},
    "links.judging": {"_CHUNK": 2},
    "screening.block_bits": {"_HOT": 2},
    "screening.send_scan": {"CHUNK": 5, "_GAP": 2, "_RUNS": 3},
    "screening.suspects": {"_TIDY": 2},
    "sessions.chunks": {"CHUNK": 4},
}
"""Limits of what is kept or done at once that a small history, too, goes beyond."""


@contextmanager
def small_limits() -> Iterator[None]:
    """The kernels do little at once, as they do of large histories."""
    kept = []
    for name, limits in SMALL.items():
        module = import_module(f"jms_histories.kernels.{name}")
        for limit, value in limits.items():
            kept.append((module, limit, getattr(module, limit)))
            setattr(module, limit, value)
    try:
        yield
    finally:
        for module, limit, value in kept:
            setattr(module, limit, value)


def agrees(history: Shown, *, screening: bool) -> bool:
    """Whether all findings, counts and powers are those of the oracle.

    The history is judged whole, some also in buckets, or by screening if that is asked for; what
    is capped keeps the smallest findings. Of each second history little is judged at once.
    """
    with small_limits() if history.seed % 2 else nullcontext():
        return _agrees(history, screening)


def _agrees(history: Shown, screening: bool) -> bool:
    random = Random(history.seed)
    highest = int(history.spec.subscriptions["sub"].max(initial=-1))
    if screening and highest < MOST_SUBSCRIPTIONS:
        if history.seed % EACH == 1:
            return _agrees_about_some(history, random)
        judged = judged_screened(history.sends, history.deliveries, history.spec, random)
        statistics = [HistoryStatistics.unpack(part.statistics.pack()) for part in judged.sessions]
        statistics += [HistoryStatistics(sends=part.over_time) for part in judged.sent]
        known = knowable(history.sends["uid"], history.spec.truncated)
        return (
            _as_expected(judged.found, history)
            and judged.suspects.tolist() == history.suspects
            and plain(statistics) == history.streamed
            and sum(part.rows for part in judged.sent) == np.count_nonzero(known)
        )
    tables = history.sends, history.deliveries, history.spec
    runs = lost_runs(*tables)
    lost = zip(*(runs[name].tolist() for name in ("sub", "first", "last")), strict=True)
    if sorted(lost) != runs_of_lost(history.findings):
        return False
    if not _as_expected(judge(*tables), history):
        return False
    if history.seed % EACH:
        return True
    sends, deliveries = shuffled(history.sends, random), shuffled(history.deliveries, random)
    messages = [
        judge_messages(
            *columns_read(take(sends, mine), take(deliveries, theirs), history.spec), history.spec
        )
        for mine, theirs in zip(_dealt(sends, "uid"), _dealt(deliveries, "uid"), strict=True)
    ]
    sessions = [
        judge_sessions(take(deliveries, mine), history.spec)
        for mine in _dealt(deliveries, "session")
    ]
    if not _as_expected(link(messages, sessions, history.spec), history):
        return False
    capped = findings_of(merge_messages(messages, MOST).findings)
    every = findings_of(merge_messages(messages).findings)
    every.sort(key=lambda finding: finding.should)  # those that decide are kept before the shoulds
    checks = {finding.check for finding in every}
    kept = [[finding for finding in every if finding.check == check][:MOST] for check in checks]
    return capped == sorted(itertools.chain.from_iterable(kept))


def _agrees_about_some(history: Shown, random: Random) -> bool:
    """Whether the screened plan agrees if few checks are to be judged."""
    some = frozenset(random.sample(sorted(CHECKS), random.choice((1, 3, 15))))
    spec = replace(history.spec, checks=some)
    judged = judged_screened(history.sends, history.deliveries, spec, random)
    power = {check: power for check, power in history.power.items() if check in some}
    findings = [finding for finding in history.findings if finding.check in some]
    answer = restricted(judged.found, some)
    return (
        findings_of(answer) == findings
        and answer.power == power
        and judged.suspects.tolist() == history.suspects
    )


def _dealt(rows: Columns, name: str) -> list[np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    return [rows[name] % 3 == bucket for bucket in range(3)]


def _as_expected(findings: Findings, history: Shown) -> bool:
    shoulds = [finding.should for finding in history.findings]
    return (
        findings_of(findings) == history.findings
        and findings.power == history.power
        and sum(findings.counts.values()) == shoulds.count(False)
        and sum(findings.shoulds.values()) == shoulds.count(True)
    )
