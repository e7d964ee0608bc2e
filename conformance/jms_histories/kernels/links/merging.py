"""Adding up what was found in several buckets, in any order and any grouping."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from jms_histories.columns import Columns, Findings, Ints, Mask, concatenate, length, take
from jms_histories.kernels.arrays.segments import begins, largest, least, order_by, sums
from jms_histories.kernels.collecting import CAP, no_findings, no_rows, smallest
from jms_histories.kernels.links.partials import CELL, SCOPE, MessagePartials, SessionPartials


def merge_findings(parts: Iterable[Findings], most: int = CAP) -> Findings:
    """All findings of several buckets; of each check the smallest rows, at most so many."""
    parts = list(parts)
    rows = concatenate([no_rows(), *(part.rows for part in parts)])
    checks = np.unique(rows["check"])
    kept = [smallest(take(rows, rows["check"] == check), most) for check in checks]

    def added(numbers: Iterable[dict[str, int]]) -> dict[str, int]:
        total: Counter[str] = Counter()
        for number in numbers:
            total.update(number)
        return dict(sorted(total.items()))

    return Findings(
        rows=concatenate([no_rows(), *kept]),
        counts=added(part.counts for part in parts),
        shoulds=added(part.shoulds for part in parts),
        power=added(part.power for part in parts),
    )


def merge_messages(parts: Sequence[MessagePartials], most: int = CAP) -> MessagePartials:
    """The partials of all messages of several sets, which have no message in common."""
    parts = [MessagePartials(no_findings()), *parts]
    return MessagePartials(
        findings=merge_findings((part.findings for part in parts), most),
        skippable=sum(part.skippable for part in parts),
        lost=_sorted([part.lost for part in parts], "uid", "sub"),
        transactions=_add_up(
            [part.transactions for part in parts], ("tx", "sub"), ("pairs", "visible"), ("missing",)
        ),
        identities=_sorted([part.identities for part in parts], "mid64", "uid"),
        kept=_add_up([part.kept for part in parts], ("sub",), ("owed", "kept")),
        inputs=_sorted([part.inputs for part in parts], "uid", "sub"),
        outputs=_add_up([part.outputs for part in parts], ("cause",), ("outputs", "visible")),
    )


def merge_sessions(parts: Sequence[SessionPartials], most: int = CAP) -> SessionPartials:
    """The partials of all sessions of several sets, which have no session in common."""
    parts = [SessionPartials(no_findings()), *parts]
    return SessionPartials(
        findings=merge_findings((part.findings for part in parts), most),
        scopes=_sorted([part.scopes for part in parts], *SCOPE),
        cells=merge_cells([part.cells for part in parts]),
    )


def merge_cells(parts: Sequence[Columns]) -> Columns:
    """The cells of groups, each once."""
    cells = _sorted(parts, *CELL)
    first = begins(*(cells[name] for name in CELL))
    if first.all():
        return cells
    result = {name: cells[name][first] for name in CELL}
    for name in ("rows", "calm"):
        result[name] = sums(cells[name], first)
    for name in ("t_first", "gseq_least", "calm_t"):
        result[name] = least(cells[name], first)
    for name in ("t_last", "gseq_most"):
        result[name] = largest(cells[name], first)
    for prefix, value in (("least", "gseq_least"), ("calm", "calm_t")):
        at = _leader(cells, value, prefix)
        for name in ("session", "ridx", "uid", "faulted"):
            result[f"{prefix}_{name}"] = cells[f"{prefix}_{name}"][at]
    return {name: result[name].astype(values.dtype) for name, values in cells.items()}


def _leader(cells: Columns, value: str, prefix: str) -> Ints:
    """Of each cell, in order, the row with the least value, then session and ridx."""
    keys = (*CELL, value, f"{prefix}_session", f"{prefix}_ridx")
    order = order_by(*(cells[name] for name in keys))
    first: Mask = begins(*(cells[name][order] for name in CELL))
    return order[first]


def _sorted(parts: Sequence[Columns], *keys: str) -> Columns:
    rows = concatenate(list(parts))
    return take(rows, order_by(*(rows[name] for name in keys)))


def _add_up(
    parts: Sequence[Columns],
    keys: tuple[str, ...],
    summed: tuple[str, ...],
    lowest: tuple[str, ...] = (),
) -> Columns:
    """One row for each combination of keys, in order, with sums and least values."""
    rows = _sorted(parts, *keys)
    first = begins(*(rows[name] for name in keys))
    if length(rows) == np.count_nonzero(first):
        return rows
    result = {name: rows[name][first] for name in keys}
    result |= {name: sums(rows[name], first) for name in summed}
    result |= {name: least(rows[name], first) for name in lowest}
    return {name: result[name].astype(values.dtype) for name, values in rows.items()}


def restricted(findings: Findings, checks: Collection[str]) -> Findings:
    """The findings of some checks only."""
    return Findings(
        rows=take(findings.rows, np.isin(findings.rows["check"], list(checks))),
        counts={check: count for check, count in findings.counts.items() if check in checks},
        shoulds={check: count for check, count in findings.shoulds.items() if check in checks},
        power={check: power for check, power in findings.power.items() if check in checks},
    )
