"""Text of unknown origin made fit for a page, a terminal or XML."""

from __future__ import annotations

import re

_ILLEGIBLE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters: refused by XML, obeyed by terminals
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # reorder what follows for the reader
    "\ud800-\udfff"  # half of a character: cannot be encoded
    "\ufffe\uffff"  # refused by XML
    "]"
)
LIMIT = 6000
"""Characters of one text that a report shows; the run's own files have all of it."""


def legible(text: str) -> str:
    """The text with every character that cannot be shown, or misleads, as a visible escape.

    Line feed and tab stay.
    """
    return _ILLEGIBLE.sub(lambda match: _escape(ord(match.group())), text)


def legible_json(text: str) -> str:
    """JSON of the same meaning, likewise."""
    return _ILLEGIBLE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def shorten(text: str, limit: int = LIMIT) -> str:
    """Legible text of about `limit` characters: the middle of a longer one is cut and counted."""
    if len(text) <= limit:
        return legible(text)
    head, tail = text[: limit * 3 // 4], text[-(limit // 4) :]
    cut = len(text) - len(head) - len(tail)
    return f"{legible(head)}\n[… {cut} characters left out …]\n{legible(tail)}"


def one_line(text: str, limit: int = 200) -> str:
    """The first line that says something, legible, cut to `limit` characters."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    line = legible(line)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
