"""From a line of verdicts.jsonl to a folder with a reproducer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from jms_brokers.shared.registry import family_named
from jms_clients.interface import Provider
from jms_clients.readiness import java_range
from jms_clients.registry import load_provider
from jvm_runtime import fetch, locks
from jvm_runtime.locks import Lock
from touchstone.catalogue import Library
from touchstone.catalogue.items import without_case
from touchstone.reproducing.control import Control
from touchstone.reproducing.deciding import decision
from touchstone.reproducing.difference import Passes, Throws
from touchstone.reproducing.folder import write
from touchstone.reproducing.issue import ReproducedVerdict
from touchstone.reproducing.java_program import JavaProgram
from touchstone.reproducing.plan import ProgramPlan, plan, section_plan
from touchstone.reproducing.program_java import ProgramJava
from touchstone.reproducing.recording import CallRecording, NotExpressible, java_events, recording
from touchstone.reproducing.section import ProgramSection, section_calls, sections
from touchstone.reproducing.verdict_deciding import verdict_decision
from touchstone.results.run_folder import file_stem, read_finished
from touchstone.verdicts import Strength, Verdict

_ACCUSING = (Verdict.VIOLATES.value, Verdict.DEVIATES.value)
_BEYOND = {
    "independent client": "the harness's own client takes part",
    "other process": "a part of it runs in another process",
    "private broker": "its broker is its own, to be stopped on the way",
    "workload": "a workload is many clients at once, whose calls are not noted",
}
_BEYOND_FAULTS = {
    "start": "the run is an old one, whose trace does not tell its faults",
    "frame proxy": "a fault comes at a frame of the protocol",
    "admin proxy": "a fault is one of the broker's administration",
    "process": "a process is stopped on the way",
    "other process": "a part of it runs in another process",
}


@dataclass(frozen=True)
class Accusation:
    """A verdict that does not conform, with the run it stands in."""

    run: Path
    line: Mapping[str, Any]
    broker: Mapping[str, str]
    java: str
    """The version of the client's Java."""
    version: str
    """The client's."""

    @property
    def judged(self) -> tuple[str, str]:
        """Scenario and requirement."""
        return self.line["scenario"], self.line["requirement"]

    @property
    def name(self) -> str:
        """The folder's name, below that of the provider."""
        return f"{self.line['requirement']}-{file_stem(self.line['scenario'])}"


def accusations(
    run: Path, scenario: str | None = None, requirement: str | None = None
) -> Iterator[Accusation]:
    """Those of a run; UsageError where the folder is no run.

    `scenario` is an id, without a case in brackets that of all its cases.
    """
    facts, lines = read_finished(run)
    brokers = {broker["profile"]: broker for broker in facts["brokers"]}
    clients = {provider["name"]: provider for provider in facts["providers"]}
    for line in lines:
        fits = scenario in (None, line["scenario"], without_case(line["scenario"])) and (
            requirement in (None, line["requirement"])
        )
        if fits and line["verdict"] in _ACCUSING:
            fallback: Mapping[str, str] = next(iter(brokers.values()), {})
            yield Accusation(
                run,
                line,
                brokers.get(line["broker_profile"], fallback),
                clients[line["provider"]].get("java") or facts.get("java", ""),
                clients[line["provider"]]["version"],
            )


Planning = Callable[[Set[int]], ProgramPlan]
"""A program without the calls of some moments; `NotExpressible` says why there is none."""


@dataclass(frozen=True)
class Reproducer:
    """One program for a verdict, not yet written."""

    plan: Planning
    namespace: str
    finding: ReproducedVerdict
    lock: Lock

    def write(self, folder: Path, left_out: Set[int] = frozenset()) -> int:
        """Write it to a folder and give the number of its calls; `NotExpressible` says why not."""
        made = self.plan(left_out)
        program = JavaProgram(made, self.namespace, self.finding.about)
        write(folder, self.finding, program, self.lock.jars)
        return len(made.calls)

    @property
    def java(self) -> ProgramJava:
        """What it is compiled for, and runs on."""
        return ProgramJava(self.finding.oldest_java, self.finding.java)

    def jars(self) -> Sequence[Path]:
        """What it runs with."""
        return fetch.fetch(self.lock)


