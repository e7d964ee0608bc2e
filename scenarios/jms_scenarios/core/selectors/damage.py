"""Selectors that are no selectors by how they are made of one that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

BROKEN: Mapping[str, Callable[[str], str]] = {
    "nothing in brackets": "({}) AND ()".format,
    "an operator in brackets": "({}) AND ( OR )".format,
    "brackets not closed": "({}".format,
    "brackets not opened": "{})".format,
    "AND without its right side": "({}) AND".format,
    "OR without its left side": "OR ({})".format,
    "AND twice": "({0}) AND AND ({0})".format,
    "NOT of nothing": "({}) AND NOT".format,
    "two conditions without a word": "({0}) ({0})".format,
    "comparison without its right side": "({}) AND i =".format,
    "comparison without its left side": "({}) AND > 3".format,
    "two comparisons in one": "({}) AND i = = 3".format,
    "sum without its right side": "({}) AND i + > 3".format,
    "IN of nothing": "({}) AND s IN ()".format,
    "IN with a comma at its end": "({}) AND s IN ('a',)".format,
    "BETWEEN without AND": "({}) AND i BETWEEN 1".format,
    "LIKE without a pattern": "({}) AND s LIKE".format,
    "ESCAPE without its character": "({}) AND s LIKE 'a!%' ESCAPE".format,
    "ESCAPE of two characters": "({}) AND s LIKE 'a!%' ESCAPE '!b'".format,
    "IS without NULL": "({}) AND s IS NOT".format,
    "a text that does not end": "({}) AND s = 'a".format,
}
"""What is done to a selector so that no text is left that the grammar has, by what is wrong."""
