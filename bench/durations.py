"""The estimate of long scenarios that the catalogue brings along, from whole runs of clients."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from touchstone.catalogue import load_library
from touchstone.commands.runs import newest_of_each
from touchstone.judging.distribution import LONG
from touchstone_reports.results import RunResults, read
from touchstone_reports.wholeness import shortcomings


def write(results: Path) -> tuple[Path, int]:
    """Write the estimate by the newest run of each client below `results`, if it is whole.

    Gives the file, and how many scenarios it has; `SystemExit` when no run is whole.
    """
    runs = [read(folder) for folder in newest_of_each(results)]
    whole = [run for run in runs if not run.of_pairs and not shortcomings(run)]
    if not whole:
        raise SystemExit(f"no newest run below {results} is whole")
    [catalogue] = [catalogue for catalogue in load_library().catalogues if catalogue.durations]
    file = Path(str(catalogue.files.joinpath(catalogue.durations)))
    durations = longest(whole)
    file.write_text(json.dumps(durations, indent=1) + "\n")
    return file, len(durations)


def longest(runs: Iterable[RunResults]) -> dict[str, float]:
    """The seconds of scenarios that take long for one of the clients, the longest first."""
    seconds: dict[str, float] = {}
    for run in runs:
        for judgement in run.judgements:
            seconds[judgement.scenario] = max(
                judgement.duration, seconds.get(judgement.scenario, 0.0)
            )
    long = {name: round(took, 1) for name, took in seconds.items() if took >= LONG}
    return dict(sorted(long.items(), key=lambda each: (-each[1], each[0])))
