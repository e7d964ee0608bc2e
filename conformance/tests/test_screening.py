"""The screened plan finds what the exact kernels find, and looks twice at few messages."""

from __future__ import annotations

from random import Random

import pytest
from hand_made import A, got, history_of, queue, sent
from hypothesis import given, settings
from hypothesis import strategies as st
from screened_plan import judged_screened

from slow_history import SmallHistory
from small_histories import deliveries_of, findings_of, histories, sends_of, spec_of
from touchstone.checks.columns import take
from touchstone.checks.screening.session_scan import OutOfOrderError, SessionScan
from touchstone.checks.whole import judge


@settings(max_examples=150, deadline=None)
@given(histories(), st.randoms(use_true_random=False))
def test_the_screened_plan_finds_what_the_exact_kernels_find(
    history: SmallHistory, random: Random
) -> None:
    """Findings, counts and power are equal, however the history is cut into parts and batches."""
    sends, deliveries, spec = sends_of(history), deliveries_of(history), spec_of(history)
    whole = judge(sends, deliveries, spec)
    found = judged_screened(sends, deliveries, spec, random).found
    assert findings_of(found) == findings_of(whole)
    assert found.power == whole.power
    for counted, expected in ((found.counts, whole.counts), (found.shoulds, whole.shoulds)):
        assert {k: n for k, n in counted.items() if n} == {k: n for k, n in expected.items() if n}


@pytest.mark.parametrize("order", [(1, 0), (0, 0), (0, 2, 1)])
def test_rows_that_come_out_of_order_are_refused(order: tuple[int, ...]) -> None:
    history = history_of(queue(), *(got(A, 3 + ridx, ridx=ridx) for ridx in range(3)))
    rows, scan = deliveries_of(history), SessionScan(spec_of(history))
    for ridx in order[:-1]:
        scan.feed(take(rows, slice(ridx, ridx + 1)))
    with pytest.raises(OutOfOrderError, match=f"row {order[-1]} of session 0 comes after row"):
        scan.feed(take(rows, slice(order[-1], order[-1] + 1)))


@pytest.mark.parametrize("sub", [1, 32_766, 32_767, 32_768, 65_535, 65_536])
def test_deliveries_of_a_subscription_that_is_not_known_are_looked_at(sub: int) -> None:
    """Whatever its number: the lanes of the sends are not taken for its own."""
    history = history_of(queue(), sent(A), got(A, 3), got(A, 5, session=1, sub=sub))
    tables = sends_of(history), deliveries_of(history), spec_of(history)
    judged = judged_screened(*tables, Random(1))
    assert judged.suspects.tolist() == [A]
    assert [(one.check, one.sub) for one in findings_of(judged.found)] == [("D04", sub)]
