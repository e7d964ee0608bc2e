"""Histories at the edges of what columns and kernels can hold; what is expected is said by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from histories.small_histories import deliveries_of, findings_of, sends_of, spec_of
from jms_histories.checks import judge as slowly
from jms_histories.checks.findings import Finding
from jms_histories.checks.small_history import (
    NEVER,
    DeliveryRow,
    SendRow,
    SmallHistory,
    SubscriptionRow,
)
from jms_histories.columns import Findings, take
from jms_histories.definitions import CHECKS
from jms_histories.kernels.whole import judge
from jms_histories.values import Ordering, SendFate, Settle, SettlementOutcome, uid

ACKNOWLEDGED: dict[str, Any] = {"settle": Settle.ACK, "s_out": SettlementOutcome.OK}
MESSAGE = uid(1, 0)


def judged(history: SmallHistory) -> Findings:
    """What the kernels make of it."""
    return judge(sends_of(history), deliveries_of(history), spec_of(history))


def of(findings: Findings, check: str) -> list[Finding]:
    """The findings of one check."""
    return [finding for finding in findings_of(findings) if finding.check == check]


def received(number: int, t: int, **columns: Any) -> DeliveryRow:
    """A delivery at t in session 0, acknowledged at once."""
    values: dict[str, Any] = {
        "t_enter": t,
        "t_exit": t,
        "s_inv": t,
        "s_ok": t,
        **ACKNOWLEDGED,
        **columns,
    }
    return DeliveryRow(0, t, 0, 0, number, **values)


def given_back(times: int, **last: Any) -> SmallHistory:
    """One message, given back so many times but for the last, each delivery one tick later."""
    back: dict[str, Any] = {"settle": Settle.NACK}
    rows = [
        received(MESSAGE, t, redelivered=t > 0, count=min(t + 1, 32767), **back)
        for t in range(times)
    ]
    rows[-1] = replace(rows[-1], **{**ACKNOWLEDGED, **last})
    subs = (SubscriptionRow(0, t_drained=times),)
    return SmallHistory((SendRow(MESSAGE, t_ok=0),), tuple(rows), subs)


@pytest.mark.parametrize("times", [256, 32_767])
def test_a_message_may_come_as_often_as_its_count_can_tell(times: int) -> None:
    findings = judged(given_back(times))
    assert findings_of(findings) == []
    assert findings.power["D06"] == findings.power["D07"] == times - 1
    assert findings.power["D05"] == 1
    assert findings.power["D11"] == times


def test_more_deliveries_than_the_count_can_tell_are_ranked_all_the_same() -> None:
    findings = judged(given_back(70_000))
    wrong = 70_000 - 32_767
    assert findings.counts["D11"] == wrong
    assert of(findings, "D11")[0] == Finding("D11", MESSAGE, 0, 32_767, 32_768)
    assert {check for check, count in findings.counts.items() if count} == {"D11"}
    assert findings.power["D11"] == 70_000


def test_seventy_thousand_repeats_of_what_was_acknowledged_are_all_counted() -> None:
    history = given_back(70_000, count=-1)
    first = replace(history.deliveries[0], **ACKNOWLEDGED)
    findings = judged(replace(history, deliveries=(first, *history.deliveries[1:])))
    assert findings.counts["D05"] == 69_999
    assert of(findings, "D05")[0] == Finding("D05", MESSAGE, 0, 1, 0)
    assert of(findings, "D08") == [Finding("D08", MESSAGE, 0, 2, 69_999)]


@pytest.mark.parametrize("count", [0, 32_767, -32_768])
def test_counts_at_the_ends_of_their_column(count: int) -> None:
    history = SmallHistory(
        (SendRow(MESSAGE, t_ok=0),),
        (received(MESSAGE, 1, count=count, redelivered=True),),
        (SubscriptionRow(0, t_drained=9),),
    )
    findings = judged(history)
    assert of(findings, "D11") == [Finding("D11", MESSAGE, 0, count, 1)]
    assert bool(of(findings, "D12")) == (count < 2)
    assert findings_of(findings) == slowly(history)[0]


def test_a_number_that_a_failed_send_took_is_missed_by_nobody() -> None:
    sends = tuple(SendRow(uid(1, seq), t_inv=seq, t_ok=seq, t_visible=seq) for seq in (0, 2))
    failed = SendRow(uid(1, 1), t_inv=1, fate=SendFate.NEVER)
    sub = SubscriptionRow(0, t_drained=9, exclusive=True, ordering=Ordering.PRODUCER)
    rows = (received(uid(1, 0), 1), received(uid(1, 2), 2))
    for known in ((sends[0], failed, sends[1]), sends):
        findings = judged(SmallHistory(known, rows, (sub,)))
        assert findings_of(findings) == []
        assert (findings.power["D09"], findings.power["D10"]) == (1, 2)


def test_at_equal_times_deliveries_rank_by_session_and_index() -> None:
    def row(session: int, ridx: int, **columns: Any) -> DeliveryRow:
        return replace(received(MESSAGE, 0, **columns), session=session, ridx=ridx, t_exit=0)

    rows = (
        row(2, 0, count=4, redelivered=1),
        row(1, 1, count=3, redelivered=1),
        row(1, 0, count=2, redelivered=1),
        row(0, 7),
    )
    history = SmallHistory((SendRow(MESSAGE, t_ok=0),), rows, (SubscriptionRow(0, t_drained=0),))
    findings = judged(history)
    assert findings_of(findings) == [Finding("D08", MESSAGE, 0, 4, 0)]
    assert findings.power["D06"] == 3


@pytest.mark.parametrize("missing", [None, 0, 31, 62])
def test_sixty_three_subscriptions_have_selectors(missing: int | None) -> None:
    subs = tuple(SubscriptionRow(bit, bit=bit, t_drained=9) for bit in range(63))
    chosen = [bit for bit in range(63) if bit % 2 == 0]
    send = SendRow(MESSAGE, t_ok=0, match=sum(1 << bit for bit in chosen))
    rows = tuple(
        replace(received(MESSAGE, 1), session=bit, ridx=0, sub=bit)
        for bit in chosen
        if bit != missing
    )
    stray = replace(received(MESSAGE, 2), session=100, ridx=0, sub=1)
    findings = judged(SmallHistory((send,), (*rows, stray), subs))
    assert findings.power["D01"] == 32
    assert [finding.sub for finding in of(findings, "D01")] == [
        bit for bit in chosen if bit == missing
    ]
    assert [finding.sub for finding in of(findings, "D04")] == [1]


def test_the_largest_numbers_of_messages_times_and_digests() -> None:
    largest = 1 << 62
    last = NEVER - 1
    send = SendRow(
        largest,
        t_inv=last,
        t_ok=last,
        t_visible=last,
        body64=-(1 << 63),
        head64=NEVER,
        mid64=NEVER,
    )
    row = replace(
        received(largest, last, t_sent=last, intact=0), ridx=0, body64=NEVER, head64=-(1 << 63)
    )
    twin = replace(send, uid=uid((1 << 22) - 1, (1 << 40) - 1))
    history = SmallHistory((send, twin), (row,), (SubscriptionRow(0, t_drained=last),), epsilon=5)
    findings = judged(history)
    assert findings_of(findings) == [
        Finding("D01", twin.uid, 0, last, last),
        Finding("D13", largest, 0, NEVER, -(1 << 63)),
        Finding("D14", largest, 0, -(1 << 63), NEVER),
        Finding("D27", largest, -(1 << 31), NEVER, twin.uid),
        Finding("D28", -1, 0, 2, 1, True),
    ]


@pytest.mark.parametrize("empty", ["sends", "deliveries", "subscriptions", "events", "consumers"])
def test_any_table_may_be_empty(empty: str) -> None:
    nothing: dict[str, Any] = {empty: ()}
    history = replace(given_back(3), **nothing)
    findings = judged(history)
    expected, power = slowly(history)
    assert findings_of(findings) == expected
    assert findings.power == power
    assert set(power) == set(CHECKS)


def test_rows_in_the_narrow_types_of_the_schema_do_not_wrap() -> None:
    history = given_back(300)
    columns = deliveries_of(history)
    assert columns["count"].itemsize == 2
    assert columns["settle"].itemsize == 1
    backwards = take(columns, slice(None, None, -1))
    findings = judge(sends_of(history), backwards, spec_of(history))
    assert findings_of(findings) == []


@pytest.mark.parametrize(("first", "forgotten"), [(Settle.NACK, 1), (Settle.ACK, 0)])
def test_given_back_at_last_is_forgotten_unless_another_delivery_was_finished(
    first: Settle, forgotten: int
) -> None:
    """What a cut connection brings twice may be finished here and given back there."""
    history = given_back(3, settle=Settle.NACK, s_out=SettlementOutcome.OK)
    rows = (replace(history.deliveries[0], settle=first), *history.deliveries[1:])

    assert len(of(judged(replace(history, deliveries=rows)), "D19")) == forgotten
