"""How long scenarios are known to take: from the last runs of their provider, else from the
estimate that their catalogue brings along.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from touchstone.catalogue import Library
from touchstone.results.run_folder import VERDICTS, name_in_folder

_RUNS = 5
"""So many are looked at: the last ones may have been of a few scenarios."""


def estimated(library: Library) -> Mapping[str, float]:
    """Seconds by scenario, as the catalogues have them: those that take long."""
    seconds: dict[str, float] = {}
    for catalogue in library.catalogues:
        if catalogue.durations:
            seconds |= json.loads(catalogue.files.joinpath(catalogue.durations).read_text("utf-8"))
    return seconds


def known_durations(library: Library, results: Path, provider: str) -> Mapping[str, float]:
    """Seconds by scenario. What cannot be read is not known: nothing but an order depends on it."""
    seconds = {**estimated(library)}
    for verdicts in sorted(results.glob(f"*-{name_in_folder(provider)}/{VERDICTS}"))[-_RUNS:]:
        with suppress(OSError, ValueError, LookupError, TypeError), verdicts.open("rb") as lines:
            seconds |= {
                line["scenario"]: float(line["duration"]) for line in map(json.loads, lines)
            }
    return seconds
