"""Writes the reports of one or several runs anew: the matrix, JUnit XML and Allure results.

The status is the severest of these runs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from touchstone.catalogue import load_library
from touchstone.commands.output import console
from touchstone.commands.pages import open_page
from touchstone.commands.runs import add_run, named_or_newest, newest_of_each
from touchstone.results.gate import status_of_run
from touchstone.results.reporting import write_allure_page, write_reports
from touchstone.verdicts import ExitStatus, severest
from touchstone_reports.differences import observations
from touchstone_reports.grid import columns_of
from touchstone_reports.pairs_summary import print_pairs
from touchstone_reports.results import read_all
from touchstone_reports.summary import print_summary

_TOGETHER = "report"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which runs, and where to."""
    add_run(parser, several=True)
    parser.add_argument(
        "--provider",
        action="append",
        default=[],
        metavar="NAME",
        help="only the newest run of this provider, may be given several times",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="default: the run's folder, of several the folder `report` in --results-dir",
    )
    parser.add_argument(
        "--allure",
        action="store_true",
        help="also Allure's own page, with the history of the runs in --results-dir (needs Node)",
    )
    parser.add_argument("--open", action="store_true", help="open the page in a browser")


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Write the reports and print the summary."""
    if arguments.runs:
        runs = named_or_newest(arguments.runs, arguments.results_dir)
        out = arguments.out or runs[0]
    else:
        runs = newest_of_each(arguments.results_dir, arguments.provider)
        out = arguments.out or (runs[0] if len(runs) == 1 else arguments.results_dir / _TOGETHER)
    out.mkdir(parents=True, exist_ok=True)
    library = load_library()
    page = write_reports(runs, library, out)
    all_results = read_all(runs)
    for result in all_results:
        if result.of_pairs:
            print_pairs(result, console(), None)
    print_summary(all_results, console(), page)
    differing = [
        observation for observation in observations(columns_of(all_results)) if observation.differs
    ]
    if differing:
        told = (
            "1 observed value differs"
            if len(differing) == 1
            else f"{len(differing)} observed values differ"
        )
        console().print(f"{told} between the clients", markup=False)
    if arguments.allure:
        page = write_allure_page(runs, library, out, arguments.results_dir)
        console().print(f"Allure  {page}", markup=False, soft_wrap=True)
    if arguments.open:
        open_page(page)
    return severest(map(status_of_run, all_results))
