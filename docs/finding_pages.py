"""The page of a client's findings, worst first: what it does, who has shown it, who knows of it."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from plain_texts import in_lines, row, table, text
from touchstone.catalogue import Library
from touchstone.catalogue.effects import WORST_FIRST
from touchstone.catalogue.findings import STATES, Finding

Findings = Mapping[str, Sequence[Finding]]

UNKNOWN = "unknown upstream"
_NOTHING = "\N{EN DASH}"


def by_file(findings: Iterable[Finding]) -> Findings:
    """The findings of each file of known deviations, by its name without the suffix."""
    files: dict[str, list[Finding]] = {}
    for finding in sorted(findings, key=lambda one: one.file):
        files.setdefault(finding.file.removesuffix(".toml"), []).append(finding)
    return files


def overview(files: Findings) -> str:
    """The page that leads to those of the clients."""
    lines = [
        "# Findings, by client",
        "",
        "What released clients do that the specification, its API or the vendor's own document "
        "forbids. *Confirmed* is what a program of plain JMS, without this suite, has shown "
        "([how](../reproduce.md)), one that is made of the verdict and run again or, *by hand*, "
        "one that the finding names; *not expressible* needs more than a program of the client "
        "alone. `touchstone findings` prints the same.",
        "",
        *table("client", *STATES, "all"),
    ]
    for name, group in files.items():
        states = Counter(finding.state for finding in group)
        cells = (str(states[state]) for state in STATES)
        lines.append(row(_link(name), *cells, str(len(group))))
    lines += ["", "## What users suffer", "", *table("client", *WORST_FIRST, UNKNOWN)]
    for name, group in files.items():
        effects = Counter(finding.effect for finding in group)
        unknown = sum(finding.searched is not None for finding in group)
        lines.append(row(_link(name), *(str(effects[each]) for each in WORST_FIRST), str(unknown)))
    return "\n".join([*lines, ""])


def page(name: str, group: Sequence[Finding], library: Library) -> str:
    """The Markdown of a client's page: the worst first, and then by the catalogue's areas."""
    areas = {id_: requirement.area for id_, requirement in library.requirements.items()}
    order = {area: number for number, area in enumerate(library.areas)}
    lines = [
        f"# Findings: {text(name)}",
        "",
        "[What the effects mean, and how a finding is looked up upstream]"
        "(../reproduce.md#findings-worst-first).",
    ]
    for effect in (*WORST_FIRST, None):
        of_effect = [finding for finding in group if finding.effect == effect]
        if of_effect:
            title = (effect or "effect not told").capitalize()
            columns = table("what it does", "statements", "in plain Java", "upstream")
            lines += ["", f"## {title}", "", *columns]
        for finding in sorted(of_effect, key=lambda one: order[areas[one.requirements[0]]]):
            links = (
                f"[{text(id_)}](../areas/{areas[id_]}.md#{id_.lower()})"
                for id_ in finding.requirements
            )
            cells = (in_lines(_what(finding)), in_lines(links), _shown(finding))
            lines.append(row(*cells, in_lines(_upstream(finding))))
    return "\n".join([*lines, ""])


def _link(name: str) -> str:
    return f"[{text(name)}]({name}.md)"


def _what(finding: Finding) -> Iterable[str]:
    yield text(finding.reason)
    if others := [fault for fault in finding.faults if fault != "client"]:
        yield f"*at fault: {text(', '.join(others))}*"
    if finding.options:
        yield f"*kept with: {text(', '.join(finding.options))}*"
    if finding.entries[0].version.text:
        yield f"*versions {text(finding.entries[0].version.text)}*"
    if finding.mended_in:
        yield f"*mended in {text(finding.mended_in)}*"


def _upstream(finding: Finding) -> Iterable[str]:
    if finding.searched:
        yield f"**{UNKNOWN}**, searched {finding.searched}"
    for link in finding.links:
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
