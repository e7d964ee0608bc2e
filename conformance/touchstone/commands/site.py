"""Writes a static site of runs, for people who never run the suite, to be published as it is.

It has a page for each client, each requirement and each finding, a search and feeds, and asks
nothing of the network. RESULTS are folders of runs, or folders that have such anywhere below them,
also those of others. The same addresses have the same pages in the next site.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from jms_brokers.machine.secrecy import hide_secrets
from touchstone.catalogue import Library, load_library
from touchstone.catalogue.findings import known_findings
from touchstone.commands.explain import all_explanations
from touchstone.commands.output import console
from touchstone.errors import UsageError
from touchstone.reproducing.folder import SOURCE
from touchstone.reproducing.programs import program_text
from touchstone.reproducing.verdicts import accusations
from touchstone.results.site_facts import Programs, known_facts
from touchstone.verdicts import ExitStatus
from touchstone_reports.results import RunResults
from touchstone_reports.site import addresses
from touchstone_reports.site.facts import Program
from touchstone_reports.site.folder import runs_below, write_files
from touchstone_reports.site.judged import Judged, judged_by
from touchstone_reports.site.pages import site_files

_LONGEST: Final = 12_000
"""Characters of a program that the site shows; those of long drawn programs stay in their runs."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which runs, and where to."""
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULTS")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--url",
        default="",
        help="where the site will stand, such as https://example.org/jms/: feeds name it",
    )


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Write the site; status 0, whatever the runs say."""
    url = site_url(arguments.url)
    runs = runs_below(arguments.results)
    judged = judged_by(runs)
    library = load_library()
    known = known_facts(
        library,
        all_explanations(),
        {one.client for one in judged},
        known_findings(library),
        _programs(judged, library),
    )
    files = site_files(runs, known, url)
    write_files(hide_secrets(files), arguments.out)
    size = sum(len(text.encode()) for text in files.values()) / 1_000_000
    page = arguments.out / addresses.OVERVIEW
    console().print(
        f"Site  {page}: {len(files)} files, {size:.1f} MB, of {len(runs)} runs",
        markup=False,
        soft_wrap=True,
    )
    return ExitStatus.NOTHING_UNEXPECTED


def site_url(given: str) -> str:
    """An address as the folder that it is; UsageError for what is none."""
    if given and not given.startswith(("https://", "http://")):
        raise UsageError(f"--url {given!r} is no address", hint="It begins with https://.")
    return given if not given or given.endswith("/") else f"{given}/"


def _programs(judged: Iterable[Judged], library: Library) -> Programs:
    """For each reason of a deviation the program of the newest run that has a short one."""
    made: dict[tuple[str, str], Program] = {}
    for one in judged:
        for accusation in accusations(one.results.directory) if _has_traces(one.results) else ():
            line = accusation.line
            key = one.client, (line.get("deviation") or {}).get("reason", "")
            if line["provider"] != one.provider.name or key in made or not key[1]:
                continue
            if not line["trace"] or one.results.file(line["trace"]) is None:
                continue
            if len(text := program_text(accusation, library)) in range(1, _LONGEST):
                about = (
                    f"Made of what {line['scenario']} saw of {one.client} {one.version} on"
                    f" {one.combination.broker}."
                )
                made[key] = Program(SOURCE, text, about)
    return made


def _has_traces(results: RunResults) -> bool:
    return results.finished and any(
        line.trace and results.file(line.trace) for line in results.judgements
    )
