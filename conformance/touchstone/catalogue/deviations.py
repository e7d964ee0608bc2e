"""Known deviations: entries of TOML files, matched exactly, strict both ways.

An entry says which provider deviates from which requirement in which scenario and with which
message. Unknown ids, an empty reason and two entries for the same thing are refused; an entry
that no longer happens is stale.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import EntryPoint
from importlib.resources.abc import Traversable
from itertools import combinations
from pathlib import Path
from typing import Any

from touchstone.catalogue.message_patterns import matches
from touchstone.catalogue.registry import Library
from touchstone.catalogue.toml_texts import parsed
from touchstone.catalogue.versions import ANY, VersionRange
from touchstone.catalogue.workload_steps import Step, checks_in
from touchstone.errors import HarnessError, UsageError
from touchstone.machine.installed import registered

GROUP = "touchstone.deviations"
REFERENCE_CLASSES = ("document-contradiction", "wire-compatibility", "transport-limit")
"""Classes of the reference's deviations; the fourth is `overridden-by:ID`."""
VENDOR_CLASSES = ("known-defect", "by-design", "document-outdated")
"""Classes that other clients' entries may have as well; the last is of a statement that a newer
document or release has overtaken, which the reason proves."""
FAULTS = ("client", "broker", "java", "document", "settings")
"""Where the cause of a deviation lies; what a run judges is all of them together."""

EXCHANGE = "exchange/"
"""What the ids of messages between two clients begin with, where scenarios have their area."""
ROLES = ("", "producer", "consumer")


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
        )

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

    def as_dict(self) -> dict[str, str]:
        """What a verdict line carries of this entry."""
        told = {"class": self.kind, "reason": self.reason, "link": self.link}
        return told if self.fault == "client" else {**told, "fault": self.fault}


_TEXTS = (
    *("provider", "version", "broker", "broker_version", "transport", "requirement", "scenario"),
    *("message", "class", "reason", "link", "occurs", "not_of", "role", "fault", "workloads"),
)
_KEYS = {**dict.fromkeys(_TEXTS, str), "date": datetime.date, "also": list}
_CLASSES = ", ".join(
    (*VENDOR_CLASSES, *REFERENCE_CLASSES, "or overridden-by: with the id of a requirement")
)
_REQUIRED = ("provider", "requirement", "message", "class", "reason", "date")


def load_deviations(library: Library, files: Iterable[Path] = ()) -> tuple[Deviation, ...]:
    """The entries of every catalogue, of the group `touchstone.deviations` and of `files`.

    An entry point gives a folder or a file (`Traversable`). Raises `HarnessError` for an entry
    that is wrong by itself and for two entries about the same thing.
    """
    sources: list[Traversable] = []
    for catalogue in library.catalogues:
        sources += _toml_files(catalogue.files.joinpath(catalogue.deviations))
    for point in registered(GROUP):
        sources += _toml_files(_place(point))
    for path in files:
        if not path.is_file():
            raise UsageError(
                f"The deviations file {path} does not exist", hint="Give the path of a TOML file."
            )
        sources.append(path)
    entries = tuple(entry for source in sources for entry in read_deviations(source, library))
    _refuse_duplicates(entries)
    return entries


