"""The checks of timing, redelivery and priority: histories that have the fault, and just not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.scenario.checks import none_again, none_early, overtaken, repeats_flagged

ids = st.integers(0, 5)


def test_a_message_that_comes_before_it_is_due_is_told_with_how_much() -> None:
    rows = [("a", 100.0), ("b", 97.0)]
    assert none_early({"a": 100, "b": 100}, rows, tolerance=2) == [
        "'b' came 3 ms before it was due"
    ]
    assert none_early({"a": 100, "b": 100}, rows, tolerance=3) == []


def test_each_early_repeat_counts_and_unknown_ids_do_not() -> None:
    assert len(none_early({"a": 100}, [("a", 1), ("a", 2), ("phantom", 3)])) == 2


@given(st.lists(st.tuples(ids, st.booleans())))
def test_repeats_are_flagged_or_told(deliveries: list[tuple[int, bool]]) -> None:
    unflagged = [
        id_
        for index, (id_, redelivered) in enumerate(deliveries)
        if not redelivered and id_ in [earlier for earlier, _ in deliveries[:index]]
    ]
    assert repeats_flagged(deliveries) == [
        f"{id_!r} came again without being flagged" for id_ in unflagged
    ]


@given(st.lists(ids), st.lists(ids))
def test_what_was_finished_does_not_come_again(finished: list[int], later: list[int]) -> None:
    again = none_again(finished, later)
    assert len(again) == len(set(finished) & set(later))
    assert all(f"{id_!r} was finished and came again" in again for id_ in {*finished} & {*later})


@pytest.mark.parametrize(
    ("priorities", "passed"),
    [([], 0), ([9, 5, 4, 0], 0), ([4, 9], 1), ([0, 4, 5, 3, 9, 1, 1], 3), ([1, 2, 3], 0)],
)
def test_low_priorities_ahead_of_the_last_high_one_are_counted(
    priorities: list[int], passed: int
) -> None:
    assert overtaken(priorities) == passed
