"""Where the seconds of a run of the whole catalogue go: waits by reason, processes, idleness."""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.processes import Processes
from touchstone_reports.results import RunResults, VerdictLine, read

COMPUTING = "computing, and the client's own calls"
"""What a scenario spends its seconds on where it does not say otherwise."""
_LOOKS_EVERY = 0.25
_LOOKS_AT_THREADS_EVERY = 8
"""Looks: brokers have hundreds of threads."""


@dataclass(frozen=True)
class CatalogueFigures:
    """Of a run of a provider: its seconds, and those of its scenarios by what they went to."""

    workers: int
    wall: float
    cpu: Mapping[str, float]
    """Seconds of CPU time by kind of process."""
    threads: Mapping[str, float]
    """Of brokers by their threads."""
    started: Mapping[str, int]
    """How many processes of each kind were started."""
    scenarios: Mapping[str, Mapping[str, float]]
    status: int

    @property
    def judging(self) -> float:
        """Seconds of all scenarios, summed over workers."""
        return sum(sum(spent.values()) for spent in self.scenarios.values())

    @property
    def idle(self) -> float:
        """Seconds in which workers run no scenario: at their start and end, and in between."""
        return self.wall * self.workers - self.judging

    @property
    def spent(self) -> dict[str, float]:
        """Seconds of all scenarios by what they went to, the most first."""
        sums: dict[str, float] = defaultdict(float)
        for spent in self.scenarios.values():
            for what, took in spent.items():
                sums[what] += took
        return dict(sorted(sums.items(), key=lambda each: -each[1]))

    def worst(self, what: str, count: int) -> list[tuple[str, float]]:
        """The scenarios that spend most seconds on this."""
        costly = [(name, spent[what]) for name, spent in self.scenarios.items() if what in spent]
        return sorted(costly, key=lambda each: -each[1])[:count]

    def described(self, count: int) -> dict[str, object]:
        """Plain data to be kept, with the worst scenarios."""
        return {
            "wall": round(self.wall, 1),
            "idle": round(self.idle, 1),
            "scenarios": len(self.scenarios),
            "cpu": {kind: round(took, 1) for kind, took in self.cpu.items()},
            "threads of brokers": {
                name: round(took, 1) for name, took in self.threads.items() if took >= 1
            },
            "started": dict(self.started),
            "spent": {what: round(took, 1) for what, took in self.spent.items()},
            "worst": {
                what: {name: round(took, 2) for name, took in self.worst(what, count)}
                for what in self.spent
            },
            "status": self.status,
        }


def measure(provider: str, workers: int, seed: int) -> CatalogueFigures:
    """One run of the whole catalogue on `workers` processes, broker start included."""
    with tempfile.TemporaryDirectory(prefix="touchstone-bench-") as folder:
        processes = Processes()
        over = threading.Event()

        def look() -> None:
            looks = itertools.count(1)
            while not over.wait(_LOOKS_EVERY):
                processes.look()
                if next(looks) % _LOOKS_AT_THREADS_EVERY == 0:
                    processes.look_at_threads()

        looking = threading.Thread(target=look)
        looking.start()
        try:
            status, wall, results = run(
                provider, workers, Path(folder), "--touchstone-seed", str(seed)
            )
        finally:
            over.set()
            looking.join()
        scenarios = spent_by_scenario(results.judgements)
        return CatalogueFigures(
            workers,
            wall,
            processes.cpu,
            processes.cpu_of_threads,
            processes.started,
            scenarios,
            status,
        )


def spent_by_scenario(judgements: Iterable[VerdictLine]) -> dict[str, dict[str, float]]:
    """Seconds of each scenario that was run, by what they went to; they add up to its duration."""
    spent = {}
    for judgement in judgements:
        if judgement.duration:
            rest = judgement.duration - sum(judgement.spent.values())
            spent[judgement.scenario] = {**judgement.spent, COMPUTING: max(0.0, rest)}
    return spent


def run(
    provider: str, workers: int, folder: Path, *options: str, under: Sequence[str] = ()
) -> tuple[int, float, RunResults]:
    """Run the catalogue once; its exit status, seconds and results, kept in `folder`.

    `under` is the command of a profiler that is given what to run.
    """
    begun = time.perf_counter()
    done = subprocess.run(
        [*under, sys.executable, "-m", "touchstone", "run", "-q", "-n", str(workers),
         "--provider", provider, "--results-dir", str(folder), *options],
        check=False, capture_output=True,
    )  # fmt: skip
    wall = time.perf_counter() - begun
    newest = max(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    return done.returncode, wall, read(newest)
