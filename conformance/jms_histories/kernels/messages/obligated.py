"""D01, and what D10, D17, D27, D28 and D31 need: what each subscription is due of the sends."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, Findings, Ints, Mask, concatenate, take
from jms_histories.kernels.arrays.segments import GREATEST, begins, largest, least, order_by, sums
from jms_histories.kernels.collecting import Collector, no_rows
from jms_histories.kernels.links.partials import (
    IDENTITIES,
    INPUTS,
    KEPT,
    LOST,
    OUTPUTS,
    TRANSACTIONS,
    MessagePartials,
)
from jms_histories.kernels.messages.index import Messages, Pairs
from jms_histories.kernels.predicates.obligations import due
from jms_histories.kernels.predicates.rows import done, finished, ordered, scope_key
from jms_histories.values import Ordering, SendFate

_NEEDED = ("dest", "match", "fate", "t_inv", "t_ok", "t_visible", "deliver_at", "expire_at", "mode")


def judge_obligations(messages: Messages, collector: Collector) -> MessagePartials:
    """Find what was lost, and sum up what the links need."""
    pairs, deliveries = messages.rows, messages.deliveries
    settled = {name: deliveries[name][pairs.at] for name in ("settle", "s_out")}
    fin = largest(finished(settled), pairs.first).astype(np.bool_)
    ended = largest(done(settled), pairs.first).astype(np.bool_)
    result = MessagePartials(
        Findings(no_rows(), {}, {}, {}),
        identities=_identities(messages.sends) if messages.spec.judges("D27") else IDENTITIES,
        inputs=_inputs(messages, fin),
        outputs=_outputs(messages),
    )
    tally = _Tally()
    arrived = _BySubscription.of(pairs.sub, pairs.send)
    finished_ = _BySubscription.of(pairs.sub[ended], pairs.send[ended])
    copied = _BySubscription.of(-1 - messages.copies.sub, messages.copies.send)
    collector.judged("D01", 0)
    for row, at in _destinations(messages):
        sub = int(messages.subscriptions.table["sub"][row])
        seen = _mask_of(len(messages.sends["uid"]), arrived.sends(sub), copied.sends(sub))
        kept = _mask_of(len(messages.sends["uid"]), finished_.sends(sub), copied.sends(sub))
        _subscription(messages, row, at, seen[at], kept[at], tally, collector)
    result.skippable = tally.skippable
    result.lost = concatenate([LOST, *tally.lost])
    result.transactions = concatenate([TRANSACTIONS, *tally.transactions])
    result.kept = concatenate([KEPT, *tally.kept])
    return result


@dataclass
class _Tally:
    skippable: int = 0
    lost: list[Columns] = field(default_factory=list)
    transactions: list[Columns] = field(default_factory=list)
    kept: list[Columns] = field(default_factory=list)


@dataclass(frozen=True)
class _BySubscription:
    """Indices of sends by the number of a subscription."""

    numbers: Ints
    indices: Ints

    @classmethod
    def of(cls, subs: NDArray[Any], sends: Ints) -> _BySubscription:
        subs, sends = subs[sends >= 0].astype(np.int64), sends[sends >= 0]
        order = np.argsort(subs, kind="stable")
        return cls(subs[order], sends[order])

    def sends(self, sub: int) -> Ints:
        low, high = np.searchsorted(self.numbers, [sub, sub + 1])
        return self.indices[low:high]


def _mask_of(size: int, *indices: Ints) -> Mask:
    result = np.zeros(size, np.bool_)
    for chosen in indices:
        result[chosen] = True
    return result


def _destinations(messages: Messages) -> list[tuple[int, Any]]:
    """For each subscription whose destination has sends: its row, and the indices of these."""
    dest = messages.sends["dest"]
    table = messages.subscriptions.table["dest"][:-1]
    if not len(dest):
        return []
    if dest.min() == dest.max():
        return [(int(row), slice(None)) for row in np.flatnonzero(table == dest[0])]
    order = np.argsort(dest, kind="stable")
    ascending = dest[order]
    low = np.searchsorted(ascending, table, side="left")
    high = np.searchsorted(ascending, table, side="right")
    return [(int(row), order[low[row] : high[row]]) for row in np.flatnonzero(high > low)]


def _subscription(
    messages: Messages,
    row: int,
    at: Any,
    seen: Mask,
    kept: Mask,
    tally: _Tally,
    collector: Collector,
) -> None:
    """Add what one subscription is due of the sends at some indices."""
    sends = messages.sends
    here = messages.subscriptions.at(row)
    wanted = {name: sends[name][at] for name in _NEEDED}
    to_come = due(wanted, here, messages.faults)
    owed = to_come & (wanted["fate"] == SendFate.MUST)
    count = int(np.count_nonzero(owed))
    collector.judged("D01", count)
    sub = here["sub"]
    if count:
        tally.kept.append(
            {
                "sub": np.array([sub], np.int32),
                "owed": np.array([count], np.int64),
                "kept": np.array([np.count_nonzero(owed & kept)], np.int64),
            }
        )
    lost = owed & ~seen
    uid = sends["uid"][at]
    collector.add("D01", uid[lost], int(sub), wanted["t_inv"][lost], wanted["t_ok"][lost])
    if here["exclusive"] and here["ordering"] != Ordering.NONE:
        key = sends["key"][at]
        in_order = owed & ordered(here["ordering"], key, wanted["deliver_at"])
        tally.skippable += int(np.count_nonzero(in_order))
        skipped = in_order & ~seen
        tally.lost.append(
            {
                "uid": uid[skipped],
                "sub": np.full(np.count_nonzero(skipped), sub, np.int32),
                "key": scope_key(here["ordering"], key[skipped]).astype(np.int32),
                "priority": sends["priority"][at][skipped],
                "mode": wanted["mode"][skipped],
            }
        )
    tx = sends["tx"][at]
    joined = np.flatnonzero(to_come & (tx >= 0))
    if len(joined):
        tally.transactions.append(_transactions(tx[joined], int(sub), seen[joined], uid[joined]))


def _transactions(tx: Ints, sub: int, seen: Mask, uid: Ints) -> Columns:
    order = order_by(tx)
    tx, seen, uid = tx[order], seen[order], uid[order]
    first = begins(tx)
    return {
        "tx": tx[first],
        "sub": np.full(np.count_nonzero(first), sub, np.int32),
        "pairs": sums(np.ones(len(tx), np.int64), first),
        "visible": sums(seen, first),
        "missing": least(np.where(seen, GREATEST, uid), first),
    }


def _identities(sends: Columns) -> Columns:
    named = np.flatnonzero(sends["mid64"] != -1)
    return {"mid64": sends["mid64"][named], "uid": sends["uid"][named]}


def _inputs(messages: Messages, fin: Mask) -> Columns:
    pairs: Pairs = messages.rows
    through = fin & messages.subscriptions.column("through", pairs.sub)
    return concatenate([INPUTS, {"uid": pairs.uid[through], "sub": pairs.sub[through]}])


def _outputs(messages: Messages) -> Columns:
    sends, pairs = messages.sends, messages.rows
    seen = _mask_of(len(sends["uid"]), pairs.send[pairs.send >= 0])
    at = np.flatnonzero(sends["cause"] >= 0)
    at = at[np.argsort(sends["cause"][at], kind="stable")]
    cause = sends["cause"][at]
    first = begins(cause)
    rows = {
        "cause": cause[first],
        "outputs": sums(np.ones(len(cause), np.int64), first),
        "visible": sums(seen[at], first),
    }
    return concatenate([OUTPUTS, take(rows, np.arange(len(rows["cause"])))])
