"""How commands print: tables for people, JSON for programs; no secrets for either."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final

from rich.console import Console
from rich.segment import Segment, Segments
from rich.style import Style
from rich.text import Text

from jms_brokers.machine.secrecy import hide_secrets
from touchstone_reports.legible import legible, legible_json

_GAP: Final = "  "
_WIDTH: Final = 200
"""Characters of a line where no terminal says how many it has."""


class DiscreetConsole(Console):
    """A console on which no text shows a secret, be it printed or a cell of a table.

    Nor does one obey what stands in it: characters that move the cursor are shown.
    """

    def render_str(self, text: str, **options: Any) -> Text:
        """A text as it is shown."""
        return super().render_str(legible(hide_secrets(text)), **{**options, "emoji": False})


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the option that every listing has."""
    parser.add_argument("--json", action="store_true", help="print JSON (see listings.schema.json)")


def print_json(data: object) -> None:
    """Print `data` as JSON on standard output."""
    text = json.dumps(hide_secrets(data), indent=2, ensure_ascii=False)
    sys.stdout.write(legible_json(text) + "\n")


def console(*, stderr: bool = False) -> Console:
    """A console for people: colours on a terminal, plain text elsewhere, nothing cut off."""
    return DiscreetConsole(stderr=stderr, highlight=False, soft_wrap=not sys.stdout.isatty())


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a title and rows of texts and numbers; numbers stand at the right."""
    lines = list(rows)
    numeric = [
        bool(lines) and all(isinstance(cell, int | float) for cell in column)
        for column in zip(*lines, strict=True)
    ] or [False] * len(columns)
    out = DiscreetConsole(highlight=False, markup=False)
    if title:
        out.print(title, style="bold")
    head, *body = _laid_out(
        [columns, *hide_secrets([[str(cell) for cell in line] for line in lines])],
        numeric,
        out.width if sys.stdout.isatty() else _WIDTH,
    )
    shown = [Segment(head, Style(bold=True)), Segment.line()] if any(columns) else []
    out.print(Segments([*shown, *(Segment(f"{line}\n") for line in body)]), crop=False)


def _laid_out(rows: Sequence[Sequence[str]], numeric: Sequence[bool], width: int) -> list[str]:
    """The rows as lines of at most `width` characters, the widest columns being folded for it.

    Rich does the same, and takes seconds for a thousand rows.
    """
    cells = [[legible(cell).expandtabs() for cell in row] for row in rows]
    widths = [max(_longest(cell) for cell in column) for column in zip(*cells, strict=True)]
    room = width - len(_GAP) * (len(widths) - 1)
    most = max(widths)
    while most > 1 and sum(min(each, most) for each in widths) > room:
        most -= 1
    widths = [min(each, most) for each in widths]
    return ["\n".join(_row(row, widths, numeric)) for row in cells]


def _row(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> Iterator[str]:
    folded = (_folded(cell, width) for cell, width in zip(cells, widths, strict=True))
    for line in zip_longest(*folded, fillvalue=""):
        yield _GAP.join(
            part.rjust(width) if right else part.ljust(width)
            for part, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()


def _longest(cell: str) -> int:
    return max(map(len, cell.split("\n"))) if "\n" in cell else len(cell)


def _folded(cell: str, width: int) -> Iterator[str]:
    """The lines of a cell, between words where that is possible."""
    for line in cell.split("\n"):
        while len(line) > width:
            blank = line.rfind(" ", 1, width + 1)
            yield line[: blank if blank > 0 else width]
            line = line[blank if blank > 0 else width :].lstrip(" ")
        yield line
