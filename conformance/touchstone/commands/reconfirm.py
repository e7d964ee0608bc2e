"""Shows anew what plain Java has shown: recorded confirmations, drawn, judged and reproduced again.

Each is judged on a broker of its family; its program is made, compiled and run in a JVM of its own,
against a broker that is started for it, and must show the difference. One that was held against a
control, a client that keeps the statement, is held against it again. Left out are those of drawn
programs, since another run draws others, and those of which chance decides whether they happen, or
how they fail.

With --mended they are those that a later release of the same client has mended, which is their
control: the program shows the difference on the one release and not on the other. Releases that are
not here are locked by Maven first.
"""

from __future__ import annotations

import argparse
import random
import secrets
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from jms_clients.errors import ProviderError
from jms_clients.registry import Spelling, load_provider
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
from touchstone.commands.lock import lock_missing
from touchstone.commands.output import add_json, console, print_json
from touchstone.commands.run import judge_into
from touchstone.errors import UsageError
from touchstone.reproducing.attempts import Attempt, Trial, attempts
from touchstone.reproducing.confirming import Grounds
from touchstone.reproducing.control import Control
from touchstone.reproducing.verdicts import accusations
from touchstone.results.run_folder import name_in_folder, read_finished
from touchstone.verdicts import ExitStatus, severest

_SEED = "--touchstone-seed"
_NOT_JUDGED = "not judged"
"""The outcome where the run has no verdict of it."""
_WITHIN = 180
"""Seconds for a scenario: what a client does not do is waited for, and the machine may be busy."""
_MORE = 3
"""So many others of a control are judged as well."""
_NOT_HELD = "not held"
"""The outcome where it is shown, but not that the control it was held against shows none."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How many, and of which clients."""
    parser.add_argument(
        "--provider", metavar="NAME", help="only those of this client (default: of every one)"
    )
    parser.add_argument(
        "--mended", action="store_true", help="only those that a later release has mended"
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
    tables = load_confirmations(library)
    candidates = _candidates(library, tables, arguments.provider, mended=arguments.mended)
    drawn = random.Random(seed).sample(candidates, min(arguments.draw, len(candidates)))  # noqa: S311 (a choice)
    with redirect_stdout(sys.stderr if arguments.json else sys.stdout), Grounds() as grounds:
        console().print(f"{len(drawn)} confirmations, drawn by {_SEED} {seed}", markup=False)
        if arguments.mended:
            _lock_all(drawn)
        rows = [row for rows in tables.values() for row in rows]
        judge = _Judge(library, rows, arguments.results_dir, seed, on_stderr=arguments.json)
        came = [
            _what_came(provider, row, verdict, tried)
            for (provider, java), rows in _by_provider(drawn).items()
            for row, verdict, tried in _tried(judge, provider, java, rows, arguments.out, grounds)
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


def _candidates(
    library: Library,
    tables: Mapping[str, Sequence[Confirmation]],
    provider: str | None,
    *,
    mended: bool,
) -> Sequence[tuple[str, Confirmation]]:
    """Those that come each time, each with who is judged; UsageError where there are none."""
    entries = [
        entry
        for entry in load_deviations(library)
        if entry.occurs is Occurs.ALWAYS and not entry.also
    ]
    candidates = [
        (spelled, row)
        for file, rows in tables.items()
        for row in rows
        if row.outcome is ConfirmationOutcome.CONFIRMED and not is_of_drawn_programs(row.scenario)
        for entry in [next((e for e in entries if e.file == file and row.is_of(e)), None)]
        if entry is not None and provider in (None, entry.provider)
        for spelled in [_spelled(entry, row)]
        if (row.mended_in(entry.provider) if mended else _is_here(spelled))
    ]
    if not candidates:
        what = "has been mended by a later release" if mended else "is confirmed in plain Java"
        raise UsageError(
            f"Nothing of {provider or 'any client'} {what}",
            hint="`touchstone findings` lists what is.",
        )
    return candidates


def _lock_all(drawn: Sequence[tuple[str, Confirmation]]) -> None:
    """Have a lock of each release that is judged, and of each that has mended it."""
    for spelled, row in drawn:
        client = Spelling.parse(spelled)
        mended = row.control.partition(" ")[2]
        lock_missing(replace(client, version=None), [client.version or row.client, mended])


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


@dataclass(frozen=True)
class _Judge:
    """Judges the scenarios of confirmations."""

    library: Library
    confirmations: Sequence[Confirmation]
    """All that are recorded."""
    results: Path
    seed: int
    on_stderr: bool

    def run(self, provider: str, java: str, rows: Iterable[Confirmation]) -> Path | None:
        """The folder of a run of those of some rows, on a release of Java if one is named."""
        packages = [catalogue.package for catalogue in self.library.catalogues]
        options = ["--no-reports", "--all-traces", _SEED, str(self.seed)]
        options += ["--touchstone-timeout", str(_WITHIN)]
        options += ["--java", java] if java else []
        for row in rows:
            options += ["--scenario", row.scenario]
        return judge_into(self.results, provider, packages, options, on_stderr=self.on_stderr)[1]

    def controls(self, rows: Sequence[Confirmation]) -> Sequence[Control]:
        """The clients that some rows were held against, judged anew."""
        made = []
        for named in sorted({row.control for row in rows if row.control}):
            spelled = named.replace(" ", "@")
            held = [row for row in rows if row.control == named]
            folder = self.run(spelled, "", [*held, *self._others_held(named)])
            if folder is not None:
                made.append(Control.of_run(folder))
        return made

    def _others_held(self, control: str) -> Iterable[Confirmation]:
        """A few more rows of a control: by those it shows how it is made, if not by the drawn."""
        held = (row for row in self.confirmations if row.control == control)
        return islice((row for row in held if not is_of_drawn_programs(row.scenario)), _MORE)


def _tried(
    judge: _Judge,
    provider: str,
    java: str,
    rows: Sequence[Confirmation],
    out: Path,
    grounds: Grounds,
) -> Iterator[tuple[Confirmation, str, Sequence[Attempt]]]:
    """The verdicts and programs of the confirmations of one client on one Java, and what came."""
    folder = judge.run(provider, java, rows)
    lines = [] if folder is None else read_finished(folder)[1]
    verdicts = {(line["scenario"], line["requirement"]): line["verdict"].lower() for line in lines}
    accused = [] if folder is None else list(accusations(folder))
    trial = Trial(grounds, judge.controls(rows) if accused else ())
    for row in rows:
        yield (
            row,
            verdicts.get((row.scenario, row.requirement), _NOT_JUDGED),
            [
                attempt
                for each in accused
                if each.judged == (row.scenario, row.requirement)
                for attempt in attempts(
                    each, out / name_in_folder(provider) / each.name, judge.library, trial
                )
            ],
        )


def _what_came(
    provider: str, row: Confirmation, verdict: str, tried: Sequence[Attempt]
) -> Mapping[str, str]:
    """The outcome of a row; where no program was made, the verdict of its scenario."""
    confirmed = [each for each in tried if each.outcome == ConfirmationOutcome.CONFIRMED]
    if any(row.control in ("", each.control) for each in confirmed):
        outcome = str(ConfirmationOutcome.CONFIRMED)
    elif confirmed:
        outcome = _NOT_HELD
    else:
        outcome = str(tried[0].outcome) if tried else verdict
    return {
        "provider": provider,
        "requirement": row.requirement,
        "scenario": row.scenario,
        "outcome": outcome,
    }
