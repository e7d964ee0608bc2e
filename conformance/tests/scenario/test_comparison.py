"""What is said of a comparison instead of pytest's explanation."""

from __future__ import annotations

import pytest

from touchstone.scenario.comparison import explained

LONG = list(range(3000))


class Odd:
    """Cannot be compared, and cannot be shown."""

    def __eq__(self, other: object) -> bool:
        raise ValueError

    def __hash__(self) -> int:
        return 0


@pytest.mark.parametrize(
    ("sign", "left", "right"),
    [
        ("==", 1, 1),
        ("!=", 1, 2),
        ("<", 1, 2),
        ("<=", 2, 2),
        (">", 2, 1),
        (">=", 2, 2),
        ("is", None, None),
        ("is not", None, 1),
        ("in", 1, [1]),
        ("not in", 2, [1]),
        ("==", LONG, list(range(3000))),
    ],
)
def test_what_held_is_not_explained(sign: str, left: object, right: object) -> None:
    assert explained(sign, left, right) == ["it held"]


@pytest.mark.parametrize(
    ("sign", "left", "right"),
    [("==", 1, 2), ("in", 2, [1]), ("not in", 1, [1]), ("==", Odd(), 1), ("<", 1, "a")],
)
def test_small_failures_are_left_to_pytest(sign: str, left: object, right: object) -> None:
    assert explained(sign, left, right) is None


@pytest.mark.parametrize(
    ("left", "right", "where"),
    [
        (LONG, [*LONG[:7], 0, *LONG[8:]], "At index 7: 7 == 0"),
        (LONG, LONG[:-1], "At index 2999: 2999 == nothing"),
        ([], LONG, "At index 0: nothing == 0"),
    ],
)
def test_a_large_failure_tells_where_it_begins(
    left: list[int], right: list[int], where: str
) -> None:
    said = explained("==", left, right)
    assert said is not None
    assert said[1:] == [where]
    assert len(said[0]) < 400


def test_iterators_are_not_consumed() -> None:
    numbers = iter([1, 2])
    assert explained("in", 3, numbers) is None
    assert list(numbers) == [1, 2]


def test_large_texts_are_shortened() -> None:
    said = explained("==", "x" * 10_000, "y" * 10_000)
    assert said is not None
    assert len("".join(said)) < 400
