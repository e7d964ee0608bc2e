"""The values that scenarios draw, and what counts as the same value."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

import pytest
from hypothesis.strategies import SearchStrategy

from jmsapi import Byte, Double, Float, Int, Short
from touchstone.scenario import strategies


def nan(payload: int) -> float:
    [value] = struct.unpack(">d", (0x7FF8 << 48 | payload).to_bytes(8))
    return float(value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Int(1), Int(1)),
        (Double(nan(1)), Double(nan(2))),
        ([Int(1), {"a": Float(math.inf)}], [Int(1), {"a": Float(math.inf)}]),
        (None, None),
        (b"", b""),
    ],
)
def test_same_value_of_the_same_type_is_identical(one: object, other: object) -> None:
    assert strategies.identical(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Int(1), 1),
        (Int(1), Short(1)),
        (True, Byte(1)),
        (Double(0.0), Double(-0.0)),
        (Double(1.0), Float(1.0)),
        (Double(math.nan), Double(1.0)),
        (Double(1.0), Double(math.nan)),
        ("1", Int(1)),
        ([Int(1)], [Int(1), Int(1)]),
        ({"a": None}, {"b": None}),
        ([Int(1)], [Short(1)]),
        (None, ""),
    ],
)
def test_other_value_or_other_type_is_not_identical(one: object, other: object) -> None:
    assert not strategies.identical(one, other)


def test_first_failure_is_raised_as_it_is() -> None:
    seen: list[int] = []

    with pytest.raises(AssertionError, match="too large"):

        @strategies.for_all(strategies.longs(), examples=50)
        def _(value: int) -> None:
            seen.append(value)
            assert value < 100, "too large"

    assert len(seen) <= 52


@pytest.mark.parametrize(
    ("drawn", "corner"),
    [
        (strategies.doubles(), lambda value: math.copysign(1, value) < 0 == value),
        (strategies.doubles(), math.isnan),
        (strategies.floats(), lambda value: 0 < abs(value) < 1.17e-38),
        (strategies.strings(), lambda text: any("\ud800" <= unit <= "\udfff" for unit in text)),
        (strategies.texts(), lambda text: any(unit > "\uffff" for unit in text)),
    ],
)
def test_corners_are_reached(
    drawn: SearchStrategy[object], corner: Callable[[object], bool]
) -> None:
    reached: list[bool] = []
    strategies.for_all(drawn, examples=1000)(lambda value: reached.append(corner(value)))
    assert any(reached)


def test_texts_can_be_carried_by_utf_8() -> None:
    @strategies.for_all(strategies.texts(), examples=200)
    def _(text: str) -> None:
        assert text.encode().decode() == text


def test_values_follow_the_seed_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(run_seed: int) -> list[int]:
        monkeypatch.setattr(strategies, "_run_seed", None)
        strategies.draw_by(run_seed)
        values: list[int] = []
        strategies.for_all(strategies.longs())(lambda value: values.append(value))
        return values

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_names_are_told_apart_and_begin_with_each_prefix() -> None:
    found = strategies.names("c1_", "c1")
    assert len(set(found)) == len(found)
    assert found[-2:] == ("c1_name", "c1name")
