"""Random selectors on random messages, judged as the oracle judges them (section 3.8.1)."""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from jmsapi import Double, Float, Int, InvalidSelectorException, Long, PropertyValue
from pulsar_jms.selectors import Selector
from selector_numbers import NoSelector, Typed, Value
from selector_oracle import (
    Arithmetic,
    Comparison,
    Name,
    Number,
    Signed,
    Tree,
    judged,
    possible,
    valued,
)
from selector_texts import (
    MESSAGES,
    NUMBER_MESSAGES,
    NUMBER_TEXTS,
    SIGNS,
    STYLES,
    Style,
    careless_selectors,
    numeric,
    operations,
    selectors,
    written,
)

pytestmark = pytest.mark.thorough

Values = dict[str, PropertyValue | None]
REFUSED = "refused"


def expected(tree: Tree, values: Values) -> str:
    try:
        return judged(tree, values)
    except NoSelector:
        return REFUSED


def seen(text: str, values: Values) -> str:
    """The three truths are distinguished by what NOT makes of them."""
    try:
        holds = Selector.parse(text).matches(values)
    except InvalidSelectorException:
        return REFUSED
    opposite = Selector.parse(f"NOT ({text})").matches(values)
    assert not (holds and opposite), f"{text!r} and its opposite both select {values}"
    return "true" if holds else "false" if opposite else "unknown"


@settings(max_examples=400)
@given(selectors, MESSAGES, STYLES)
def test_a_selector_is_judged_as_the_oracle_judges_it(
    tree: Tree, values: Values, style: Style
) -> None:
    """JMS-SEL-001, -019 to -023, -025 to -038, -040, -041, -051, -061: of any shape."""
    truth = expected(tree, values)
    event(truth)
    assert seen(written(tree, style), values) == truth


@settings(max_examples=400)
@given(careless_selectors, MESSAGES, STYLES)
def test_what_can_never_hold_together_is_refused(tree: Tree, values: Values, style: Style) -> None:
    """JMS-SEL-009, -020, -028, -031 to -035, -039: refused when read, or judged; never both."""
    truth = expected(tree, values)
    event(truth)
    assert seen(written(tree, style), values) == truth


@settings(max_examples=400)
@given(operations | numeric, NUMBER_MESSAGES, STYLES)
def test_a_calculation_has_the_oracles_result(tree: Tree, values: Values, style: Style) -> None:
    """JMS-SEL-019, -022, -026, -030, -031: value and type, as the result is compared with both."""
    same_result(tree, values, style)


@settings(max_examples=400)
@given(NUMBER_TEXTS, st.none() | SIGNS, STYLES)
def test_a_number_is_read_as_java_reads_it(text: str, sign: str | None, style: Style) -> None:
    """JMS-SEL-005, -006: the value and the type, which a product tells, or the refusal."""
    number = Number(text) if sign is None else Signed(sign, Number(text))
    for factor in (Int(2**31 - 1), Long(2**31 - 1), Float(0.1), Double(0.1)):
        same_result(Arithmetic(Name("a"), "*", number), {"a": factor}, style)


def same_result(tree: Tree, values: Values, style: Style) -> None:
    try:
        possible(tree)
    except NoSelector:
        assert seen(written(Comparison(tree, "=", Name("a")), style), values) == REFUSED
        return
    result = valued(tree, values)
    if result is None:
        assert seen(written(Comparison(tree, "=", tree), style), values) == "unknown"
        return
    values = {**values, "result": as_property(result)}
    for operator in ("=", "<=", "<"):
        comparison = Comparison(tree, operator, Name("result"))
        assert seen(written(comparison, style), values) == judged(comparison, values)


def as_property(value: Value) -> PropertyValue:
    assert isinstance(value, Typed)
    match value:
        case Typed("int", int(number)):
            return Int(number)
        case Typed("long", int(number)):
            return Long(number)
        case Typed("float", number):
            return Float(number)
        case _:
            return Double(value.value)
