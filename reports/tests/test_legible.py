"""Text of unknown origin is safe to show and still says what was there."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_reports.legible import legible, one_line, shorten

ANYTHING = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain Größe 中文 😀\n\t", "plain Größe 中文 😀\n\t"),
        ("\x00\x1b[0m\r", "\\x00\\x1b[0m\\x0d"),
        ("\x85\x9b", "\\x85\\x9b"),
        ("\ud800", "\\ud800"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\uffff", "\\uffff"),
    ],
)
def test_what_cannot_be_shown_becomes_visible(text: str, shown: str) -> None:
    assert legible(text) == shown


@given(ANYTHING)
def test_any_text_becomes_fit_for_xml_and_utf8(text: str) -> None:
    shown = legible(text)

    element = ET.Element("text")
    element.text = shown
    assert ET.fromstring(ET.tostring(element, encoding="utf-8")).text in (shown, shown or None)
    assert legible(shown) == shown


@given(ANYTHING)
def test_one_line_is_one_short_line(text: str) -> None:
    line = one_line(text, 50)

    assert len(line.splitlines()) <= 1
    assert len(line) <= 50


def test_long_text_keeps_both_ends_and_counts_what_is_left_out() -> None:
    text = "a" * 1000 + "b" * 98_000 + "c" * 1000

    shown = shorten(text, 1000)

    assert shown == f"{'a' * 750}\n[… 99000 characters left out …]\n{'c' * 250}"
