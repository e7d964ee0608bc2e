"""Lists the known deviations, or drafts entries for what a run has found."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

from touchstone.catalogue import known_library
from touchstone.catalogue.deviation_drafts import draft
from touchstone.catalogue.deviation_files import load_deviations
from touchstone.commands.output import add_json, console, print_json, print_table
from touchstone.commands.runs import named_or_newest
from touchstone.verdicts import ExitStatus
from touchstone_reports.results import read


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to list or draft."""
    parser.add_argument("--provider", metavar="NAME", help="only entries of this provider")
    parser.add_argument(
        "--deviations",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="a further file",
    )
    parser.add_argument(
        "--new", type=Path, metavar="RUN", help="draft entries for the violations of this run"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print the entries, or a draft whose empty reasons have to be filled before it is accepted."""
    library = known_library()
    if arguments.new is not None:
        [folder] = named_or_newest([arguments.new], Path())
        console().print(draft(read(folder), date.today()), markup=False)
        return ExitStatus.NOTHING_UNEXPECTED
    entries = [
        entry
        for entry in load_deviations(library, arguments.deviations)
        if arguments.provider in (None, entry.provider)
    ]
    if arguments.json:
        print_json(
            {
                "format": 1,
                "deviations": [
                    {
                        "provider": entry.provider,
                        "requirement": entry.requirement,
                        "scenario": entry.scenario or None,
                        "version": entry.version.text,
                        "broker": entry.broker,
                        "broker_version": entry.broker_version.text,
                        "java": entry.java.text,
                        "transport": entry.transport,
                        "occurs": entry.occurs.value,
                        "date": entry.date.isoformat(),
                        **entry.as_dict(),
                    }
                    for entry in entries
                ],
            }
        )
    else:
        print_table(
            f"{len(entries)} known deviations",
            (
                "provider",
                "version",
                "broker",
                "requirement",
                "class",
                "reason",
                "kept with",
                "link",
            ),
            (
                (
                    " ".join(filter(None, (e.provider, e.transport and f"({e.transport})"))),
                    e.version.text or "any",
                    " ".join(filter(None, (e.broker, e.broker_version.text))) or "any",
                    "\n".join(filter(None, (e.requirement, e.scenario))),
                    e.kind if e.fault == "client" else f"{e.kind} ({e.fault})",
                    e.reason,
                    e.option,
                    e.link,
                )
                for e in entries
            ),
        )
    return ExitStatus.NOTHING_UNEXPECTED
