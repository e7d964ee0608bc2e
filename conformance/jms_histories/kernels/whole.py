"""All 33 checks, exactly, on one history in memory."""

from __future__ import annotations

from collections.abc import Collection

from jms_histories.columns import Columns, Findings, HistoryTables
from jms_histories.definitions import CHECKS
from jms_histories.kernels.links.judging import link
from jms_histories.kernels.links.merging import restricted
from jms_histories.kernels.messages.judging import judge_messages
from jms_histories.kernels.sessions.judging import judge_sessions


def judge(
    sends: Columns, deliveries: Columns, spec: HistoryTables, checks: Collection[str] | None = None
) -> Findings:
    """What is wrong with a history, by docs/volume.md; rows come in any order.

    checks are the ids to look at, all unless given. Raises KeyError for an id that is none.
    """
    chosen = sorted(CHECKS[check].id for check in (CHECKS if checks is None else checks))
    messages, sessions = judge_messages(sends, deliveries, spec), judge_sessions(deliveries, spec)
    return restricted(link([messages], [sessions], spec), chosen)
