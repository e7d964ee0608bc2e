"""Verdict lines: one per scenario and requirement, as results and reports carry them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from touchstone.catalogue import Library
from touchstone.catalogue.deviations import Deviation, Occurs
from touchstone.catalogue.items import Scenario
from touchstone.verdicts import Outcome


@dataclass(frozen=True)
class Circumstances:
    """How a scenario was run."""

    provider: str
    seed: int
    rerun: str
    """The command that runs it again."""
    started: str
    worker: str
    duration: float = 0.0
    observables: Mapping[str, object] = field(default_factory=dict)
    spent: Mapping[str, float] = field(default_factory=dict)
    """Seconds, by what they went to."""
    presets: Sequence[str] = ()
    """Those of the provider with which the client ran."""
    decided: int | None = None
    """How often drawn programs decided the statement, if they judged it."""


def verdict_line(
    scenario: Scenario,
    requirement: str,
    outcome: Outcome,
    circumstances: Circumstances,
    library: Library,
    *,
    deviation: Deviation | None = None,
    known: Deviation | None = None,
) -> dict[str, Any]:
    """One line of verdicts.jsonl; trace and evidence are filled in by whoever writes the files.

    `deviation` is what happened, `known` what could have.
    """
    row = library.requirements[requirement]
    return {
        "format": 1,
        "scenario": scenario.id,
        "requirement": requirement,
        "provider": circumstances.provider,
        "verdict": outcome.verdict.value,
        "strength": row.strength.value,
        "permissive": scenario.permissive,
        "reason": outcome.message,
        "expected": outcome.expected,
        "seen": outcome.seen,
        "deviation": deviation.as_dict() if deviation is not None else None,
        "by_chance": any(
            entry is not None and entry.occurs is not Occurs.ALWAYS for entry in (known, deviation)
        ),
        "observables": {name: _plain(value) for name, value in circumstances.observables.items()},
        "duration": round(circumstances.duration, 6),
        "spent": {what: round(took, 6) for what, took in circumstances.spent.items()},
        "presets": list(circumstances.presets),
        "decided": circumstances.decided,
        "worker": circumstances.worker,
        "broker_profile": scenario.profile,
        "seed": circumstances.seed,
        "trace": None,
        "evidence": None,
        "rerun": circumstances.rerun,
        "started": circumstances.started,
        "area": scenario.area,
        "document": row.document,
    }


def _plain(value: object) -> object:
    """An observable as JSON can carry it."""
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, float):
        return float(value) if value == value and abs(value) != float("inf") else repr(float(value))
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    return repr(value)
