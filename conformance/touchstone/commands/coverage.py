"""Says, per document and area, what has a scenario and what a provider made of it."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from touchstone.catalogue import Library, known_library
from touchstone.catalogue.coverage import Coverage, coverage, drawn_coverage, total
from touchstone.catalogue.scenarios import by_requirement, collect_scenarios
from touchstone.commands.output import add_json, print_json, print_table
from touchstone.commands.runs import add_run, named_or_newest, newest_run
from touchstone.judging.options import ScenarioSelection
from touchstone.verdicts import ExitStatus, Verdict
from touchstone_reports.results import read


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which run and which documents."""
    add_run(parser)
    parser.add_argument("--document", action="append", default=[], metavar="PREFIX")
    parser.add_argument(
        "--drawn", action="store_true", help="what drawn programs judge, and how often they decided"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print the table of the catalogue and of the run that is named, or the newest if any."""
    library = known_library()
    ScenarioSelection(documents=frozenset(arguments.document)).check(library)
    folder = arguments.run_dir or newest_run(arguments.results_dir)
    if arguments.drawn:
        return _show_drawn(arguments, library, folder)
    name, verdicts = _verdicts(folder) if folder else (None, {})
    scenarios = collect_scenarios(library)
    loose = {id_ for scenario in scenarios if scenario.permissive for id_ in scenario.requirements}
    rows = [
        row
        for row in coverage(
            library.requirements.values(), by_requirement(scenarios), loose, verdicts
        )
        if not arguments.document or row.document in arguments.document
    ]
    if arguments.json:
        print_json(
            {
                "format": 1,
                "provider": name,
                "run": str(folder) if folder else None,
                "coverage": [row.as_dict() for row in rows],
            }
        )
        return ExitStatus.NOTHING_UNEXPECTED
    for document in dict.fromkeys(row.document for row in rows):
        _print(document, library.documents[document].title, rows, name, folder)
    return ExitStatus.NOTHING_UNEXPECTED


def _show_drawn(arguments: argparse.Namespace, library: Library, folder: Path | None) -> ExitStatus:
    drawn = [scenario for scenario in collect_scenarios(library) if scenario.is_drawn]
    judged = {id_ for scenario in drawn for id_ in scenario.requirements}
    name, decided = _decision_counts(folder) if folder else (None, None)
    rows = [
        row
        for row in drawn_coverage(library.requirements.values(), judged, decided)
        if not arguments.document or row.document in arguments.document
    ]
    if arguments.json:
        run = None if folder is None else str(folder)
        shown = [row.as_dict() for row in rows]
        print_json({"format": 1, "provider": name, "run": run, "drawn": shown})
        return ExitStatus.NOTHING_UNEXPECTED
    of_run = "" if decided is None else f"; {name} in {folder}"
    for document in dict.fromkeys(row.document for row in rows):
        mine = [row for row in rows if row.document == document]
        of_all = f"{sum(row.judged for row in mine)} of {sum(row.total for row in mine)}"
        title = library.documents[document].title
        print_table(
            f"{document}  {title}: drawn programs judge {of_all}{of_run}",
            ["area", "requirements", "judged", *(["decided"] if of_run else [])],
            [[row.area, row.total, row.judged, *([row.decided] if of_run else [])] for row in mine],
        )
        for what, ids in (
            ("no drawn program judges", [id_ for row in mine for id_ in row.without]),
            ("none of the run decided", [id_ for row in mine for id_ in row.undecided]),
        ):
            if ids:
                print_table("", ("", ""), [(what, ", ".join(ids))])
    return ExitStatus.NOTHING_UNEXPECTED


def _decision_counts(folder: Path) -> tuple[str, Mapping[str, int] | None]:
    """How often drawn programs of a run decided each statement; None where it had none."""
    results = read(named_or_newest([folder], folder)[0])
    counts = Counter[str]()
    drawn = [judgement for judgement in results.judgements if judgement.decided is not None]
    for judgement in drawn:
        counts[judgement.requirement] += judgement.decided or 0
    return results.run.providers[0].name, counts if drawn else None


def _verdicts(folder: Path) -> tuple[str, dict[str, Verdict]]:
    results = read(named_or_newest([folder], folder)[0])
    name = results.run.providers[0].name
    return name, results.worst_by_requirement(name)


def _print(
    document: str, title: str, rows: list[Coverage], provider: str | None, folder: Path | None
) -> None:
    mine = [row for row in rows if row.document == document]
    judged = [row for row in mine if not row.not_yet]
    whole = total(mine, document)
    heading = f"{document}  {title}: {whole.with_scenario} of {whole.total} have a scenario"
    if provider:
        heading += f"; {provider} in {folder}"
    columns = ["area", "requirements", "scenario", "permissive"]
    if provider:
        columns += ["conforms", "deviates", "violates", "inconclusive", "n/a", "not judged"]
    if judged:
        print_table(
            heading,
            columns,
            [_cells(row, provider) for row in [*judged, total(judged, document)]],
            spare=_SPARE[: None if provider else 1],
        )
    later = [f"{row.area} ({row.total})" for row in mine if row.not_yet]
    if later:
        print_table("" if judged else heading, ("", ""), [("not yet", ", ".join(later))])


_SPARE = ("permissive", "scenario", "not judged", "n/a", "requirements")


def _cells(row: Coverage, provider: str | None) -> list[object]:
    cells: list[object] = [row.area, row.total, row.with_scenario, row.permissive]
    if provider:
        cells += [
            row.conforms,
            row.deviates,
            row.violates,
            row.inconclusive,
            row.not_applicable,
            row.not_judged,
        ]
    return cells
