"""Makes a program of plain JMS from each verdict of a run that does not conform.

Each is a folder with one Java file, a pom.xml with exact versions, and ISSUE.md. With --confirm it
is compiled and run in a JVM of its own, against a broker that is started for it: confirmed, not
confirmed (then the harness or the scenario is suspect), or not expressible in plain Java.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from touchstone.catalogue import Library, load_library
from touchstone.commands.output import add_json, console, print_json
from touchstone.errors import UsageError
from touchstone.reproducing.confirming import Confirmation, Grounds, confirm
from touchstone.reproducing.folder import add_output
from touchstone.reproducing.recording import NotExpressible
from touchstone.reproducing.verdicts import Accusation, accusations, reproducers
from touchstone.results.run_folder import name_in_folder
from touchstone.verdicts import ExitStatus, severest

_STATUSES = {
    "written": ExitStatus.NOTHING_UNEXPECTED,
    Confirmation.CONFIRMED: ExitStatus.NOTHING_UNEXPECTED,
    Confirmation.NOT_CONFIRMED: ExitStatus.UNEXPECTED,
    Confirmation.NOT_EXPRESSIBLE: ExitStatus.COULD_NOT_JUDGE,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which verdicts, and where to."""
    parser.add_argument(
        "results", type=Path, metavar="RUN", help="the folder of a run: results/<run>"
    )
    parser.add_argument("--scenario", metavar="ID", help="only this one, or all its cases")
    parser.add_argument("--requirement", metavar="ID", help="only this requirement")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("reproducers"),
        metavar="DIR",
        help="where the folders are made (default: reproducers)",
    )
    parser.add_argument(
        "--confirm", action="store_true", help="compile and run each: does it show the same?"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Write, and perhaps run, each reproducer; the severest status counts."""
    accused = list(accusations(arguments.results, arguments.scenario, arguments.requirement))
    if not accused:
        raise UsageError(
            f"No verdict of {arguments.results} that was asked for speaks against a client",
            hint="Without --scenario and --requirement every one is taken.",
        )
    library = load_library()
    rows: list[dict[str, str]] = []
    with Grounds() as grounds:
        for accusation in accused:
            base = arguments.out / name_in_folder(accusation.line["provider"]) / accusation.name
            for row in _rows(accusation, base, library, grounds if arguments.confirm else None):
                rows.append(row)
                if not arguments.json:
                    _print(row)
    if arguments.json:
        print_json({"format": 1, "reproducers": rows})
    else:
        counts = Counter(row["outcome"] for row in rows)
        console().print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return severest(_STATUSES[row["outcome"]] for row in rows)


def _rows(
    accusation: Accusation, base: Path, library: Library, grounds: Grounds | None
) -> Iterator[dict[str, str]]:
    """What came of each program for a verdict; from the second on their folders have numbers."""
    try:
        programs = reproducers(accusation, library)
    except NotExpressible as error:
        yield _row(accusation, Confirmation.NOT_EXPRESSIBLE, "", str(error))
        return
    for number, each in enumerate(programs, start=1):
        folder = base if number == 1 else base.with_name(f"{base.name}-{number}")
        try:
            jars = each.write(folder)
            outcome, told = "written", ""
            if grounds is not None:
                outcome, told = _confirm_outcome(accusation, folder, jars, grounds)
            yield _row(accusation, outcome, str(folder), told)
        except NotExpressible as error:
            yield _row(accusation, Confirmation.NOT_EXPRESSIBLE, "", str(error))


def _row(accusation: Accusation, outcome: str, folder: str, told: str) -> dict[str, str]:
    return {
        "requirement": accusation.line["requirement"],
        "scenario": accusation.line["scenario"],
        "outcome": str(outcome),
        "folder": folder,
        "told": told,
    }


def _confirm_outcome(
    accusation: Accusation, folder: Path, jars: Sequence[Path], grounds: Grounds
) -> tuple[Confirmation, str]:
    broker = accusation.broker
    address = grounds.address(broker["family"], broker["version"], broker["profile"])
    shown = confirm(folder, jars, address)
    add_output(folder, shown.told)
    return shown.outcome, shown.told


def _print(row: dict[str, str]) -> None:
    out = console()
    out.print(f"{row['outcome']}: {row['requirement']} {row['scenario']}", markup=False)
    out.print(f"  {row['folder'] or row['told']}", markup=False)
    if row["outcome"] == Confirmation.NOT_CONFIRMED:
        for line in row["told"].splitlines()[-8:]:
            out.print(f"    {line}", markup=False)
