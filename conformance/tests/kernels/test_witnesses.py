"""Witnesses: few rows that show a finding by themselves."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histories.history_changes import changed
from histories.injections import OFFENCES, injected
from histories.small_histories import deliveries_of, sends_of, shuffled, spec_of
from jms_histories.checks import FUNCTIONS
from jms_histories.checks.small_history import DeliveryRow, Happening, SendRow, SmallHistory
from jms_histories.columns import Columns, take
from jms_histories.history.schema import DELIVERY, SEND
from jms_histories.kernels.tables import EMPTY_DELIVERIES, EMPTY_SENDS
from jms_histories.kernels.whole import judge
from jms_histories.kernels.witnesses.describing import describe_witness
from jms_histories.kernels.witnesses.shortest import (
    MOST_ROWS,
    Witness,
    WitnessSearch,
    first_findings,
    witnesses,
)
from jms_histories.values import Event, Ordering, Settle, uid
from kernels.hand_made import A, B, C, back, fault, got, history_of, queue, sent
from tiny_provider import legal


def seen(history: SmallHistory, *checks: str, each: int = 3) -> list[Witness]:
    """The first witnesses of some checks, or of all."""
    tables = sends_of(history), deliveries_of(history), spec_of(history)
    findings = judge(*tables, checks or None)
    return witnesses(first_findings(findings.rows, each), *tables)


def by_itself(history: SmallHistory, witness: Witness) -> SmallHistory:
    """The history that a witness shows, with all that holds for the whole one."""
    return SmallHistory(
        tuple(SendRow(**row) for row in witness.sends),
        tuple(DeliveryRow(**row) for row in witness.deliveries),
        history.subscriptions,
        history.events,
        history.consumers,
        history.epsilon,
        history.priority_slack,
        history.truncated,
    )


def test_tables_without_rows_have_the_types_of_the_schema() -> None:
    for rows, schema in ((EMPTY_SENDS, SEND), (EMPTY_DELIVERIES, DELIVERY)):
        types = {field.name: np.dtype(field.type.to_pandas_dtype()) for field in schema}
        assert {name: values.dtype for name, values in rows.items()} == types
        assert list(rows) == list(types)


@settings(max_examples=40)
@given(st.integers(0, 1 << 32))
def test_a_witness_shows_its_finding_by_itself(seed: int) -> None:
    random = Random(seed)
    history = changed(legal(random, faults=seed % 2 == 0), random, seed % 13)
    for witness in seen(history):
        finding = witness.finding
        if finding["check"] == "D28":  # a sum over all messages
            assert not witness.deliveries
            continue
        assert witness.complete
        alone, _ = FUNCTIONS[finding["check"]](by_itself(history, witness))
        assert tuple(finding.values()) in {tuple(other) for other in alone}


@pytest.mark.parametrize("check", sorted(set(OFFENCES) - {"D28"}))
def test_no_row_of_a_witness_could_be_left_out(check: str) -> None:
    random = Random(check)
    history = injected(legal(random, steps=40), check)
    (witness,) = seen(history, check, each=1)
    assert witness.complete
    shown = by_itself(history, witness)

    def still_there(fewer: SmallHistory) -> bool:
        return tuple(witness.finding.values()) in {
            tuple(finding) for finding in FUNCTIONS[check](fewer)[0]
        }

    for place in range(len(shown.sends)):
        rest = shown.sends[:place] + shown.sends[place + 1 :]
        assert not still_there(by_rows(shown, rest, shown.deliveries))
    for place in range(len(shown.deliveries)):
        others = shown.deliveries[:place] + shown.deliveries[place + 1 :]
        assert not still_there(by_rows(shown, shown.sends, others))


def by_rows(
    history: SmallHistory, sends: tuple[SendRow, ...], deliveries: tuple[DeliveryRow, ...]
) -> SmallHistory:
    """The same history with other rows."""
    return SmallHistory(
        sends,
        deliveries,
        history.subscriptions,
        history.events,
        history.consumers,
        history.epsilon,
        history.priority_slack,
        history.truncated,
    )


def times(rows: tuple[object, ...], name: str) -> list[object]:
    return [row[name] for row in rows]  # type: ignore[index]


def test_what_is_shown_of_a_message_that_came_again() -> None:
    rows = sent(A), sent(B), back(A, 3), got(A, 6), got(B, 7), got(A, 20), *fault(19, 19)
    (witness,) = seen(history_of(queue(), *rows), "D05")
    assert times(witness.deliveries, "t_enter") == [6, 20]
    assert witness.sends == ()
    assert witness.finding == {
        "check": "D05", "uid": A, "sub": 0, "a": 20, "b": 8, "should": True,
    }  # fmt: skip
    assert [(row["t"], row["event"]) for row in witness.events] == [
        (19, Event.FAULT_BEGIN),
        (19, Event.FAULT_END),
    ]
    assert [row["sub"] for row in witness.subscriptions] == [0]


def test_what_is_shown_of_a_lost_message_that_was_skipped() -> None:
    subscription = queue(exclusive=True, ordering=Ordering.PRODUCER)
    rows = sent(A), sent(B), sent(C), got(A, 3), got(C, 9), got(uid(2, 0), 10)
    lost, skipped = seen(history_of(subscription, *rows), "D01", "D10")
    assert (times(lost.sends, "uid"), lost.deliveries) == ([B], ())
    assert times(skipped.sends, "uid") == [B]
    assert times(skipped.deliveries, "uid") == [A, C]


def test_the_events_that_a_finding_rests_on() -> None:
    stop, start = Happening(0, 4, Event.STOP), Happening(0, 1, Event.START)
    (witness,) = seen(history_of(start, stop, got(A, 5), Happening(9, 4, Event.STOP)), "D29")
    assert [(row["session"], row["t"]) for row in witness.events] == [(0, 4)]
    closed = Happening(9, 5, Event.CONSUMER_CLOSE, 4)
    unsettled = got(A, 3, consumer=4, s_inv=-1, settle=Settle.NONE)
    (witness,) = seen(history_of(unsettled, got(A, 4, consumer=5), closed), "D07")
    assert [(row["event"], row["arg"]) for row in witness.events] == [(Event.CONSUMER_CLOSE, 4)]


@pytest.mark.parametrize("check", OFFENCES)
def test_rows_come_in_batches_and_any_order(check: str) -> None:
    random = Random(f"batches of {check}")
    history = injected(legal(random, steps=30), check)
    spec = spec_of(history)
    sends = shuffled(sends_of(history), random)
    deliveries = shuffled(deliveries_of(history), random)
    rows = first_findings(judge(sends, deliveries, spec).rows)
    search = WitnessSearch(rows, spec)

    def batches(table: Columns) -> list[Columns]:
        places = np.arange(len(table["uid"]))
        return [take(table, places[start : start + 3]) for start in range(0, len(places), 3)]

    for batch in batches(sends):
        search.feed_sends(batch)
    for batch in batches(deliveries):
        search.feed_deliveries(batch)
    for batch in batches(shuffled(deliveries, random)):
        search.feed_compared(batch)
    shortest = search.witnesses()
    assert check in {witness.finding["check"] for witness in shortest}
    assert shortest == witnesses(rows, sends_of(history), deliveries_of(history), spec)


def test_too_many_rows_are_counted_and_left_out() -> None:
    rows = [back(A, 3 + t, count=-1, redelivered=True) for t in range(1, 990)]
    (witness,) = seen(history_of(queue(), sent(A), *rows), "D19")
    assert len(witness.deliveries) + len(witness.sends) == MOST_ROWS
    assert witness.left_out == 990 - MOST_ROWS
    assert not witness.complete


def test_the_first_findings_are_those_that_decide() -> None:
    rows = [row for t in (3, 10, 30) for row in (got(A, t), got(B, t + 1))]
    findings = judge(
        sends_of(history_of()),
        deliveries_of(history_of(*rows)),
        spec_of(history_of(*fault(9, 15))),
        ["D05", "D06"],
    )
    first = first_findings(findings.rows, 1)
    assert first["check"].tolist() == ["D05", "D06"]
    assert sum(findings.shoulds.values()) > 0
    nothing = first_findings({name: values[:0] for name, values in findings.rows.items()})
    assert len(nothing["uid"]) == 0


def test_a_witness_is_told_row_by_row() -> None:
    ms = 1_000_000
    first = got(B, 3 * ms, s_inv=3 * ms, s_ok=4 * ms)
    again = got(B, 9 * ms, ridx=7, s_inv=9 * ms, s_ok=-1, count=2, redelivered=True)
    (witness,) = seen(history_of(first, again, *fault(ms, 2 * ms)), "D05")
    assert describe_witness(witness).splitlines() == [
        f"D05 again after acknowledgement: message 1/1 at subscription 0"
        f" (delivered again {9 * ms}, acknowledged {4 * ms}, should)",
        "       0.000 ms  FAULT_BEGIN of kind 0",
        "       1.000 ms  FAULT_END of kind 0",
        "       2.000 ms  1/1 delivered by subscription 0, session 0, consumer 0, count 1,"
        " ACK OK after 1.000 ms",
        "       8.000 ms  1/1 delivered by subscription 0, session 0, consumer 0, count 2,"
        " redelivered, ACK OK",
    ]
    sends = sent(A, key=3, tx=4), sent(B, t=ms, tx=4, cause=A, mid64=1)
    copy = got(B, 9 * ms, sub=-1, settle=Settle.NONE, count=-1)
    (witness,) = seen(history_of(queue(t_drained=10 * ms), *sends, copy), "D17")
    assert describe_witness(witness).splitlines() == [
        "D17 torn transaction: message 1/0 at subscription 0 "
        "(transaction 4, messages that arrived 1)",
        "       0.000 ms  1/0 sent, MUST, key 3, tx 4",
        "       1.000 ms  1/1 sent, MUST, tx 4, because of 1/0",
        "       9.000 ms  1/1 delivered by dead letters of subscription 0, session 0, consumer 0",
    ]
    (witness,) = seen(history_of(sent(A, mid64=7), sent(B, mid64=7)), "D27")
    assert describe_witness(witness).startswith(
        "D27 message id: message 1/1 at no subscription "
        "(hash of the id 7, first message that has it "
    )
    stopped = Happening(0, ms, Event.STOP)
    (witness,) = seen(history_of(stopped, got(A, 2 * ms)), "D29")
    assert describe_witness(witness).splitlines()[1] == "       0.000 ms  STOP of session 0"
    (witness,) = seen(history_of(queue(), sent(A), back(A, 3)), "D28")
    assert describe_witness(witness) == (
        "D28 conservation at subscription 0 (messages owed 1, finished, or dead letters 0, should)"
    )
