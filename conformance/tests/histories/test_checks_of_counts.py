"""The checks of delivery counts: histories that have the fault, and just not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from touchstone.scenario.checks import CountedDelivery, counts_rise, flags_counted

ids = st.sampled_from("abcd")


@given(st.lists(ids))
def test_counts_that_rise_by_one_are_right(order: list[str]) -> None:
    seen: Counter[str] = Counter()
    rows = []
    for id_ in order:
        seen[id_] += 1
        rows.append(CountedDelivery(id_, seen[id_] > 1, seen[id_]))
    assert counts_rise(rows) == []
    assert flags_counted(rows) == []


@given(st.lists(ids, min_size=1), st.integers(0, 9), st.integers(-3, 3).filter(bool))
def test_one_wrong_count_is_told(order: list[str], place: int, error: int) -> None:
    rows = [CountedDelivery(id_, False, order[: i + 1].count(id_)) for i, id_ in enumerate(order)]
    at = place % len(rows)
    rows[at] = replace(rows[at], count=rows[at].count + error)
    expected = rows[at].count - error
    told = f"{rows[at].id!r} came with count {rows[at].count} instead of {expected}"
    assert counts_rise(rows)[0] == told


@given(st.lists(st.builds(CountedDelivery, ids, st.booleans(), st.integers(0, 3))))
def test_flag_without_a_count_above_one_is_told(rows: list[CountedDelivery]) -> None:
    wrong = [row for row in rows if row.redelivered and row.count in (0, 1)]
    assert flags_counted(rows) == [
        f"{row.id!r} came with the flag and count {row.count}" for row in wrong
    ]
