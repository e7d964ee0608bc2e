"""How commands print: tables for people, JSON for programs; no secrets for either."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from touchstone.machine.secrecy import hidden
from touchstone_reports.legible import legible, legible_json


class DiscreetConsole(Console):
    """A console on which no text shows a secret, be it printed or a cell of a table.

    Nor does one obey what stands in it: characters that move the cursor are shown.
    """

    def render_str(self, text: str, **options: Any) -> Text:
        """A text as it is shown."""
        return super().render_str(legible(hidden(text)), **{**options, "emoji": False})


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the option that every listing has."""
    parser.add_argument("--json", action="store_true", help="print JSON (see listings.schema.json)")


def print_json(data: object) -> None:
    """Print `data` as JSON on standard output."""
    text = json.dumps(hidden(data), indent=2, ensure_ascii=False)
    sys.stdout.write(legible_json(text) + "\n")


def console(*, stderr: bool = False) -> Console:
    """A console for people: colours on a terminal, plain text elsewhere, nothing cut off."""
    return DiscreetConsole(stderr=stderr, highlight=False, soft_wrap=not sys.stdout.isatty())


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a title and rows of texts and numbers; numbers stand at the right."""
    lines = hidden(
        [[cell if isinstance(cell, int | float) else str(cell) for cell in row] for row in rows]
    )
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=any(columns))
    for index, name in enumerate(columns):
        numeric = bool(lines) and all(isinstance(row[index], int | float) for row in lines)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for line in lines:
        table.add_row(*(Text(legible(str(cell))) for cell in line))
    wide = None if sys.stdout.isatty() else 200
    out = DiscreetConsole(highlight=False, markup=False, width=wide)
    if title:
        out.print(title, style="bold")
    out.print(table)
