"""D02, D03, D04, D18, D19: what was delivered, beside its send and its subscription."""

from __future__ import annotations

import numpy as np

from jms_histories.columns import Columns, Ints, concatenate, take
from jms_histories.kernels.arrays.segments import sums
from jms_histories.kernels.collecting import Collector
from jms_histories.kernels.messages.index import Messages, Pairs
from jms_histories.kernels.predicates.obligations import drained, hi, survives
from jms_histories.kernels.predicates.rows import done, knowable, returned, unsure
from jms_histories.values import SendFate


def judge_arrivals(messages: Messages, collector: Collector) -> None:
    """Judge what was never sent, never to be seen, sent elsewhere, seen early, or forgotten."""
    seen = concatenate([_first_of(messages, pairs) for pairs in (messages.rows, messages.copies)])
    _judge_unsent(messages, seen, collector)
    _judge_misdirected(messages, collector)
    _judge_forgotten(messages, collector)


def _first_of(messages: Messages, pairs: Pairs) -> Columns:
    return {
        "uid": pairs.uid,
        "sub": pairs.sub,
        "t_enter": messages.deliveries["t_enter"][pairs.at[pairs.head]],
        "rows": pairs.size,
        "send": pairs.send,
    }


def _judge_unsent(messages: Messages, seen: Columns, collector: Collector) -> None:
    unknown = np.flatnonzero(seen["send"] < 0)
    told = knowable(seen["uid"][unknown], messages.spec.truncated)
    phantom = take(seen, unknown[told])
    collector.judged("D02", len(seen["uid"]) - len(unknown) + int(np.count_nonzero(told)))
    collector.add("D02", phantom["uid"], phantom["sub"], phantom["t_enter"], phantom["rows"])

    never = messages.sends["fate"] == SendFate.NEVER
    collector.judged("D03", np.count_nonzero(never))
    aborted = take(seen, np.append(never, False)[seen["send"]])
    collector.add("D03", aborted["uid"], aborted["sub"], aborted["t_enter"], aborted["rows"])


def _columns_at(sends: Columns, at: Ints, *names: str) -> Columns:
    return {name: sends[name][at] for name in names}


def _judge_misdirected(messages: Messages, collector: Collector) -> None:
    pairs, subscriptions = messages.rows, messages.subscriptions
    known = np.flatnonzero(pairs.send >= 0)
    send = pairs.send[known]
    first_entered = messages.deliveries["t_enter"][pairs.at[pairs.head[known]]]

    sends = _columns_at(messages.sends, send, "fate", "match", "dest", "t_inv", "t_ok")
    owner = subscriptions.rows(pairs.sub[known])
    allowed = hi(sends, subscriptions.at(owner, "dest", "bit", "t_from", "t_to"))
    at = np.flatnonzero(~allowed & (sends["fate"] != SendFate.NEVER))
    collector.judged("D04", len(known))
    collector.add(
        "D04", pairs.uid[known[at]], pairs.sub[known[at]], first_entered[at], sends["t_inv"][at]
    )

    visible = np.where(messages.sends["tx"] >= 0, messages.sends["t_visible"], -1)[send]
    collector.judged("D18", np.count_nonzero(visible >= 0))
    at = np.flatnonzero(first_entered < visible)
    collector.add("D18", pairs.uid[known[at]], pairs.sub[known[at]], first_entered[at], visible[at])


def _judge_forgotten(messages: Messages, collector: Collector) -> None:
    pairs, deliveries, sends = messages.rows, messages.deliveries, messages.sends
    rows = _columns_at(deliveries, pairs.at, "settle", "s_out")
    ended = sums(done(rows), pairs.first) > 0
    back = sums(returned(rows["settle"]), pairs.first) > 0
    told = sums(unsure(rows), pairs.first) == 0
    chosen = np.flatnonzero(back & told & (pairs.send >= 0))
    send = _columns_at(sends, pairs.send[chosen], "fate", "expire_at", "mode", "t_inv")
    at = messages.subscriptions.at(
        messages.subscriptions.rows(pairs.sub[chosen]),
        "t_drained",
        "t_dlq_drained",
        "max_deliveries",
    )
    owed = (
        (send["fate"] != SendFate.NEVER)
        & (send["expire_at"] == -1)
        & (at["t_drained"] >= 0)
        & drained(at)
        & survives(send["mode"], send["t_inv"], at["t_drained"], messages.faults)
    )
    collector.judged("D19", np.count_nonzero(owed))
    chosen, until = chosen[owed], at["t_drained"][owed]
    last = pairs.at[pairs.last[chosen]]
    s_inv = deliveries["s_inv"][last]
    lost = returned(deliveries["settle"][last]) & (s_inv <= until)
    lost &= messages.copies.places(pairs.uid[chosen], -1 - pairs.sub[chosen]) < 0
    lost &= ~ended[chosen]
    chosen = chosen[lost]
    collector.add("D19", pairs.uid[chosen], pairs.sub[chosen], pairs.size[chosen], s_inv[lost])
