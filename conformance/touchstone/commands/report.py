"""Writes the reports of one or several runs anew: the matrix, JUnit XML and Allure results."""

from __future__ import annotations

import argparse
from pathlib import Path

from touchstone.catalogue import load_library
from touchstone.commands.output import console
from touchstone.commands.runs import add_run, named_or_newest
from touchstone.reporting import write_reports
from touchstone.verdicts import ExitStatus
from touchstone_reports.results import read_all
from touchstone_reports.summary import print_summary

NAME = "report"
HELP = "write the reports of one or several runs side by side"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which runs, and where to."""
    add_run(parser, several=True)
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: the first run's folder")


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Write the reports and print the summary."""
    runs = named_or_newest(arguments.runs, arguments.results_dir)
    out = arguments.out or runs[0]
    out.mkdir(parents=True, exist_ok=True)
    page = write_reports(runs, load_library(), out)
    print_summary(read_all(runs), console(), page)
    return ExitStatus.NOTHING_UNEXPECTED
