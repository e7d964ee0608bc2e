"""Touchstone beside DuckDB and Polars on a large history: their fifteen counts, and all 33 checks.

Every engine has a process of its own and two threads; turns are interleaved; all counts must be
equal. The first turn of a process includes its start, as a command would. A history of a tenth of
the messages shows how Spark grows.
"""

from __future__ import annotations

import json
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

from bench.volume_processes import run_turn, start_engine, watch_memory
from bench.volume_turns import THREADS
from jms_histories.history.bucket import bucket
from jms_histories.history.simulation.truth import NAME as EXPECTED

PLANTED: Final = 20
"""Anomalies of each kind in a history that has room for them."""
FOR_EACH: Final = 1000
"""Messages that one anomaly of each kind wants: they lie apart."""
LEAST: Final = 10 * FOR_EACH
"""Messages of which a tenth has room for one of each kind."""
MOST_BUCKETED: Final = 20_000_000
"""Larger histories are not rewritten by bucket: that takes longer than all turns. For the same
reason every message of them is judged once only, by a session that has just started."""
LARGE: Final = 100_000_000
"""Messages from which on Spark has to be faster than the others."""
MIDDLING: Final = 10_000_000
"""Messages from which on its fixed cost is little where every message is looked at."""
_TENTH: Final = "Spark, a tenth"
_ONCE: Final = "Spark, every message"
_OURS: Final = (
    *("Spark", "Spark, same counts", _TENTH, _ONCE, "Spark, buckets"),
    *("local", "local, same counts"),
)
_THEIRS: Final = ("DuckDB", "Polars")


@dataclass
class EngineFigures:
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
    """Two engines do not count the same, or one does not count what was planted."""


def measure(
    messages: int, rounds: int, seed: int, kind: str, scratch: Path | None = None
) -> list[EngineFigures]:
    """Make a history and let every engine have its turns; raises DifferentCounts."""
    with tempfile.TemporaryDirectory(prefix="touchstone-bench-", dir=scratch) as name:
        folder = Path(name)
        history = make(folder / "history", messages, seed, kind)
        places = dict.fromkeys((*_OURS, *_THEIRS), history)
        places[_TENTH] = make(folder / "tenth", messages // 10, seed, kind)
        if messages <= MOST_BUCKETED:
            bucket(history, folder / "buckets")
            shutil.copy(history / EXPECTED, folder / "buckets")
            places["Spark, buckets"] = folder / "buckets"
        else:
            del places["Spark, buckets"]
        once = frozenset() if messages <= MOST_BUCKETED else frozenset({_ONCE})
        return _turns(places, rounds, once)


def ratios(messages: int, figures: Sequence[EngineFigures]) -> list[Ratio]:
    """Ours are all 33 checks with the second look, if they are not the same counts as theirs.

    What Spark takes beside the others has aims from `LARGE` histories on: of smaller ones its fixed
    cost is most.
    """
    by = {figure.engine: figure for figure in figures}
    better = min((by[name] for name in _THEIRS), key=lambda engine: engine.warm)
    sooner = min((by[name] for name in _THEIRS), key=lambda engine: engine.first)
    counts = by["Spark, same counts"]

    def beside(what: str, ours: float, theirs: float, aim: float) -> Ratio:
        return Ratio(what, ours / theirs, aim if messages >= LARGE else None)

    ratio_list = [
        beside(f"same counts, warm / {better.engine}", counts.warm, better.warm, 0.5),
        beside(f"same counts, whole command / {sooner.engine}", counts.first, sooner.first, 1.0),
        beside(f"33 checks, warm / {better.engine}", by["Spark"].warm, better.warm, 0.8),
        beside("same counts, warm / DuckDB by itself", counts.warm, by["DuckDB"].warm, 0.25),
        Ratio("33 checks, ten times as many, warm", by["Spark"].warm / by[_TENTH].warm, 10.0),
        Ratio("local, warm / DuckDB", by["local"].warm / by["DuckDB"].warm, 1.0),
        Ratio("local, whole command / DuckDB", by["local"].first / by["DuckDB"].first, 1.0),
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
        aim = 6.0 if messages >= MIDDLING else None
        ratio_list.append(Ratio("every message, buckets / Polars", buckets, aim))
        ratio_list.append(Ratio("memory in buckets, GiB", by["Spark, buckets"].gibibytes, 3.0))
    return ratio_list


def planted_count(messages: int) -> int:
    """How many anomalies of each kind a history of so many messages gets."""
    return min(PLANTED, messages // FOR_EACH)


def make(history: Path, messages: int, seed: int, kind: str = "plain") -> Path:
    """Simulate a history with anomalies of each kind; `kind` is a preset of the simulator."""
    faults = history.with_suffix(".toml")
    faults.write_text(f"all = {planted_count(messages)}\n")
    command = [sys.executable, "-m", "touchstone", "history", "make", str(history)]
    options = ["--messages", str(messages), "--faults", str(faults), "--seed", str(seed)]
    options += ["--preset", kind]
    subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)
    return history


def _turns(places: dict[str, Path], rounds: int, once: frozenset[str]) -> list[EngineFigures]:
    """once: engines that have one turn and then end."""
    figures = {name: EngineFigures(name) for name in places}
    counts: dict[str, Any] = {}
    with ExitStack() as stack:
        running = {}
        for name, place in places.items():
            with ExitStack() as starting:
                begun = time.perf_counter()
                process = starting.enter_context(start_engine(name, place))
                with watch_memory(process) as held:
                    counts[name] = run_turn(process)
                require_planted(name, counts[name]["found"], place)
                figures[name].gibibytes = held.gibibytes
                figures[name].first = time.perf_counter() - begun
                if name in once:
                    figures[name].turns.append(counts[name]["seconds"])
                else:
                    running[name] = process
                    stack.push(starting.pop_all())
        for _ in range(rounds):
            for name, process in running.items():
                with watch_memory(process) as held:
                    answer = run_turn(process)
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


def require_planted(name: str, actual: Mapping[str, Any], history: Path) -> None:
    """Raises DifferentCounts where an engine of ours found more or less than was planted."""
    planted_count = json.loads((history / EXPECTED).read_text())["counts"] if actual else {}
    for check, many in planted_count.items():
        expected = [many["violations"], many["shoulds"]]
        if check in actual and actual[check] != expected:
            raise DifferentCounts(f"{check} of {name}: {actual[check]}, planted: {expected}")


def figures_as_dict(messages: int, figures: Sequence[EngineFigures]) -> dict[str, object]:
    """What is kept: figures, ratios, and the machine with its load."""
    return {
        "planted of each kind": planted_count(messages),
        "threads": THREADS,
        "processors": os.cpu_count(),
        "load": os.getloadavg(),
        "free disk in GiB": shutil.disk_usage(tempfile.gettempdir()).free >> 30,
        "seconds": {
            figure.engine: {"first": figure.first, "warm": figure.turns, "GiB": figure.gibibytes}
            for figure in figures
        },
        "ratios": [{**ratio.__dict__} for ratio in ratios(messages, figures)],
    }
