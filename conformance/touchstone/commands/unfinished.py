"""Runs that did not finish: what is told of them when they end, and how they go on."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from jms_brokers.machine.secrecy import HIDDEN
from touchstone.catalogue import load_library
from touchstone.commands.output import console
from touchstone.errors import UsageError
from touchstone.results.reporting import PAGE, write_reports
from touchstone.results.run_folder import PART
from touchstone_reports.records import ResultsError
from touchstone_reports.results import RUN_FILE, RunResults, read

_NO_REPORTS = "--no-reports"


def folder_of(named: Path, results: Path) -> Path:
    """The folder of a run that was named by its path, or by its name below `results`."""
    for folder in (named, results / named):
        if (folder / RUN_FILE).is_file():
            return folder
    raise UsageError(
        f"{named} is no run: there is no {RUN_FILE} in it", hint="Name one of the folders of runs."
    )


def report_unfinished(folder: Path) -> None:
    """Print of a run whose process has ended, if it did not finish, how much of it there is, where
    the report of that is, and the line that goes on.

    The report is written where the run did not come to that.
    """
    try:
        results = read(folder)
    except ResultsError:  # the folder was taken away; the run has said it
        return
    if results.finished:
        return
    judged, asked = _counts(results)
    say = console().print
    say(f"touchstone: {judged:,} of {asked:,} scenarios were judged", markup=False)
    if _NO_REPORTS not in results.run.command:
        with suppress(OSError):  # no room for it: the run has said that, too
            say(f"  report: {_up_to_date(folder)}", markup=False)
    line = f"touchstone run --resume {shlex.quote(str(folder))}"
    say(f"  to go on: {line}", markup=False)


def options_of(results: RunResults, given: Sequence[str]) -> list[str]:
    """The options that a run goes on with: its own as run.json has them, and those `given` now.

    Secrets are not written down: `UsageError` names an option that has to be given again. It
    refuses a run of pairs, too.
    """
    if results.of_pairs:
        raise UsageError(
            f"{results.directory} is a run of pairs of clients, which does not go on",
            hint="Begin it again with `touchstone interop`.",
        )
    again = {option.partition("=")[0] for option in given}
    options: list[str] = []
    for word in results.run.command[1:]:
        if HIDDEN not in word:
            options.append(word)
            continue
        name = word.partition("=")[0] if word.startswith("-") else options.pop()
        if name not in again:
            raise UsageError(
                f"{results.run.id} was given a secret by {name}, and secrets are not written down",
                hint=f"Give {name} again, behind --resume {results.directory}.",
            )
    seed = ["--touchstone-seed", str(results.run.seed)]
    here = ["--results-dir", str(results.directory.parent), "--resume", str(results.directory)]
    return [*options, *seed, *here, *given]


def _counts(results: RunResults) -> tuple[int, int]:
    """How many scenarios are judged, and how many were asked for."""
    selection = results.run.selection
    judged = {judgement.scenario for judgement in results.judgements}
    return len(judged), len(judged.union(selection.scenarios if selection else ()))


def _up_to_date(folder: Path) -> Path:
    """The page of the run's reports, which are written if verdicts came after it."""
    page, verdicts = folder / PAGE, folder / PART
    written = page.exists() and verdicts.exists()
    if not written or page.stat().st_mtime < verdicts.stat().st_mtime:
        write_reports([folder], load_library(), folder)
    return page
