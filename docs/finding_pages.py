"""The page of a client's findings: what it does, which statements that breaks, who has shown it."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence

from plain_texts import in_lines, row, table, text
from touchstone.catalogue import Library
from touchstone.catalogue.findings import STATES, Finding, count_states

Findings = Mapping[str, Sequence[Finding]]

_NOTHING = "\N{EN DASH}"


def by_file(findings: Iterable[Finding]) -> Findings:
    """The findings of each file of known deviations, by its name without the suffix."""
    files: dict[str, list[Finding]] = {}
    for finding in findings:
        files.setdefault(finding.file.removesuffix(".toml"), []).append(finding)
    return files


def overview(files: Findings) -> str:
    """The page that leads to those of the clients."""
    lines = [
        "# Findings, by client",
        "",
        "What released clients do that the specification, its API or the vendor's own document "
        "forbids. *Confirmed* is what a program of plain JMS, without this suite, has shown "
        "([how](../reproduce.md)); *not expressible* needs more than a program of the client "
        "alone. `touchstone findings` prints the same.",
        "",
        *table("client", *STATES, "all"),
    ]
    for name, group in files.items():
        [counts] = count_states(group).values()
        cells = (str(counts[state]) for state in STATES)
        lines.append(row(f"[{text(name)}]({name}.md)", *cells, str(len(group))))
    return "\n".join([*lines, ""])


def page(name: str, group: Sequence[Finding], library: Library) -> str:
    """The Markdown of a client's page, in the order of the catalogue's areas."""
    areas = {id_: requirement.area for id_, requirement in library.requirements.items()}
    order = {area: number for number, area in enumerate(library.areas)}
    lines = [f"# Findings: {text(name)}", "", *table("what it does", "statements", "in plain Java")]
    for finding in sorted(group, key=lambda one: order[areas[one.requirements[0]]]):
        links = (
            f"[{text(id_)}](../areas/{areas[id_]}.md#{id_.lower()})" for id_ in finding.requirements
        )
        lines.append(row(in_lines(_what(finding)), in_lines(links), _shown(finding)))
    return "\n".join([*lines, ""])


def _what(finding: Finding) -> Iterable[str]:
    yield text(finding.reason)
    if others := [fault for fault in finding.faults if fault != "client"]:
        yield f"*at fault: {text(', '.join(others))}*"
    if finding.options:
        yield f"*kept with: {text(', '.join(finding.options))}*"
    for link in finding.links:
        if link.startswith("https://"):
            yield f'<a href="{html.escape(link)}">{text(link)}</a>'


def _shown(finding: Finding) -> str:
    seen = sorted(
        {
            f"{each.client} on {each.family} {each.broker}, Java {each.java}, {each.date}"
            for each in finding.confirmations
            if each.outcome == finding.state
        }
    )
    told = [finding.state, *([finding.why] if finding.why else seen)]
    return in_lines(map(text, told)) or _NOTHING
