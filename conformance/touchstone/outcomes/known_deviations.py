"""What known deviations make of an outcome."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from touchstone.catalogue.deviations import Deviation, Occurs, Subject
from touchstone.catalogue.versions import ANY
from touchstone.catalogue.workload_defects import defect_behind
from touchstone.verdicts import Outcome, Verdict


def subject_of(
    provider: Any,
    broker_version: str,
    base: str,
    settings: frozenset[str] = frozenset(),
    java: str = "",
) -> Subject:
    """What deviations are matched against.

    `settings` are those that a run gives its client, `java` is the version of the client's Java.
    """
    return Subject(
        provider=base,
        version=provider.version,
        transport=provider.transport,
        broker=provider.broker_family,
        broker_version=broker_version,
        built_on=getattr(provider, "built_on", ""),
        settings=settings,
        java=java,
    )


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
        everywhere = (candidate for candidate in known if candidate.occurs is Occurs.ANYWHERE)
        happened = next((candidate for candidate in everywhere if candidate.expects(message)), None)
    if happened is not None:
        return replace(outcome, verdict=Verdict.DEVIATES), happened
    if entry is None:
        return outcome, None
    known_by = " or ".join(entry.messages)
    text = f"{message}\n  a deviation is known, but with another message: {known_by}"
    return replace(outcome, message=text), None


def find_deviation(scenario: str, requirement: str, known: Iterable[Deviation]) -> Deviation | None:
    """The known deviation for this scenario and requirement, or None; it need not have happened."""
    return next((entry for entry in known if entry.speaks_of(scenario, requirement)), None)


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
    return frozenset(id_ for id_ in ids if any(entry.speaks_of(scenario, id_) for entry in entries))
