"""Planted secrets: made for one test, and found again wherever they can be read."""

from __future__ import annotations

import base64
import binascii
import re
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path


def a_secret() -> str:
    """Long and awkward; its two halves are unguessable."""
    return f'{secrets.token_hex(8)}-ö"\\&<b>{secrets.token_hex(8)}'


def written_below(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file with its text."""
    for file in folder.rglob("*"):
        if file.is_file():
            yield str(file.relative_to(folder)), file.read_text(errors="replace")


def shown_in(secret: str, texts: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """In which of the named texts the secret, or half of it, can be read, and where."""
    return [(name, where) for name, text in texts for where in _places_of(secret, text)]


def _places_of(secret: str, text: str) -> Iterator[str]:
    for half in (secret[:16], secret[-16:]):
        for spelled in (half, half.encode().hex()):
            if (at := text.find(spelled)) >= 0:
                yield text[max(0, at - 40) : at + 60]
        for run in re.finditer(r"[\w+/-]{24,}", text):
            for skipped in range(4):
                piece = run[0][skipped:].translate(str.maketrans("-_", "+/"))
                try:
                    decoded = base64.b64decode(piece[: len(piece) // 4 * 4])
                except (ValueError, binascii.Error):
                    continue
                if half.encode() in decoded:
                    yield f"Base64: {run[0][:60]}"
