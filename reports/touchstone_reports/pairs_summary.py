"""The end of a run of pairs on a terminal: the table, and what was not expected."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from touchstone_reports.appearance import SYMBOL
from touchstone_reports.exchanges import PairCell, pair_table
from touchstone_reports.legible import legible, one_line
from touchstone_reports.results import RunResults
from touchstone_reports.summary import MOST_LISTED, STYLE
from touchstone_reports.verdicts import Verdict
from touchstone_reports.wholeness import warnings


def print_pairs(results: RunResults, console: Console, html_path: Path | None) -> None:
    """Print the table of a run of pairs; plain text in CI and in files."""
    plain = not console.is_terminal or "CI" in os.environ
    clients = [provider.name for provider in results.run.providers]
    pairs = pair_table(clients, results.exchanges)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("sent by / read by", overflow="fold")
    for client in clients:
        table.add_column(Text(legible(client)), overflow="fold")
    for client, row in zip(clients, pairs.rows, strict=True):
        table.add_row(Text(legible(client)), *(_cell(cell, plain) for cell in row))
    wide = console if console.is_terminal else Console(file=console.file, width=200)
    wide.print(Text(f"\nRun {legible(results.run.id)}", style="" if plain else "bold"))
    wide.print(table)
    for line in _lines(results, html_path):
        wide.print(Text(line.plain) if plain else line, soft_wrap=True, highlight=False)


def _cell(cell: PairCell, plain: bool) -> Text:
    if cell.verdict is None:
        return Text("nothing judged")
    counts = [
        f"{SYMBOL[verdict]} {cell.counts[verdict]}" for verdict in Verdict if cell.counts[verdict]
    ]
    return Text("  ".join(counts), style="" if plain else STYLE[cell.verdict])


def _lines(results: RunResults, html_path: Path | None) -> Iterator[Text]:
    yield from (Text(f"  ! {told}", style="bold yellow") for told in warnings(results))
    unexpected = [
        exchange
        for exchange in results.exchanges
        if exchange.verdict in (Verdict.VIOLATES, Verdict.INCONCLUSIVE)
    ]
    for exchange in unexpected[:MOST_LISTED]:
        yield Text()
        head = Text("  ").append(
            f"{SYMBOL[exchange.verdict]} {exchange.verdict}", style=STYLE[exchange.verdict]
        )
        head.append(f"  {legible(exchange.producer)} → {legible(exchange.consumer)}", style="bold")
        yield head.append(f"  {legible(exchange.id)}")
        for field in exchange.differences:
            if field.verdict is Verdict.VIOLATES:
                told = f"{field.field} is {field.seen} instead of {field.expected}"
                yield Text(f"      {field.requirement}  {one_line(told)}")
        if not exchange.differences:
            yield Text(f"      {one_line(exchange.reason or '')}")
        yield Text(f"      {legible(exchange.rerun)}", style="cyan")
    if (rest := len(unexpected) - MOST_LISTED) > 0:
        yield Text(f"\n  … and {rest} more that were not expected; the report has all of them")
    if html_path is not None:
        yield Text(f"\nReport  {html_path}")
