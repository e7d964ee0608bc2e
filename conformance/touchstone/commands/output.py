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
_UNBROKEN: Final = 30
"""Characters of a word that is not broken while columns can be left out: names, not addresses."""


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


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    spare: Sequence[str] = (),
) -> None:
    """Print a title and rows of texts and numbers; numbers stand at the right.

    Where words would be broken for want of room, columns of the names in `spare` are left out, the
    first of them first, and a line says so.
    """
    lines = list(rows)
    numeric = [
        bool(lines) and all(isinstance(cell, int | float) for cell in column)
        for column in zip(*lines, strict=True)
    ] or [False] * len(columns)
    out = DiscreetConsole(highlight=False, markup=False)
    if title:
        out.print(title, style="bold")
    cells = [columns, *hide_secrets([[str(cell) for cell in line] for line in lines])]
    width = out.width if sys.stdout.isatty() else _WIDTH
    kept = _columns_kept(cells, width, spare)
    head, *body = _laid_out(
        [[row[place] for place in kept] for row in cells],
        [numeric[place] for place in kept],
        width,
    )
    shown = [Segment(head, Style(bold=True)), Segment.line()] if any(columns) else []
    out.print(Segments([*shown, *(Segment(f"{line}\n") for line in body)]), crop=False)
    if left_out := [name for place, name in enumerate(columns) if place not in kept]:
        told = f"for want of room without: {', '.join(left_out)} (--json has all)"
        out.print(told, soft_wrap=True)


def _columns_kept(rows: Sequence[Sequence[str]], width: int, spare: Sequence[str]) -> Sequence[int]:
    """The places of the columns, whose names are the first row, that are to be shown."""
    kept = list(range(len(rows[0])))
    if not spare:
        return kept
    least = [max(map(_longest_word, column)) for column in zip(*rows, strict=True)]
    for name in spare:
        if sum(least[place] for place in kept) + len(_GAP) * (len(kept) - 1) <= width:
            break
        kept.remove(rows[0].index(name))
    return kept


def _laid_out(rows: Sequence[Sequence[str]], numeric: Sequence[bool], width: int) -> list[str]:
    """The rows as lines of at most `width` characters, the widest columns being folded for it.

    That is between words where there is room for these. Rich does the same, and takes seconds for
    a thousand rows.
    """
    cells = [[legible(cell).expandtabs() for cell in row] for row in rows]
    columns = list(zip(*cells, strict=True))
    widths = [max(map(_longest, column)) for column in columns]
    room = width - len(_GAP) * (len(widths) - 1)
    if sum(widths) > room:
        least = [max(map(_longest_word, column)) for column in columns]
        widths = _folded_widths(widths, least if sum(least) <= room else [1] * len(least), room)
    return ["\n".join(_row(row, widths, numeric)) for row in cells]


def _folded_widths(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """The widest made narrower, none below its least, until there is room for all if there can."""
    most = max(widths)
    while most > 1 and sum(map(max, least, (min(each, most) for each in widths))) > room:
        most -= 1
    return list(map(max, least, (min(each, most) for each in widths)))


def _row(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> Iterator[str]:
    folded = (_folded(cell, width) for cell, width in zip(cells, widths, strict=True))
    for line in zip_longest(*folded, fillvalue=""):
        yield _GAP.join(
            part.rjust(width) if right else part.ljust(width)
            for part, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()


def _longest(cell: str) -> int:
    return max(map(len, cell.split("\n"))) if "\n" in cell else len(cell)


def _longest_word(cell: str) -> int:
    """Of the words that are not broken; of longer ones as much as has to be legible."""
    return max((min(len(word), _UNBROKEN) for word in cell.split()), default=1)


def _folded(cell: str, width: int) -> Iterator[str]:
    """The lines of a cell, between words where that is possible."""
    for line in cell.split("\n"):
        while len(line) > width:
            blank = line.rfind(" ", 1, width + 1)
            yield line[: blank if blank > 0 else width]
            line = line[blank if blank > 0 else width :].lstrip(" ")
        yield line
