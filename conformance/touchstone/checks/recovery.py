"""D30: after recover() a session begins again with the oldest message that it had not finished."""

from __future__ import annotations

import numpy as np

from touchstone.checks.collecting import Collector
from touchstone.checks.columns import Columns, Ints, Mask, take
from touchstone.checks.fault_windows import FaultWindows
from touchstone.checks.segments import (
    GREATEST,
    begins,
    max_before,
    numbers,
    order_by,
    running_max,
)
from touchstone.checks.subscriptions import Subscriptions
from touchstone.checks.timelines import Timeline
from touchstone.history.values import Event


def judge_recovery(
    rows: Columns,
    events: Columns,
    subscriptions: Subscriptions,
    faults: FaultWindows,
    found: Collector,
) -> None:
    """Judge each RECOVER of a session with each of its consumers; rows sorted by session, ridx."""
    found.judged("D30", 0)
    called = events["event"] == Event.RECOVER
    line = Timeline.of(events["session"][called], events["t"][called])
    at = subscriptions.at(subscriptions.rows(rows["sub"]), "exclusive", "max_deliveries")
    judged = at["exclusive"] & (at["max_deliveries"] == -1) & (rows["sub"] >= 0)
    judged &= np.isin(rows["session"], line.groups)
    names = ("session", "consumer", "sub", "uid", "expire_at", "t_sent", "t_enter", "s_inv")
    rows = take({name: rows[name] for name in names}, judged)
    if not len(rows["uid"]):
        return
    rows = take(rows, order_by(rows["session"], rows["consumer"], rows["sub"]))
    first = begins(rows["session"], rows["consumer"], rows["sub"])
    member = rows["session"][first]
    begin = np.searchsorted(line.groups, member, side="left")
    calls = np.searchsorted(line.groups, member, side="right") - begin
    # one place for each call and consumer: those of a consumer are side by side, in time
    shift = np.cumsum(calls) - calls - begin
    total = int(calls.sum())

    oldest = _oldest_open(rows, line, shift[numbers(first)], total)
    following = _next(rows, first, line, shift[numbers(first)], total)
    rows = {name: np.append(values, values[:1]) for name, values in rows.items()}
    judged = (oldest < len(first)) & (following < len(first)) & (rows["expire_at"][oldest] == -1)
    found.judged("D30", np.count_nonzero(judged))
    wrong = np.flatnonzero(judged & (rows["uid"][oldest] != rows["uid"][following]))
    time = line.times[wrong - np.repeat(shift, calls)[wrong]]
    at_row = following[wrong]
    found.add(
        "D30",
        rows["uid"][at_row],
        rows["sub"][at_row],
        rows["uid"][oldest[wrong]],
        time,
        faults.faulted(rows, at_row),
    )


def _oldest_open(rows: Columns, line: Timeline, shift: Ints, total: int) -> Ints:
    """For each place the first row that was open at that call; the number of rows if none was."""
    none = len(shift)
    settled = np.where(rows["s_inv"] == -1, GREATEST, rows["s_inv"])
    low = line.until(rows["session"], rows["t_enter"]) + shift
    high = line.until(rows["session"], settled) + shift
    open_ = np.flatnonzero(high > low)
    low, high = low[open_], high[open_]
    # the least row of overlapping ranges: each range is two whose length is a power of two, and
    # those of one length are halved until they are single places
    level = np.frexp((high - low).astype(np.float64))[1] - 1
    result = np.full(total, none, np.int64)
    for power in range(int(level.max()) if len(level) else 0, -1, -1):
        here = level == power
        np.minimum.at(result, low[here], open_[here])
        np.minimum.at(result, high[here] - (1 << power), open_[here])
        if power:
            half = 1 << (power - 1)
            moved = result[: max(total - half, 0)].copy()
            result[half:] = np.minimum(result[half:], moved)
    return result


def _next(rows: Columns, first: Mask, line: Timeline, shift: Ints, total: int) -> Ints:
    """For each place the first row that came at or after that call; the number of rows if none."""
    reached = running_max(rows["t_enter"], first)
    low = line.until(rows["session"], max_before(rows["t_enter"], first)) + shift
    high = line.until(rows["session"], reached) + shift
    result = np.full(total, len(first), np.int64)
    many = np.maximum(high - low, 0)
    start = np.repeat(low - (np.cumsum(many) - many), many)
    result[start + np.arange(int(many.sum()))] = np.repeat(np.arange(len(first)), many)
    return result
