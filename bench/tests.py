"""Where the seconds of the project's own tests go: by file, and by kinds of processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.session_costs import VARIABLE

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class FileCosts:
    """What the tests of one file took: seconds, and those of CPU by kind of process."""

    file: str
    tests: int
    wall: float
    cpu: Mapping[str, float]


@dataclass(frozen=True)
class SessionCosts:
    """A session of tests: its seconds, exit status, last words, and its files, longest first."""

    wall: float
    status: int
    said: Sequence[str]
    files: Sequence[FileCosts]

    @property
    def cpu(self) -> Mapping[str, float]:
        """Seconds of CPU by kind of process, the most first."""
        sums: dict[str, float] = defaultdict(float)
        for file in self.files:
            for kind, took in file.cpu.items():
                sums[kind] += took
        return dict(sorted(sums.items(), key=lambda each: -each[1]))


def measure(options: Sequence[str]) -> SessionCosts:
    """Run the tests with these options of pytest and note what each file costs."""
    with tempfile.TemporaryDirectory(prefix="touchstone-bench-") as folder:
        costs = Path(folder, "costs.jsonl")
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "bench.session_costs", *options],
            check=False, capture_output=True, text=True, cwd=ROOT,
            env={**os.environ, VARIABLE: str(costs)},
        )  # fmt: skip
        wall = time.perf_counter() - began
        files = [FileCosts(**json.loads(line)) for line in costs.read_text().splitlines()]
    files.sort(key=lambda file: -file.wall)
    return SessionCosts(wall, done.returncode, done.stdout.splitlines()[-8:], files)
