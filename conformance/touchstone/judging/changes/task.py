"""What a forked run is told besides pytest's arguments, and what it tells."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True)
class ChangeTask:
    """What one run is to do: judge a change, or without one record what scenarios reach."""

    told: str
    """The file that gets a line for each scenario as soon as it was judged."""
    seconds: float
    """After these the run is ended."""
    change: str | None = None
    scenarios: tuple[str, ...] = ()
    """Those that run, in this order, until one notices; without any all that were collected."""
    known: tuple[tuple[str, str], ...] = ()
    """Scenarios with ids that the right reference violates as well: they notice nothing."""

    def write(self, file: Path) -> None:
        """Leave it in `file`."""
        file.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, file: Path) -> Self:
        """What was left in `file`."""
        row = json.loads(file.read_text(encoding="utf-8"))
        known = tuple((scenario, id_) for scenario, id_ in row.pop("known"))
        return cls(**{**row, "scenarios": tuple(row["scenarios"]), "known": known})


@dataclass(frozen=True)
class ScenarioResult:
    """What a run told of one scenario."""

    scenario: str
    file: str
    seconds: float
    verdicts: dict[str, str]
    """By requirement id."""
    reason: str
    reached: tuple[tuple[str, int], ...] = ()
    """Modules with lines of statements, where that was recorded."""

    def line(self) -> str:
        """For the file."""
        return json.dumps(asdict(self)) + "\n"


def read_told(file: Path) -> list[ScenarioResult]:
    """What a run told so far, be it ended by force; a line that was cut off is left out."""
    if not file.exists():
        return []
    lines = file.read_text(encoding="utf-8").split("\n")[:-1]
    return [
        ScenarioResult(
            **{**row, "reached": tuple((module, line) for module, line in row["reached"])}
        )
        for row in map(json.loads, lines)
    ]
