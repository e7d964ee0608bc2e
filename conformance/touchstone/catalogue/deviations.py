"""Known deviations: what an entry says, whom it concerns, and whether it still happens."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from touchstone.catalogue.effects import Effect
from touchstone.catalogue.message_patterns import matches
from touchstone.catalogue.versions import ANY, VersionRange
from touchstone.errors import HarnessError

EXCHANGE = "exchange/"
"""What the ids of messages between two clients begin with, where scenarios have their area."""


def is_upstream(link: str) -> bool:
    """Whether a link leads out of this project: to an issue, a change or a source upstream."""
    return link.startswith("https://")


class Occurs(StrEnum):
    """Whether a deviation happens each time or by chance.

    SELDOM is so rare that a run need not show it, ANYWHERE as rare, and in whatever scenario.
    """

    ALWAYS = "always"
    SOMETIMES = "sometimes"
    SELDOM = "seldom"
    ANYWHERE = "anywhere"


@dataclass(frozen=True)
class Subject:
    """Who is judged on what: what an entry is matched against."""

    provider: str
    """The base name with its variant, without version or mutant: `reference`, `reference/amq`."""
    version: str
    transport: str
    broker: str
    broker_version: str
    built_on: str = ""
    """Another provider whose entries speak of this one, too, unless they name another transport."""
    settings: frozenset[str] = frozenset()
    """What a run gives its client besides, each as `NAME=VALUE`."""
    java: str = ""
    """The version of the Java that the client runs on; empty where it runs on none."""


@dataclass(frozen=True)
class Deviation:
    """One known deviation; empty `scenario`, `transport` or `broker` means any.

    A scenario that begins with `exchange/` is a message between two clients (`touchstone interop`);
    `role`, `producer` or `consumer`, then says which part of it the provider takes.
    """

    file: str
    provider: str
    requirement: str
    message: str
    kind: str
    reason: str
    link: str
    date: datetime.date
    scenario: str = ""
    version: VersionRange = ANY
    broker: str = ""
    broker_version: VersionRange = ANY
    java: VersionRange = ANY
    """Of the client's Java."""
    transport: str = ""
    occurs: Occurs = Occurs.ALWAYS
    not_of: str = ""
    """A provider built on `provider` that keeps the statement all the same."""
    role: str = ""
    fault: str = "client"
    """One of `FAULTS`."""
    workloads: str = ""
    """What brings it about in other workloads, too: see `workload_defects`."""
    also: tuple[str, ...] = ()
    """Messages with which it was seen to fail, too, where chance decides on the way."""
    effect: Effect | None = None
    """What a user suffers; every defect in a catalogue says it."""
    searched: datetime.date | None = None
    """The day on which what upstream has of issues and sources was searched, and nothing found."""
    option: str = ""
    """The setting of the client that mends it, as `NAME=VALUE`: with it, it is not to happen."""

    @property
    def of_exchange(self) -> bool:
        """Whether this is about two clients and not about a scenario."""
        return self.scenario.startswith(EXCHANGE)

    def __str__(self) -> str:
        return f"{self.file}: {self.requirement} in {self.scenario or 'any scenario'}"

    @property
    def brokers(self) -> frozenset[str]:
        """The families on which this was seen, of several written `artemis or brokerj`."""
        return frozenset(self.broker.split(" or "))

    @property
    def document(self) -> str:
        """The prefix of the requirement."""
        return self.requirement.partition("-")[0]

    def concerns(self, subject: Subject) -> bool:
        """Whether this entry speaks of this provider on this broker."""
        return (
            self.provider in (subject.provider, subject.built_on)
            and self.not_of != subject.provider
            and self.version.holds(subject.version)
            and self.transport in ("", subject.transport)
            and (not self.broker or subject.broker in self.brokers)
            and self.broker_version.holds(subject.broker_version)
            and (not self.option or self.option not in subject.settings)
            and self.java.holds(subject.java)
        )

    def was_seen_with(self, version: str, seen: Collection[str]) -> bool:
        """Whether it was seen with this release: one of its range, or else one of `seen`."""
        return version in seen if self.version == ANY else self.version.holds(version)

    def speaks_of(self, scenario: str, requirement: str) -> bool:
        """Whether this entry is about the scenario (all its cases, or the one named) and id."""
        return requirement == self.requirement and self.scenario in (
            "",
            scenario,
            scenario.partition("[")[0],
        )

    def expects(self, message: str) -> bool:
        """Whether the failure's first line is all of a declared one; `*` stands for any text.

        Any white space counts as one blank.
        """
        first_line = message.strip().partition("\n")[0]
        return any(matches(first_line, declared) for declared in self.messages)

    @property
    def messages(self) -> tuple[str, ...]:
        """Every message with which it was seen."""
        return (self.message, *self.also)

    def as_dict(self) -> dict[str, object]:
        """What a verdict line carries of this entry."""
        told: dict[str, object] = {
            "class": self.kind,
            "reason": self.reason,
            "link": self.link,
            "file": self.file,
            "messages": list(self.messages),
        }
        others = {
            "fault": self.fault if self.fault != "client" else "",
            "option": self.option,
            "effect": str(self.effect or ""),
        }
        return {**told, **{name: value for name, value in others.items() if value}}


def check_scenarios(
    deviations: Iterable[Deviation], scenarios: Mapping[str, Iterable[str]]
) -> None:
    """`HarnessError` when an entry names a scenario that does not exist or judges another id.

    Entries about exchanges are checked by whoever knows these. `scenarios` maps every scenario of
    the catalogue to its requirement ids.
    """
    known: dict[str, set[str]] = {}
    for scenario, ids in scenarios.items():
        known.setdefault(scenario, set()).update(ids)
        known.setdefault(scenario.partition("[")[0], set()).update(ids)
    for entry in deviations:
        if entry.of_exchange:
            continue
        if entry.scenario and entry.scenario not in known:
            raise HarnessError(
                f"{entry}: there is no such scenario", hint="See `touchstone list` for their ids."
            )
        if entry.scenario and entry.requirement not in known[entry.scenario]:
            judged = ", ".join(sorted(known[entry.scenario]))
            raise HarnessError(
                f"{entry}: the scenario does not judge this requirement",
                hint=f"It judges {judged}.",
            )


def stale_entries(
    deviations: Iterable[Deviation],
    judged: Mapping[tuple[str, str], bool | None],
) -> list[Deviation]:
    """The entries that did not happen although all their scenarios came to a verdict.

    What happens seldom, or seldom anywhere, need not happen in a run.
    `judged` maps every (scenario, requirement) of the catalogue for this provider to True when the
    entry's deviation happened, False when another verdict was given, None when there was none
    (not run, or INCONCLUSIVE).
    """
    unconfirmed = []
    for entry in deviations:
        if entry.occurs in (Occurs.SELDOM, Occurs.ANYWHERE):
            continue
        outcomes = [
            happened
            for (scenario, id_), happened in judged.items()
            if entry.speaks_of(scenario, id_)
        ]
        if outcomes and None not in outcomes and True not in outcomes:
            unconfirmed.append(entry)
    return unconfirmed
