"""What the site of results says besides the runs: what clients are, and what is known of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from jms_brokers.errors import HintedError
from jms_clients.registry import load_provider
from touchstone.catalogue import Library
from touchstone.catalogue.confirmations import Confirmation
from touchstone.catalogue.deviations import Deviation
from touchstone.catalogue.findings import Finding
from touchstone_reports.site.facts import (
    ClientFacts,
    FindingCase,
    FindingFacts,
    Known,
    Program,
    ShownInJava,
    finding_id,
)

_CHECKOUT: Final = Path(__file__).resolve().parents[3]
"""Where programs that were written by hand stand, if this is no installed package."""

_EXTENDS: Final = "extends Api"
_BASE: Final = "docs/evidence/api/Api.java"
"""What programs by hand have in common, and the words by which they say so."""
_ROOM: Final = 1_000_000
"""Characters of programs that a site shows; the commands that make the others stand on the pages.
A site of six clients with three releases each then has about 15 MB."""

Programs = Mapping[tuple[str, str], Program]
"""By client and reason a program that was made of a verdict."""


def known_facts(
    library: Library,
    explained: Mapping[str, Mapping[str, object]],
    clients: Iterable[str],
    found: Iterable[Finding],
    programs: Programs,
) -> Known:
    """All of it for these clients, by their names without versions."""
    asked = set(clients)
    of_clients = [finding for finding in found if finding.entries[0].provider in asked]
    facts = [finding_facts(each, programs) for each in of_clients]
    return Known(
        requirements=list(explained.values()),
        titles={prefix: document.title for prefix, document in library.documents.items()},
        clients={name: client_facts(name) for name in sorted(asked)},
        findings=list(_within_room(_told_apart(facts))),
    )


def client_facts(name: str) -> ClientFacts:
    """What a client is; its name alone of one that is not installed here or does not say it."""
    try:
        product = getattr(load_provider(name), "product", None)
    except HintedError:
        product = None
    if product is None:
        return ClientFacts(name)
    return ClientFacts(
        title=product.title,
        about=product.about,
        language=product.language,
        licence=product.licence,
        homepage=product.homepage,
        source=product.source,
        tracker=product.tracker,
    )


def finding_facts(finding: Finding, programs: Programs) -> FindingFacts:
    """A finding as the site tells it."""
    first = finding.entries[0]
    made = programs.get((first.provider, finding.reason))
    return FindingFacts(
        id=finding_id(
            first.provider,
            first.requirement,
            first.scenario,
            first.version.text,
            first.broker,
            first.java.text,
            first.transport,
        ),
        client=first.provider,
        reason=finding.reason,
        cases=tuple(_case(entry) for entry in finding.entries),
        effect=finding.effect or "",
        faults=tuple(finding.faults),
        options=tuple(finding.options),
        links=tuple(finding.links),
        searched=finding.searched.isoformat() if finding.searched else "",
        mended_in=finding.mended_in,
        state=finding.state,
        why=finding.why,
        shown=tuple(map(_shown, finding.confirmations)),
        programs=(*_by_hand(finding.programs), *([made] if made else [])),
    )


def _told_apart(found: Iterable[FindingFacts]) -> Iterator[FindingFacts]:
    """Those of one place are numbered from the second on."""
    counts: Counter[str] = Counter()
    for finding in found:
        counts[finding.id] += 1
        number = counts[finding.id]
        yield replace(finding, id=f"{finding.id}-{number}") if number > 1 else finding


def _within_room(found: Iterable[FindingFacts]) -> Iterator[FindingFacts]:
    """The findings with the programs for which there is room, those of the worst first."""
    left = _ROOM
    for finding in found:
        own = sum(len(program.text) for program in finding.programs if not program.path)
        if own > left:
            shared = tuple(program for program in finding.programs if program.path)
            yield replace(finding, programs=shared)
        else:
            left -= own
            yield finding


def _case(entry: Deviation) -> FindingCase:
    conditions = (
        f"versions {entry.version.text}" if entry.version.text else "",
        f"on {entry.broker} {entry.broker_version.text}".rstrip() if entry.broker else "",
        f"Java {entry.java.text}" if entry.java.text else "",
        f"transport {entry.transport}" if entry.transport else "",
        "by chance" if entry.occurs != "always" else "",
    )
    return FindingCase(
        entry.requirement, entry.scenario, entry.messages, ", ".join(filter(None, conditions))
    )


def _shown(row: Confirmation) -> ShownInJava:
    return ShownInJava(
        requirement=row.requirement,
        scenario=row.scenario,
        outcome=row.outcome.value,
        client=row.client,
        broker=f"{row.family} {row.broker}",
        java=row.java,
        date=row.date,
        control=row.control,
        why=row.why,
    )


def _by_hand(paths: Iterable[str]) -> Iterable[Program]:
    """Those of these files that are here, with the class that several of them extend."""
    for path in paths:
        if (program := _of_file(path, "Written by hand.")) is None:
            continue
        yield program
        if _EXTENDS in program.text and (base := _of_file(_BASE, "What it extends.")) is not None:
            yield base


def _of_file(path: str, about: str) -> Program | None:
    file = _CHECKOUT / path
    if not file.is_file():
        return None
    return Program(file.name, file.read_text("utf-8"), about, path.removeprefix("docs/"))
