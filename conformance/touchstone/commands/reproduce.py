"""Makes a program of plain JMS from each verdict of a run that does not conform.

Each is a folder with one Java file, a pom.xml with exact versions, and ISSUE.md. With --confirm it
is compiled and run in a JVM of its own, against a broker that is started for it: confirmed, not
confirmed (then the harness or the scenario is suspect), or not expressible in plain Java.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jvm_runtime import fetch
from touchstone.catalogue import Library, load_library
from touchstone.catalogue.confirmations import (
    SUFFIX,
    Confirmation,
    ConfirmationOutcome,
    confirmations_text,
    digest,
    merged,
    read_confirmations,
)
from touchstone.catalogue.deviation_files import load_deviations
from touchstone.commands.output import add_json, console, print_json
from touchstone.commands.runs import add_run, newest_of_each
from touchstone.errors import UsageError
from touchstone.reproducing.confirming import Grounds, Shown, confirm
from touchstone.reproducing.control import Control
from touchstone.reproducing.folder import SOURCE, add_output, program_in
from touchstone.reproducing.recording import NotExpressible
from touchstone.reproducing.verdicts import (
    Accusation,
    accusations,
    control_programs,
    reproducers,
)
from touchstone.results.run_folder import VERDICTS, name_in_folder
from touchstone.verdicts import ExitStatus, severest

Step = Callable[[int, Path, Sequence[Path]], tuple[str, str, str]]
"""Does something with the program of a number, in a folder, with jars: outcome, told, control."""
_TRIES = 5
"""How often a program is run that shows what happens by chance."""
_STATUSES = {
    "written": ExitStatus.NOTHING_UNEXPECTED,
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
        "--record",
        type=Path,
        metavar="DIR",
        help="with --confirm: write what came of each known deviation into DIR, which has the files"
        " of these; a table each",
    )
    add_json(parser)


@dataclass(frozen=True)
class _Attempt:
    """What came of one program, or of the attempt to make one."""

    accusation: Accusation
    outcome: str
    folder: Path | None
    told: str
    control: str = ""
    """The client that keeps the statement, and of which the program shows nothing; if it is not
    confirmed, the one of which it shows the same."""

    def as_dict(self) -> dict[str, str]:
        """What is printed of it."""
        return {
            "requirement": self.accusation.line["requirement"],
            "scenario": self.accusation.line["scenario"],
            "outcome": str(self.outcome),
            "folder": str(self.folder or ""),
            "told": self.told,
            "control": self.control,
        }


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Write, and perhaps run, each reproducer; the severest status counts."""
    if (arguments.record or arguments.control) and not arguments.confirm:
        raise UsageError("--record and --control run no program", hint="Give --confirm as well.")
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
    before = _tables(arguments.record) if arguments.record else {}
    attempts: list[_Attempt] = []
    controls = [Control.of_run(run) for run in arguments.control]
    with Grounds() as grounds:
        for accusation in accused:
            base = arguments.out / name_in_folder(accusation.line["provider"]) / accusation.name
            confirming = partial(_confirm, accusation, grounds, controls)
            step = confirming if arguments.confirm else _written
            for attempt in _attempts(accusation, base, library, step):
                attempts.append(attempt)
                if not arguments.json:
                    _print(attempt)
    if arguments.record:
        _record(attempts, before, library)
    if arguments.json:
        print_json({"format": 1, "reproducers": [each.as_dict() for each in attempts]})
    else:
        counts = Counter(each.outcome for each in attempts)
        console().print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return severest(_STATUSES[each.outcome] for each in attempts)


def _attempts(
    accusation: Accusation, base: Path, library: Library, step: Step
) -> Iterator[_Attempt]:
    """What came of each program for a verdict; from the second on their folders have numbers."""
    try:
        programs = reproducers(accusation, library)
    except NotExpressible as error:
        yield _beyond(accusation, error)
        return
    for number, each in enumerate(programs):
        folder = base.with_name(f"{base.name}-{number + 1}") if number else base
        try:
            outcome, told, control = step(number, folder, each.write(folder))
            yield _Attempt(accusation, outcome, folder, told, control)
        except NotExpressible as error:
            yield _beyond(accusation, error)


def _beyond(accusation: Accusation, why: NotExpressible) -> _Attempt:
    return _Attempt(accusation, ConfirmationOutcome.NOT_EXPRESSIBLE, None, str(why))


def _written(number: int, folder: Path, jars: Sequence[Path]) -> tuple[str, str, str]:
    return "written", "", ""


