"""Compares two runs, of a client in two versions or on two brokers: regressions come first.

The status is 1 when there is a regression, 2 when something cannot be judged any more.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.text import Text

from touchstone.commands.output import add_json, console, print_json
from touchstone.commands.runs import named_or_newest
from touchstone.verdicts import ExitStatus
from touchstone_reports.comparison import Change, Comparison, Kind, compare
from touchstone_reports.grid import Column
from touchstone_reports.legible import legible, one_line
from touchstone_reports.results import Judgement, read

NAME = "compare"
HELP = "what changed from one run to another, regressions first"

_STYLE = {Kind.REGRESSION: "bold red", Kind.UNKNOWN: "bold yellow", Kind.IMPROVEMENT: "green"}
_BRIEF = (Kind.GONE, Kind.NEW)
"""Kinds that a narrower selection brings about: counted, listed only in JSON."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which two."""
    parser.add_argument("before", type=Path, metavar="RUN", help="the folder of the older run")
    parser.add_argument("after", type=Path, metavar="RUN", help="the folder of the newer run")
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print what changed."""
    before, after = named_or_newest([arguments.before, arguments.after], Path())
    found = compare(read(before), read(after))
    if arguments.json:
        print_json(_as_dict(found))
    else:
        _print(found)
    return _status(found)


def show(before: Path, after: Path) -> ExitStatus:
    """Print what changed from one run to another; returns the status, as the command does."""
    found = compare(read(before), read(after))
    _print(found)
    return _status(found)


def _status(found: Comparison) -> ExitStatus:
    if found.of(Kind.REGRESSION):
        return ExitStatus.UNEXPECTED
    return ExitStatus.COULD_NOT_JUDGE if found.of(Kind.UNKNOWN) else ExitStatus.NOTHING_UNEXPECTED


def _print(found: Comparison) -> None:
    out = console()
    for name, column in (("before", found.before), ("after", found.after)):
        facts = _side(column)
        seen = f"{name:7} {facts['provider']} {facts['version']} on {facts['broker']}"
        out.print(Text(legible(f"{seen}, run {facts['run']}"), style="bold"))
        for notice in column.results.notices:
            out.print(Text(f"  ! {legible(notice)}", style="bold yellow"))
    for kind in Kind:
        changes = found.of(kind)
        if not changes:
            continue
        out.print(Text(f"{kind}: {len(changes)}", style=_STYLE.get(kind, "bold")))
        for change in () if kind in _BRIEF else changes:
            out.print(Text(f"  {_line(change)}"))
    if found.observed:
        out.print(Text(f"observed otherwise: {len(found.observed)}", style="bold"))
        for one in found.observed:
            before, after = (one_line(value or "", 120) for value in one.values)
            out.print(Text(f"  {legible(one.scenario)}, {legible(one.name)}: {before} -> {after}"))
    out.print(Text(f"as before: {found.same}"))


def _line(change: Change) -> str:
    one = change.judgement
    labels = " -> ".join(side.label for side in (change.before, change.after) if side)
    reason = f": {one_line(one.reason)}" if one.reason else ""
    return legible(f"{one.requirement}  {labels}  {one.scenario}") + reason


def _side(column: Column) -> dict[str, str]:
    run = column.results.run
    brokers = dict.fromkeys(" ".join(filter(None, (b.family, b.version))) for b in run.brokers)
    return {
        "run": run.id,
        "provider": column.provider.name,
        "version": column.provider.version,
        "broker": ", ".join(brokers) or "no broker",
    }


def _as_dict(found: Comparison) -> dict[str, object]:
    return {
        "format": 1,
        "before": _side(found.before),
        "after": _side(found.after),
        "changes": [
            {
                "kind": change.kind.value,
                "requirement": change.judgement.requirement,
                "scenario": change.judgement.scenario,
                "before": _seen(change.before),
                "after": _seen(change.after),
            }
            for change in found.changes
        ],
        "observed": [
            {
                "scenario": one.scenario,
                "name": one.name,
                "before": one.values[0],
                "after": one.values[1],
            }
            for one in found.observed
        ],
        "same": found.same,
    }


def _seen(one: Judgement | None) -> dict[str, str | None] | None:
    return {"verdict": one.verdict.value, "reason": one.reason} if one else None
