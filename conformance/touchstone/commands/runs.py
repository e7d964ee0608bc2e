"""Finding the run that a command is to read."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from touchstone.errors import UsageError
from touchstone.results import EXCHANGES


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


def newest(results: Path) -> Path | None:
    """The run of scenarios that was begun last below `results`, or None.

    Runs of pairs of clients are to be named.
    """
    found = results.glob("*/run.json") if results.is_dir() else ()
    runs = [file for file in found if not _is_of_pairs(file.parent)]
    return max(runs, key=lambda file: file.stat().st_mtime).parent if runs else None


def _is_of_pairs(run: Path) -> bool:
    return any(run.glob(f"{EXCHANGES}*"))


def newest_of_each(results: Path, providers: Sequence[str] = ()) -> list[Path]:
    """The newest run of each provider below `results`, by name; no wrong clients among them.

    Behind them the newest run of pairs of clients, unless `providers` were named.
    `UsageError` when one of `providers`, to which they may be confined, has none.
    """
    found: dict[str, tuple[str, Path]] = {}
    pairs: list[tuple[str, Path]] = []
    for file in results.glob("*/run.json") if results.is_dir() else ():
        try:
            facts = json.loads(file.read_text(encoding="utf-8"))
            names, started = [one["name"] for one in facts["providers"]], str(facts["started"])
        except (OSError, ValueError, KeyError, TypeError):
            continue  # a run that is torn or not ours; whoever names it hears why
        if _is_of_pairs(file.parent):
            pairs.append((started, file.parent))
            continue
        for name in names:
            if "+mutant:" not in name:
                found[name] = max(found.get(name, ("", file.parent)), (started, file.parent))
    for name in providers:
        if name not in found:
            raise UsageError(
                f"There is no run of {name} below {results}",
                hint=f"There are runs of: {', '.join(sorted(found)) or 'nobody'}.",
            )
    if not found and not pairs:
        raise _no_run(results)
    chosen = [found[name][1] for name in providers or sorted(found)]
    if pairs and not providers:
        chosen.append(max(pairs)[1])
    return list(dict.fromkeys(chosen))


def named_or_newest(named: Sequence[Path], results: Path) -> list[Path]:
    """The runs that were named, else the newest; `UsageError` when there is none."""
    if named:
        for folder in named:
            if not (folder / "run.json").is_file():
                raise UsageError(
                    f"{folder} is no run: it has no run.json",
                    hint="Name the folder of a run: one of those below results/.",
                )
        return list(named)
    found = newest(results)
    if found is None:
        raise _no_run(results)
    return [found]


def _no_run(results: Path) -> UsageError:
    return UsageError(f"There is no run below {results}", hint="Make one with `touchstone run`.")
