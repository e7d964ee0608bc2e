"""Touchstone beside DuckDB and Polars on a large history: their fifteen counts, and all 33 checks.

Every engine has a process of its own and two threads; turns are interleaved; all counts must be
equal. The first turn of a process includes its start, as a command would. A history of a tenth of
the messages tells how Spark grows.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Final

from bench.volume_processes import started, turn, watched
from bench.volume_turns import THREADS
from touchstone.history.bucket import bucket

PLANTED: Final = 20
"""Anomalies of each kind in the history."""
MOST_BUCKETED: Final = 20_000_000
"""Larger histories are not rewritten by bucket: that takes longer than all turns. For the same
reason every message of them is judged once only, by a session that has just started."""
_TENTH: Final = "Spark, a tenth"
_ONCE: Final = "Spark, every message"
_OURS: Final = (
    *("Spark", "Spark, same counts", _TENTH, _ONCE, "Spark, buckets"),
    *("local", "local, same counts"),
)
_THEIRS: Final = ("DuckDB", "Polars")


@dataclass
class Figures:
    """Of one engine: seconds from start to first answer, those of later turns, and GiB at most."""

    engine: str
    first: float = 0.0
    turns: list[float] = field(default_factory=list)
    gibibytes: float = 0.0

    @property
    def warm(self) -> float:
        """The median of the turns after the first; of a single turn that one without the start."""
        return median(self.turns)


@dataclass(frozen=True)
class Ratio:
    """How something of ours compares with another engine, and the aim, if there is one."""

    what: str
    found: float
    target: float | None


class DifferentCounts(Exception):
    """Two engines do not count the same."""


def measure(messages: int, rounds: int, seed: int, scratch: Path | None = None) -> list[Figures]:
    """Make a history and let every engine have its turns; raises DifferentCounts."""
    with tempfile.TemporaryDirectory(prefix="touchstone-bench-", dir=scratch) as name:
        folder = Path(name)
        history = make(folder / "history", messages, seed)
        places = dict.fromkeys((*_OURS, *_THEIRS), history)
        places[_TENTH] = make(folder / "tenth", messages // 10, seed)
        if messages <= MOST_BUCKETED:
            bucket(history, folder / "buckets")
            places["Spark, buckets"] = folder / "buckets"
        else:
            del places["Spark, buckets"]
        once = frozenset() if messages <= MOST_BUCKETED else frozenset({_ONCE})
        return _turns(places, rounds, once)


def ratios(figures: Sequence[Figures]) -> list[Ratio]:
    """Ours are all 33 checks with the second look, if they are not the same counts as theirs."""
    by = {one.engine: one for one in figures}
    better = min((by[name] for name in _THEIRS), key=lambda one: one.warm)
    sooner = min((by[name] for name in _THEIRS), key=lambda one: one.first)
    counts = by["Spark, same counts"]
    found = [
        Ratio(f"same counts, warm / {better.engine}", counts.warm / better.warm, 0.5),
        Ratio(f"same counts, whole command / {sooner.engine}", counts.first / sooner.first, 1.0),
        Ratio(f"33 checks, warm / {better.engine}", by["Spark"].warm / better.warm, 0.8),
        Ratio("33 checks, ten times as many, warm", by["Spark"].warm / by[_TENTH].warm, 10.0),
        Ratio("local, warm / DuckDB", by["local"].warm / by["DuckDB"].warm, 1.0),
        Ratio(
            "every message, rows move / Polars",
            by["Spark, every message"].warm / by["Polars"].warm,
            None,
        ),
        Ratio("memory of Spark, GiB", by["Spark"].gibibytes, 3.0),
        Ratio("memory where rows move, GiB", by[_ONCE].gibibytes, 3.0),
    ]
    if "Spark, buckets" in by:
        buckets = by["Spark, buckets"].warm / by["Polars"].warm
        found.append(Ratio("every message, buckets / Polars", buckets, 6.0))
        found.append(Ratio("memory in buckets, GiB", by["Spark, buckets"].gibibytes, 3.0))
    return found


def make(history: Path, messages: int, seed: int) -> Path:
    """Simulate a history with anomalies of each kind."""
    faults = history.with_suffix(".toml")
    faults.write_text(f"all = {PLANTED}\n")
    command = [sys.executable, "-m", "touchstone", "history", "make", str(history)]
    options = ["--messages", str(messages), "--faults", str(faults), "--seed", str(seed)]
    subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)
    return history


def _turns(places: dict[str, Path], rounds: int, once: frozenset[str]) -> list[Figures]:
    """once: engines that have one turn and then end."""
    figures = {name: Figures(name) for name in places}
    counts: dict[str, Any] = {}
    with ExitStack() as stack:
        running = {}
        for name, place in places.items():
            with ExitStack() as starting:
                begun = time.perf_counter()
                process = starting.enter_context(started(name, place))
                with watched(process) as held:
                    counts[name] = turn(process)
                figures[name].gibibytes = held.gibibytes
                figures[name].first = time.perf_counter() - begun
                if name in once:
                    figures[name].turns.append(counts[name]["seconds"])
                else:
                    running[name] = process
                    stack.push(starting.pop_all())
        for _ in range(rounds):
            for name, process in running.items():
                with watched(process) as held:
                    answer = turn(process)
                figures[name].gibibytes = max(figures[name].gibibytes, held.gibibytes)
                figures[name].turns.append(answer["seconds"])
    del counts[_TENTH]
    require_equal(counts)
    return list(figures.values())


def require_equal(answers: Mapping[str, Any]) -> None:
    """Raises DifferentCounts where an engine has other counts than the first."""
    (first, reference), *others = answers.items()
    for name, answer in others:
        for what in ("counts", "distribution"):
            if answer[what] != reference[what]:
                raise DifferentCounts(
                    f"{what} of {name}: {answer[what]}, of {first}: {reference[what]}"
                )


def described(messages: int, figures: Sequence[Figures]) -> dict[str, object]:
    """What is kept: figures, ratios, and the machine with its load."""
    return {
        "messages": messages,
        "planted of each kind": PLANTED,
        "threads": THREADS,
        "processors": os.cpu_count(),
        "load": os.getloadavg(),
        "free disk in GiB": shutil.disk_usage(tempfile.gettempdir()).free >> 30,
        "seconds": {
            one.engine: {"first": one.first, "warm": one.turns, "GiB": one.gibibytes}
            for one in figures
        },
        "ratios": [{**one.__dict__} for one in ratios(figures)],
    }
