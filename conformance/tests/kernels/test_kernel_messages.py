"""Checks on whole messages: what trips each, what just does not, and what it could have caught."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jms_histories.checks.small_history import NEVER, Happening
from jms_histories.values import Event, Intact, Mode, SendFate, Settle, SettlementOutcome, uid
from kernels.hand_made import A, B, C, back, fault, got, judged, queue, sent


def test_d01_lost() -> None:
    assert judged("D01", queue(), sent(A, 5)) == ([(A, 0, 5, 6, False)], 1)
    assert judged("D01", queue(), sent(A, 5), got(A, 9)) == ([], 1)
    assert judged("D01", queue(), sent(A, 5), got(A, 9, sub=-1)) == ([], 1)
    assert judged("D01", queue(), sent(A, 5), got(A, 9, sub=1)) == ([(A, 0, 5, 6, False)], 1)


@pytest.mark.parametrize(
    ("send", "subscription"),
    [
        ({"fate": SendFate.MAYBE}, {}),
        ({"fate": SendFate.NEVER}, {}),
        ({"dest": 1}, {}),
        ({"match": 0b101}, {"bit": 1}),
        ({"expire_at": 7}, {}),
        ({"deliver_at": 1001}, {}),
        ({"t_visible": 1001}, {}),
        ({"t_inv": 1000, "t_ok": 1001}, {}),
        ({"t_inv": 5}, {"t_from": 6}),
        ({"t_inv": 5}, {"t_to": 5}),
        ({}, {"t_drained": -1}),
        ({}, {"max_deliveries": 3, "t_dlq_drained": -1}),
    ],
)
def test_d01_owes_nothing(send: dict[str, Any], subscription: dict[str, Any]) -> None:
    assert judged("D01", queue(**subscription), sent(A, **send)) == ([], 0)


@pytest.mark.parametrize(
    ("send", "subscription"),
    [
        ({"t_inv": 999, "t_ok": 1000, "deliver_at": 1000, "t_visible": 1000}, {}),
        ({"t_ok": -1}, {"t_from": 0}),
        ({"t_inv": 5, "t_ok": 5}, {"t_from": 5, "t_to": 6}),
        ({"match": 1 << 62}, {"bit": 62}),
        ({}, {"max_deliveries": 3, "t_dlq_drained": 0}),
    ],
)
def test_d01_owes_at_the_boundary(send: dict[str, Any], subscription: dict[str, Any]) -> None:
    findings, power = judged("D01", queue(**subscription), sent(A, **send))
    assert (len(findings), power) == (1, 1)


def test_d01_a_fault_may_cost_what_is_not_persistent() -> None:
    weak = sent(A, 5, mode=Mode.NON_PERSISTENT)
    assert judged("D01", queue(), weak, *fault(1000, 2000)) == ([], 0)
    assert judged("D01", queue(), weak, *fault(0, 5)) == ([], 0)
    assert judged("D01", queue(), weak, *fault(0, 4), *fault(1001, 1002))[1] == 1
    assert judged("D01", queue(), sent(A, 5), *fault(0, 9))[1] == 1


def test_d01_each_subscription_is_owed_its_own() -> None:
    two = queue(), queue(sub=7, bit=1)
    assert judged("D01", *two, sent(A), got(A, 3)) == ([(A, 7, 0, 1, False)], 2)


def test_d02_phantom() -> None:
    assert judged("D02", sent(A), got(B, 4), got(B, 3), got(B, 5, sub=-1), got(A, 6)) == (
        [(B, -1, 5, 1, False), (B, 0, 3, 2, False)],
        3,
    )


def test_d02_what_a_record_has_lost_is_no_phantom() -> None:
    assert judged("D02", got(A, 3), got(B, 4), truncated={1: 1}) == ([(A, 0, 3, 1, False)], 1)
    assert judged("D02", sent(B), got(B, 4), truncated={1: 1}) == ([], 0)
    assert judged("D02", got(uid(2, 9), 4), truncated={1: 1})[1] == 1


def test_d03_aborted_read() -> None:
    never = replace(sent(A), fate=SendFate.NEVER)
    assert judged("D03", never, got(A, 4), got(A, 3), got(A, 9, sub=-1)) == (
        [(A, -1, 9, 1, False), (A, 0, 3, 2, False)],
        1,
    )
    assert judged("D03", never, sent(B, fate=SendFate.MAYBE), got(B, 3)) == ([], 1)


@pytest.mark.parametrize(
    ("send", "subscription", "right"),
    [
        ({}, {}, True),
        ({"dest": 1}, {}, False),
        ({"match": 0b10}, {}, False),
        ({"match": 1 << 62}, {"bit": 62}, True),
        ({"t_inv": 5}, {"t_to": 6}, True),
        ({"t_inv": 5}, {"t_to": 5}, False),
        ({"t_ok": 5}, {"t_from": 5}, True),
        ({"t_ok": 5}, {"t_from": 6}, False),
        ({"t_ok": -1}, {"t_from": 6}, True),
    ],
)
def test_d04_wrong_subscriber(
    send: dict[str, Any], subscription: dict[str, Any], right: bool
) -> None:
    message = sent(A, **send)
    wrong = [] if right else [(A, 0, 3, message.t_inv, False)]
    assert judged("D04", queue(**subscription), message, got(A, 3), got(A, 4)) == (wrong, 1)


def test_d04_leaves_the_unknown_and_the_aborted_to_others() -> None:
    assert judged("D04", got(A, 3)) == ([], 0)
    assert judged("D04", sent(A, fate=SendFate.NEVER), got(A, 3)) == ([], 1)
    assert judged("D04", sent(A), got(A, 3, sub=5), got(A, 4, sub=-1)) == (
        [(A, 5, 3, 0, False)],
        1,
    )


def test_d05_again_after_acknowledgement() -> None:
    first = got(A, 3)
    assert judged("D05", first, got(A, 6)) == ([(A, 0, 6, 5, False)], 1)
    assert judged("D05", first, got(A, 5)) == ([], 1)
    assert judged("D05", first, got(A, 6, sub=1)) == ([], 2)
    assert judged("D05", back(A, 3), got(A, 6)) == ([], 1)
    assert judged("D05", replace(first, settle=Settle.LAZY), got(A, 6)) == ([], 1)
    assert judged("D05", replace(first, s_out=SettlementOutcome.INFO), got(A, 6)) == ([], 1)
    assert judged("D05", first, got(A, 6, s_ok=1), got(A, 9)) == (
        [(A, 0, 6, 5, False), (A, 0, 9, 1, False)],
        1,
    )


def test_d05_is_excused_by_a_fault() -> None:
    again = got(A, 6, t_sent=1)
    assert judged("D05", got(A, 3), again, *fault(6, 8))[0] == [(A, 0, 6, 5, True)]
    assert judged("D05", got(A, 3), again, *fault(0, 1))[0] == [(A, 0, 6, 5, True)]
    assert judged("D05", got(A, 3), again, *fault(7, 8))[0] == [(A, 0, 6, 5, False)]
    open_ended = Happening(-1, 2, Event.FAULT_BEGIN, 1)
    assert judged("D05", got(A, 3), again, open_ended, *fault(0, 0)[1:])[0][0][4]


def test_d06_unflagged() -> None:
    flagged = got(A, 6, redelivered=True)
    assert judged("D06", got(A, 3), got(A, 6, count=2)) == ([(A, 0, 2, 2, False)], 1)
    assert judged("D06", got(A, 3), flagged) == ([], 1)
    assert judged("D06", got(A, 3), got(A, 6, sub=-1)) == ([], 0)
    assert judged("D06", got(A, 3), got(A, 6), *fault(5, 5))[0] == [(A, 0, 2, 1, True)]


def test_d07_two_owners() -> None:
    def other(t: int) -> Any:
        return got(A, t, session=1, consumer=1)

    assert judged("D07", got(A, 3, s_inv=7), other(6)) == ([(A, 0, 6, 7, False)], 1)
    assert judged("D07", got(A, 3, s_inv=6), other(6)) == ([], 1)
    assert judged("D07", got(A, 3, s_inv=9), got(A, 4, s_inv=5), other(6)) == (
        [(A, 0, 4, 9, False), (A, 0, 6, 9, False)],
        2,
    )
    assert judged("D07", got(A, 3, s_inv=9), other(6), *fault(0, 99))[0][0][4]


@pytest.mark.parametrize(
    ("event", "end"),
    [
        (Happening(0, 6, Event.CLOSE), 6),
        (Happening(0, 7, Event.CLOSE), 7),
        (Happening(0, 3, Event.KILLED), 3),
        (Happening(0, 7, Event.KILLED), 7),
        (Happening(0, 2, Event.CLOSE), NEVER),
        (Happening(1, 4, Event.CLOSE), NEVER),
        (Happening(0, 5, Event.CONSUMER_CLOSE, 4), 5),
        (Happening(0, 5, Event.CONSUMER_CLOSE, 0), NEVER),
        (Happening(0, 5, Event.CONSUMER_OPEN, 4), NEVER),
    ],
)
def test_d07_a_consumer_that_went_owns_nothing(event: Happening, end: int) -> None:
    unsettled = got(A, 3, consumer=4, s_inv=-1)
    findings, power = judged("D07", unsettled, got(A, 6, session=1, consumer=1), event)
    assert findings == ([(A, 0, 6, end, False)] if end > 6 else [])
    assert power == 1


def test_d08_finished_twice() -> None:
    assert judged("D08", got(A, 3), got(A, 6), got(B, 7)) == ([(A, 0, 2, 6, False)], 2)
    assert judged("D08", got(A, 3), back(A, 6), got(A, 9, sub=1)) == ([], 2)
    assert judged("D08", back(A, 3), got(A, 6), got(A, 9), *fault(3, 3))[0] == [(A, 0, 2, 9, True)]
    assert judged("D08", back(A, 3), got(A, 6), got(A, 9), *fault(12, 13))[0][0][4] is False
    lazy = got(A, 6, settle=Settle.LAZY)
    assert judged("D08", got(A, 3), lazy) == ([], 1)
    assert judged("D08", lazy) == ([], 0)


def test_d11_count() -> None:
    assert judged("D11", got(A, 3), got(A, 6, count=2), got(A, 9, count=3)) == ([], 3)
    assert judged("D11", got(A, 3), got(A, 6, count=1)) == ([(A, 0, 1, 2, False)], 2)
    assert judged("D11", got(A, 3, count=0)) == ([(A, 0, 0, 1, False)], 1)
    assert judged("D11", got(A, 3, count=32767)) == ([(A, 0, 32767, 1, False)], 1)
    assert judged("D11", got(A, 3, count=-1), got(A, 4, count=5, sub=-1)) == ([], 0)
    assert judged("D11", got(A, 3, count=2), *fault(0, 0))[0] == [(A, 0, 2, 1, True)]


def test_rank_is_by_time_then_session_then_place() -> None:
    rows = [
        got(A, 3, session=2, ridx=0, count=3),
        got(A, 3, session=1, ridx=9, count=2),
        got(A, 3, session=1, ridx=1, count=1),
        got(A, 2, session=9, ridx=0, count=-1),
    ]
    assert judged("D11", *rows)[0] == [
        (A, 0, 1, 2, False),
        (A, 0, 2, 3, False),
        (A, 0, 3, 4, False),
    ]


@pytest.mark.parametrize(
    ("check", "bit", "column"), [("D13", Intact.BODY, "body64"), ("D14", Intact.HEADERS, "head64")]
)
def test_d13_d14_digests(check: str, bit: Intact, column: str) -> None:
    torn = 7 & ~bit
    mine, other = {column: 5}, {column: 6}
    assert judged(check, got(A, 3, intact=torn, **mine)) == ([(A, 0, 5, -1, False)], 1)
    assert judged(check, sent(A, **other), got(A, 3, intact=torn, sub=-1, **mine)) == (
        [(A, -1, 5, 6, False)],
        1,
    )
    assert judged(check, sent(A, **other), got(A, 3, intact=7, **mine)) == ([], 1)
    assert judged(check, sent(A, **other), got(A, 3, intact=0, **mine)) == (
        [(A, 0, 5, 6, False)],
        1,
    )
    assert judged(check, sent(A, **mine), got(A, 3, intact=0, **mine)) == ([], 1)
    assert judged(check, sent(A, **{column: -1}), got(A, 3, intact=0, **mine)) == ([], 1)
    assert judged(check, sent(A, **mine), got(A, 3, intact=0, **{column: -1})) == ([], 1)
    assert judged(check, got(A, 3, intact=0, **mine)) == ([], 0)


def test_d18_dirty_read() -> None:
    late = sent(A, tx=4, t_visible=6)
    assert judged("D18", late, got(A, 5), got(A, 9)) == ([(A, 0, 5, 6, False)], 1)
    assert judged("D18", late, got(A, 6)) == ([], 1)
    assert judged("D18", late, got(A, 5, sub=-1)) == ([], 0)
    assert judged("D18", sent(A, tx=-1, t_visible=6), got(A, 5)) == ([], 0)
    assert judged("D18", sent(A, tx=4, t_visible=-1), got(A, 5)) == ([], 0)


def test_d19_forgotten() -> None:
    last = back(A, 6, s_inv=1000)
    assert judged("D19", queue(), sent(A), back(A, 3), last) == ([(A, 0, 2, 1000, False)], 1)
    assert judged("D19", queue(), sent(A), got(A, 3), last) == ([], 1)
    assert judged("D19", queue(), sent(A), back(A, 3, s_inv=1001)) == ([], 1)
    assert judged("D19", queue(), sent(A), back(A, 3), got(A, 6)) == ([], 1)
    assert judged("D19", queue(), sent(A), back(A, 3), got(A, 6, sub=-1)) == ([], 1)
    assert judged("D19", queue(), sent(A), got(A, 3)) == ([], 0)
    for settle in (Settle.ROLLBACK, Settle.RECOVER):
        assert len(judged("D19", queue(), sent(A), back(A, 3, settle=settle))[0]) == 1
    assert judged("D19", queue(), sent(A), back(A, 3, settle=Settle.NONE))[1] == 0


@pytest.mark.parametrize("settle", [Settle.ACK, Settle.CLIENT_ACK, Settle.LAZY])
def test_d19_what_may_have_been_acknowledged_may_be_gone(settle: Settle) -> None:
    """An acknowledgement that did not return may be taken even after the message came again."""
    unsure = got(A, 3, settle=settle, s_out=SettlementOutcome.INFO, s_ok=-1)
    assert judged("D19", queue(), sent(A), unsure, back(A, 6)) == ([], 0)
    assert judged("D19", queue(), sent(A), back(A, 3), replace(unsure, t_enter=6)) == ([], 0)
    assert judged("D19", queue(), sent(A), unsure, back(A, 6), got(A, 9)) == ([], 0)
    others = replace(unsure, uid=B), replace(unsure, sub=1)
    refused = replace(unsure, s_out=SettlementOutcome.FAIL)
    unsure_back = back(A, 6, s_out=SettlementOutcome.INFO)
    rows = queue(), sent(A), *others, refused, unsure_back
    assert judged("D19", *rows) == ([(A, 0, 2, unsure_back.s_inv, False)], 1)


@pytest.mark.parametrize(
    ("send", "subscription"),
    [
        ({"fate": SendFate.NEVER}, {}),
        ({"expire_at": 9}, {}),
        ({"mode": Mode.NON_PERSISTENT}, {}),
        ({}, {"t_drained": -1}),
        ({}, {"max_deliveries": 5, "t_dlq_drained": -1}),
    ],
)
def test_d19_asks_for_nothing_else(send: dict[str, Any], subscription: dict[str, Any]) -> None:
    rows = queue(**subscription), sent(A, **send), back(A, 3)
    assert judged("D19", *rows, *fault(500, 501)) == ([], 0)


def test_d21_scope_of_acknowledge() -> None:
    first = got(A, 3, settle=Settle.CLIENT_ACK)
    assert judged("D21", first, got(A, 6)) == ([(A, 0, 6, 5, False)], 1)
    assert judged("D21", first, got(A, 5)) == ([], 1)
    assert judged("D21", first, got(A, 6, session=1)) == ([], 1)
    assert judged("D21", got(A, 3), got(A, 6)) == ([], 0)
    assert judged("D21", replace(first, s_out=SettlementOutcome.INFO), got(A, 6)) == ([], 0)
    assert judged("D21", first, got(A, 4, session=1), got(A, 6), *fault(6, 6)) == (
        [(A, 0, 6, 5, True)],
        1,
    )


def test_d24_dead_letter_too_early() -> None:
    limited = queue(max_deliveries=2)
    copy = got(A, 9, sub=-1)
    assert judged("D24", limited, back(A, 3), copy, copy) == ([(A, -1, 1, 2, False)], 1)
    assert judged("D24", limited, back(A, 3), back(A, 6), copy) == ([], 1)
    assert judged("D24", limited, copy) == ([(A, -1, 0, 2, False)], 1)
    assert judged("D24", queue(), back(A, 3), copy) == ([(A, -1, 1, -1, False)], 1)
    assert judged("D24", limited, got(A, 9, sub=-4)) == ([(A, -4, 0, -1, False)], 1)
    assert judged("D24", limited, copy, got(A, 15, sub=-1), *fault(12, 13))[0][0][4] is True
    assert judged("D24", queue(max_deliveries=0), copy) == ([], 1)


def test_d25_dead_letter_missing() -> None:
    limited = queue(max_deliveries=2)
    twice = back(A, 3), back(A, 6)
    assert judged("D25", limited, *twice) == ([(A, 0, 2, 2, False)], 1)
    assert judged("D25", limited, *twice, got(A, 9, sub=-1)) == ([], 1)
    assert judged("D25", limited, twice[0]) == ([], 0)
    assert judged("D25", limited, *twice, got(A, 9)) == ([], 0)
    assert judged("D25", limited, *twice, got(A, 9, settle=Settle.LAZY)) == ([], 0)
    assert judged("D25", limited, *twice, got(A, 9, s_out=SettlementOutcome.INFO)) == ([], 0)
    assert judged("D25", limited, *twice, got(A, 9, s_out=SettlementOutcome.FAIL))[1] == 1
    assert judged("D25", limited, twice[0], back(A, 6, expire_at=7)) == ([], 0)
    weak = back(A, 6, mode=Mode.NON_PERSISTENT)
    assert judged("D25", limited, twice[0], weak, *fault(1000, 1001)) == ([], 0)
    assert judged("D25", limited, twice[0], weak, *fault(1001, 1002))[1] == 1
    assert judged("D25", limited, twice[0], back(A, 6, s_inv=1000))[1] == 1
    assert judged("D25", limited, twice[0], back(A, 6, s_inv=1001)) == ([], 0)
    assert judged("D25", limited, twice[0], back(A, 1001, s_inv=-1)) == ([], 0)
    assert judged("D25", replace(limited, t_dlq_drained=-1), *twice) == ([], 0)
    assert judged("D25", queue(), *twice) == ([], 0)


def test_d26_dead_letter_of_a_finished_message() -> None:
    rows = queue(max_deliveries=1), got(A, 3), got(A, 20, settle=Settle.LAZY), back(B, 6)
    copies = got(A, 9, sub=-1), got(B, 9, sub=-1)
    assert judged("D26", *rows, *copies) == ([(A, -1, 2, 1, False)], 2)
    assert judged("D26", *rows, *copies, *fault(15, 16))[0] == [(A, -1, 2, 1, True)]
    assert judged("D26", *rows, got(A, 30, sub=-1), *fault(25, 26))[0] == [(A, -1, 2, 1, True)]
    given_back = back(A, 40)
    assert judged("D26", *rows, given_back, *copies, *fault(35, 36))[0][0][4] is False
    assert judged("D26", *rows, got(C, 9, sub=-1)) == ([], 1)
