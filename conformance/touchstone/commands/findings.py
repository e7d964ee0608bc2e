"""Lists the defects of clients that are known, the worst first, and what plain Java shows of them.

Of each: what a user suffers, the statements, whether a program of plain JMS has shown it, the
setting that mends it, where it is known upstream, and the release that mends it. Status 0 always.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jms_clients.registry import Spelling
from touchstone.catalogue import known_library
from touchstone.catalogue.effects import WORST_FIRST
from touchstone.catalogue.findings import (
    STATES,
    Finding,
    count_by_file,
    known_findings,
)
from touchstone.commands.output import add_json, print_json, print_table
from touchstone.verdicts import ExitStatus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which to list."""
    parser.add_argument(
        "--provider",
        metavar="NAME[@VERSION]",
        help="only those of this provider, or of this release of it, each",
    )
    parser.add_argument("--state", choices=STATES, help="only those of which this came, each")
    parser.add_argument("--effect", choices=WORST_FIRST, help="only those with this effect, each")
    parser.add_argument(
        "--unknown-upstream",
        action="store_true",
        help="only those that were searched upstream and not found, each",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print how many there are of each client; one by one where some are chosen."""
    found = [
        finding
        for finding in known_findings(known_library())
        if arguments.provider is None or _is_of(finding, Spelling.parse(arguments.provider))
        if arguments.state in (None, finding.state)
        if arguments.effect in (None, finding.effect)
        if finding.searched or not arguments.unknown_upstream
    ]
    if arguments.json:
        print_json({"format": 1, "findings": [_facts(finding) for finding in found]})
        return ExitStatus.NOTHING_UNEXPECTED
    print_table(
        f"{len(found)} findings",
        ("known deviations", *STATES, "all"),
        (
            (file, *(counts[state] for state in STATES), counts.total())
            for file, counts in _with_all(count_by_file(found, "state"))
        ),
        spare=("not expressible", "confirmed by hand"),
    )
    print_table(
        "\nWhat users suffer",
        ("known deviations", *WORST_FIRST),
        (
            (file, *(counts[effect] for effect in WORST_FIRST))
            for file, counts in _with_all(count_by_file(found, "effect"))
        ),
        spare=tuple(reversed(WORST_FIRST)),
    )
    if arguments.provider or arguments.state or arguments.effect or arguments.unknown_upstream:
        print_table(
            "\nOne by one, the worst first",
            _COLUMNS,
            map(_row, found),
            spare=("mended", "upstream", "kept with", "in plain Java", "client"),
        )
    return ExitStatus.NOTHING_UNEXPECTED


def _with_all(counts: Mapping[str, Counter[Any]]) -> Sequence[tuple[str, Counter[Any]]]:
    """In the order of the files, and those of all of them together."""
    return [*sorted(counts.items()), ("all", sum(counts.values(), Counter()))]


def _is_of(finding: Finding, asked: Spelling) -> bool:
    return any(
        entry.provider == asked.base
        and (asked.version is None or entry.version.holds(asked.version))
        for entry in finding.entries
    )


_COLUMNS = (
    *("effect", "client", "statement", "what it does", "in plain Java"),
    *("kept with", "upstream", "mended"),
)


def _row(finding: Finding) -> Sequence[str]:
    first, *others = finding.requirements
    return (
        finding.effect or "",
        finding.client,
        f"{first} +{len(others)}" if others else first,
        " ".join([finding.reason, *(f"({each})" for each in _other_faults(finding))]),
        f"{finding.state}: {finding.why}" if finding.why else finding.state,
        " ".join(finding.options),
        finding.upstream,
        finding.mended_in,
    )


def _other_faults(finding: Finding) -> Iterable[str]:
    return (fault for fault in finding.faults if fault != "client")


def _facts(finding: Finding) -> dict[str, object]:
    return {
        "file": finding.file,
        "client": finding.client,
        "effect": finding.effect,
        "requirements": finding.requirements,
        "reason": finding.reason,
        "faults": finding.faults,
        "options": finding.options,
        "links": finding.links,
        "searched": finding.searched.isoformat() if finding.searched else None,
        "mended_in": finding.mended_in or None,
        "state": finding.state,
        "why": finding.why,
    }
