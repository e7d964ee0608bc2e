"""Checks on whole sessions: what trips each, what just does not, what it could have caught."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jms_histories.checks.small_history import DeliveryRow, Happening
from jms_histories.values import Event, Ordering, Settle, SettlementOutcome, uid
from kernels.hand_made import A, B, C, Row, back, fault, got, judged, queue, sent

ORDERED = queue(ordering=Ordering.PRODUCER)
BY_KEY = queue(ordering=Ordering.KEY)


def test_d09_order() -> None:
    assert judged("D09", ORDERED, got(C, 3), got(A, 4), got(B, 5)) == (
        [(A, 0, 0, 2, False), (B, 0, 1, 2, False)],
        2,
    )
    assert judged("D09", ORDERED, got(A, 3), got(C, 4), got(C, 5)) == ([], 2)
    assert judged("D09", ORDERED, got(B, 9, ridx=0), got(A, 3, ridx=1), *fault(2, 3)) == (
        [(A, 0, 0, 1, True)],
        1,
    )


@pytest.mark.parametrize(
    "values",
    [
        {"session": 1},
        {"consumer": 1},
        {"sub": 1},
        {"sub": -1},
        {"priority": 5},
        {"mode": 1},
        {"deliver_at": 2},
        {"redelivered": True},
        {"count": 2},
        {"uid": uid(2, 0)},
    ],
)
def test_d09_nothing_else_is_in_its_scope(values: dict[str, Any]) -> None:
    other = replace(ORDERED, sub=1)
    assert judged("D09", ORDERED, other, got(B, 3), replace(got(A, 4), **values)) == ([], 0)


def test_d09_keys_matter_where_order_is_by_key() -> None:
    of_two = got(B, 3, key=1), got(A, 4, key=2)
    assert judged("D09", BY_KEY, *of_two) == ([], 0)
    assert judged("D09", ORDERED, *of_two) == ([(A, 0, 0, 1, False)], 1)
    assert judged("D09", BY_KEY, got(B, 3, key=2), of_two[1]) == ([(A, 0, 0, 1, False)], 1)
    assert judged("D09", BY_KEY, got(B, 3), got(A, 4)) == ([], 0)
    assert judged("D09", queue(), *of_two) == ([], 0)
    assert judged("D09", *of_two) == ([], 0)
    unnumbered = got(B, 3, count=-1), got(A, 4, count=-1)
    assert judged("D09", ORDERED, *unnumbered)[1] == 1


def test_d12_flag_and_count() -> None:
    flagged = got(A, 3, redelivered=True, count=1)
    assert judged("D12", flagged) == ([(A, 0, 1, 3, False)], 1)
    assert judged("D12", replace(flagged, count=0)) == ([(A, 0, 0, 3, False)], 1)
    assert judged("D12", replace(flagged, count=2)) == ([], 1)
    assert judged("D12", replace(flagged, count=-1)) == ([], 0)
    assert judged("D12", replace(flagged, redelivered=False)) == ([], 0)
    assert judged("D12", replace(flagged, sub=-1)) == ([], 0)


def test_d15_early() -> None:
    row = got(A, 7, deliver_at=10)
    assert judged("D15", row, epsilon=2) == ([(A, 0, 7, 10, False)], 1)
    assert judged("D15", row, epsilon=3) == ([], 1)
    assert judged("D15", replace(row, sub=-1)) == ([], 0)
    assert judged("D15", got(A, 7)) == ([], 0)


def test_d16_expired() -> None:
    row = got(A, 13, expire_at=10)
    assert judged("D16", row, epsilon=2) == ([(A, 0, 13, 10, True)], 1)
    assert judged("D16", row, epsilon=3) == ([], 1)
    assert judged("D16", replace(row, sub=-1)) == ([], 0)
    assert judged("D16", replace(row, expire_at=(1 << 63) - 1), epsilon=9) == ([], 1)


def test_d20_serial() -> None:
    long = got(A, 3, t_exit=8)
    assert judged("D20", long, got(B, 4), got(C, 8)) == ([(B, 0, 4, 8, False)], 2)
    assert judged("D20", long, got(B, 4, sub=-1)) == ([(B, -1, 4, 8, False)], 1)
    assert judged("D20", long, got(B, 4, session=1)) == ([], 0)
    assert judged("D20", got(A, 3, ridx=5, t_exit=8), got(B, 4, ridx=4, t_exit=3)) == ([], 1)


@pytest.mark.parametrize(
    ("events", "since", "power"),
    [
        ([(0, 4, Event.STOP)], 4, 1),
        ([(0, 5, Event.STOP)], 5, 1),
        ([(0, 6, Event.STOP)], None, 1),
        ([(1, 4, Event.STOP)], None, 0),
        ([(0, 3, Event.STOP), (0, 4, Event.START)], None, 1),
        ([(0, 4, Event.START), (0, 3, Event.STOP)], None, 1),
        ([(0, 4, Event.STOP), (0, 4, Event.START)], None, 1),
        ([(0, 4, Event.START), (0, 4, Event.STOP)], 4, 1),
        ([(0, 4, Event.STOP), (0, 5, Event.CLOSE)], 4, 1),
        ([(0, 4, Event.START)], None, 0),
    ],
)
def test_d29_stopped(events: list[tuple[int, int, Event]], since: int | None, power: int) -> None:
    happenings = [Happening(*event) for event in events]
    expected = [] if since is None else [(A, 0, 5, since, False)]
    assert judged("D29", got(A, 5), *happenings) == (expected, power)


RECOVER = Happening(0, 10, Event.RECOVER)
EXCLUSIVE = queue(exclusive=True)


def unsettled(message: int, t: int, **values: Any) -> DeliveryRow:
    return got(message, t, **{"settle": Settle.RECOVER, "s_inv": 10} | values)


def test_d30_recover() -> None:
    before = got(uid(1, 9), 2), unsettled(A, 3), unsettled(B, 4)
    assert judged("D30", EXCLUSIVE, RECOVER, *before, got(A, 12), got(C, 13)) == ([], 1)
    assert judged("D30", EXCLUSIVE, RECOVER, *before, got(B, 12), got(A, 13)) == (
        [(B, 0, A, 10, False)],
        1,
    )
    assert judged("D30", EXCLUSIVE, RECOVER, *before, got(B, 10))[0] == [(B, 0, A, 10, False)]
    assert judged("D30", EXCLUSIVE, RECOVER, *before, got(B, 12), *fault(0, 0))[0][0][4] is True
    open_ever = replace(unsettled(A, 3), s_inv=-1)
    assert judged("D30", EXCLUSIVE, RECOVER, open_ever, got(B, 12))[1] == 1
    # the order of receiving decides, not the time
    swapped = unsettled(B, 3, ridx=8), unsettled(A, 4, ridx=7)
    assert judged("D30", EXCLUSIVE, RECOVER, *swapped, got(A, 13, ridx=9)) == ([], 1)
    late_first = got(A, 30, ridx=20), got(B, 12, ridx=21)
    assert judged("D30", EXCLUSIVE, RECOVER, *before, *late_first) == ([], 1)


@pytest.mark.parametrize(
    "rows",
    [
        (EXCLUSIVE, unsettled(A, 3)),
        (EXCLUSIVE, unsettled(A, 3, s_inv=9), got(B, 12)),
        (EXCLUSIVE, unsettled(A, 10), got(B, 12)),
        (EXCLUSIVE, unsettled(A, 3, expire_at=50), got(B, 12)),
        (EXCLUSIVE, unsettled(A, 3), got(B, 12, consumer=1)),
        (EXCLUSIVE, unsettled(A, 3), got(B, 12, session=1)),
        (EXCLUSIVE, unsettled(A, 3, sub=-1), got(B, 12, sub=-1)),
        (queue(), unsettled(A, 3), got(B, 12)),
        (queue(exclusive=True, max_deliveries=2), unsettled(A, 3), got(B, 12)),
    ],
)
def test_d30_cannot_tell(rows: tuple[Row, ...]) -> None:
    assert judged("D30", RECOVER, *rows) == ([], 0)


@pytest.mark.parametrize("settle", [Settle.ACK, Settle.CLIENT_ACK, Settle.LAZY])
def test_d30_what_may_have_been_acknowledged_may_come_first(settle: Settle) -> None:
    """Or not at all: nobody knows whether it is the oldest that is open."""
    unsure = got(A, 3, settle=settle, s_out=SettlementOutcome.INFO, s_inv=5, s_ok=-1)
    rows: list[Row] = [EXCLUSIVE, RECOVER, unsure, unsettled(B, 6)]
    assert judged("D30", *rows, got(A, 12), got(B, 13)) == ([], 1)
    assert judged("D30", *rows, got(B, 12)) == ([], 1)
    skipped = [(C, 0, B, 10, False)]
    assert judged("D30", *rows, got(C, 12)) == (skipped, 1)
    wrong = [(A, 0, B, 10, False)]
    for certain in (
        {"s_out": SettlementOutcome.FAIL},
        {"s_out": SettlementOutcome.OK},
        {"t_enter": 10},
    ):
        rows[2] = replace(unsure, **certain, ridx=90)
        assert judged("D30", *rows, got(A, 12)) == (wrong, 1)
    rows[2] = replace(unsure, consumer=1)
    assert judged("D30", *rows, got(A, 12)) == (wrong, 1)


def test_d30_each_call_and_each_consumer_counts() -> None:
    rows: list[Row] = [EXCLUSIVE, replace(EXCLUSIVE, sub=1)]
    rows += [Happening(0, t, Event.RECOVER) for t in (30, 10, 20)]
    rows += [got(A, 3, s_inv=-1), got(C, 4, s_inv=15)]
    for t in (12, 22, 32):
        rows += [got(A, t, s_inv=t + 1), got(B, t + 3, consumer=1, sub=1, s_inv=-1)]
    assert judged("D30", *rows) == ([], 5)
    rows.append(got(C, 21, ridx=18))
    assert judged("D30", *rows) == ([(C, 0, A, 20, False)], 5)


def test_d32_priority() -> None:
    low, high = got(A, 9, priority=1, t_sent=0), got(B, 12, priority=5, t_sent=4)
    assert judged("D32", low, high, priority_slack=4) == ([(B, 0, 4, 9, False)], 1)
    assert judged("D32", low, high, priority_slack=5) == ([], 1)
    assert judged("D32", low, replace(high, deliver_at=6), priority_slack=3) == ([], 1)
    assert judged("D32", low, replace(high, deliver_at=6), priority_slack=2)[0] == [
        (B, 0, 6, 9, False)
    ]
    others: list[dict[str, Any]] = [
        {"priority": 1},
        {"session": 1},
        {"consumer": 1},
        {"sub": -1},
        {"count": 2},
    ]
    for other in others:
        assert judged("D32", low, replace(high, **other)) == ([], 0)


def test_d32_the_last_lower_one_counts() -> None:
    rows = [
        got(A, 9, ridx=0, priority=1),
        got(B, 5, ridx=1, priority=2, t_sent=7),
        got(C, 6, ridx=2, priority=3, t_sent=4),
        got(uid(2, 0), 20, ridx=3, priority=9, t_sent=1),
    ]
    assert judged("D32", *rows, priority_slack=2) == ([(uid(2, 0), 0, 1, 6, False)], 3)


def test_d33_counts_what_is_fresh() -> None:
    assert judged("D33", got(A, 3), got(B, 4, sub=-1), got(C, 5, count=2)) == ([], 1)
    assert judged("D33", sent(A), back(A, 3, redelivered=True)) == ([], 0)
