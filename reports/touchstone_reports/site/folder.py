"""The edge of the site: the runs below folders are read, the files of a site are written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from touchstone_reports.records import ResultsError
from touchstone_reports.results import RUN_FILE, RunResults, read

LIST: Final = "touchstone-site.json"
"""The file that names what a site consists of."""


def runs_below(folders: Iterable[Path]) -> list[RunResults]:
    """Every run in these folders, wherever below them it lies; of copies of a run the first.

    Raises ResultsError for a folder without a run, and for a run that cannot be read.
    """
    places: list[Path] = []
    for folder in folders:
        below = sorted(file.parent for file in folder.rglob(RUN_FILE))
        if not below:
            raise ResultsError(
                f"{folder} has no run: neither it nor a folder below it has a {RUN_FILE}; "
                "name folders such as results, or results/<run>"
            )
        places += below
    runs: dict[object, RunResults] = {}
    for results in map(read, dict.fromkeys(places)):
        run = results.run
        names = tuple(provider.name for provider in run.providers)
        runs.setdefault((run.id, run.started, names), results)
    return list(runs.values())


def write_files(files: Mapping[str, str], folder: Path) -> None:
    """Write a site; what an older one had in this folder and this one has not is removed.

    Raises ResultsError where the folder has another site, or cannot be written.
    """
    try:
        before = _files_of(folder)
        for path, text in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        for path in before:
            if path not in files:
                _remove(folder, path)
        listed = json.dumps({"format": 1, "files": sorted(files)}, indent=0)
        (folder / LIST).write_text(f"{listed}\n", encoding="utf-8")
    except OSError as error:
        raise ResultsError(f"the site cannot be written to {folder}: {error}") from error


def _files_of(folder: Path) -> Sequence[str]:
    """The files of the site that stands in a folder."""
    try:
        return [str(path) for path in json.loads((folder / LIST).read_text("utf-8"))["files"]]
    except FileNotFoundError:
        if (folder / "index.html").exists():
            raise ResultsError(
                f"{folder} has an index.html that is none of Touchstone's; name a folder of its own"
            ) from None
        return ()
    except (ValueError, KeyError, TypeError) as error:
        raise ResultsError(f"{folder / LIST} is damaged; remove it and the site") from error


def _remove(folder: Path, path: str) -> None:
    file = folder / path
    if not file.resolve().is_relative_to(folder.resolve()):
        return
    file.unlink(missing_ok=True)
    parent = file.parent
    while parent != folder and not any(parent.iterdir()):
        parent.rmdir()
        parent = parent.parent
