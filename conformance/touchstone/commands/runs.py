"""Finding the run that a command is to read."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from touchstone.errors import UsageError


def add_run(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add the argument that names a run, or several."""
    parser.add_argument(
        "runs" if several else "run_dir",
        nargs="*" if several else "?",
        type=Path,
        metavar="RUN",
        help="the folder of a run (default: the newest in --results-dir)",
    )
    parser.add_argument("--results-dir", type=Path, default=Path("results"), metavar="DIR")


def newest(results: Path) -> Path | None:
    """The run that was begun last below `results`, or None."""
    runs = list(results.glob("*/run.json")) if results.is_dir() else []
    return max(runs, key=lambda file: file.stat().st_mtime).parent if runs else None


def named_or_newest(named: Sequence[Path], results: Path) -> list[Path]:
    """The runs that were named, else the newest; `UsageError` when there is none."""
    if named:
        for folder in named:
            if not (folder / "run.json").is_file():
                raise UsageError(
                    f"{folder} is no run: it has no run.json",
                    hint="Name a folder below results/, or leave it out for the newest.",
                )
        return list(named)
    found = newest(results)
    if found is None:
        raise UsageError(f"There is no run below {results}", hint="Make one with `touchstone run`.")
    return [found]
