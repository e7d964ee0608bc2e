"""The kernels against the slow oracle: the same findings and the same power, whatever is wrong."""

from __future__ import annotations

from functools import reduce
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histories.history_changes import changed
from histories.injections import OFFENCES, injected
from histories.small_histories import (
    deliveries_of,
    findings_of,
    histories,
    sends_of,
    shuffled,
    spec_of,
)
from jms_histories.checks import judge as slowly
from jms_histories.checks.findings import Finding
from jms_histories.checks.small_history import SmallHistory
from jms_histories.columns import Columns, Findings, take
from jms_histories.definitions import CHECKS
from jms_histories.kernels.links.judging import link
from jms_histories.kernels.links.merging import merge_messages, merge_sessions
from jms_histories.kernels.links.partials import MessagePartials, SessionPartials
from jms_histories.kernels.messages.judging import judge_messages
from jms_histories.kernels.sessions.judging import judge_sessions
from jms_histories.kernels.whole import judge
from tiny_provider import legal

pytestmark = pytest.mark.thorough

seeds = st.integers(0, 1 << 32)


def kernels(history: SmallHistory) -> Findings:
    """What the kernels make of it."""
    return judge(sends_of(history), deliveries_of(history), spec_of(history))


def assert_agreement(history: SmallHistory) -> None:
    """The same findings, with their evidence, and the same power; exact counts."""
    expected, power = slowly(history)
    findings = kernels(history)
    assert findings_of(findings) == expected
    assert findings.power == power
    for check in CHECKS:
        shoulds = [finding.should for finding in expected if finding.check == check]
        assert findings.counts.get(check, 0) == shoulds.count(False)
        assert findings.shoulds.get(check, 0) == shoulds.count(True)


@given(histories())
@settings(max_examples=100, deadline=None)
def test_the_kernels_find_what_the_oracle_finds(history: SmallHistory) -> None:
    assert_agreement(history)


def test_the_kernels_find_what_the_oracle_finds_in_a_thousand_histories() -> None:
    checks_found: set[str] = set()
    for seed in range(1000):
        random = Random(seed)
        history = changed(legal(random, faults=seed % 2 == 0), random, seed % 13)
        assert_agreement(history)
        checks_found |= {finding.check for finding in slowly(history)[0]}
    assert checks_found == set(OFFENCES)


@pytest.mark.parametrize("check", OFFENCES)
@given(seeds)
@settings(max_examples=5, deadline=None)
def test_the_kernels_find_each_offence(check: str, seed: int) -> None:
    random = Random(seed)
    history = injected(legal(random, faults=seed % 2 == 0, steps=30), check)
    assert check in {finding.check for finding in findings_of(kernels(history))}
    assert_agreement(history)


@given(seeds)
@settings(max_examples=50, deadline=None)
def test_the_kernels_find_nothing_in_a_legal_history(seed: int) -> None:
    assert findings_of(kernels(legal(Random(seed)))) == []


# --- order of rows, buckets, merging


def parts_of(
    history: SmallHistory, random: Random, buckets: int
) -> tuple[list[MessagePartials], list[SessionPartials]]:
    """Partials of the messages and sessions dealt to buckets, rows in any order."""
    sends, deliveries = sends_of(history), deliveries_of(history)
    sends, deliveries = shuffled(sends, random), shuffled(deliveries, random)
    spec = spec_of(history)
    of_uid = {int(uid): random.randrange(buckets) for uid in deliveries["uid"]}
    of_uid |= {int(uid): random.randrange(buckets) for uid in sends["uid"]}
    of_session = {int(session): random.randrange(buckets) for session in deliveries["session"]}

    def dealt(rows: Columns, to: dict[int, int], name: str, bucket: int) -> Columns:
        return take(rows, np.array([to[int(value)] == bucket for value in rows[name]], dtype=bool))

    messages = [
        judge_messages(
            dealt(sends, of_uid, "uid", bucket), dealt(deliveries, of_uid, "uid", bucket), spec
        )
        for bucket in range(buckets)
    ]
    sessions = [
        judge_sessions(dealt(deliveries, of_session, "session", bucket), spec)
        for bucket in range(buckets)
    ]
    return messages, sessions


