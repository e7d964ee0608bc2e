"""Histories written row by row, and what one check says of them: kernels and slow oracle alike."""

from __future__ import annotations

from typing import Any

from histories.small_histories import deliveries_of, findings_of, sends_of, spec_of
from jms_histories.checks import FUNCTIONS
from jms_histories.checks.small_history import (
    ConsumerRow,
    DeliveryRow,
    Happening,
    SendRow,
    SmallHistory,
    SubscriptionRow,
)
from jms_histories.kernels.whole import judge
from jms_histories.values import Event, Settle, SettlementOutcome, uid

Row = SendRow | DeliveryRow | SubscriptionRow | Happening | ConsumerRow
Found = list[tuple[int, int, int, int, bool]]
"""(uid, sub, a, b, should)."""

A, B, C = uid(1, 0), uid(1, 1), uid(1, 2)
"""The first messages of producer 1."""


def sent(message: int, t: int = 0, **values: Any) -> SendRow:
    """A send that returns a nanosecond later."""
    return SendRow(uid=message, **{"t_inv": t, "t_ok": t + 1, "t_visible": t} | values)


def got(message: int, t: int, **values: Any) -> DeliveryRow:
    """A delivery to subscription 0, acknowledged from t + 1 to t + 2."""
    usual = {
        "session": 0,
        "ridx": t,
        "consumer": 0,
        "sub": 0,
        "t_enter": t,
        "t_exit": t,
        "settle": Settle.ACK,
        "s_out": SettlementOutcome.OK,
        "s_inv": t + 1,
        "s_ok": t + 2,
    }
    return DeliveryRow(uid=message, **usual | values)


def back(message: int, t: int, **values: Any) -> DeliveryRow:
    """The same, given back by a negative acknowledgement."""
    return got(message, t, **{"settle": Settle.NACK} | values)


def queue(**values: Any) -> SubscriptionRow:
    """Subscription 0, drained at 1000."""
    return SubscriptionRow(**{"sub": 0, "t_drained": 1000, "t_dlq_drained": 1000} | values)


def fault(begin: int, end: int, kind: int = 0) -> tuple[Happening, Happening]:
    """A fault window."""
    return (
        Happening(-1, begin, Event.FAULT_BEGIN, kind),
        Happening(-1, end, Event.FAULT_END, kind),
    )


def history_of(*rows: Row, **limits: Any) -> SmallHistory:
    """The history of these rows, whichever tables they belong to."""
    return SmallHistory(
        tuple(row for row in rows if isinstance(row, SendRow)),
        tuple(row for row in rows if isinstance(row, DeliveryRow)),
        tuple(row for row in rows if isinstance(row, SubscriptionRow)),
        tuple(row for row in rows if isinstance(row, Happening)),
        tuple(row for row in rows if isinstance(row, ConsumerRow)),
        **limits,
    )


def judged(check: str, *rows: Row, **limits: Any) -> tuple[Found, int]:
    """Findings of a check and its power; both judges must say the same."""
    history = history_of(*rows, **limits)
    findings = judge(sends_of(history), deliveries_of(history), spec_of(history), [check])
    findings_found = findings_of(findings)
    expected, power = FUNCTIONS[check](history)
    assert sorted(expected) == findings_found
    assert findings.power == {check: power}
    assert findings.shoulds[check] == sum(finding.should for finding in findings_found)
    assert findings.counts[check] == len(findings_found) - findings.shoulds[check]
    return [
        (finding.uid, finding.sub, finding.a, finding.b, finding.should)
        for finding in findings_found
    ], power
