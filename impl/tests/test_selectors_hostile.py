"""Selectors made to harm: deep, long, broken. They are judged or refused, and said where."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jmsapi import Int, InvalidSelectorException, MessageFormatException
from pulsar_jms.selectors import Selector
from pulsar_jms.selectors.parser import MAX_DEPTH, MAX_LENGTH
from pulsar_jms.selectors.syntax import Operator

PIECES = [
    *("NULL", "TRUE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE"),
    *("x", "'a'", "'", "1", "1.5", "0x", "(", ")", ",", "=", "<>", "<", "--", "-", "*", "/", "%"),
    *(" ", "\n", "é", "\0", "\ud800", '"', "\u00a0"),
]


def refusal(text: str) -> str:
    with pytest.raises(InvalidSelectorException) as caught:
        Selector.parse(text)
    return caught.value.reason


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.sampled_from(("", " ")))
def test_any_text_is_a_selector_or_refused(pieces: list[str], between: str) -> None:
    """JMS-SEL-039: no other error leaves the parser, and what it accepts can be judged."""
    try:
        selector = Selector.parse(between.join(pieces))
    except InvalidSelectorException:
        return
    assert selector.matches({"x": Int(1)}) in (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "x = 1" + ")" * 5000,
        " AND ".join(["x = 1"] * 3000),
        " OR ".join(["x = 2"] * 3000 + ["x = 1"]),
        "x = 2" + " - 1" * 3000 + " + 2999",
        "'" + "a" * 50_000 + "' <> 'b'",
        "x = " + "0" * 20_000 + "1",
        "x = " + "0" * 20_000 + "1.0",
    ],
    ids=lambda text: text[:12],
)
def test_a_long_selector_without_depth_is_judged(text: str) -> None:
    assert Selector.parse(text).matches({"x": Int(1)})


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("NOT ", ""),
        ("NOT (", ")"),
        ("x = 1 OR (x = 2 AND ", ")"),
        ("TRUE = (", ")"),
    ],
)
def test_nesting_has_a_limit_that_is_said(opening: str, closing: str) -> None:
    levels = MAX_DEPTH // (1 + opening.count("OR")) - 1
    assert Selector.parse(opening * levels + "x = 1" + closing * levels).matches({"x": Int(1)}) in (
        True,
        False,
    )
    deep = opening * 3000 + "x = 1" + closing * 3000
    assert "at most 100 levels of nesting" in refusal(deep)
    assert "at most 100 levels of nesting" in refusal("x = " + "- " * 3000 + "y")


def test_length_has_a_limit_that_is_said() -> None:
    assert Selector.parse("x = 1".ljust(MAX_LENGTH)).matches({"x": Int(1)})
    assert "at most 100000 characters" in refusal("x = 1".ljust(MAX_LENGTH + 1))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x =", "at its end: expected an identifier, a literal or (\n  x =\n     ^"),
        ("x 5", "at character 3: expected a sign of calculation, a sign of comparison, AND, "),
        (
            "x = 1\nAND y =\n ) OR z",
            "at character 16: expected an identifier, a literal or (\n   )",
        ),
        ("(x = 1", "at its end: expected )\n  (x = 1\n        ^"),
        ("x IN 'a'", "at character 6: expected (\n  x IN 'a'\n       ^"),
        ("x IS 5", "at character 6: expected NOT or NULL\n"),
        ("x == 1", "at character 4: equal is written ="),
        ("x != 1", "at character 3: unlike is written <>"),
        ("x = 'a", "at character 5: the text that begins here has no closing quote"),
        ('"x" = 1', "at character 1: texts stand in single quotes, identifiers in none"),
        ("x = 1 -- c", "at character 7: selectors have no comments"),
        ("x = 08", "at character 5: a number that begins with 0 is octal"),
        ("x = 1e999", "at character 5: the number is beyond the range of a double"),
        ("x = " + "9" * 9000, "at character 5: the number does not fit a long"),
        ("a\u2009= 1", "at character 2: this character is no part of an identifier"),
        ("x@y", "at character 2: '@' begins nothing that a selector knows"),
        ("x > 'a'", "at character 5: > compares numbers"),
        ("x LIKE 'a' ESCAPE 'bc'", "at character 19: ESCAPE takes one character"),
        ("TRUE LIKE 'a'", "at character 1: an identifier must stand before LIKE"),
        ("JMSReplyTo = 'a'", "at character 1: selectors do not see JMSReplyTo"),
        ("x + 1", "at character 1: a selector is a condition"),
    ],
)
def test_a_refusal_tells_the_place_and_what_belongs_there(text: str, reason: str) -> None:
    """JMS-SEL-039: the reason says what is wrong."""
    assert reason in refusal(text)


def test_a_refusal_shows_the_surroundings_only() -> None:
    reason = refusal("x = 1 AND " * 5000 + "y\t= = " + "AND x = 1" * 5000)
    shown, caret = reason.splitlines()[1:]
    assert len(shown) < 70
    assert shown[caret.index("^") :].startswith("= AND")
    assert "y = " in shown


def test_a_value_that_no_message_holds_is_no_silent_miss() -> None:
    values: dict[str, Any] = {"x": b"1"}
    with pytest.raises(MessageFormatException, match="A bytes cannot be judged by a selector"):
        Selector.parse("x = 1").matches(values)


def test_a_text_of_an_enumeration_is_a_text() -> None:
    assert Selector.parse("x = '+'").matches({"x": Operator.PLUS})
