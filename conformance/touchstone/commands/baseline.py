"""Holds a run against an older one: only what got worse fails it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from touchstone.commands import compare
from touchstone.commands.output import console
from touchstone.commands.runs import newest_of_each
from touchstone.errors import UsageError
from touchstone.verdicts import ExitStatus
from touchstone_reports.results import read

Held = Callable[[ExitStatus], ExitStatus]


@contextmanager
def held_against(baseline: Path | None, results: Path) -> Iterator[Held]:
    """Yields what turns the status of the run that the block makes below `results` into its status
    beside `baseline`: a run, a folder of runs, or None, which leaves every status as it is.

    Where the provider has no run there, it says so and leaves the status, too: then everything
    unexpected is new. Raises UsageError for a baseline that is a file.
    """
    if baseline is not None and baseline.exists() and not baseline.is_dir():
        raise UsageError(
            f"--baseline {baseline} is a file", hint="Name the folder of a run, or of several."
        )
    earlier = _runs(results)
    older = _older(baseline) if baseline is not None else {}

    def held(status: ExitStatus) -> ExitStatus:
        made = sorted(_runs(results) - earlier)
        if baseline is None or status is ExitStatus.FAULT or len(made) != 1:
            return status
        run = read(made[0]).run
        [provider] = {one.name for one in run.providers}
        if provider not in older:
            console().print(
                f"There is no run of {provider} in {baseline} to compare with: whatever is "
                "unexpected counts",
                markup=False,
            )
            return status
        beside = compare.show(older[provider], made[0])
        if run.finished is None and beside is ExitStatus.NOTHING_UNEXPECTED:
            console().print("The run was ended early: what got worse may not have been judged")
            return ExitStatus.COULD_NOT_JUDGE
        return beside

    yield held


def _runs(results: Path) -> set[Path]:
    return {file.parent for file in results.glob("*/run.json")}


def _older(baseline: Path) -> dict[str, Path]:
    """The newest run of each provider in `baseline`, by the provider's name."""
    try:
        runs = [baseline] if (baseline / "run.json").is_file() else newest_of_each(baseline)
    except UsageError:
        return {}  # no runs at all
    return {one.name: run for run in runs for one in read(run).run.providers}
