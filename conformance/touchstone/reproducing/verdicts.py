"""From a line of verdicts.jsonl to a folder with a reproducer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jvm_runtime import fetch, locks
from touchstone.catalogue import Library
from touchstone.catalogue.items import without_case
from touchstone.errors import UsageError
from touchstone.families.registry import family_named
from touchstone.providers.interface import Provider
from touchstone.providers.registry import load_provider
from touchstone.reproducing.difference import signs
from touchstone.reproducing.folder import Finding, write
from touchstone.reproducing.java_program import JavaProgram
from touchstone.reproducing.plan import plan
from touchstone.reproducing.recording import NotExpressible, recording
from touchstone.results.run_folder import RUN, VERDICTS, file_stem, name_in_folder
from touchstone.verdicts import Verdict

_ACCUSING = (Verdict.VIOLATES.value, Verdict.DEVIATES.value)
_BEYOND = {
    "independent client": "the harness's own client takes part",
    "other process": "a part of it runs in another process",
    "private broker": "its broker is its own, to be stopped on the way",
    "faults": "a fault needs the relay between client and broker",
}


@dataclass(frozen=True)
class Accusation:
    """A verdict that does not conform, with the run it stands in."""

    run: Path
    line: Mapping[str, Any]
    broker: Mapping[str, str]

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
    try:
        facts = json.loads((run / RUN).read_text(encoding="utf-8"))
        lines = (run / VERDICTS).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{run} is no finished run: {error}", hint="Name a folder such as results/<run>."
        ) from error
    brokers = {one["profile"]: one for one in facts["brokers"]}
    for line in map(json.loads, lines):
        fits = scenario in (None, line["scenario"], without_case(line["scenario"])) and (
            requirement in (None, line["requirement"])
        )
        if fits and line["verdict"] in _ACCUSING:
            fallback: Mapping[str, str] = next(iter(brokers.values()), {})
            yield Accusation(run, line, brokers.get(line["broker_profile"], fallback))


def reproduce(accusation: Accusation, folder: Path, library: Library) -> Sequence[Path]:
    """Write the reproducer to `folder` and give its jars; `NotExpressible` says why not."""
    line = accusation.line
    provider = load_provider(line["provider"])
    program, namespace = getattr(provider, "program", None), getattr(provider, "namespace", None)
    if program is None or namespace is None:
        raise NotExpressible("the client is not in Java")
    if line["trace"] is None:
        raise NotExpressible("the run has no trace of it")
    trace = (accusation.run / line["trace"]).read_text(encoding="utf-8").splitlines()
    _within_java(trace)
    recorded = recording(trace)
    decisive = signs(line["reason"] or "", line["seen"], recorded)
    finding = _finding(accusation, provider, library)
    text = JavaProgram(plan(recorded, decisive), namespace, finding.about).text()
    lock = locks.load(program)
    write(folder, finding, text, lock.jars)
    return fetch.fetch(lock)


def _within_java(trace: Sequence[str]) -> None:
    """`NotExpressible` where the scenario does what a program of the client alone cannot."""
    for event in map(json.loads, trace):
        if (why := _BEYOND.get(event.get("on"))) is not None:
            raise NotExpressible(why)
        if event.get("what") == "process_property":
            raise NotExpressible("a property of the client's process changes on the way")


def _finding(accusation: Accusation, provider: Provider, library: Library) -> Finding:
    line, broker = accusation.line, accusation.broker
    requirement = library.requirements[line["requirement"]]
    product = family_named(broker["family"]).product
    return Finding(
        client=f"{name_in_folder(line['provider'])} {provider.version}",
        requirement=line["requirement"],
        scenario=line["scenario"],
        statement=requirement.statement,
        sources=[f"{source.document}, {source.section}" for source in requirement.source],
        expected=line["expected"] or "what the statement says",
        seen=line["reason"],
        broker=f"{product} {broker['version']}",
        profile=f"profile {broker['profile']}",
        rerun=line["rerun"],
    )