def read_deviations(file: Traversable, library: Library) -> tuple[Deviation, ...]:
    """The entries of one file, each checked by itself."""
    try:
        data = parsed(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise HarnessError(
            f"The deviations file {file.name} cannot be read: {error}", hint="It has to be TOML."
        ) from error
    if unknown := sorted(data.keys() - {"deviation"}):
        raise HarnessError(
            f"{file.name}: unknown table {unknown[0]!r}", hint="Entries are [[deviation]] tables."
        )
    entries = data.get("deviation", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise HarnessError(
            f"{file.name}: deviation is no array of tables",
            hint="Entries are [[deviation]] tables.",
        )
    return tuple(
        _deviation(file.name, number, each, library)
        for number, entry in enumerate(entries, start=1)
        for each in _for_each_scenario(entry)
    )


def _for_each_scenario(entry: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """An entry about several `scenarios` is one about each of them."""
    names = entry.get("scenarios")
    if not (names and isinstance(names, list)) or "scenario" in entry:
        return [entry]
    shared = {key: value for key, value in entry.items() if key != "scenarios"}
    return [{**shared, "scenario": name} for name in names]


def _place(point: EntryPoint) -> Traversable:
    hint = f"Mend or remove the distribution that registers them in {GROUP}."
    try:
        place = point.load()
    except Exception as error:
        raise HarnessError(
            f"The deviations {point.name!r} ({point.value}) cannot be loaded: {error!r}", hint=hint
        ) from error
    if not isinstance(place, Traversable):
        raise HarnessError(
            f"The deviations {point.name!r} ({point.value}) are a {type(place).__name__}", hint=hint
        )
    return place


def _toml_files(place: Traversable) -> list[Traversable]:
    if place.is_file():
        return [place]
    if not place.is_dir():
        return []
    files = (file for file in place.iterdir() if file.name.endswith(".toml"))
    return sorted(files, key=lambda file: file.name)


def _deviation(file: str, number: int, entry: Mapping[str, Any], library: Library) -> Deviation:
    where = f"{file}: deviation {number} ({entry.get('requirement', 'without a requirement')})"

    def refuse(what: str, hint: str) -> HarnessError:
        return HarnessError(f"{where}: {what}", hint=hint)

    for key, value in entry.items():
        if key not in _KEYS:
            raise refuse(f"unknown key {key!r}", f"Known keys: {', '.join(_KEYS)}.")
        if not isinstance(value, _KEYS[key]):
            raise refuse(
                f"{key} = {value!r} is no {_KEYS[key].__name__}", "Dates are written 2026-01-31."
            )
    for key in _REQUIRED:
        if key not in entry or (isinstance(entry[key], str) and not entry[key].strip(" *")):
            needed = f"Needed are {', '.join(_REQUIRED)}. A class is {_CLASSES}."
            raise refuse(f"{key} is missing or empty", needed)
    id_ = entry["requirement"]
    if id_ not in library.requirements:
        raise refuse(f"there is no requirement {id_}", "See `touchstone list` for the ids.")
    kind = entry["class"]
    overriding = kind.removeprefix("overridden-by:")
    if kind not in REFERENCE_CLASSES + VENDOR_CLASSES and (
        overriding == kind or overriding not in library.requirements
    ):
        raise refuse(f"unknown class {kind!r}", f"One of {_CLASSES}.")
    if entry.get("role", "") not in ROLES:
        raise refuse(f"unknown role {entry['role']!r}", "It is producer or consumer, or left out.")
    if entry.get("workloads", "") not in ("", *Step):
        raise refuse(f"unknown step {entry['workloads']!r}", f"One of {', '.join(Step)}.")
    if entry.get("workloads") and not checks_in(entry["message"]):
        raise refuse("workloads without a check", "The message begins with one: assert ['D05 …")
    if entry.get("fault", "client") not in FAULTS:
        raise refuse(f"unknown fault {entry['fault']!r}", f"One of {', '.join(FAULTS)}.")
    also = entry.get("also", [])
    if not all(isinstance(one, str) and one.strip(" *") for one in also):
        raise refuse(f"also = {also!r} is no list of messages", 'Write also = ["TEXT"].')
    try:
        return Deviation(
            file=file,
            provider=entry["provider"],
            requirement=id_,
            message=entry["message"],
            kind=kind,
            reason=entry["reason"],
            link=entry.get("link", ""),
            date=entry["date"],
            scenario=entry.get("scenario", ""),
            version=VersionRange(entry.get("version", "")),
            broker=entry.get("broker", ""),
            broker_version=VersionRange(entry.get("broker_version", "")),
            transport=entry.get("transport", ""),
            occurs=Occurs(entry.get("occurs", "always")),
            not_of=entry.get("not_of", ""),
            role=entry.get("role", ""),
            fault=entry.get("fault", "document" if kind == "document-outdated" else "client"),
            workloads=entry.get("workloads", ""),
            also=tuple(also),
        )
    except ValueError as error:
        raise refuse(
            str(error), f"occurs is one of {', '.join(Occurs)}; versions look like >=9,<10."
        ) from error


def _refuse_duplicates(entries: Iterable[Deviation]) -> None:
    groups: dict[tuple[str, str], list[Deviation]] = {}
    for entry in entries:
        groups.setdefault((entry.provider, entry.requirement), []).append(entry)
    for group in groups.values():
        for one, other in combinations(group, 2):
            if _same_thing(one, other):
                raise HarnessError(
                    f"Two deviations of {one.provider} for the same thing: {one}; {other}",
                    hint="Keep one, or tell them apart by scenario, version, broker or transport.",
                )


def _same_thing(one: Deviation, other: Deviation) -> bool:
    return (
        _overlap(one.transport, other.transport)
        and (not (one.broker and other.broker) or not one.brokers.isdisjoint(other.brokers))
        and _overlap(one.role, other.role)
        and one.version.text == other.version.text
        and one.broker_version.text == other.broker_version.text
        and (_overlap(one.scenario, other.scenario) or _case_of(one.scenario, other.scenario))
    )


def _overlap(one: str, other: str) -> bool:
    return one == other or "" in (one, other)


def _case_of(one: str, other: str) -> bool:
    return one.partition("[")[0] == other or other.partition("[")[0] == one


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


def stale(
    deviations: Iterable[Deviation],
    judged: Mapping[tuple[str, str], bool | None],
) -> list[Deviation]:
    """The entries that did not happen although all their scenarios came to a verdict.

    What happens seldom, or seldom anywhere, need not happen in a run.
    `judged` maps every (scenario, requirement) of the catalogue for this provider to True when the
    entry's deviation happened, False when another verdict was given, None when there was none
    (not run, or INCONCLUSIVE).
    """
    found = []
    for entry in deviations:
        if entry.occurs in (Occurs.SELDOM, Occurs.ANYWHERE):
            continue
        outcomes = [
            happened
            for (scenario, id_), happened in judged.items()
            if entry.speaks_of(scenario, id_)
        ]
        if outcomes and None not in outcomes and True not in outcomes:
            found.append(entry)
    return found
