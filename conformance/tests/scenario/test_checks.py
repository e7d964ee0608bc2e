"""The checks against obvious, slow oracles."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from touchstone.scenario.checks import (
    Interval,
    at_least_once,
    exactly_once,
    in_order,
    no_overlap,
    overlap,
)

ids = st.integers(0, 6)
times = st.integers(0, 12)
intervals = st.lists(
    st.tuples(times, times)
    .filter(lambda t: t[0] < t[1])
    .map(lambda t: Interval(float(t[0]), float(t[1]))),
    max_size=6,
)


@given(st.lists(ids, unique=True), st.lists(ids))
def test_exactly_once_holds_for_permutations_only(sent: list[int], received: list[int]) -> None:
    assert (not exactly_once(sent, received)) == (sorted(sent) == sorted(received))


@given(st.lists(ids, unique=True), st.lists(ids))
def test_at_least_once_holds_when_the_same_ids_occur(sent: list[int], received: list[int]) -> None:
    assert (not at_least_once(sent, received)) == (set(sent) == set(received))


@given(st.lists(ids, unique=True), st.lists(ids, unique=True))
def test_in_order_holds_when_no_pair_is_turned_round(sent: list[int], received: list[int]) -> None:
    known = [id_ for id_ in received if id_ in sent]
    turned = any(sent.index(a) > sent.index(b) for a, b in combinations(known, 2))
    assert bool(in_order(sent, received)) == turned


@given(intervals)
def test_no_overlap_holds_when_no_pair_overlaps(rows: list[Interval]) -> None:
    assert bool(no_overlap(rows)) == any(overlap(a, b) for a, b in combinations(rows, 2))


def test_each_violation_says_what_happened() -> None:
    assert exactly_once(["a", "b"], ["b", "b", "c"]) == [
        "'a' was sent and never received",
        "'c' was received and never sent",
        "'b' was received 2 times",
    ]
    assert in_order("abc", "acb") == ["'b' was received after 'c', although sent before it"]
    assert in_order("abc", "aab") == []
    assert no_overlap([Interval(0, 2, "first"), Interval(1, 3, "second")]) == [
        "second [1.000000, 3.000000) overlaps first [0.000000, 2.000000)"
    ]
    assert no_overlap([(0, 1), (1, 2)]) == []
