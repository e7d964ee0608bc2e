"""Checks that join what several messages and sessions show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jms_histories.checks.small_history import ConsumerRow, DeliveryRow, Happening, SubscriptionRow
from jms_histories.values import (
    NO_SUBSCRIPTION,
    Event,
    FaultKind,
    Mode,
    Ordering,
    SendFate,
    Settle,
    uid,
)
from kernels.hand_made import A, B, C, Row, fault, got, judged, queue, sent

EXCLUSIVE = queue(exclusive=True, ordering=Ordering.PRODUCER)


def test_d10_skip() -> None:
    around = got(A, 3), got(C, 9)
    assert judged("D10", EXCLUSIVE, sent(B), *around) == ([(B, 0, 0, 2, False)], 1)
    assert judged("D10", EXCLUSIVE, sent(B), got(A, 3)) == ([], 1)
    assert judged("D10", EXCLUSIVE, sent(B), got(C, 3)) == ([], 1)
    assert judged("D10", EXCLUSIVE, sent(B), *around, got(B, 99)) == ([], 1)
    assert judged("D10", EXCLUSIVE, sent(B), got(A, 3), got(C, 9, session=1)) == ([], 1)
    assert judged("D10", EXCLUSIVE, sent(B, priority=9), *around) == ([], 1)
    assert judged("D10", EXCLUSIVE, sent(B, mode=Mode.NON_PERSISTENT), *around) == ([], 1)
    assert judged("D10", EXCLUSIVE, sent(B, deliver_at=4), *around) == ([], 0)
    assert judged("D10", replace(EXCLUSIVE, exclusive=False), sent(B), *around) == ([], 0)
    assert judged("D10", replace(EXCLUSIVE, ordering=Ordering.NONE), sent(B), *around) == ([], 0)
    assert judged("D10", EXCLUSIVE, sent(B, fate=SendFate.MAYBE), *around) == ([], 0)


def test_d10_keys_matter_where_order_is_by_key() -> None:
    by_key = replace(EXCLUSIVE, ordering=Ordering.KEY)
    around = got(A, 3, key=1), got(C, 9, key=1)
    assert judged("D10", by_key, sent(B, key=1), *around) == ([(B, 0, 0, 2, False)], 1)
    assert judged("D10", by_key, sent(B, key=2), *around) == ([], 1)
    assert judged("D10", by_key, sent(B), *around) == ([], 0)
    assert judged("D10", EXCLUSIVE, sent(B, key=2), *around)[0] == [(B, 0, 0, 2, False)]


def test_d10_the_widest_scope_is_shown_then_that_of_the_least_session() -> None:
    def scope(session: int, consumer: int, *seqs: int) -> list[Row]:
        return [got(uid(1, seq), 100 + seq, session=session, consumer=consumer) for seq in seqs]

    lost = sent(uid(1, 5))
    rows = [*scope(3, 3, 0, 9), *scope(1, 2, 2, 11), *scope(1, 1, 3, 12), *scope(2, 4, 4, 6)]
    assert judged("D10", EXCLUSIVE, lost, *rows) == ([(lost.uid, 0, 3, 12, False)], 1)


def test_d17_torn_transaction() -> None:
    both = sent(A, tx=4), sent(B, tx=4)
    assert judged("D17", queue(), *both, got(B, 9)) == ([(A, 0, 4, 1, False)], 1)
    assert judged("D17", queue(), *both, got(B, 9, sub=-1)) == ([(A, 0, 4, 1, False)], 1)
    assert judged("D17", queue(), *both) == ([], 1)
    assert judged("D17", queue(), *both, got(A, 8), got(B, 9)) == ([], 1)
    assert judged("D17", queue(), sent(A, tx=4), sent(B, tx=5), got(B, 9)) == ([], 0)
    doubtful = [replace(send, fate=SendFate.MAYBE) for send in both]
    assert judged("D17", queue(), *doubtful, got(A, 9)) == ([(B, 0, 4, 1, False)], 1)
    assert judged("D17", queue(), both[0], replace(both[1], dest=1), got(A, 9)) == ([], 0)
    assert judged("D17", queue(), sent(A, tx=0), sent(B, tx=0), sent(C, tx=0), got(A, 9)) == (
        [(B, 0, 0, 1, False)],
        1,
    )


def test_d27_message_id() -> None:
    ids = sent(A, mid64=7), sent(B, mid64=7), sent(C, mid64=8), sent(uid(2, 0), mid64=7)
    assert judged("D27", *ids) == (
        [
            (B, NO_SUBSCRIPTION, 7, A, False),
            (uid(2, 0), NO_SUBSCRIPTION, 7, A, False),
        ],
        4,
    )
    assert judged("D27", sent(A, mid64=-1), sent(B, mid64=-1)) == ([], 0)


def test_d28_conservation() -> None:
    three = sent(A), sent(B), sent(C)
    assert judged("D28", queue(), *three, got(A, 3), got(B, 4, sub=-1)) == (
        [(-1, 0, 3, 2, True)],
        3,
    )
    lazy = got(C, 9, settle=Settle.LAZY)
    assert judged("D28", queue(), *three, got(A, 3), got(B, 4, sub=-1), lazy) == ([], 3)
    given_back = got(C, 9, settle=Settle.NACK)
    assert judged("D28", queue(), *three, got(A, 3), got(B, 4), given_back)[0] == [
        (-1, 0, 3, 2, True)
    ]
    assert judged("D28", queue(), sent(A, fate=SendFate.MAYBE)) == ([], 0)


THROUGH = queue(through=True)


def test_d31_once_through() -> None:
    output, twin = sent(B, cause=A), sent(C, cause=A)
    consumed = got(A, 3)
    assert judged("D31", THROUGH, output, consumed, got(B, 9, sub=5)) == ([], 1)
    assert judged("D31", THROUGH, output, consumed) == ([(A, 0, 0, 1, False)], 1)
    assert judged("D31", THROUGH, consumed) == ([(A, 0, 0, 0, False)], 1)
    assert judged("D31", THROUGH, output, consumed, got(B, 9, sub=-1))[0] == [(A, 0, 0, 1, False)]
    seen_twice = got(B, 9, sub=5), got(C, 9, sub=5)
    assert judged("D31", THROUGH, output, twin, consumed, *seen_twice)[0] == [(A, 0, 2, 2, False)]
    assert judged("D31", THROUGH, output, twin, consumed, seen_twice[1]) == ([], 1)
    assert judged("D31", THROUGH, replace(consumed, settle=Settle.LAZY)) == ([], 0)
    assert judged("D31", queue(), consumed) == ([], 0)


def test_d31_needs_all_outputs() -> None:
    consumed = got(A, 3)
    assert judged("D31", THROUGH, queue(sub=1, t_drained=-1), consumed) == ([], 0)
    assert judged("D31", THROUGH, consumed, truncated={5: 0}) == ([], 1)
    outputs = sent(B, cause=A), sent(C, cause=A), got(B, 8, sub=5), got(C, 9, sub=5)
    assert judged("D31", THROUGH, consumed, *outputs, truncated={5: 0})[0] == [(A, 0, 2, 2, False)]


GROUPED = queue(grouped=True)
MEMBERS = ConsumerRow(0, 0, 0), ConsumerRow(1, 1, 0)


def member(number: int, gseq: int, t: int, **values: Any) -> DeliveryRow:
    """A message of key 0, in consumer `number`, which has a session of that number."""
    usual = {"session": number, "consumer": number, "key": 0, "gseq": gseq, "t_sent": t - 1}
    return got(uid(1, gseq), t, **usual | values)


def test_d22_group_split() -> None:
    rows = member(0, 0, 3), member(1, 1, 5), member(1, 2, 7)
    assert judged("D22", GROUPED, *MEMBERS, *rows) == ([(uid(1, 1), 0, 0, 1, False)], 2)
    assert judged("D22", GROUPED, *rows) == ([(uid(1, 1), 0, 0, 1, False)], 2)
    assert judged("D22", queue(), *MEMBERS, *rows) == ([], 0)
    assert judged("D22", GROUPED, rows[0], replace(rows[1], key=1)) == ([], 0)
    assert judged("D22", GROUPED, rows[0], replace(rows[1], gseq=-1)) == ([], 0)
    assert judged("D22", GROUPED, rows[0], replace(rows[1], redelivered=True)) == ([], 0)
    assert judged("D22", GROUPED, rows[0], replace(rows[1], deliver_at=4)) == ([], 0)
    same_time = member(1, 1, 3, t_sent=0), member(0, 0, 3, t_sent=0)
    assert judged("D22", GROUPED, *same_time)[0] == [(uid(1, 1), 0, 0, 1, False)]


@pytest.mark.parametrize(
    ("event", "split"),
    [
        (Happening(9, 4, Event.CONSUMER_OPEN, 1), False),
        (Happening(9, 4, Event.CONSUMER_CLOSE, 0), False),
        (Happening(1, 4, Event.CLOSE), False),
        (Happening(0, 4, Event.KILLED), False),
        (Happening(-1, 4, Event.FAULT_END), False),
        (Happening(9, 4, Event.CONSUMER_OPEN, 2), True),
        (Happening(9, 4, Event.CLOSE), True),
        (Happening(0, 4, Event.STOP), True),
        (Happening(9, 5, Event.CONSUMER_OPEN, 1), False),
        (Happening(9, 6, Event.CONSUMER_OPEN, 1), True),
    ],
)
def test_d22_owners_change_with_the_members(event: Happening, split: bool) -> None:
    rows = GROUPED, *MEMBERS, event, member(0, 0, 3), member(1, 1, 5, t_sent=4)
    findings, power = judged("D22", *rows)
    assert (bool(findings), power) == ((True, 1) if split else (False, 0))


def test_d22_is_excused_by_a_fault_that_lasts() -> None:
    rows = GROUPED, *MEMBERS, member(0, 0, 3), member(1, 1, 5)
    assert judged("D22", *rows, *fault(0, 50))[0] == [(uid(1, 1), 0, 0, 1, True)]


def test_d23_within_a_consumer() -> None:
    rows = member(0, 2, 3), member(0, 1, 5), member(0, 3, 6)
    assert judged("D23", GROUPED, *rows) == ([(uid(1, 1), 0, 1, 2, False)], 2)
    assert judged("D23", GROUPED, *rows, *fault(5, 5))[0] == [(uid(1, 1), 0, 1, 2, True)]
    assert judged("D23", GROUPED, rows[0], member(0, 2, 5)) == ([], 1)
    assert judged("D23", GROUPED, rows[0], replace(rows[1], key=1)) == ([], 0)
    assert judged("D23", queue(), *rows) == ([], 0)


def test_d23_between_consumers() -> None:
    ended = member(0, 4, 3), member(0, 5, 6)
    assert judged("D23", GROUPED, *ended, member(1, 3, 7)) == ([(uid(1, 3), 0, 3, 5, False)], 2)
    assert judged("D23", GROUPED, *ended, member(1, 3, 6)) == ([], 2)
    assert judged("D23", GROUPED, *ended, member(1, 5, 7)) == ([], 2)
    assert judged("D23", GROUPED, *ended, member(1, 3, 7, key=1)) == ([], 1)


def test_d23_a_consumer_may_not_have_ended_where_a_record_was_cut() -> None:
    ended = member(0, 4, 3), member(0, 5, 6)
    lost = Happening(-1, 900, Event.FAULT_BEGIN, FaultKind.LOST_RECORD)
    findings = judged("D23", GROUPED, *ended, member(1, 3, 7), lost)
    assert findings == ([(uid(1, 3), 0, 3, 5, True)], 2)
    late = judged("D23", GROUPED, *ended, member(0, 3, 7), lost)[0]
    assert late == [(uid(1, 3), 0, 3, 5, False)]
    restarted = replace(lost, arg=FaultKind.BROKER_RESTART)
    assert judged("D23", GROUPED, *ended, member(1, 3, 7), restarted)[0][0][-1] is False


def test_d23_the_largest_of_the_others_counts() -> None:
    opened = [Happening(0, t, Event.CONSUMER_OPEN, 0) for t in (5, 15)]
    rows = [
        member(1, 4, 2),
        member(0, 9, 10),
        member(2, 6, 12),
        member(0, 5, 20),
        member(0, 7, 21),
    ]
    findings, power = judged("D23", GROUPED, *MEMBERS, *opened, *rows)
    # the last cell of consumer 0 comes after 9, which was its own, and after 6 of consumer 2;
    # that of consumer 2 comes after 9
    within = (uid(1, 5), 0, 5, 9, False), (uid(1, 7), 0, 7, 9, False)
    assert findings == sorted([*within, (uid(1, 5), 0, 5, 6, False), (uid(1, 6), 0, 6, 9, False)])
    assert power == 4


def test_a_subscription_far_from_zero_is_as_good_as_any() -> None:
    far = SubscriptionRow(sub=(1 << 31) - 2, t_drained=1000, grouped=True, bit=0)
    rows = [replace(row, sub=far.sub) for row in (member(0, 0, 3), member(1, 1, 5))]
    assert judged("D22", far, *rows)[0] == [(uid(1, 1), far.sub, 0, 1, False)]
    assert judged("D01", far, sent(A))[0] == [(A, far.sub, 0, 1, False)]
