"""The screened plan finds what the exact kernels find, and looks twice at few messages."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from screened_plan import judged_screened

from slow_history import SmallHistory
from small_histories import deliveries_of, findings_of, histories, sends_of, spec_of
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
