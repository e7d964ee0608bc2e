"""Shows anew what plain Java has shown: recorded confirmations, drawn, judged and reproduced again.

Each is judged on a broker of its family; its program is made, compiled and run in a JVM of its own,
against a broker that is started for it, and must show the difference. Left out are those of drawn
programs, since another run draws others, and those that happen by chance.
"""

from __future__ import annotations

import argparse
import random
import secrets
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path

from jms_clients.errors import ProviderError
from jms_clients.registry import load_provider
from touchstone.catalogue import Library, load_library
from touchstone.catalogue.confirmations import (
    Confirmation,
    ConfirmationOutcome,
    load_confirmations,
)
from touchstone.catalogue.deviation_files import load_deviations
from touchstone.catalogue.deviations import Deviation, Occurs
from touchstone.catalogue.items import is_of_drawn_programs
from touchstone.catalogue.versions import ANY
from touchstone.commands.output import add_json, console, print_json
from touchstone.commands.run import judge_into
from touchstone.errors import UsageError
from touchstone.reproducing.attempts import Trial, attempts
from touchstone.reproducing.confirming import Grounds
from touchstone.reproducing.verdicts import accusations
from touchstone.results.run_folder import name_in_folder
from touchstone.verdicts import ExitStatus, severest

_SEED = "--touchstone-seed"
_CONFORMS = "conforms"
"""The outcome where the scenario does not show the difference any more."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How many, and of which clients."""
    parser.add_argument(
        "--provider", metavar="NAME", help="only those of this client (default: of every one)"
    )
    parser.add_argument("--draw", type=int, default=10, metavar="N", help="so many (default: 10)")
    parser.add_argument(_SEED, type=int, metavar="SEED", help="what they are drawn by")
    parser.add_argument("--results-dir", type=Path, default=Path("results"), metavar="DIR")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("reproducers"),
        metavar="DIR",
        help="where the programs go (default: reproducers)",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Judge and reproduce those that are drawn; status 1 where one is not shown again."""
    library = load_library()
    seed = arguments.touchstone_seed
    seed = secrets.randbelow(2**31) if seed is None else seed
    drawn = _drawn(library, arguments.provider, arguments.draw, seed)
    with redirect_stdout(sys.stderr if arguments.json else sys.stdout), Grounds() as grounds:
        console().print(f"{len(drawn)} confirmations, drawn by {_SEED} {seed}", markup=False)
        came = [
            each
            for (provider, java), rows in _by_provider(drawn).items()
            for each in _shown_again(provider, java, rows, arguments, seed, library, Trial(grounds))
        ]
    if arguments.json:
        print_json({"format": 1, "seed": seed, "confirmations": came})
    else:
        for each in came:
            console().print(
                f"{each['outcome']}: {each['provider']} {each['requirement']} {each['scenario']}",
                markup=False,
            )
    return severest(
        ExitStatus.NOTHING_UNEXPECTED
        if each["outcome"] == ConfirmationOutcome.CONFIRMED
        else ExitStatus.UNEXPECTED
        for each in came
    )


def _drawn(
    library: Library, provider: str | None, count: int, seed: int
) -> Sequence[tuple[str, Confirmation]]:
    """So many of those that come each time, each with who is judged."""
    entries = [entry for entry in load_deviations(library) if entry.occurs is Occurs.ALWAYS]
    candidates = [
        (spelled, row)
        for file, rows in load_confirmations(library).items()
        for row in rows
        if row.outcome is ConfirmationOutcome.CONFIRMED and not is_of_drawn_programs(row.scenario)
        for entry in [next((e for e in entries if e.file == file and row.is_of(e)), None)]
        if entry is not None and provider in (None, entry.provider)
        for spelled in [_spelled(entry, row)]
        if _is_here(spelled)
    ]
    if not candidates:
        raise UsageError(
            f"Nothing of {provider or 'any client'} is confirmed in plain Java",
            hint="`touchstone findings` lists what is.",
        )
    return random.Random(seed).sample(candidates, min(count, len(candidates)))  # noqa: S311 (a choice)


def _is_here(spelled: str) -> bool:
    """Whether the release is one that Touchstone brings, or that somebody has locked here."""
    try:
        load_provider(spelled)
    except ProviderError:
        return False
    return True


def _spelled(entry: Deviation, row: Confirmation) -> str:
    """The client of the entry, on brokers of the family that it was confirmed on.

    Where the entry speaks of some releases only, it is the one that was confirmed.
    """
    client = entry.provider if entry.version == ANY else f"{entry.provider}@{row.client}"
    usual = load_provider(entry.provider).broker_family
    return client if row.family == usual else f"{client}+on:{row.family}"


def _by_provider(
    drawn: Sequence[tuple[str, Confirmation]],
) -> Mapping[tuple[str, str], Sequence[Confirmation]]:
    """Those of each client and the release of Java that it was seen with."""
    rows = defaultdict(list)
    for provider, row in drawn:
        rows[provider, row.java.partition(".")[0]].append(row)
    return rows


def _shown_again(
    provider: str,
    java: str,
    rows: Sequence[Confirmation],
    arguments: argparse.Namespace,
    seed: int,
    library: Library,
    trial: Trial,
) -> Iterator[Mapping[str, str]]:
    """What comes of the confirmations of one client on one Java."""
    packages = [catalogue.package for catalogue in library.catalogues]
    options = ["--no-reports", _SEED, str(seed), *(["--java", java] if java else [])]
    for row in rows:
        options += ["--scenario", row.scenario]
    _, folder = judge_into(
        arguments.results_dir, provider, packages, options, on_stderr=arguments.json
    )
    accused = [] if folder is None else list(accusations(folder))
    for row in rows:
        outcomes = [
            attempt.outcome
            for accusation in accused
            if accusation.judged == (row.scenario, row.requirement)
            for attempt in attempts(
                accusation,
                arguments.out / name_in_folder(provider) / accusation.name,
                library,
                trial,
            )
        ]
        confirmed = ConfirmationOutcome.CONFIRMED
        outcome = confirmed if confirmed in outcomes else next(iter(outcomes), _CONFORMS)
        yield {
            "provider": provider,
            "requirement": row.requirement,
            "scenario": row.scenario,
            "outcome": str(outcome),
        }
