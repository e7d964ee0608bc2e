"""The screened plan finds what the exact kernels find, and looks twice at few messages."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histories.small_histories import deliveries_of, findings_of, histories, sends_of, spec_of
from jms_histories.checks.small_history import SmallHistory
from jms_histories.kernels.screening.fingerprints import fingerprints
from jms_histories.kernels.whole import judge
from kernels.edge_histories import NEAR_NONE
from kernels.hand_made import A, B, C, got, history_of, queue, sent
from kernels.screened_plan import judged_screened
from kernels.slow_screening import suspects


@settings(max_examples=150, deadline=None)
@given(histories(), st.randoms(use_true_random=False))
def test_the_screened_plan_finds_what_the_exact_kernels_find(
    history: SmallHistory, random: Random
) -> None:
    """Findings, counts and power are equal, however the history is cut into parts and batches.

    A second look have only those that deserve it.
    """
    sends, deliveries, spec = sends_of(history), deliveries_of(history), spec_of(history)
    whole = judge(sends, deliveries, spec)
    screened = judged_screened(sends, deliveries, spec, random)
    findings = screened.found
    assert screened.suspects.tolist() == suspects(history)
    assert findings_of(findings) == findings_of(whole)
    assert findings.power == whole.power
    for counted, expected in ((findings.counts, whole.counts), (findings.shoulds, whole.shoulds)):
        assert {k: n for k, n in counted.items() if n} == {k: n for k, n in expected.items() if n}


@pytest.mark.parametrize("sub", [1, 32_766, 32_767, 32_768, 65_535, 65_536])
def test_deliveries_of_a_subscription_that_is_not_known_are_looked_at(sub: int) -> None:
    """Whatever its number: the lanes of the sends are not taken for its own."""
    history = history_of(queue(), sent(A), got(A, 3), got(A, 5, session=1, sub=sub))
    tables = sends_of(history), deliveries_of(history), spec_of(history)
    judged = judged_screened(*tables, Random(1))
    assert judged.suspects.tolist() == [A]
    assert [(finding.check, finding.sub) for finding in findings_of(judged.found)] == [("D04", sub)]


def test_an_id_that_is_none_is_nobodys_though_it_may_share_its_fingerprint() -> None:
    shared = fingerprints(np.array([-1, NEAR_NONE]))
    assert shared[0] == shared[1]
    history = history_of(queue(), sent(A, mid64=NEAR_NONE), sent(B, mid64=NEAR_NONE), sent(C))
    tables = sends_of(history), deliveries_of(history), spec_of(history)
    findings = judged_screened(*tables, Random(1)).found
    assert [finding.uid for finding in findings_of(findings) if finding.check == "D27"] == [B]
    assert findings.power["D27"] == 2
