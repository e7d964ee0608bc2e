"""How much is noticed of what can be: counts by area and module."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from jms_clients.mutants.changes.changes import Change
from touchstone.judging.changes.verdicts import ChangeFate, Judged


@dataclass(frozen=True)
class Score:
    """How many changes met each fate."""

    counts: Mapping[ChangeFate, int]

    @property
    def share(self) -> float | None:
        """Noticed, of those that are reached and not argued; None where there are none."""
        noticed = self.counts.get(ChangeFate.NOTICED, 0)
        judged = noticed + self.counts.get(ChangeFate.SURVIVED, 0)
        return noticed / judged if judged else None

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        share = self.share
        counts = {fate.value: self.counts.get(fate, 0) for fate in ChangeFate}
        return {**counts, "share": None if share is None else round(share, 4)}


def with_arguments(judged: Iterable[Judged], why: Mapping[Change, str]) -> list[Judged]:
    """The same, those that survived being argued where there is an argument."""
    return [
        replace(change, fate=ChangeFate.ARGUED, reason=why[change.change])
        if change.fate is ChangeFate.SURVIVED and change.change in why
        else change
        for change in judged
    ]


def score(judged: Iterable[Judged]) -> Score:
    """Of all together."""
    return Score(Counter(change.fate for change in judged))


def by_area(judged: Iterable[Judged]) -> dict[str, Score]:
    """Of each room of the reference: `jmsapi`, `pulsar_jms.consuming`, …"""
    return _by(judged, lambda change: ".".join(_room(change.module)))


def by_module(judged: Iterable[Judged]) -> dict[str, Score]:
    """Of each module."""
    return _by(judged, lambda change: change.module)


def _by(judged: Iterable[Judged], key: Callable[[Change], str]) -> dict[str, Score]:
    groups: dict[str, list[Judged]] = {}
    for change in judged:
        groups.setdefault(key(change.change), []).append(change)
    return {name: score(groups[name]) for name in sorted(groups)}


def _room(module: str) -> list[str]:
    package, *rest = module.split(".")
    return [package] if package == "jmsapi" else [package, *rest[:1]]
