"""D05 to D08, D11, D21: further deliveries of a message to the same subscription."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, Ints, Mask, take
from jms_histories.kernels.arrays.segments import (
    GREATEST,
    begins,
    count_before,
    max_before,
    min_before,
    order_by,
    ranks,
    sums,
)
from jms_histories.kernels.arrays.timelines import Timeline
from jms_histories.kernels.collecting import Collector
from jms_histories.kernels.messages.index import Messages
from jms_histories.kernels.predicates.rows import finished
from jms_histories.values import Event, Settle, SettlementOutcome


def ends_of_ownership(deliveries: Columns, events: Columns) -> Ints:
    """When each delivery stopped being its consumer's; GREATEST: never (D07)."""
    result = deliveries["s_inv"].astype(np.int64)
    unsettled = np.flatnonzero(result < 0)
    kind = events["event"]
    t_enter = deliveries["t_enter"][unsettled]
    end = np.full(len(unsettled), GREATEST)
    for chosen, member, name in (
        ((kind == Event.CLOSE) | (kind == Event.KILLED), "session", "session"),
        (kind == Event.CONSUMER_CLOSE, "consumer", "arg"),
    ):
        line = Timeline.of(events[name][chosen], events["t"][chosen])
        members = deliveries[member][unsettled]
        end = np.minimum(end, line.time(line.since(members, t_enter), members))
    result[unsettled] = end
    return result


def judge_repeats(messages: Messages, collector: Collector) -> None:
    """Judge what a pair with several deliveries shows, and the count of every delivery."""
    pairs, deliveries = messages.rows, messages.deliveries
    many = pairs.size > 1
    places = pairs.rows_of(many)
    names = ("uid", "sub", "session", "consumer", "t_enter", "t_sent", "settle", "s_out", "s_inv")
    chosen = pairs.at[places]
    rows = {name: deliveries[name][chosen] for name in (*names, "s_ok", "count", "redelivered")}
    first = pairs.first[places]
    k = ranks(first)
    again = ~first

    def faulted(at: NDArray[Any]) -> Mask:
        return messages.faults.faulted(rows, at)

    def report(check: str, at: Ints, a: NDArray[Any], b: NDArray[Any]) -> None:
        collector.add(check, rows["uid"][at], rows["sub"][at], a[at], b[at], faulted(at))

    repeats = int(np.count_nonzero(again))
    fin = finished(rows)
    earliest = min_before(np.where(fin, rows["s_ok"], GREATEST), first)
    report("D05", np.flatnonzero(earliest < rows["t_enter"]), rows["t_enter"], earliest)

    collector.judged("D06", repeats)
    report("D06", np.flatnonzero(again & ~rows["redelivered"]), k, rows["count"])

    owned = max_before(ends_of_ownership(rows, messages.spec.events), first)
    collector.judged("D07", repeats)
    report("D07", np.flatnonzero(again & (rows["t_enter"] < owned)), rows["t_enter"], owned)

    _judge_finished_twice(messages, rows, first, fin, collector)
    _judge_counts(messages, many, rows, k, collector)
    _judge_acknowledged_together(messages, rows, first, collector)


def _judge_finished_twice(
    messages: Messages, rows: Columns, first: Mask, fin: Mask, collector: Collector
) -> None:
    pairs = messages.rows
    heads = pairs.at[pairs.head[pairs.size == 1]]
    single = take({name: messages.deliveries[name] for name in ("settle", "s_out")}, heads)
    at = np.flatnonzero(first)
    total = sums(fin, first)
    ended = int(np.count_nonzero(finished(single)) + np.count_nonzero(total))
    collector.judged("D05", ended)
    collector.judged("D08", ended)
    twice = total > 1
    if twice.any():
        met = messages.faults.meet(rows["t_sent"], rows["t_enter"])
        second = np.flatnonzero(fin & (count_before(fin, first) == 1))
        collector.add(
            "D08",
            rows["uid"][at[twice]],
            rows["sub"][at[twice]],
            total[twice],
            rows["t_enter"][second],
            np.logical_or.reduceat(met, at)[twice],
        )


def _judge_counts(
    messages: Messages, many: Mask, rows: Columns, k: Ints, collector: Collector
) -> None:
    pairs, deliveries = messages.rows, messages.deliveries
    single = pairs.at[pairs.head[~many]]
    count = deliveries["count"][single]
    told = np.count_nonzero(count != -1) + np.count_nonzero(rows["count"] != -1)
    collector.judged("D11", int(told))
    wrong = single[(count != -1) & (count != 1)]
    collector.add(
        "D11",
        deliveries["uid"][wrong],
        deliveries["sub"][wrong],
        deliveries["count"][wrong],
        np.ones(len(wrong), np.int64),
        messages.faults.faulted(deliveries, wrong),
    )
    at = np.flatnonzero((rows["count"] != -1) & (rows["count"] != k))
    should = messages.faults.faulted(rows, at)
    collector.add("D11", rows["uid"][at], rows["sub"][at], rows["count"][at], k[at], should)


def _judge_acknowledged_together(
    messages: Messages, rows: Columns, first: Mask, collector: Collector
) -> None:
    """D21: D05 within one session, by acknowledge() of CLIENT_ACKNOWLEDGE alone.

    Its power is counted with the rows of the sessions.
    """
    client = (rows["settle"] == Settle.CLIENT_ACK) & (rows["s_out"] == SettlementOutcome.OK)
    pair = np.cumsum(first, dtype=np.int64)
    order = order_by(pair, rows["session"])
    rows, pair, client = take(rows, order), pair[order], client[order]
    first = begins(pair, rows["session"])
    collector.judged("D21", 0)
    earliest = min_before(np.where(client, rows["s_ok"], GREATEST), first)
    at = np.flatnonzero(earliest < rows["t_enter"])
    collector.add(
        "D21",
        rows["uid"][at],
        rows["sub"][at],
        rows["t_enter"][at],
        earliest[at],
        messages.faults.faulted(rows, at),
    )
