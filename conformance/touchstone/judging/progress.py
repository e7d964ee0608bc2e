"""How far a run is: what is judged, what is left and for how long, and what runs for long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from touchstone.judging.distribution import LONG
from touchstone.verdicts import Verdict, worst

_USUAL: Final = LONG / 2
"""Seconds that a scenario takes of which nothing is known: catalogues say which are long."""
_LONG_RUNNING: Final = 10.0
_NAMED: Final = 3
_WORDS: Final = {
    Verdict.CONFORMS: "conform",
    Verdict.DEVIATES: "deviate",
    Verdict.VIOLATES: "violate",
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.NOT_APPLICABLE: "not applicable",
}


@dataclass(frozen=True)
class ProgressSnapshot:
    """How far a run is at one moment."""

    total: int
    counts: Mapping[Verdict, int]
    """Scenarios that are judged, by their worst verdict."""
    left: float
    """Seconds, as far as is known."""
    running: Mapping[str, float]
    """Seconds since the scenarios began that run now."""

    def __str__(self) -> str:
        """In one line."""
        judged = sum(self.counts.values())
        counts = ", ".join(
            f"{n:,} {_WORDS[word]}" for word in _WORDS if (n := self.counts.get(word))
        )
        told = f"{judged:,} of {self.total:,} scenarios judged"
        told += f" ({counts})" * bool(counts) + f", {rounded(self.left)} left"
        long = [(name, took) for name, took in self.running.items() if took >= _LONG_RUNNING]
        long.sort(key=lambda word: -word[1])
        named = ", ".join(f"{name} ({took:.0f} s)" for name, took in long[:_NAMED])
        return told + f"; running: {named}" * bool(named)


def rounded(seconds: float) -> str:
    """A time as people say it."""
    minutes = round(seconds / 60)
    if seconds < 55:
        return f"about {max(10, round(seconds, -1)):.0f} s"
    hours, minutes = divmod(max(1, minutes), 60)
    return f"about {hours} h {minutes} min" if hours else f"about {minutes} min"


def seconds_left(left: Mapping[str, float], running: Mapping[str, float], workers: int) -> float:
    """How long workers that share them take for the scenarios in `left`, by what each takes.

    `running` are those that have begun, with the seconds since. None takes less than the longest.
    """
    rest = [max(0.0, took - running.get(scenario, 0.0)) for scenario, took in left.items()]
    return max(sum(rest) / workers, max(rest, default=0.0))


def expected(
    scenarios: Iterable[str], known: Mapping[str, float], taken: Mapping[str, float]
) -> dict[str, float]:
    """Seconds that each is expected to take: what is known, else the mean of others like that.

    `taken` are the seconds of those that the run has judged.
    """
    others = [took for scenario, took in taken.items() if scenario not in known]
    usual = sum(others) / len(others) if others else _USUAL
    return {scenario: known.get(scenario, usual) for scenario in scenarios}


def worst_of_each(lines: Iterable[Mapping[str, Any]]) -> dict[str, Verdict]:
    """The worst verdict of each scenario among verdict lines."""
    verdicts: dict[str, Verdict] = {}
    for line in lines:
        verdict = Verdict(line["verdict"])
        verdicts[line["scenario"]] = worst((verdict, verdicts.get(line["scenario"], verdict)))
    return verdicts


class RunProgress:
    """What the owner of a run has heard of its scenarios so far."""

    def __init__(
        self,
        scenarios: Collection[str],
        lines: Sequence[Mapping[str, Any]],
        known: Callable[[], Mapping[str, float]],
        workers: int,
    ) -> None:
        """`lines`: the verdicts of the run, which grow; `known`: seconds by scenario."""
        self._scenarios = scenarios
        self._lines = lines
        self._known = known
        self._workers = workers
        self._began: dict[str, float] = {}

    def begins(self, scenario: str, now: float) -> None:
        """A worker has begun with it; `now` in seconds."""
        self._began[scenario] = now

    def at(self, now: float) -> ProgressSnapshot:
        """How far the run is. For any thread: what grows meanwhile is copied first."""
        lines, began = list(self._lines), dict(self._began)
        judged = worst_of_each(lines)
        running = {name: now - since for name, since in began.items() if name not in judged}
        taken = {line["scenario"]: line["duration"] for line in lines if line["scenario"] in began}
        to_come = [scenario for scenario in self._scenarios if scenario not in judged]
        left = seconds_left(expected(to_come, self._known(), taken), running, self._workers)
        return ProgressSnapshot(len(self._scenarios), Counter(judged.values()), left, running)
