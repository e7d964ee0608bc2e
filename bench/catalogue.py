"""How long the whole catalogue takes, the overhead of a scenario, and why the slowest are slow."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from touchstone_reports.results import RunResults, read


@dataclass(frozen=True)
class ScenarioFigures:
    """Seconds of one scenario, and what took most of them."""

    seconds: float
    reason: str


@dataclass(frozen=True)
class CatalogueFigures:
    """Seconds of a run of a provider, and of its scenarios by id."""

    workers: int
    wall: float
    cpu: float
    """Seconds of CPU time of all its processes, brokers included."""
    scenarios: dict[str, ScenarioFigures]
    status: int

    @property
    def judging(self) -> float:
        """Seconds of the scenarios' own bodies, summed over workers."""
        return sum(one.seconds for one in self.scenarios.values())

    @property
    def overhead(self) -> float:
        """Seconds a scenario that are not its body: fixtures, records, scheduling, start, end."""
        return (self.wall * self.workers - self.judging) / len(self.scenarios)

    def slowest(self, count: int) -> list[tuple[str, ScenarioFigures]]:
        """The scenarios that took longest."""
        return sorted(self.scenarios.items(), key=lambda item: -item[1].seconds)[:count]


def measure(provider: str, workers: int, seed: int) -> CatalogueFigures:
    """One run of the whole catalogue on `workers` processes, broker start included."""
    with tempfile.TemporaryDirectory(prefix="touchstone-bench-") as folder:
        options = ("--all-traces", "--touchstone-seed", str(seed))
        before = _cpu_of_children()
        status, wall, results = run(provider, workers, Path(folder), *options)
        cpu = _cpu_of_children() - before
        durations: dict[str, float] = defaultdict(float)
        traces: dict[str, list[str]] = {}
        for one in results.judgements:
            durations[one.scenario] = max(durations[one.scenario], one.duration)
            if one.trace is not None:
                traces[one.scenario] = (results.directory / one.trace).read_text().splitlines()
        scenarios = {
            scenario: ScenarioFigures(seconds, _reason(traces.get(scenario, ()), seconds))
            for scenario, seconds in durations.items()
        }
        return CatalogueFigures(workers, wall, cpu, scenarios, status)


def run(provider: str, workers: int, folder: Path, *options: str) -> tuple[int, float, RunResults]:
    """Run the catalogue once; its exit status, seconds and results, kept in `folder`."""
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "touchstone", "run", "-q", "-n", str(workers),
         "--provider", provider, "--results-dir", str(folder), *options],
        check=False, capture_output=True,
    )  # fmt: skip
    wall = time.perf_counter() - begun
    newest = max(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    return done.returncode, wall, read(newest)


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _reason(trace: Iterable[str], seconds: float) -> str:
    """What took longest, from a scenario's trace: steps of the client, or what was around them.

    What comes before the first step is set-up, with the start of a broker that was not there yet.
    """
    spent: dict[str, float] = defaultdict(float)
    before = 0.0
    for event in map(json.loads, trace):
        if "at" in event:
            step = f"{event['on']}.{event['what']}" if spent else "set-up"
            spent[step] += event["at"] - before
            before = event["at"]
    spent["after the last step"] = seconds - before
    longest = sorted(spent.items(), key=lambda item: -item[1])[:2]
    return "; ".join(f"{step} {took:.1f} s" for step, took in longest)
