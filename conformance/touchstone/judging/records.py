"""Verdict lines: one per scenario and requirement, as results and reports carry them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from touchstone.catalogue import Library
from touchstone.catalogue.deviations import Deviation, Occurs, Subject
from touchstone.catalogue.items import Scenario
from touchstone.catalogue.versions import ANY
from touchstone.catalogue.workload_defects import defect_behind
from touchstone.judging.options import RunOptions
from touchstone.verdicts import Outcome, Verdict


@dataclass(frozen=True)
class Circumstances:
    """How a scenario was run."""

    started: str
    duration: float
    worker: str
    observables: Mapping[str, object]
    spent: Mapping[str, float] = field(default_factory=dict)
    """Seconds, by what they went to."""
    decided: int | None = None
    """How often drawn programs decided the statement, if they judged it."""
    drawn_by: int | None = None
    """The seed of those that showed what was wrong, if any did."""


def apply_deviations(
    scenario: str,
    requirement: str,
    outcome: Outcome,
    known: Sequence[Deviation],
    steps: Collection[str] = (),
) -> tuple[Outcome, Deviation | None]:
    """The outcome in the light of the known deviations, and the one that happened.

    `steps` are what workloads of the scenario have done.
    """
    if outcome.verdict is not Verdict.VIOLATES:
        return outcome, None
    message = outcome.message or ""
    entry = find_deviation(scenario, requirement, known)
    happened = entry if entry is not None and entry.expects(message) else None
    if happened is None:
        happened = defect_behind(known, steps, outcome.seen or message)
    if happened is None:
        everywhere = (one for one in known if one.occurs is Occurs.ANYWHERE)
        happened = next((one for one in everywhere if one.expects(message)), None)
    if happened is not None:
        return Outcome(Verdict.DEVIATES, message, outcome.expected, outcome.seen), happened
    if entry is None:
        return outcome, None
    known_by = " or ".join(entry.messages)
    told = f"{message}\n  a deviation is known, but with another message: {known_by}"
    return Outcome(Verdict.VIOLATES, told, outcome.expected, outcome.seen), None


def find_deviation(scenario: str, requirement: str, known: Iterable[Deviation]) -> Deviation | None:
    """The known deviation for this scenario and requirement, or None; it need not have happened."""
    return next((entry for entry in known if entry.speaks_of(scenario, requirement)), None)


LOST = "its process ended"
"""How the reason begins why a scenario has no verdict whose worker was ended."""
_HOLDS = {Verdict.CONFORMS: "yes", Verdict.VIOLATES: "no", Verdict.DEVIATES: "no"}


def observed(scenario: Scenario, requirement: str, outcome: Outcome) -> Mapping[str, str]:
    """What every portable scenario observes, whether or not the document speaks of the client.

    That is whether the statement holds, if it was seen.
    """
    if scenario.portable is None or outcome.verdict not in _HOLDS:
        return {}
    return {f"{requirement} holds": _HOLDS[outcome.verdict]}


def unjudged(reason: str, outcome: Outcome) -> Outcome:
    """The outcome of a scenario on a client that its document does not speak of."""
    told = _HOLDS.get(outcome.verdict)
    seen = {"yes": "its statement holds", "no": "its statement does not hold"}.get(told or "")
    message = f": {outcome.message}" if outcome.message else ""
    return Outcome(
        Verdict.NOT_APPLICABLE,
        f"{reason}; run for comparison, {seen or 'nothing could be seen'}{message}",
    )


def find_intermittent(known: Iterable[Deviation], subject: Subject) -> list[Deviation]:
    """The deviations of `subject` that happen only sometimes.

    It is asked before a scenario has a broker: an entry for other versions of one counts, too.
    """
    return [
        entry
        for entry in known
        if entry.occurs is Occurs.SOMETIMES and replace(entry, broker_version=ANY).concerns(subject)
    ]


def intermittent_ids(
    entries: Iterable[Deviation], scenario: str, ids: Iterable[str]
) -> frozenset[str]:
    """Those of `ids` for which one of `entries` speaks of the scenario."""
    return frozenset(id_ for id_ in ids if any(e.speaks_of(scenario, id_) for e in entries))


def verdict_line(
    scenario: Scenario,
    requirement: str,
    outcome: Outcome,
    deviation: Deviation | None,
    circumstances: Circumstances,
    options: RunOptions,
    library: Library,
    *,
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
        "provider": options.provider,
        "verdict": outcome.verdict.value,
        "strength": row.strength.value,
        "permissive": scenario.permissive,
        "reason": outcome.message,
        "expected": outcome.expected,
        "seen": outcome.seen,
        "deviation": deviation.as_dict() if deviation is not None else None,
        "by_chance": any(
            one is not None and one.occurs is not Occurs.ALWAYS for one in (known, deviation)
        ),
        "observables": plain(circumstances.observables),
        "duration": round(circumstances.duration, 6),
        "spent": {what: round(took, 6) for what, took in circumstances.spent.items()},
        "decided": circumstances.decided,
        "worker": circumstances.worker,
        "broker_profile": scenario.profile,
        "seed": options.seed,
        "trace": None,
        "evidence": None,
        "rerun": options.rerun(scenario.id, circumstances.drawn_by),
        "started": circumstances.started,
        "area": scenario.area,
        "document": row.document,
    }


def unrun_line(
    scenario: Scenario, requirement: str, outcome: Outcome, options: RunOptions, library: Library
) -> dict[str, Any]:
    """The line of what no worker has run to its end."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    how = Circumstances(now, 0.0, "master", {})
    return verdict_line(scenario, requirement, outcome, None, how, options, library)


def plain(observables: Mapping[str, object]) -> dict[str, object]:
    """Observables as JSON can carry them."""
    return {name: _plain(value) for name, value in observables.items()}


def _plain(value: object) -> object:
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, float):
        return float(value) if value == value and abs(value) != float("inf") else repr(float(value))
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    return repr(value)


def subject_of(provider: Any, broker_version: str, base: str) -> Subject:
    """What deviations are matched against."""
    return Subject(
        provider=base,
        version=provider.version,
        transport=provider.transport,
        broker=provider.broker_family,
        broker_version=broker_version,
        built_on=getattr(provider, "built_on", ""),
    )
