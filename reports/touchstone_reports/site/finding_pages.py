"""The page of a finding: what a client does, where that shows, and how it is had again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from touchstone_reports.site import addresses
from touchstone_reports.site.contents import Contents, Sighting, rows_of
from touchstone_reports.site.facts import FindingFacts

_LONGEST: Final = 120


def finding_view(
    contents: Contents, finding: FindingFacts, statements: Mapping[str, str]
) -> Mapping[str, Any]:
    """What the page of a finding says; `statements` are those of all requirements, by their ids."""
    facts = contents.client(finding.client)
    seen = dict.fromkeys(each.told.column.title for each in contents.sightings[finding.id])
    others = ", ".join(fault for fault in finding.faults if fault != "client")
    return {
        "title": heading(finding),
        "heading": f"{facts.title}: {heading(finding)}",
        "finding": finding,
        "facts": facts,
        "about": {
            "Effect": finding.effect,
            "At fault": others,
            "Kept with": ", ".join(finding.options),
            "Upstream": "" if finding.links else finding.upstream,
            "Mended in": finding.mended_in,
        },
        "statements": [
            {"id": id_, "statement": statements.get(id_, "")} for id_ in finding.requirements
        ],
        "seen": list(seen),
        "commands": _commands(finding, contents.sightings[finding.id]),
        "programs": [
            {
                "name": program.name,
                "about": program.about,
                "address": addresses.program(program.path) if program.path else "",
                "text": program.text,
            }
            for program in finding.programs
        ],
    }


def statements_of(contents: Contents) -> dict[str, str]:
    """What each requirement states."""
    return {row.id: str(row.requirement["statement"]) for row in rows_of(contents.matrix)}


def heading(finding: FindingFacts) -> str:
    """The first clause of what it does, or its beginning."""
    first = re.split(r"(?<=[a-z0-9\"')\]])[.;:](?:\s|$)", finding.reason.strip())[0]
    if len(first) <= _LONGEST:
        return first
    return f"{first[:_LONGEST].rpartition(' ')[0] or first[:_LONGEST]} …"


def _commands(finding: FindingFacts, sightings: Sequence[Sighting]) -> str:
    """What judges it again, with a version that a run has seen it with."""
    provider, requirement = next(
        ((each.told.judged.provider.name, each.line.requirement) for each in sightings),
        (finding.client, finding.cases[0].requirement),
    )
    return (
        f"touchstone run --provider {provider} --requirement {requirement}\n"
        f"touchstone reproduce --requirement {requirement} --confirm"
    )
