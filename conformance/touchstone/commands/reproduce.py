"""Makes a program of plain JMS from each verdict of a run that does not conform.

Each is a folder with one Java file, a pom.xml with exact versions, and ISSUE.md. With --confirm it
is compiled and run in a JVM of its own, against a broker that is started for it: confirmed, not
confirmed (then the harness or the scenario is suspect), or not expressible in plain Java.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from touchstone.catalogue import Library, load_library
from touchstone.catalogue.confirmations import (
    SUFFIX,
    Confirmation,
    ConfirmationOutcome,
    confirmations_text,
    merged,
    read_confirmations,
)
from touchstone.catalogue.deviation_files import load_deviations
from touchstone.commands.output import add_json, console, print_json
from touchstone.commands.runs import add_run, newest_of_each
from touchstone.errors import UsageError
from touchstone.reproducing.attempts import WRITTEN, Attempt, Trial, attempts
from touchstone.reproducing.confirming import Grounds
from touchstone.reproducing.control import Control
from touchstone.reproducing.verdicts import accusations
from touchstone.results.run_folder import VERDICTS, name_in_folder
from touchstone.verdicts import ExitStatus, severest

_STATUSES = {
    WRITTEN: ExitStatus.NOTHING_UNEXPECTED,
    ConfirmationOutcome.CONFIRMED: ExitStatus.NOTHING_UNEXPECTED,
    ConfirmationOutcome.NOT_CONFIRMED: ExitStatus.UNEXPECTED,
    ConfirmationOutcome.NOT_EXPRESSIBLE: ExitStatus.COULD_NOT_JUDGE,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which verdicts, and where to."""
    add_run(parser, several=True)
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
    parser.add_argument(
        "--control",
        type=Path,
        action="append",
        default=[],
        metavar="RUN",
        help="with --confirm: the run of another client; of one that keeps the statement in the"
        " scenario the program must not show the difference; may be given several times",
    )
    parser.add_argument(
        "--shorten",
        action="store_true",
        help="with --control: leave out calls as long as the client shows the difference and the"
        " control does not; a minute for each program",
    )
    parser.add_argument(
        "--record",
        type=Path,
        metavar="DIR",
        help="with --confirm: write what came of each known deviation into DIR, which has the files"
        " of these; a table each",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Write, and perhaps run, each reproducer; the severest status counts."""
    if (arguments.record or arguments.control) and not arguments.confirm:
        raise UsageError("--record and --control run no program", hint="Give --confirm as well.")
    if arguments.shorten and not arguments.control:
        raise UsageError(
            "--shorten has nothing to hold the shorter programs against",
            hint="Give --confirm and --control as well.",
        )
    runs = arguments.runs or [
        run for run in newest_of_each(arguments.results_dir) if (run / VERDICTS).is_file()
    ]
    accused = [
        accusation
        for run in runs
        for accusation in accusations(run, arguments.scenario, arguments.requirement)
    ]
    if not accused:
        raise UsageError(
            f"No verdict of {', '.join(map(str, runs))} that was asked for speaks against a client",
            hint="Without --scenario and --requirement every one is taken.",
        )
    library = load_library()
    came: list[Attempt] = []
    with ExitStack() as stack:
        trial = None
        if arguments.confirm:
            controls = [Control.of_run(run) for run in arguments.control]
            trial = Trial(stack.enter_context(Grounds()), controls, arguments.shorten)
        if arguments.record:
            before = _tables(arguments.record)
            stack.callback(lambda: _record(came, before, library))  # of what there is by then
        for accusation in accused:
            base = arguments.out / name_in_folder(accusation.line["provider"]) / accusation.name
            for attempt in attempts(accusation, base, library, trial):
                came.append(attempt)
                if not arguments.json:
                    _print(attempt)
    if arguments.json:
        print_json({"format": 1, "reproducers": [each.as_dict() for each in came]})
    else:
        counts = Counter(each.outcome for each in came)
        told = [f"{count} {what}" for what, count in counts.items()]
        if calls := [each.calls for each in came if each.calls]:
            told.append(f"{median(calls):g} calls in the median of the programs")
        console().print(", ".join(told))
    return severest(_STATUSES[each.outcome] for each in came)


def _tables(folder: Path) -> Mapping[Path, Sequence[Confirmation]]:
    """What is recorded, by the file of each table, of the known deviations in a folder."""
    files = [file.with_suffix(SUFFIX) for file in folder.glob("*.toml")]
    if not files:
        raise UsageError(
            f"{folder} has no known deviations", hint="--record takes the folder of their files."
        )
    return {file: read_confirmations(file) for file in files}


def _record(
    came: Iterable[Attempt], before: Mapping[Path, Sequence[Confirmation]], library: Library
) -> None:
    """Write what came of each known deviation into the table beside the file of its entry."""
    by_name: dict[str, dict[tuple[str, ...], Confirmation]] = {}
    for attempt in came:
        if entry := attempt.accusation.line["deviation"]:
            new = attempt.confirmation
            rows = by_name.setdefault(Path(entry["file"]).stem, {})
            if new.key not in rows or new.outcome is ConfirmationOutcome.CONFIRMED:
                rows[new.key] = new
    entries = load_deviations(library)
    for table, known in before.items():
        if new_rows := by_name.get(table.stem):
            of_file = [entry for entry in entries if Path(entry.file).stem == table.stem]
            kept = merged(known, new_rows.values(), of_file)
            table.write_text(confirmations_text(kept), encoding="utf-8")


def _print(attempt: Attempt) -> None:
    out, line = console(), attempt.accusation.line
    out.print(f"{attempt.outcome}: {line['requirement']} {line['scenario']}", markup=False)
    out.print(f"  {attempt.folder or attempt.told}", markup=False)
    if attempt.outcome == ConfirmationOutcome.NOT_CONFIRMED:
        for printed in attempt.told.splitlines()[-8:]:
            out.print(f"    {printed}", markup=False)
