"""A witness in words: a line for each of its rows, for the text of an assertion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jms_histories.definitions import CHECKS
from jms_histories.kernels.witnesses.shortest import Witness
from jms_histories.values import SEQUENCE_BITS, Event, SendFate, Settle, SettlementOutcome


def describe_witness(witness: Witness) -> str:
    """What was found, and the history that shows it, a line for each row by time.

    Times are milliseconds from the first of them.
    """
    finding = witness.finding
    at = "" if finding["uid"] < 0 else f": message {_number(finding['uid'])}"
    check = CHECKS[finding["check"]]
    head = (
        f"{check.id} {check.name}{at} at {_place(finding['sub'])}"
        f" ({check.evidence_text(finding['a'], finding['b'])}"
        f"{', should' if finding['should'] else ''})"
    )
    rows = [
        *((row["t_inv"], 0, _send_text(row)) for row in witness.sends),
        *((row["t_enter"], 1, _delivery_text(row)) for row in witness.deliveries),
        *((row["t"], 2, _event_text(row)) for row in witness.events),
    ]
    if not rows:
        return head
    rows.sort()
    begin = rows[0][0]
    lines = [f"  {(time - begin) / 1e6:10.3f} ms  {text}" for time, _, text in rows]
    if witness.left_out:
        lines.append(f"  and {witness.left_out} more rows")
    return "\n".join([head, *lines])


def _number(uid: int) -> str:
    return f"{uid >> SEQUENCE_BITS}/{uid & ((1 << SEQUENCE_BITS) - 1)}"


def _place(sub: int) -> str:
    if sub < -(1 << 30):
        return "no subscription"
    return f"subscription {sub}" if sub >= 0 else f"dead letters of subscription {-1 - sub}"


def _send_text(row: Mapping[str, Any]) -> str:
    parts = [f"{_number(row['uid'])} sent", SendFate(row["fate"]).name]
    limits = ("key", "tx", "deliver_at", "expire_at")
    parts += [f"{name} {row[name]}" for name in limits if row[name] != -1]
    if row["cause"] != -1:
        parts.append(f"because of {_number(row['cause'])}")
    return ", ".join(parts)


def _delivery_text(row: Mapping[str, Any]) -> str:
    parts = [
        f"{_number(row['uid'])} delivered by {_place(row['sub'])}",
        f"session {row['session']}",
        f"consumer {row['consumer']}",
    ]
    if row["count"] != -1:
        parts.append(f"count {row['count']}")
    if row["redelivered"]:
        parts.append("redelivered")
    if row["settle"] != Settle.NONE:
        parts.append(f"{Settle(row['settle']).name} {SettlementOutcome(row['s_out']).name}")
        if row["s_ok"] != -1:
            parts[-1] += f" after {(row['s_ok'] - row['t_enter']) / 1e6:.3f} ms"
    return ", ".join(parts)


def _event_text(row: Mapping[str, Any]) -> str:
    event = Event(row["event"])
    if event in (Event.FAULT_BEGIN, Event.FAULT_END):
        return f"{event.name} of kind {row['arg']}"
    consumer = f", consumer {row['arg']}" if event.name.startswith("CONSUMER") else ""
    return f"{event.name} of session {row['session']}{consumer}"
