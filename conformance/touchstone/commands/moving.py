"""Says what an application loses and gains that moves from one client to another, the worst first.

By the known deviations of both, so that nothing has to run: lost is a statement of JMS or of its
API that the old client keeps, or breaks less badly, and the new one does not keep; gained is the
other way round. A statement without a known deviation counts as kept. `touchstone report` sets two
runs side by side.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence

from jms_brokers.shared.registry import family_named
from jms_clients.readiness import java_version
from jms_clients.registry import Spelling, load_provider
from touchstone.catalogue import known_library
from touchstone.catalogue.deviation_files import load_deviations
from touchstone.catalogue.deviations import Deviation
from touchstone.catalogue.findings import Finding
from touchstone.catalogue.moving import compare, count_statements
from touchstone.commands.output import add_json, print_json, print_table
from touchstone.outcomes.known_deviations import subject_of
from touchstone.verdicts import ExitStatus

_COLUMNS = ("effect", "statements", "what the client does", "kept with", "upstream")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which clients."""
    parser.add_argument(
        "--from", dest="old", required=True, metavar="NAME", help="the client that is left"
    )
    parser.add_argument(
        "--to",
        dest="new",
        required=True,
        metavar="NAME",
        help="the one that comes: NAME, NAME@VERSION or NAME+on:FAMILY",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print both tables; status 0 always."""
    entries = load_deviations(known_library())
    old, new = arguments.old, arguments.new
    move = compare(known_of(old, entries), known_of(new, entries))
    if arguments.json:
        print_json(
            {
                "format": 1,
                "from": old,
                "to": new,
                "lost": [_facts(each) for each in move.lost],
                "gained": [_facts(each) for each in move.gained],
                "as_before": move.as_before,
            }
        )
        return ExitStatus.NOTHING_UNEXPECTED
    print_table(f"Lost: what {new} does not keep", _COLUMNS, map(_row, move.lost))
    print_table(f"\nGained: what {old} does not keep", _COLUMNS, map(_row, move.gained))
    lost, gained = map(count_statements, (move.lost, move.gained))
    print_table(
        "",
        ("", ""),
        [
            (f"statements lost, for {len(move.lost)} reasons", lost),
            (f"statements gained, for {len(move.gained)} reasons", gained),
            ("statements broken by both alike", len(move.as_before)),
        ],
    )
    return ExitStatus.NOTHING_UNEXPECTED


def known_of(spelled: str, entries: Iterable[Deviation]) -> Sequence[Deviation]:
    """The known deviations of a client, by its spelling, on the usual version of its broker."""
    provider = load_provider(spelled)
    broker = family_named(provider.broker_family).locked
    subject = subject_of(
        provider,
        broker.usual if broker is not None else "",
        Spelling.parse(spelled).base,
        java=java_version(provider),
    )
    return [entry for entry in entries if entry.concerns(subject) and not entry.of_exchange]


def _row(reason: Finding) -> Sequence[str]:
    first, *others = reason.requirements
    return (
        reason.effect or reason.kind,
        f"{first} +{len(others)}" if others else first,
        reason.reason,
        " ".join(reason.options),
        " ".join(reason.links),
    )


def _facts(reason: Finding) -> Mapping[str, object]:
    return {
        "effect": reason.effect,
        "class": reason.kind,
        "requirements": reason.requirements,
        "reason": reason.reason,
        "faults": reason.faults,
        "options": reason.options,
        "links": reason.links,
    }
