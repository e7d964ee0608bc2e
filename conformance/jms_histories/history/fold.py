"""Folds what a session recorded into the rows of a history: pure functions over arrays.

docs/volume.md says what the columns mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns
from jms_histories.history.description import MAGIC, UNREADABLE, readable
from jms_histories.history.log import ACKNOWLEDGE, COMMIT, ROLLBACK
from jms_histories.values import Event, Intact, SendFate, Settle, SettlementOutcome

_SETTLES: Final = {
    ACKNOWLEDGE: Settle.CLIENT_ACK,
    Event.RECOVER: Settle.RECOVER,
    COMMIT: Settle.ACK,
    ROLLBACK: Settle.ROLLBACK,
}
_ITSELF: Final = -1
"""Instead of a call: the delivery was settled by itself, or not at all."""
_DESCRIBED: Final = ("dest", "key", "gseq", "priority", "mode", "deliver_at", "expire_at", "t_sent")


@dataclass(frozen=True)
class Events:
    """What one session recorded besides sends and deliveries, in order.

    closing: calls that settled, for good, what was open before: that were successful, and ends of
    transactions whatever came of them. untold: times of calls that settle, of which the outcome is
    not known. cut: later ones may be missing.
    """

    calls: Columns
    closing: NDArray[np.intp]
    ends: NDArray[np.intp]
    untold: NDArray[Any]
    cut: bool


def events(records: NDArray[Any], *, cut: bool) -> Events:
    """The events of a session, from its records."""
    names = ("t_inv", "t_ok", "tx", "upto", "arg", "kind", "outcome")
    calls = {name: np.ascontiguousarray(records[name]) for name in names}
    kind = calls["kind"]
    settles = np.isin(kind, list(_SETTLES))
    ends = np.isin(kind, (COMMIT, ROLLBACK))
    closing = settles & (ends | (calls["outcome"] == SettlementOutcome.OK))
    untold = calls["t_inv"][settles & (calls["outcome"] == SettlementOutcome.INFO)]
    return Events(calls, np.flatnonzero(closing), np.flatnonzero(ends), untold, cut)


def session_rows(session: int, folded: Events) -> Columns:
    """Rows of the session events; a STOP after which a START may be missing is left out."""
    kind = folded.calls["kind"]
    chosen = np.isin(kind, [int(event) for event in Event])
    runs = np.flatnonzero(np.isin(kind, (Event.START, Event.STOP)))
    if folded.cut and len(runs) and kind[runs[-1]] == Event.STOP:
        chosen[runs[-1]] = False
    count = int(chosen.sum())
    return {
        "session": np.full(count, session, np.int32),
        "t": folded.calls["t_inv"][chosen],
        "event": folded.calls["kind"][chosen].astype(np.int8),
        "arg": folded.calls["arg"][chosen],
    }


def transaction_rows(session: int, folded: Events) -> Columns:
    """Rows of the table of transactions: outcome OK committed, FAIL refused or rolled back."""
    ends, calls = folded.ends, folded.calls
    rolled_back = calls["kind"][ends] == ROLLBACK
    return {
        "tx": calls["tx"][ends],
        "session": np.full(len(ends), session, np.int32),
        "t_inv": calls["t_inv"][ends],
        "t_ok": calls["t_ok"][ends],
        "outcome": np.where(
            rolled_back, int(SettlementOutcome.FAIL), calls["outcome"][ends]
        ).astype(np.int8),
    }


def delivery_rows(session: int, first: int, records: NDArray[Any], folded: Events) -> Columns:
    """Rows of deliveries; `first` is the ridx of the first record."""
    raw = records["raw"]
    whole = readable(raw)
    described = whole & (raw["magic"] == MAGIC)
    named = described | (whole & (raw["magic"] == UNREADABLE))
    columns: Columns = {
        "session": np.full(len(records), session, np.int32),
        "ridx": np.arange(first, first + len(records), dtype=np.int64),
        "uid": np.where(named, raw["uid"], -1),
        **{name: np.where(described, raw[name], -1).astype(raw[name].dtype) for name in _DESCRIBED},
        **{
            name: np.ascontiguousarray(records[name])
            for name in ("consumer", "sub", "t_enter", "tx", "count", "body64", "head64")
        },
        "redelivered": records["redelivered"] != 0,
        "intact": _intact(records, raw, described),
    }
    # the process died in the listener: it ended at the latest known time at which it ran
    columns["t_exit"] = np.where(records["t_exit"] < 0, records["t_enter"], records["t_exit"])
    return columns | _settlement(first, records, folded)


def _intact(
    records: NDArray[Any], raw: NDArray[Any], described: NDArray[np.bool_]
) -> NDArray[np.int8]:
    body = described & (raw["body64"] == records["body64"])
    head = described & (raw["head64"] == records["head64"])
    bits = (
        described * int(Intact.DESCRIPTION) + body * int(Intact.BODY) + head * int(Intact.HEADERS)
    )
    intact: NDArray[np.int8] = bits.astype(np.int8)
    return intact


def _settlement(first: int, records: NDArray[Any], folded: Events) -> Columns:
    """How each delivery was settled.

    By itself, or by the first call that closes it, whichever was earlier; else, by the last call
    that covered it without closing it, or by itself without success; else not at all. But what may
    have been acknowledged was not given back for sure: see `_settled_by_uncertain_ack`.
    """
    ridx = np.arange(first, first + len(records))
    calls = folded.calls
    alone = records["settle"] != Settle.NONE
    done = alone & (records["s_out"] == SettlementOutcome.OK)
    s_inv = np.where(alone, records["s_inv"], -1)
    chosen = np.full(len(records), _ITSELF)

    covering = np.flatnonzero(np.isin(calls["kind"], list(_SETTLES)))
    if len(covering):
        last = covering[-1]
        rows = (calls["upto"][last] > ridx) & ~(alone & (s_inv >= calls["t_inv"][last]))
        chosen[rows & ~done] = last
    if len(folded.closing):
        at = np.searchsorted(calls["upto"][folded.closing], ridx, side="right")
        rows = at < len(folded.closing)
        closer = folded.closing[np.minimum(at, len(folded.closing) - 1)]
        rows &= ~(done & (s_inv <= calls["t_inv"][closer]))
        chosen[rows] = closer[rows]
    chosen = _settled_by_uncertain_ack(chosen, ridx, records, calls)

    by_call = chosen != _ITSELF
    call = chosen[by_call]
    settle = records["settle"].astype(np.int8)
    s_out = np.where(alone, records["s_out"], int(SettlementOutcome.NONE)).astype(np.int8)
    s_ok = np.where(alone, records["s_ok"], -1)
    settle[by_call] = _settle_of(calls["kind"])[call]
    s_out[by_call] = calls["outcome"][call]
    s_inv[by_call] = calls["t_inv"][call]
    s_ok[by_call] = calls["t_ok"][call]
    return {"settle": settle, "s_out": s_out, "s_inv": s_inv, "s_ok": s_ok}


def _settled_by_uncertain_ack(
    chosen: NDArray[np.intp], ridx: NDArray[Any], records: NDArray[Any], calls: Columns
) -> NDArray[np.intp]:
    """Per delivery the call that settled it, if acknowledgements of unknown outcome have worked.

    Of what an acknowledgement has taken, recover() gives nothing back, and nobody can tell. So the
    last such acknowledgement up to the call that counted so far counts instead, unless that one
    acknowledged with success, or ended a transaction.
    """
    kind, outcome, t_inv = calls["kind"], calls["outcome"], calls["t_inv"]
    itself = chosen == _ITSELF
    acknowledged = np.isin(records["settle"], (Settle.ACK, Settle.LAZY))
    certain = itself & acknowledged & (records["s_out"] == SettlementOutcome.OK)
    ends = (kind == COMMIT) | (kind == ROLLBACK)
    certain[~itself] = (ends | (kind == ACKNOWLEDGE) & (outcome == SettlementOutcome.OK))[
        chosen[~itself]
    ]

    untold = np.flatnonzero((kind == ACKNOWLEDGE) & (outcome == SettlementOutcome.INFO))
    s_inv = records["s_inv"]
    until = np.where(itself, np.searchsorted(t_inv, s_inv, side="right") - 1, chosen)
    call = np.append(untold, _ITSELF)[np.searchsorted(untold, until, side="right") - 1]
    doubt = ~certain & (np.append(calls["upto"], -1)[call] > ridx)

    own = ~certain & acknowledged & (records["s_out"] == SettlementOutcome.INFO)
    own &= itself | (s_inv <= np.append(t_inv, -1)[chosen])
    own &= ~doubt | (s_inv > np.append(t_inv, -1)[call])
    return np.where(own, _ITSELF, np.where(doubt, call, chosen))


def _settle_of(kinds: NDArray[Any]) -> NDArray[np.int8]:
    table = np.zeros(256, np.int8)
    for kind, settle in _SETTLES.items():
        table[kind] = settle
    settles: NDArray[np.int8] = table[kinds]
    return settles


def send_rows(records: NDArray[Any], folded: Events) -> Columns:
    """Rows of sends, in the order of the records."""
    raw = records["raw"]
    outcome = records["outcome"]
    fate = np.select(
        [outcome == SettlementOutcome.OK, outcome == SettlementOutcome.FAIL],
        [int(SendFate.MUST), int(SendFate.NEVER)],
        int(SendFate.MAYBE),
    ).astype(np.int8)
    t_visible = raw["t_sent"].copy()
    transacted = records["tx"] >= 0
    if transacted.any():
        limit, visible = _fate_of_transactions(records["tx"], folded, t_visible)
        fate = np.where(transacted, np.minimum(fate, limit), fate)
        t_visible = np.where(transacted, visible, t_visible)
    return {
        "uid": np.ascontiguousarray(raw["uid"]),
        **{
            name: np.ascontiguousarray(raw[name]) for name in (*_DESCRIBED[:-1], "body64", "head64")
        },
        "t_inv": np.ascontiguousarray(raw["t_sent"]),
        "t_ok": np.where(outcome == SettlementOutcome.OK, records["t_ok"], -1),
        "fate": fate,
        "t_visible": t_visible,
        **{name: np.ascontiguousarray(records[name]) for name in ("tx", "mid64", "cause", "match")},
    }


def _fate_of_transactions(
    tx: NDArray[Any], folded: Events, t_inv: NDArray[Any]
) -> tuple[NDArray[np.int8], NDArray[Any]]:
    """What its transaction allows each send to become, and from when on others may see it."""
    calls, ends = folded.calls, folded.ends
    # a transaction that nobody asked to commit never is; if records are missing, it is not known
    fate = np.full(len(tx), int(SendFate.MAYBE if folded.cut else SendFate.NEVER), np.int8)
    visible = np.where(folded.cut, t_inv, -1)
    if not len(ends):
        return fate, visible
    at = np.searchsorted(calls["tx"][ends], tx)
    end = ends[np.minimum(at, len(ends) - 1)]
    known = calls["tx"][end] == tx
    kind, outcome = calls["kind"][end], calls["outcome"][end]
    aborted = (kind == ROLLBACK) | (outcome == SettlementOutcome.FAIL)
    of_end = np.select(
        [aborted, outcome == SettlementOutcome.OK],
        [int(SendFate.NEVER), int(SendFate.MUST)],
        int(SendFate.MAYBE),
    )
    fate = np.where(known, of_end, fate).astype(np.int8)
    return fate, np.where(known, np.where(aborted, -1, calls["t_inv"][end]), visible)