def _confirm(
    accusation: Accusation,
    grounds: Grounds,
    controls: Sequence[Control],
    number: int,
    folder: Path,
    jars: Sequence[Path],
) -> tuple[str, str, str]:
    """What came of the program of this number, what it printed, and which control bears it out."""
    address = grounds.address(accusation.broker)
    for _ in range(_TRIES if accusation.line["by_chance"] else 1):
        shown = confirm(folder, jars, address)
        if shown.outcome is ConfirmationOutcome.CONFIRMED:
            break
    add_output(folder, shown.told)
    if shown.outcome is not ConfirmationOutcome.CONFIRMED:
        return shown.outcome, shown.told, ""
    for control in controls:
        if accusation.judged in control.kept:
            of_control = _shown_by_control(accusation, control, grounds, number)
            if of_control.outcome is ConfirmationOutcome.CONFIRMED:
                told = f"{of_control.told}{control.client} keeps the statement, and shows the same"
                return ConfirmationOutcome.NOT_CONFIRMED, told, control.client
            if of_control.differs:
                return shown.outcome, shown.told, control.client
    return shown.outcome, shown.told, ""


def _shown_by_control(
    accusation: Accusation, control: Control, grounds: Grounds, number: int
) -> Shown:
    """What the program of this number shows of a client that keeps the statement."""
    try:
        program = control_programs(accusation, control)[number]
        with TemporaryDirectory(prefix="touchstone-control-") as made:
            (Path(made) / SOURCE).write_text(program.text, encoding="utf-8")
            address = grounds.address(control.broker)
            return confirm(Path(made), fetch.fetch(control.lock), address)
    except NotExpressible as error:
        return Shown(ConfirmationOutcome.NOT_EXPRESSIBLE, str(error))


def _tables(folder: Path) -> Mapping[Path, Sequence[Confirmation]]:
    """What is recorded, by the file of each table, of the known deviations in a folder."""
    files = [file.with_suffix(SUFFIX) for file in folder.glob("*.toml")]
    if not files:
        raise UsageError(
            f"{folder} has no known deviations", hint="--record takes the folder of their files."
        )
    return {file: read_confirmations(file) for file in files}


def _record(
    attempts: Iterable[_Attempt], before: Mapping[Path, Sequence[Confirmation]], library: Library
) -> None:
    """Write what came of each known deviation into the table beside the file of its entry."""
    by_name: dict[str, dict[tuple[str, str, str], Confirmation]] = {}
    for attempt in attempts:
        if entry := attempt.accusation.line["deviation"]:
            new = _confirmation(attempt, entry)
            rows = by_name.setdefault(Path(entry["file"]).stem, {})
            if new.key not in rows or new.outcome is ConfirmationOutcome.CONFIRMED:
                rows[new.key] = new
    entries = load_deviations(library)
    for table, known in before.items():
        if new_rows := by_name.get(table.stem):
            of_file = [entry for entry in entries if Path(entry.file).stem == table.stem]
            kept = merged(known, new_rows.values(), of_file)
            table.write_text(confirmations_text(kept), encoding="utf-8")


def _confirmation(attempt: _Attempt, entry: Mapping[str, Any]) -> Confirmation:
    accusation, outcome = attempt.accusation, ConfirmationOutcome(attempt.outcome)
    line, broker = accusation.line, accusation.broker
    why = ""
    if outcome is ConfirmationOutcome.NOT_EXPRESSIBLE:
        why = attempt.told.partition("\n")[0]
    elif outcome is ConfirmationOutcome.NOT_CONFIRMED and attempt.control:
        why = f"{attempt.control} keeps the statement, and shows the same"
    return Confirmation(
        requirement=line["requirement"],
        scenario=line["scenario"],
        family=broker["family"],
        outcome=outcome,
        client=accusation.version,
        broker=broker["version"],
        java=accusation.java,
        date=datetime.now(UTC).date().isoformat(),
        messages=digest("\n".join(entry["messages"])),
        control=attempt.control,
        program=digest(program_in(attempt.folder)) if attempt.folder else "",
        why=why,
    )


def _print(attempt: _Attempt) -> None:
    out, row = console(), attempt.as_dict()
    out.print(f"{row['outcome']}: {row['requirement']} {row['scenario']}", markup=False)
    out.print(f"  {row['folder'] or row['told']}", markup=False)
    if attempt.outcome == ConfirmationOutcome.NOT_CONFIRMED:
        for line in row["told"].splitlines()[-8:]:
            out.print(f"    {line}", markup=False)
