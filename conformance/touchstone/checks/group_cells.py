"""What D22 and D23 need, and D23 within a consumer: messages of a group, by epoch and consumer."""

from __future__ import annotations

import numpy as np

from touchstone.checks.collecting import Collector
from touchstone.checks.columns import Columns, Ints, Mask, Spec, take
from touchstone.checks.fault_windows import FaultWindows
from touchstone.checks.groups import Epochs
from touchstone.checks.partials import CELLS
from touchstone.checks.rows import fresh
from touchstone.checks.segments import GREATEST, begins, largest, least, max_before, order_by, sums
from touchstone.checks.subscriptions import Subscriptions

CELL = ("sub", "key", "epoch", "consumer")
"""What makes a cell."""


def judge_cells(
    rows: Columns,
    spec: Spec,
    subscriptions: Subscriptions,
    faults: FaultWindows,
    found: Collector,
) -> Columns:
    """Judge whole sessions, whose rows are sorted by session and ridx; returns their cells."""
    chosen = fresh(rows) & (rows["key"] >= 0) & (rows["gseq"] >= 0) & (rows["deliver_at"] == -1)
    chosen &= subscriptions.column("grouped", rows["sub"])
    names = ("session", "ridx", "consumer", "sub", "uid", "key", "gseq", "t_sent", "t_enter")
    rows = take({name: rows[name] for name in names}, np.flatnonzero(chosen))
    found.judged("D23", 0)
    if not len(rows["uid"]):
        return CELLS
    _within(rows, faults, found)
    return cells(rows, Epochs.of(spec), faults)


def _within(rows: Columns, faults: FaultWindows, found: Collector) -> None:
    owner = ("session", "consumer", "sub", "key")
    rows = take(rows, order_by(*(rows[name] for name in owner)))
    before = max_before(rows["gseq"], begins(*(rows[name] for name in owner)))
    at = np.flatnonzero(rows["gseq"] < before)
    should = faults.faulted(rows, at)
    found.add("D23", rows["uid"][at], rows["sub"][at], rows["gseq"][at], before[at], should)


def cells(rows: Columns, epochs: Epochs, faults: FaultWindows) -> Columns:
    """The cells of rows of groups, which are sorted by session and ridx."""
    rows["epoch"] = epochs.number(rows["sub"], rows["t_sent"])
    calm = rows["t_enter"] < epochs.end(rows["sub"], rows["t_sent"])
    order = order_by(*(rows[name] for name in CELL))
    rows, calm = take(rows, order), calm[order]
    first = begins(*(rows[name] for name in CELL))
    cell = {name: rows[name][first] for name in CELL}
    cell["rows"] = sums(np.ones(len(first), np.int64), first)
    cell["t_first"], cell["t_last"] = least(rows["t_enter"], first), largest(rows["t_enter"], first)
    cell["gseq_most"], cell["gseq_least"] = largest(rows["gseq"], first), least(rows["gseq"], first)
    number = np.cumsum(first) - 1
    at = _first_where(rows["gseq"] == cell["gseq_least"][number], first)
    _describe(cell, "least", rows, at, faults)

    entered = np.where(calm, rows["t_enter"], GREATEST)
    cell["calm"], cell["calm_t"] = sums(calm, first), least(entered, first)
    at = _first_where(calm & (entered == cell["calm_t"][number]), first)
    _describe(cell, "calm", rows, at, faults)
    return {name: cell[name].astype(kind.dtype) for name, kind in CELLS.items()}


def _first_where(chosen: Mask, first: Mask) -> Ints:
    """For each segment its first chosen row, or the number of rows."""
    return least(np.where(chosen, np.arange(len(chosen)), len(chosen)), first)


def _describe(cell: Columns, prefix: str, rows: Columns, at: Ints, faults: FaultWindows) -> None:
    for name in ("session", "ridx", "uid"):
        cell[f"{prefix}_{name}"] = np.append(rows[name], -1)[at]
    known = at < len(rows["uid"])
    cell[f"{prefix}_faulted"] = known & faults.faulted(rows, np.where(known, at, 0))
