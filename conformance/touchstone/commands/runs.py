"""Finding the run that a command is to read."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from touchstone.errors import UsageError
from touchstone.results.run_folder import EXCHANGES
from touchstone_reports.records import ResultsError
from touchstone_reports.results import RUN_FILE, Run, read_run


def add_run(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add the argument that names a run, or several."""
    parser.add_argument(
        "runs" if several else "run_dir",
        nargs="*" if several else "?",
        type=Path,
        metavar="RUN",
        help=(
            "the folders of runs (default: the newest of each provider in --results-dir)"
            if several
            else "the folder of a run (default: the newest in --results-dir)"
        ),
    )
    parser.add_argument("--results-dir", type=Path, default=Path("results"), metavar="DIR")


def folders_of_runs(results: Path) -> set[Path]:
    """The folders of all runs below `results`."""
    return {file.parent for file in results.glob(f"*/{RUN_FILE}")}


def newest_run(results: Path) -> Path | None:
    """The run of scenarios that was begun last below `results`, or None.

    Runs of pairs of clients are to be named.
    """
    runs = [folder for folder in folders_of_runs(results) if not _is_of_pairs(folder)]
    return max(runs, key=lambda run: (run / RUN_FILE).stat().st_mtime, default=None)


def newest_first(folders: Iterable[Path]) -> list[tuple[Run, Path]]:
    """Those of the folders whose run.json can be read, the run that was begun last first."""
    return sorted(_readable_runs(folders), key=lambda run: (run[0].started, run[1]), reverse=True)


def of_provider(runs: Iterable[tuple[Run, Path]], provider: str) -> list[Path]:
    """The runs of scenarios of one provider, in the order given."""
    return [
        folder
        for run, folder in runs
        if provider in {each.name for each in run.providers} and not _is_of_pairs(folder)
    ]


def newest_of_each(results: Path, providers: Sequence[str] = ()) -> list[Path]:
    """The newest run of each provider below `results`, by name; no wrong clients among them.

    Behind them the newest run of pairs of clients, unless `providers` were named.
    `UsageError` when one of `providers`, to which they may be confined, has none.
    """
    runs = newest_first(folders_of_runs(results))
    pairs = [folder for _, folder in runs if _is_of_pairs(folder)]
    names = {
        provider.name
        for run, _ in runs
        for provider in run.providers
        if "+mutant:" not in provider.name
    }
    run_of = {name: mine[0] for name in sorted(names) if (mine := of_provider(runs, name))}
    for name in providers:
        if name not in run_of:
            raise UsageError(
                f"There is no run of {name} below {results}",
                hint=f"There are runs of: {', '.join(run_of) or 'nobody'}.",
            )
    if not run_of and not pairs:
        raise _no_run(results)
    chosen = [run_of[name] for name in providers or run_of]
    if pairs and not providers:
        chosen.append(pairs[0])
    return list(dict.fromkeys(chosen))


def named_or_newest(named: Sequence[Path], results: Path) -> list[Path]:
    """The runs that were named, else the newest; `UsageError` when there is none."""
    if named:
        for folder in named:
            if not (folder / RUN_FILE).is_file():
                raise UsageError(
                    f"{folder} is no run: it has no run.json",
                    hint="Name the folder of a run: one of those below results/.",
                )
        return list(named)
    run = newest_run(results)
    if run is None:
        raise _no_run(results)
    return [run]


def _readable_runs(folders: Iterable[Path]) -> Iterator[tuple[Run, Path]]:
    for folder in folders:
        try:
            yield read_run(folder), folder
        except ResultsError:
            continue  # a run that is torn or not ours; whoever names it hears why


def _is_of_pairs(run: Path) -> bool:
    return any(run.glob(f"{EXCHANGES}*"))


def _no_run(results: Path) -> UsageError:
    return UsageError(f"There is no run below {results}", hint="Make one with `touchstone run`.")
