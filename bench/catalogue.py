"""How long the whole catalogue takes, the overhead of a scenario, and the slowest ones."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from touchstone_reports.results import read


@dataclass(frozen=True)
class CatalogueFigures:
    """Seconds of a run of the reference, and of its scenarios by id."""

    workers: int
    wall: float
    scenarios: dict[str, float]
    status: int

    @property
    def judging(self) -> float:
        """Seconds of the scenarios' own bodies, summed over workers."""
        return sum(self.scenarios.values())

    @property
    def overhead(self) -> float:
        """Seconds a scenario that are not its body: fixtures, records, scheduling, start, end."""
        return (self.wall * self.workers - self.judging) / len(self.scenarios)

    def slowest(self, count: int) -> list[tuple[str, float]]:
        """The scenarios that took longest, with their seconds."""
        return sorted(self.scenarios.items(), key=lambda item: -item[1])[:count]


def measure(workers: int, seed: int) -> CatalogueFigures:
    """One run of the whole catalogue on `workers` processes, broker start included."""
    with tempfile.TemporaryDirectory(prefix="touchstone-bench-") as folder:
        begun = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "touchstone", "run", "-q", "-n", str(workers),
             "--results-dir", folder, "--touchstone-seed", str(seed)],
            check=False, capture_output=True,
        )  # fmt: skip
        wall = time.perf_counter() - begun
        [run] = Path(folder).iterdir()
        durations: dict[str, float] = defaultdict(float)
        for one in read(run).judgements:
            durations[one.scenario] = max(durations[one.scenario], one.duration)
        return CatalogueFigures(workers, wall, dict(durations), done.returncode)