def reproducers(accusation: Accusation, library: Library) -> Sequence[Reproducer]:
    """The programs for a verdict; `NotExpressible` says why there is none.

    It is one, but for drawn programs that have shown several disagreements with one statement.
    """
    line = accusation.line
    provider = load_provider(line["provider"])
    lock_name, namespace = getattr(provider, "program", None), getattr(provider, "namespace", None)
    if lock_name is None or namespace is None:
        raise NotExpressible("the client is not in Java")
    trace = _trace_of(accusation)
    finding = _finding(accusation, provider, library)
    lock = locks.load(lock_name)
    return [Reproducer(made, namespace, finding, lock) for made in _plans(trace, line)]


def control_planning(accusation: Accusation, control: Control, number: int) -> Planning:
    """That of the program of this number, for a client that keeps the statement."""
    return _plans(_trace_of(accusation), accusation.line, control.calls)[number]


def _trace_of(accusation: Accusation) -> Sequence[str]:
    if accusation.line["trace"] is None:
        raise NotExpressible("the run has no trace of it")
    path: Path = accusation.run / accusation.line["trace"]
    trace = path.read_text(encoding="utf-8").splitlines()
    _within_java(trace)
    return trace


def _plans(
    trace: Sequence[str],
    line: Mapping[str, Any],
    made_for: Callable[[CallRecording], CallRecording] = lambda recorded: recorded,
) -> Sequence[Planning]:
    recorded = made_for(recording(trace, line["requirement"]))
    events = java_events(trace)
    if not any(event["java"] == "finding" for event in events):
        return [partial(_plan_of_all, recorded, line, _is_administered(trace))]
    fitting = [each for each in sections(events) if line["requirement"] in each.ids]
    if not fitting:
        raise NotExpressible("what its drawn program has shown did not come again for the trace")
    return [partial(_plan_of, recorded, each) for each in fitting]


def _plan_of_all(
    recorded: CallRecording, line: Mapping[str, Any], is_administered: bool, left_out: Set[int]
) -> ProgramPlan:
    decided = verdict_decision(line["reason"] or "", line["seen"], recorded)
    signs = decided.signs.values()
    refusal = len(signs) == 1 and all(isinstance(it, Throws | Passes) for it in signs)
    if is_administered and not refusal:
        raise NotExpressible("the broker's administration takes part")
    return plan(recorded, decided.signs, left_out, decided.silent)


def _is_administered(trace: Sequence[str]) -> bool:
    """Whether the scenario asks the broker's administration for more than a refusal tells."""
    return any(map(_asks_the_administration, map(json.loads, trace)))


def _asks_the_administration(event: Mapping[str, Any]) -> bool:
    return event.get("on") == "independent client" and event.get("what") == "admin"


def _plan_of(recorded: CallRecording, section: ProgramSection, left_out: Set[int]) -> ProgramPlan:
    part = section_calls(recorded, section)
    return section_plan(part, section, decision(section, part), left_out)


def _within_java(trace: Sequence[str]) -> None:
    """`NotExpressible` where the scenario does what a program of the client alone cannot."""
    for event in map(json.loads, trace):
        on, what = event.get("on"), event.get("what")
        why = _BEYOND_FAULTS.get(what) if on == "faults" else _BEYOND.get(on)
        if why is not None and not _asks_the_administration(event):
            raise NotExpressible(why)
        if what == "process_property":
            raise NotExpressible("a property of the client's process changes on the way")


def _told_profile(broker: Mapping[str, str]) -> str:
    """What the broker is like."""
    profile = family_named(broker["family"]).profiles.get(broker["profile"])
    return f"profile {broker['profile']}" if profile is None else profile.summary


def _finding(accusation: Accusation, provider: Provider, library: Library) -> ReproducedVerdict:
    line, broker = accusation.line, accusation.broker
    requirement = library.requirements[line["requirement"]]
    product = family_named(broker["family"]).product
    releases = getattr(provider, "releases", None)
    own_name = releases.product if releases is not None else provider.name
    deviation = line.get("deviation") or {}
    return ReproducedVerdict(
        client=f"{own_name} {provider.version}",
        requirement=line["requirement"],
        scenario=line["scenario"],
        statement=requirement.statement,
        sources=[str(source) for source in requirement.source],
        is_demanded=requirement.strength is Strength.MUST,
        expected=line["expected"],
        seen=line["seen"] if line["expected"] is not None else line["reason"],
        broker=f"{product} {broker['version']}",
        profile=_told_profile(broker),
        java=accusation.java,
        rerun=line["rerun"],
        reason=deviation.get("reason", ""),
        link=deviation.get("link", ""),
        fault=deviation.get("fault", "client"),
        by_chance=line["by_chance"],
        option=deviation.get("option", ""),
        oldest_java=java_range(provider).oldest,
    )
