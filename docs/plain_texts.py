"""Plain words within Markdown, whatever they are."""

from __future__ import annotations

import html
import re

from touchstone_reports.legible import legible


def text(words: str) -> str:
    """Plain words as Markdown that shows just them; what stands in backticks is code."""
    pieces = re.split(r"`([^`]+)`", legible(" ".join(words.split())))
    return "".join(
        f"<code>{_plain(piece)}</code>" if index % 2 else _plain(piece)
        for index, piece in enumerate(pieces)
    )


def _plain(words: str) -> str:
    shown = html.escape(words, quote=False)
    return re.sub(r"[\\`*_{}\[\]|~]", lambda sign: f"&#{ord(sign[0])};", shown)
