"""D24 to D26: what went to a dead-letter queue, and what should have."""

from __future__ import annotations

import numpy as np

from jms_histories.kernels.collecting import Collector
from jms_histories.kernels.messages.index import Messages
from jms_histories.kernels.predicates.obligations import survives
from jms_histories.kernels.predicates.rows import done, unsure


def judge_dead_letters(messages: Messages, collector: Collector) -> None:
    """Compare the copies in dead-letter queues with the deliveries that led to them."""
    _judge_present(messages, collector)
    _judge_missing(messages, collector)


def _judge_present(messages: Messages, collector: Collector) -> None:
    pairs, copies, deliveries = messages.rows, messages.copies, messages.deliveries
    collector.judged("D24", len(copies))
    collector.judged("D26", len(copies))
    if not len(copies):
        return
    subs = -1 - copies.sub.astype(np.int64)
    met = np.logical_or.reduceat(messages.faulted(copies, np.arange(len(copies.at))), copies.head)
    origin = pairs.places(copies.uid, subs)
    count = np.append(pairs.size, 0)[origin]
    limit = messages.subscriptions.column("max_deliveries", subs)
    early = (limit < 0) | (count < limit)
    collector.add(
        "D24", copies.uid[early], copies.sub[early], count[early], limit[early], met[early]
    )

    chosen = np.zeros(len(pairs), np.bool_)
    chosen[origin[origin >= 0]] = True
    places = pairs.rows_of(chosen)
    owner = np.flatnonzero(chosen)
    rows = {name: deliveries[name][pairs.at[places]] for name in ("settle", "s_out")}
    ended = done(rows)
    of_row = np.searchsorted(owner, pairs.of_rows()[places][ended])
    total, faulted = np.zeros(len(pairs), np.int64), np.zeros(len(pairs), np.bool_)
    total[owner] = np.bincount(of_row, minlength=len(owner))
    faulted[owner[of_row[messages.faulted(pairs, places[ended])]]] = True
    finished = np.append(total, 0)[origin]
    should = met | np.append(faulted, False)[origin]
    at = finished > 0
    collector.add("D26", copies.uid[at], copies.sub[at], finished[at], copies.size[at], should[at])


def _judge_missing(messages: Messages, collector: Collector) -> None:
    pairs, deliveries = messages.rows, messages.deliveries
    at = messages.subscriptions.at(
        messages.subscriptions.rows(pairs.sub), "max_deliveries", "t_drained", "t_dlq_drained"
    )
    limit = at["max_deliveries"]
    last = pairs.at[pairs.last]
    ended = np.maximum(deliveries["t_enter"][last], deliveries["s_inv"][last])
    failed = (limit >= 0) & (pairs.size >= limit)
    failed &= (at["t_drained"] >= ended) & (at["t_dlq_drained"] >= 0)
    places = pairs.rows_of(failed)
    names = ("settle", "s_out", "expire_at", "mode", "t_sent")
    rows = {name: deliveries[name][pairs.at[places]] for name in names}
    excused = done(rows) | unsure(rows) | (rows["expire_at"] != -1)
    of_row = pairs.of_rows()[places]
    until = at["t_drained"][of_row]
    excused |= ~survives(rows["mode"], rows["t_sent"], until, messages.faults)
    failed[of_row[excused]] = False
    collector.judged("D25", np.count_nonzero(failed))
    chosen = np.flatnonzero(failed)
    absent = messages.copies.places(pairs.uid[chosen], -1 - pairs.sub[chosen].astype(np.int64)) < 0
    chosen = chosen[absent]
    collector.add("D25", pairs.uid[chosen], pairs.sub[chosen], pairs.size[chosen], limit[chosen])
