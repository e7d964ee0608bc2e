"""Holds a run against an older one: only what got worse fails it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from touchstone.commands import compare
from touchstone.commands.output import console
from touchstone.commands.runs import folders_of_runs, newest_first, of_provider
from touchstone.errors import UsageError
from touchstone.verdicts import ExitStatus
from touchstone_reports.records import ResultsError
from touchstone_reports.results import RUN_FILE, RunResults, read
from touchstone_reports.wholeness import shortcomings

Held = Callable[[ExitStatus], ExitStatus]
_MOST_TOLD = 5
"""Partial runs that are named, the newest of them."""


@contextmanager
def held_against(baseline: Path | None, results: Path) -> Iterator[Held]:
    """Yields what turns the status of the run that the block makes below `results` into its status
    beside `baseline`: a run, a folder of runs, or None, which leaves every status as it is.

    Where the provider has no whole run there, it says so and leaves the status, too: then
    everything unexpected is new. Raises UsageError for a baseline that is a file, and ResultsError
    for a run that cannot be read.
    """
    if baseline is None:
        yield lambda status: status
        return
    older = _older_runs(baseline)
    earlier = folders_of_runs(results)

    def held(status: ExitStatus) -> ExitStatus:
        made = folders_of_runs(results) - earlier
        if status is ExitStatus.FAULT:
            return status
        if len(made) != 1:
            _say(f"{len(made)} runs were begun in {results}: there is nothing to compare")
            nothing_seen = status is ExitStatus.NOTHING_UNEXPECTED
            return ExitStatus.COULD_NOT_JUDGE if nothing_seen else status
        newer = read(made.pop())
        [provider] = newer.run.providers
        chosen = _newest_whole(older, provider.name, baseline)
        return status if chosen is None else compare.show(chosen, newer, status)

    yield held


def _older_runs(baseline: Path) -> Collection[Path] | RunResults:
    """The run that is named, or the folders of runs that are there now."""
    if baseline.exists() and not baseline.is_dir():
        raise UsageError(
            f"--baseline {baseline} is a file", hint="Name the folder of a run, or of several."
        )
    return read(baseline) if (baseline / RUN_FILE).exists() else folders_of_runs(baseline)


def _newest_whole(
    older: Collection[Path] | RunResults, provider: str, baseline: Path
) -> RunResults | None:
    """The run to compare with: the one that was named, however partial, or the newest whole one."""
    if isinstance(older, RunResults):
        if not older.of_pairs and [each.name for each in older.run.providers] == [provider]:
            return older
        _say(f"{baseline} is no run of {provider}: whatever is unexpected counts")
        return None
    partial: list[str] = []
    for folder in of_provider(newest_first(older), provider):
        try:
            results = read(folder)
            why = shortcomings(results)
        except ResultsError as error:
            why = (str(error),)
        if not why:
            _say(f"The baseline of {provider} is its newest whole run in {baseline}: {folder.name}")
            _tell("Newer ones are partial", partial)
            return results
        partial.append(f"{folder.name} ({'; '.join(why)})")
    _say(
        f"There is no {'whole ' if partial else ''}run of {provider} in {baseline} to compare "
        "with: whatever is unexpected counts"
    )
    _tell("Those that are there are partial", partial)
    return None


def _tell(what: str, partial: Sequence[str]) -> None:
    if partial:
        rest = len(partial) - _MOST_TOLD
        more = f" and {rest} more" if rest > 0 else ""
        _say(f"{what}: {', '.join(partial[:_MOST_TOLD])}{more}")


def _say(text: str) -> None:
    console().print(text, markup=False)
