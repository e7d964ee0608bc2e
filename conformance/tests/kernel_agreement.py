"""Whether the kernels, as they are imported now, agree with the oracle about a history."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np
from screened_plan import judged_screened

from small_histories import findings_of, shuffled
from touchstone.checks.columns import Columns, Findings, take
from touchstone.checks.links.judging import link
from touchstone.checks.links.merging import merge_messages
from touchstone.checks.messages.judging import judge_messages
from touchstone.checks.sessions.judging import judge_sessions
from touchstone.checks.whole import judge

if TYPE_CHECKING:
    from kernel_mutants import Shown

MOST = 2
EACH = 5
"""So many histories are judged whole for one that is also judged in buckets."""


def agrees(history: Shown, *, screening: bool) -> bool:
    """Whether all findings, counts and powers are those of the oracle.

    The history is judged whole, some also in buckets, or by screening if that is asked for; what
    is capped keeps the smallest findings.
    """
    random = Random(history.seed)
    if screening:
        found, _ = judged_screened(history.sends, history.deliveries, history.spec, random)
        return _as_expected(found, history)
    whole = judge(history.sends, history.deliveries, history.spec)
    if not _as_expected(whole, history):
        return False
    if history.seed % EACH:
        return True
    sends, deliveries = shuffled(history.sends, random), shuffled(history.deliveries, random)
    messages = [
        judge_messages(take(sends, mine), take(deliveries, theirs), history.spec)
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
    checks = sorted({finding.check for finding in every})
    return capped == [
        finding
        for check in checks
        for finding in [one for one in every if one.check == check][:MOST]
    ]


def _dealt(rows: Columns, name: str) -> list[np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    return [rows[name] % 3 == bucket for bucket in range(3)]


def _as_expected(found: Findings, history: Shown) -> bool:
    shoulds = [finding.should for finding in history.findings]
    return (
        findings_of(found) == history.findings
        and found.power == history.power
        and sum(found.counts.values()) == shoulds.count(False)
        and sum(found.shoulds.values()) == shoulds.count(True)
    )
