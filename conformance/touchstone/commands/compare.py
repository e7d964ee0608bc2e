"""Compares two runs, of a client in two versions or on two brokers: regressions come first.

The status is 1 where it got worse, 2 where something is not judged any more; docs/ci.md has a table
of all pairs of verdicts.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from touchstone.catalogue import known_library
from touchstone.commands.output import add_json, console, print_json
from touchstone.commands.pages import add_page, page_file, present_page, statements_of
from touchstone.commands.runs import named_or_newest
from touchstone.results.gate import status_beside, status_of_kind
from touchstone.verdicts import ExitStatus
from touchstone_reports.comparison import ChangeKind, RunComparison, VerdictChange, compare
from touchstone_reports.comparison_page import PAGE, comparison_page
from touchstone_reports.grid import Column
from touchstone_reports.legible import one_line
from touchstone_reports.results import RunResults, VerdictLine, read
from touchstone_reports.wholeness import shortcomings

_STYLE = {
    ExitStatus.UNEXPECTED: "bold red",
    ExitStatus.COULD_NOT_JUDGE: "bold yellow",
    ExitStatus.NOTHING_UNEXPECTED: "bold",
}
_COUNTED = (ChangeKind.NOT_ASKED, ChangeKind.NEW)
"""Kinds that are many and mean little: counted, listed only in JSON."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which two."""
    parser.add_argument("before", type=Path, metavar="RUN", help="the folder of the older run")
    parser.add_argument("after", type=Path, metavar="RUN", help="the folder of the newer run")
    add_page(parser, PAGE, "that of the newer run")
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print what changed."""
    before, after = map(read, named_or_newest([arguments.before, arguments.after], Path()))
    comparison = compare(before, after)
    ended = after.run.exit_status
    status = status_beside(comparison, ExitStatus(ended or 0))
    if arguments.json:
        print_json(_as_dict(comparison, status))
    else:
        _print(comparison)
    if file := page_file(arguments, PAGE, arguments.after):
        page = comparison_page(comparison, statements_of(known_library()))
        present_page(page, file, arguments)
    return status


def show(before: RunResults, after: RunResults, ended: ExitStatus) -> ExitStatus:
    """Print what changed from one run to another, which ended so; returns its status beside it."""
    comparison = compare(before, after)
    _print(comparison)
    return status_beside(comparison, ended)


def _print(comparison: RunComparison) -> None:
    out = console()

    def say(text: str, style: str = "") -> None:
        out.print(" ".join(text.splitlines()), style=style or None, markup=False)

    newer = comparison.after.results.run
    for name, column in (("before", comparison.before), ("after", comparison.after)):
        facts = _side(column)
        seen = f"{name:7} {facts['provider']} {facts['version']} on {facts['broker']}"
        java = f", Java {facts['java']}" if facts["java"] else ""
        say(f"{seen}{java}, run {facts['run']}", "bold")
        if facts["partial"]:
            say(f"  ! partial: {'; '.join(facts['partial'])}", "bold yellow")
    versions = [side.results.run.touchstone for side in (comparison.before, comparison.after)]
    if versions[0] != versions[1]:
        say(f"Touchstone {' -> '.join(versions)}: its scenarios may differ")
    if comparison.only_java_differs:
        say("Only Java differs: client, broker and Touchstone are the same")
    for kind in ChangeKind:
        lines = (
            comparison.stale if kind is ChangeKind.STALE else list(map(_line, comparison.of(kind)))
        )
        if not lines:
            continue
        style = _STYLE[status_of_kind(kind, newer)]
        say(f"{kind}: {len(lines)}", style)
        for line in () if kind in _COUNTED else lines:
            say(f"  {line}")
    if comparison.observed:
        say(f"observed otherwise: {len(comparison.observed)}", "bold")
        for observation in comparison.observed:
            before, after = (one_line(value or "", 120) for value in observation.values)
            say(f"  {observation.scenario}, {observation.name}: {before} -> {after}")
    say(f"as before: {comparison.same}")


def _line(change: VerdictChange) -> str:
    judgement = change.judgement
    labels = " -> ".join(side.label if side else "-" for side in (change.before, change.after))
    reason = f": {one_line(judgement.reason)}" if judgement.reason and change.after else ""
    return f"{judgement.requirement}  {labels}  {judgement.scenario}{reason}"


def _side(column: Column) -> dict[str, Any]:
    run = column.results.run
    return {
        "run": run.id,
        "provider": column.provider.name,
        "version": column.provider.version,
        "broker": column.broker or "no broker",
        "java": column.java,
        "partial": list(shortcomings(column.results)),
    }


def _as_dict(comparison: RunComparison, status: ExitStatus) -> dict[str, object]:
    return {
        "format": 1,
        "status": int(status),
        "before": _side(comparison.before),
        "after": _side(comparison.after),
        "only_java_differs": comparison.only_java_differs,
        "changes": [
            {
                "kind": change.kind.value,
                "requirement": change.judgement.requirement,
                "scenario": change.judgement.scenario,
                "before": _verdict_facts(change.before),
                "after": _verdict_facts(change.after),
            }
            for change in comparison.changes
        ],
        "stale": list(comparison.stale),
        "observed": [
            {
                "scenario": observation.scenario,
                "name": observation.name,
                "before": observation.values[0],
                "after": observation.values[1],
            }
            for observation in comparison.observed
        ],
        "same": comparison.same,
    }


def _verdict_facts(judgement: VerdictLine | None) -> dict[str, str | None] | None:
    return {"verdict": judgement.verdict.value, "reason": judgement.reason} if judgement else None
