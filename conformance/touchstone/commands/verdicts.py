"""Shows the verdicts of a scenario or requirement in all runs of a folder, in order of time.

Of each client, and family of brokers: the verdict of each run, how often it changed, and between
which runs. Without --scenario and --requirement every one that changed is told, the one that did
so most often first. Status 0 always.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from touchstone.catalogue import known_library
from touchstone.catalogue.items import without_case
from touchstone.commands.output import add_json, console, print_json, print_table
from touchstone.commands.pages import add_page, page_file, present_page, statements_of
from touchstone.errors import UsageError
from touchstone.verdicts import ExitStatus
from touchstone_reports.appearance import SYMBOL
from touchstone_reports.over_runs import Change, Step, Track, changed_most_first, tracks
from touchstone_reports.over_runs_page import PAGE, how_often, name_of, over_runs_page
from touchstone_reports.site.folder import runs_below
from touchstone_reports.site.judged import judged_by
from touchstone_reports.templating import moment


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which verdicts of which runs."""
    parser.add_argument("--scenario", metavar="ID", help="only this one, or all its cases")
    parser.add_argument("--requirement", metavar="ID", help="only this requirement")
    parser.add_argument(
        "--provider",
        metavar="NAME[@VERSION]",
        help="only those of this client, or of this release of it",
    )
    parser.add_argument("--results-dir", type=Path, default=Path("results"), metavar="DIR")
    add_page(parser, PAGE, "that of --results-dir")
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print them."""
    everything = [track for track in _all(arguments) if _is_asked_for(track, arguments)]
    named = arguments.scenario or arguments.requirement
    if not everything:
        raise UsageError(
            f"No run below {arguments.results_dir} has such a verdict",
            hint="Ids are those of `touchstone list`; clients those of `touchstone providers`.",
        )
    chosen = everything if named else changed_most_first(everything)
    if arguments.json:
        print_json({"format": 1, "tracks": [_as_dict(track) for track in chosen]})
    elif named:
        for track in chosen:
            _print(track)
    else:
        _print_changed(chosen, len(everything))
    if file := page_file(arguments, PAGE, arguments.results_dir):
        title = " ".join(filter(None, (arguments.requirement, arguments.scenario)))
        page = over_runs_page(title or "What changed", chosen, statements_of(known_library()))
        present_page(page, file, arguments)
    return ExitStatus.NOTHING_UNEXPECTED


def _all(arguments: argparse.Namespace) -> Sequence[Track]:
    judged = judged_by(runs_below([arguments.results_dir]))
    return tracks(
        one for one in judged if arguments.provider in (None, one.client, one.provider.name)
    )


def _is_asked_for(track: Track, arguments: argparse.Namespace) -> bool:
    return arguments.requirement in (None, track.requirement) and arguments.scenario in (
        None,
        track.scenario,
        without_case(track.scenario),
    )


def _print(track: Track) -> None:
    out = console()
    out.print(f"\n{name_of(track)}: {how_often(track)}", style="bold", markup=False)
    changes = track.changes
    for name, change in zip(("first", "last"), (*changes[:1], *changes[1:][-1:]), strict=False):
        out.print(f"  {name} change: {_told(change)}", markup=False)
    print_table(
        "",
        ("started", "version", "broker", "Java", "verdict", "change", "run"),
        [
            (
                moment(step.judged.results.run.started),
                step.judged.version,
                step.judged.combination.broker,
                step.judged.combination.java,
                f"{SYMBOL[step.line.verdict]} {step.line.label}",
                kind or "",
                step.judged.results.run.id,
            )
            for step, kind in zip(track.steps, track.kinds, strict=True)
        ],
        spare=("Java", "run", "broker"),
    )


def _told(change: Change) -> str:
    sides = [
        f"{step.judged.combination.title} ({step.judged.results.run.id})"
        for step in (change.before, change.after)
    ]
    return f"{change.kind}, {sides[0]} -> {sides[1]}"


def _print_changed(chosen: Sequence[Track], of: int) -> None:
    print_table(
        f"{len(chosen)} of {of} changed",
        ("changes", "runs", "requirement", "scenario", "client", "brokers", "last change"),
        [
            (
                len(track.changes),
                len(track.steps),
                track.requirement,
                track.scenario,
                track.client,
                track.family,
                f"{track.changes[-1].kind}, {track.changes[-1].after.judged.results.run.id}",
            )
            for track in chosen
        ],
        spare=("last change", "brokers"),
    )


def _as_dict(track: Track) -> dict[str, Any]:
    return {
        "requirement": track.requirement,
        "scenario": track.scenario,
        "client": track.client,
        "brokers": track.family,
        "verdicts": [_step(step) for step in track.steps],
        "changed": len(track.changes),
        "changes": [
            {
                "kind": change.kind.value,
                "before": change.before.judged.results.run.id,
                "after": change.after.judged.results.run.id,
            }
            for change in track.changes
        ],
    }


def _step(step: Step) -> dict[str, Any]:
    run = step.judged.results.run
    return {
        "run": run.id,
        "started": run.started.isoformat(),
        "provider": step.judged.provider.name,
        "version": step.judged.version,
        "broker": step.judged.combination.broker,
        "java": step.judged.combination.java,
        "verdict": step.line.verdict.value,
        "reason": step.line.reason,
    }