@given(seeds, st.integers(1, 9))
@settings(max_examples=100, deadline=None)
def test_findings_depend_neither_on_buckets_nor_on_the_order_of_rows(
    seed: int, buckets: int
) -> None:
    random = Random(seed)
    history = changed(legal(random, faults=seed % 2 == 0), random, seed % 13)
    expected = kernels(history)
    messages, sessions = parts_of(history, random, buckets)
    random.shuffle(messages)
    random.shuffle(sessions)
    findings = link(messages, sessions, spec_of(history))
    assert findings_of(findings) == findings_of(expected)
    assert (findings.counts, findings.shoulds, findings.power) == (
        expected.counts,
        expected.shoulds,
        expected.power,
    )


Partials = MessagePartials | SessionPartials


def plain(partials: Partials) -> dict[str, object]:
    """Partials as values that can be compared."""
    result: dict[str, object] = {}
    for name, value in vars(partials).items():
        if isinstance(value, Findings):
            result[name] = (findings_of(value), value.counts, value.shoulds, value.power)
        elif isinstance(value, dict):
            result[name] = {column: rows.tolist() for column, rows in value.items()}
            result[f"types of {name}"] = {column: rows.dtype for column, rows in value.items()}
        else:
            result[name] = value
    return result


@given(seeds, st.integers(2, 6))
@settings(max_examples=50, deadline=None)
def test_partials_merge_in_any_order_and_any_grouping(seed: int, buckets: int) -> None:
    random = Random(seed)
    history = changed(legal(random, faults=seed % 2 == 0), random, seed % 13)
    messages, sessions = parts_of(history, random, buckets)
    at_once = plain(merge_messages(messages)), plain(merge_sessions(sessions))
    random.shuffle(messages)
    random.shuffle(sessions)
    one_by_one = (
        plain(reduce(lambda left, other: merge_messages([left, other]), messages)),
        plain(reduce(lambda left, other: merge_sessions([other, left]), sessions)),
    )
    assert one_by_one == at_once


@given(seeds, st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_a_cap_keeps_the_same_findings_of_any_buckets(seed: int, most: int) -> None:
    random = Random(seed)
    history = changed(legal(random), random, 12)
    messages, _ = parts_of(history, random, 5)
    whole, _ = parts_of(history, random, 1)
    dealt, together = merge_messages(messages, most).findings, merge_messages(whole, most).findings
    assert findings_of(dealt) == findings_of(together)
    assert (dealt.counts, dealt.shoulds) == (together.counts, together.shoulds)
    kept = [finding.check for finding in findings_of(dealt)]
    for check in dealt.power:
        number = dealt.counts.get(check, 0) + dealt.shoulds.get(check, 0)
        assert kept.count(check) == min(most, number)


@given(seeds, st.sets(st.sampled_from(sorted(CHECKS))))
@settings(max_examples=30, deadline=None)
def test_only_the_checks_that_were_asked_for_answer(seed: int, checks: set[str]) -> None:
    random = Random(seed)
    history = changed(legal(random), random, 12)
    findings = judge(sends_of(history), deliveries_of(history), spec_of(history), checks)
    expected, power = slowly(history)
    assert findings_of(findings) == [finding for finding in expected if finding.check in checks]
    assert findings.power == {check: power[check] for check in sorted(checks)}


def test_an_empty_history_has_no_power() -> None:
    findings = kernels(SmallHistory())
    assert findings_of(findings) == []
    assert findings.power == dict.fromkeys(CHECKS, 0)


def test_findings_compare_as_the_oracle_writes_them() -> None:
    findings = kernels(injected(SmallHistory(), "D12"))
    assert Finding("D12", 90_000 << 40, 900, 1, 11, False) in findings_of(findings)
