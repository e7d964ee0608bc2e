"""Patterns of messages, in which `*` stands for any text."""

from __future__ import annotations


def matches(text: str, pattern: str) -> bool:
    """Whether all of the text is as the pattern says; any white space counts as one blank."""
    text = _with_blanks(text)
    *between, last = map(_with_blanks, pattern.split("*"))
    if not between:
        return text == last
    first, *inner = between
    at, end = len(first), len(text) - len(last)
    if at > end or not (text.startswith(first) and text.endswith(last)):
        return False
    for part in inner:
        begin = text.find(part, at, end)
        if begin < 0:
            return False
        at = begin + len(part)
    return True


def _with_blanks(text: str) -> str:
    return " ".join(text.split())
