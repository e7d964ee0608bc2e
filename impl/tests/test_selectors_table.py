"""Selectors against a table written from the specification (data/selectors.toml)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from jmsapi import Byte, Double, Float, Int, InvalidSelectorException, Long, PropertyValue, Short
from pulsar_jms.selectors import Selector

CASES = tomllib.loads((Path(__file__).parent / "data/selectors.toml").read_text("utf-8"))["case"]
LOGIC = {f"JMS-SEL-{number:03}" for number in range(41, 65)}
"""Judged by test_selectors_logic.py and test_selectors_oracle.py."""
DELIVERY = {"JMS-SEL-003", "JMS-SEL-067", "JMS-SEL-068"}
"""What becomes of messages; the language does not decide it."""
TYPES: dict[str, Any] = {"byte": Byte, "short": Short, "long": Long, "float": Float}


def typed(value: Any) -> PropertyValue:
    match value:
        case bool() | str():
            return value
        case float():
            return Double(value)
        case int():
            return Int(value) if -(2**31) <= value < 2**31 else Long(value)
    [(kind, number)] = value.items()
    made: PropertyValue = TYPES[kind](number)
    return made


MESSAGES = [
    pytest.param(case["selector"], message, selected, id=f"{case['requirement']}-{number}")
    for number, case in enumerate(CASES)
    for key, selected in (("selects", True), ("leaves", False))
    for message in case.get(key, ())
]
REFUSED = [
    pytest.param(text, id=f"{case['requirement']}-{text}")
    for case in CASES
    for text in case.get("refused", ())
]


@pytest.mark.parametrize(("selector", "message", "selected"), MESSAGES)
def test_a_selector_selects_what_the_specification_says(
    selector: str, message: dict[str, Any], selected: bool
) -> None:
    values = {name: typed(value) for name, value in message.items()}
    assert Selector.parse(selector).matches(values) is selected


@pytest.mark.parametrize("text", REFUSED)
def test_a_wrong_selector_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(InvalidSelectorException, match=r"(?s)^The selector is refused at .*\^$"):
        Selector.parse(text)


def test_every_statement_on_the_language_is_in_the_table() -> None:
    statements = {f"JMS-SEL-{number:03}" for number in range(1, 69)}
    assert {case["requirement"] for case in CASES} == statements - LOGIC - DELIVERY


def test_a_null_value_counts_as_none() -> None:
    """JMS-SEL-016: a header field without value is NULL, given as None or by no entry."""
    selector = Selector.parse("JMSType IS NULL")
    assert selector.matches({"JMSType": None})
    assert selector.matches({})


def test_a_long_identifier_is_one() -> None:
    """JMS-SEL-008: an identifier may be of any length."""
    name = "x" * 1000
    assert Selector.parse(f"{name} = 1").matches({name: Int(1)})


def test_a_selector_tells_its_text_and_identifiers() -> None:
    selector = Selector.parse("a = 1 AND NOT (B LIKE 'x' OR c BETWEEN d AND e + 1) OR f IN ('a')")
    assert selector.text.startswith("a = 1 AND")
    assert selector.identifiers == set("aBcdef")
    assert selector == Selector.parse(selector.text)
    assert selector != Selector.parse("a = 1")
