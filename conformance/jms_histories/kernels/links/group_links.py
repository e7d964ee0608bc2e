"""D22 and D23 between consumers, from the cells of all sessions."""

from __future__ import annotations

import numpy as np

from jms_histories.columns import Columns, Ints, Mask, length, take
from jms_histories.kernels.arrays.segments import LEAST, begins, heads, max_before, order_by, ranks
from jms_histories.kernels.collecting import Collector


def judge_groups(cells: Columns, cut: bool, collector: Collector) -> None:
    """Judge cells, each of which is there once; cut: whether a part of the record is lost."""
    _judge_split(take(cells, cells["calm"] > 0), collector)
    _judge_order_between(cells, cut, collector)


def _judge_split(cells: Columns, collector: Collector) -> None:
    """D22: the cells of a group and epoch but the one that came first."""
    names = ("sub", "key", "epoch")
    keys = (*names, "calm_t", "calm_session", "calm_ridx")
    cells = take(cells, order_by(*(cells[name] for name in keys)))
    first = begins(*(cells[name] for name in names))
    owner = cells["consumer"][heads(first)]
    collector.judged("D22", int(cells["calm"].sum()) - int(np.count_nonzero(first)))
    other = np.flatnonzero(~first)
    collector.add(
        "D22",
        cells["calm_uid"][other],
        cells["sub"][other],
        owner[other],
        cells["consumer"][other],
        cells["calm_faulted"][other],
    )


def _judge_order_between(cells: Columns, cut: bool, collector: Collector) -> None:
    """D23: a cell that begins behind what other consumers had finished before.

    If the record is cut, these may have had more, and not have finished.
    """
    group = np.cumsum(begins(cells["sub"], cells["key"]))
    collector.judged("D23", int(cells["rows"].sum()) - (int(group[-1]) if len(group) else 0))
    count = length(cells)
    # beginnings before endings of the same time: only what ended earlier counts
    both = np.concatenate([group, group])
    time = np.concatenate([cells["t_first"], cells["t_last"]])
    is_end = np.repeat([False, True], count)
    order = order_by(both, time, is_end)
    both, is_end, cell = both[order], is_end[order], np.tile(np.arange(count), 2)[order]
    reached = np.where(is_end, cells["gseq_most"][cell], LEAST)
    before = max_before(reached, begins(both))
    behind = ~is_end & (cells["gseq_least"][cell] < before)
    if not behind.any():
        return
    concerned = np.flatnonzero(np.isin(both, both[behind]))
    both, is_end, cell = both[concerned], is_end[concerned], cell[concerned]
    reached, first = reached[concerned], begins(both)
    owner = np.where(is_end, cells["consumer"][cell], -1)
    before = _largest_of_others(reached, owner, cells["consumer"][cell], first)
    at = np.flatnonzero(~is_end & (cells["gseq_least"][cell] < before))
    chosen = cell[at]
    collector.add(
        "D23",
        cells["least_uid"][chosen],
        cells["sub"][chosen],
        cells["gseq_least"][chosen],
        before[at],
        cells["least_faulted"][chosen] | cut,
    )


def _largest_of_others(values: Ints, owners: Ints, mine: Ints, first: Mask) -> Ints:
    """For each row the largest earlier value of its segment whose owner is not mine, or LEAST."""
    best, best_owner = values.copy(), owners.astype(np.int64)
    second = np.full(len(values), LEAST)
    rank = ranks(first)
    rows = np.flatnonzero(rank > 1)
    step = 1
    while len(rows):
        back = rows - step
        (b, o, s), (pb, po, ps) = ((best[at], best_owner[at], second[at]) for at in (rows, back))
        # of two bests the lesser is second if it is of another owner; no second exceeds its best
        rival = np.where(o == po, LEAST, np.minimum(b, pb))
        best[rows], best_owner[rows] = np.maximum(b, pb), np.where(b < pb, po, o)
        second[rows] = np.maximum(np.maximum(s, ps), rival)
        step *= 2
        rows = rows[rank[rows] > step]
    # the row itself is a beginning, with no value: what is reached so far is what came before
    return np.where(best_owner == mine, second, best)
