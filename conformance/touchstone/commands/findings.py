"""Lists the defects of clients that are known, and which of them plain Java has shown."""

from __future__ import annotations

import argparse

from touchstone.catalogue import known_library
from touchstone.catalogue.confirmations import load_confirmations
from touchstone.catalogue.deviation_files import load_deviations
from touchstone.catalogue.findings import STATES, Finding, count_states, findings
from touchstone.commands.output import add_json, print_json, print_table
from touchstone.verdicts import ExitStatus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which to list."""
    parser.add_argument("--provider", metavar="NAME", help="only those of this provider, each")
    parser.add_argument("--state", choices=STATES, help="only those of which this came, each")
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print how many there are of each client; one by one where some are chosen."""
    library = known_library()
    entries = [
        entry for entry in load_deviations(library) if arguments.provider in (None, entry.provider)
    ]
    found = [
        finding
        for finding in findings(entries, load_confirmations(library))
        if arguments.state in (None, finding.state)
    ]
    if arguments.json:
        print_json({"format": 1, "findings": [_facts(finding) for finding in found]})
        return ExitStatus.NOTHING_UNEXPECTED
    print_table(
        f"{len(found)} findings",
        ("known deviations", *STATES, "all"),
        (
            (file, *(counts[state] for state in STATES), counts.total())
            for file, counts in count_states(found).items()
        ),
    )
    if arguments.provider or arguments.state:
        print_table(
            "\nOne by one",
            ("in plain Java", "statements", "what it does", "fault", "kept with", "link"),
            (
                (
                    f"{finding.state}: {finding.why}" if finding.why else finding.state,
                    "\n".join(finding.requirements),
                    finding.reason,
                    "\n".join(finding.faults),
                    "\n".join(finding.options),
                    "\n".join(finding.links),
                )
                for finding in found
            ),
        )
    return ExitStatus.NOTHING_UNEXPECTED


def _facts(finding: Finding) -> dict[str, object]:
    return {
        "file": finding.file,
        "requirements": finding.requirements,
        "reason": finding.reason,
        "faults": finding.faults,
        "options": finding.options,
        "links": finding.links,
        "state": finding.state,
        "why": finding.why,
    }
