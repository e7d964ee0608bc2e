"""What the evidence of a finding points at: other messages, other deliveries, events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from jms_histories.columns import Columns, HistoryTables, Ints, Mask, length, take
from jms_histories.kernels.arrays.segments import GREATEST, order_by
from jms_histories.kernels.predicates.groups import Epochs
from jms_histories.kernels.predicates.rows import fresh
from jms_histories.values import SEQUENCE_BITS, Event, FaultKind

Finding = Mapping[str, Any]
"""check, uid, sub, a, b, should."""

ALWAYS_SHOULD: Final = ("D16", "D28")
"""Checks whose findings are shoulds without any fault."""


def compared_uids(finding: Finding) -> Iterable[int]:
    """The finding's message, and those that its evidence names."""
    check, uid, a, b = (finding[name] for name in ("check", "uid", "a", "b"))
    if check == "D28":
        return ()
    first = uid >> SEQUENCE_BITS << SEQUENCE_BITS
    others = {"D09": (first + b,), "D10": (first + a, first + b), "D27": (b,), "D30": (a,)}
    return uid, *others.get(check, ())


def compared_rows(finding: Finding, own: Columns, rows: Columns, epochs: Epochs) -> Mask:
    """Which deliveries its evidence names by a time, a consumer or a place in a group.

    own are the deliveries of the finding's message to its subscription.
    """
    check, sub, a, b = (finding[name] for name in ("check", "sub", "a", "b"))
    if check == "D20":
        return np.asarray(rows["t_exit"] == b)
    if check == "D32":
        return np.asarray((rows["t_enter"] == b) & (rows["sub"] == sub) & fresh(rows))
    if check not in ("D22", "D23"):
        return np.zeros(length(rows), np.bool_)
    own = take(own, fresh(own) & (own["sub"] == sub))
    of_group = fresh(rows) & (rows["sub"] == sub) & np.isin(rows["key"], own["key"])
    if check == "D23":
        return np.asarray(of_group & (rows["gseq"] == b))
    return _first_of_epochs(own, rows, epochs, of_group & (rows["consumer"] == a))


def _first_of_epochs(own: Columns, rows: Columns, epochs: Epochs, chosen: Mask) -> Mask:
    """D22: of the chosen rows the first one of the key and epoch of each of the message's."""
    at = np.flatnonzero(chosen)
    at = at[order_by(*(rows[name][at] for name in ("t_enter", "session", "ridx")))]
    sub, sent, key = (rows[name][at] for name in ("sub", "t_sent", "key"))
    calm = rows["t_enter"][at] < epochs.end(sub, sent)
    epoch = epochs.number(sub, sent)
    result = np.zeros(len(chosen), np.bool_)
    of_own = epochs.number(own["sub"], own["t_sent"])
    for own_key, own_epoch in zip(own["key"].tolist(), of_own.tolist(), strict=True):
        result[at[calm & (key == own_key) & (epoch == own_epoch)][:1]] = True
    return result


def events_of(finding: Finding, deliveries: Columns, spec: HistoryTables) -> Ints:
    """The indices of the events that a finding rests on, in the order of time."""
    events = spec.events
    check, b = finding["check"], finding["b"]
    kinds = {
        "D07": (Event.CLOSE, Event.KILLED, Event.CONSUMER_CLOSE),
        "D29": (Event.STOP,),
        "D30": (Event.RECOVER,),
    }
    chosen = np.isin(events["event"], kinds.get(check, ())) & (events["t"] == b)
    of_consumer = np.isin(events["event"], (Event.CONSUMER_OPEN, Event.CONSUMER_CLOSE))
    chosen &= np.where(
        of_consumer,
        np.isin(events["arg"], deliveries["consumer"]),
        np.isin(events["session"], deliveries["session"]),
    )
    if finding["should"] and check not in ALWAYS_SHOULD:
        chosen |= _faults(finding, deliveries, events)
    at = np.flatnonzero(chosen)
    return at[order_by(events["t"][at])]


def _faults(finding: Finding, deliveries: Columns, events: Columns) -> Mask:
    """The begins and ends of the faults that may excuse the finding's message.

    A record that is cut excuses D23 whenever that was.
    """
    result = np.zeros(length(events), np.bool_)
    mine = deliveries["uid"] == finding["uid"]
    if not mine.any():
        return result
    since, until = deliveries["t_sent"][mine].min(), deliveries["t_enter"][mine].max()
    is_begin, is_end = events["event"] == Event.FAULT_BEGIN, events["event"] == Event.FAULT_END
    for kind in np.unique(events["arg"][is_begin]):
        latest = GREATEST if finding["check"] == "D23" and kind == FaultKind.LOST_RECORD else until
        begins = np.flatnonzero(is_begin & (events["arg"] == kind) & (events["t"] <= latest))
        ends = np.flatnonzero(is_end & (events["arg"] == kind))
        for begin in begins.tolist():
            after = ends[events["t"][ends] >= events["t"][begin]]
            end = after[np.argsort(events["t"][after], kind="stable")[:1]]
            if not len(end) or events["t"][end[0]] >= since:
                result[begin] = True
                result[end] = True
    return result
