"""D10, D17, D22, D23, D27, D28, D31: what no message and no session shows alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jms_histories.columns import Columns, Findings, HistoryTables, length, take
from jms_histories.kernels.arrays.segments import begins, find, heads, order_by
from jms_histories.kernels.collecting import Collector
from jms_histories.kernels.links.group_links import judge_groups
from jms_histories.kernels.links.merging import merge_findings, merge_messages, merge_sessions
from jms_histories.kernels.links.partials import MessagePartials, SessionPartials
from jms_histories.kernels.predicates.fault_windows import record_cut
from jms_histories.kernels.predicates.rows import producer, sequence
from jms_histories.values import NO_SUBSCRIPTION

_CHUNK = 4_000_000
"""Rows that a join may make at a time."""


def link(
    messages: Sequence[MessagePartials], sessions: Sequence[SessionPartials], spec: HistoryTables
) -> Findings:
    """All findings of a history from the partials of all its messages and all its sessions."""
    of_messages, of_sessions = merge_messages(messages), merge_sessions(sessions)
    collector = Collector()
    _judge_skipped(of_messages, of_sessions.scopes, collector)
    _judge_torn(of_messages.transactions, collector)
    _judge_identities(of_messages.identities, collector)
    _judge_conserved(of_messages.kept, collector)
    _judge_once_through(of_messages, spec, collector)
    judge_groups(of_sessions.cells, record_cut(spec.events), collector)
    return merge_findings([of_messages.findings, of_sessions.findings, collector.findings()])


def _judge_skipped(messages: MessagePartials, scopes: Columns, collector: Collector) -> None:
    """D10, for so many lost messages at a time that the join with the scopes stays small."""
    collector.judged("D10", messages.skippable)
    lost = messages.lost
    lost = {**lost, "producer": producer(lost["uid"]), "seq": sequence(lost["uid"])}
    keys = ("sub", "producer", "priority", "mode", "key")
    both = {name: np.concatenate([scopes[name], lost[name]]) for name in keys}
    order = order_by(*both.values())
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(begins(*(values[order] for values in both.values())))
    of_scope, of_lost = number[: length(scopes)], number[length(scopes) :]
    by_kind = order_by(of_scope)
    scopes, of_scope = take(scopes, by_kind), of_scope[by_kind]
    low = np.searchsorted(of_scope, of_lost, side="left")
    many = np.searchsorted(of_scope, of_lost, side="right") - low
    batch = (np.cumsum(many) - many) // _CHUNK
    for at in np.split(np.arange(len(batch)), np.flatnonzero(begins(batch))[1:]):
        index = np.repeat(at, many[at])
        start = np.repeat(low[at] - (np.cumsum(many[at]) - many[at]), many[at])
        scope = start + np.arange(len(index))
        seq, least, largest = lost["seq"][index], scopes["least"][scope], scopes["largest"][scope]
        inside = (least < seq) & (seq < largest)
        index, scope = index[inside], scope[inside]
        width = scopes["least"][scope] - scopes["largest"][scope]
        order = order_by(index, width)  # of one width the first: scopes ascend by SCOPE
        index, scope = index[order], scope[order]
        widest = begins(index)
        index, scope = index[widest], scope[widest]
        collector.add(
            "D10",
            lost["uid"][index],
            lost["sub"][index],
            scopes["least"][scope],
            scopes["largest"][scope],
        )


def _judge_torn(rows: Columns, collector: Collector) -> None:
    collector.judged("D17", np.count_nonzero(rows["pairs"] >= 2))
    torn = take(rows, (rows["visible"] > 0) & (rows["visible"] < rows["pairs"]))
    collector.add("D17", torn["missing"], torn["sub"], torn["tx"], torn["visible"])


def _judge_identities(rows: Columns, collector: Collector) -> None:
    collector.judged("D27", length(rows))
    first = begins(rows["mid64"])
    smallest = rows["uid"][heads(first)]
    again = ~first
    collector.add("D27", rows["uid"][again], NO_SUBSCRIPTION, rows["mid64"][again], smallest[again])


def _judge_conserved(rows: Columns, collector: Collector) -> None:
    collector.judged("D28", rows["owed"].sum())
    short = take(rows, rows["kept"] < rows["owed"])
    nobody = np.full(length(short), -1, np.int64)
    collector.add("D28", nobody, short["sub"], short["owed"], short["kept"], should=True)


def _judge_once_through(
    messages: MessagePartials, spec: HistoryTables, collector: Collector
) -> None:
    if np.any(spec.subscriptions["t_drained"] < 0):
        collector.judged("D31", 0)
        return
    inputs, outputs = messages.inputs, messages.outputs
    collector.judged("D31", length(inputs))
    at = find(outputs["cause"], inputs["uid"])
    total, visible = (np.append(outputs[name], 0)[at] for name in ("outputs", "visible"))
    wrong = visible > 1 if spec.truncated else visible != 1
    collector.add("D31", inputs["uid"][wrong], inputs["sub"][wrong], visible[wrong], total[wrong])
