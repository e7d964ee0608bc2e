"""The exact kernel over whole messages: every send and delivery of a set of uids, in any order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from jms_histories.columns import Columns, HistoryTables
from jms_histories.kernels.collecting import Collector
from jms_histories.kernels.links.partials import MessagePartials
from jms_histories.kernels.messages.arrivals import judge_arrivals
from jms_histories.kernels.messages.dead_letters import judge_dead_letters
from jms_histories.kernels.messages.digests import judge_digests
from jms_histories.kernels.messages.index import Messages
from jms_histories.kernels.messages.obligated import judge_obligations
from jms_histories.kernels.messages.repeats import judge_repeats

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "send": (
        *("uid", "dest", "key", "priority", "mode", "t_inv", "t_ok", "deliver_at", "expire_at"),
        *("fate", "tx", "t_visible", "body64", "head64", "mid64", "cause", "match"),
    ),
    "delivery": (
        *("session", "ridx", "consumer", "sub", "uid", "priority", "mode", "expire_at", "t_sent"),
        *("t_enter", "redelivered", "count", "settle", "s_out", "s_inv", "s_ok", "intact"),
        *("body64", "head64"),
    ),
}
"""The columns of each table that whole messages are judged and described by."""
_NEEDED_BY: Final = dict.fromkeys(("body64", "head64"), ("D13", "D14")) | {"mid64": ("D27",)}


def columns_of(table: str, spec: HistoryTables) -> list[str]:
    """Those of COLUMNS that the checks to be judged need."""
    return spec.without(COLUMNS[table], _NEEDED_BY)


def judge_messages(sends: Columns, deliveries: Columns, spec: HistoryTables) -> MessagePartials:
    """Judge D01 to D08, D11, D13, D14, D18, D19, D21, D24 to D26 (docs/volume.md) of some messages.

    sends and deliveries have `columns_of`, in the types of `history.schema`, and hold all
    rows of each message in them. What D10, D17, D27, D28 and D31 need besides is in the result.
    """
    messages = Messages.of(sends, deliveries, spec)
    collector = Collector()
    if spec.judges("D13", "D14"):
        judge_digests(messages, collector)
    judge_repeats(messages, collector)
    judge_arrivals(messages, collector)
    judge_dead_letters(messages, collector)
    result = judge_obligations(messages, collector)
    result.findings = collector.findings()
    return result
