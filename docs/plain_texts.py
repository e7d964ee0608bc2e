"""Plain words within Markdown, whatever they are, and the tables that they stand in."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from touchstone_reports.legible import legible


def text(words: str) -> str:
    """Plain words as Markdown that shows just them; what stands in backticks is code."""
    pieces = re.split(r"`([^`]+)`", legible(" ".join(words.split())))
    return "".join(
        f"<code>{_plain(piece)}</code>" if index % 2 else _plain(piece)
        for index, piece in enumerate(pieces)
    )


def table(*columns: str) -> list[str]:
    """The head of a table."""
    return [row(*columns), row(*("---" for _ in columns))]


def row(*cells: str) -> str:
    """A row of a table, of cells in Markdown."""
    return f"| {' | '.join(cells)} |"


def in_lines(parts: Iterable[str]) -> str:
    """A cell of several lines."""
    return "<br>".join(parts)


def _plain(words: str) -> str:
    shown = html.escape(words, quote=False)
    return re.sub(r"[\\`*_{}\[\]|~]", lambda sign: f"&#{ord(sign[0])};", shown)
