"""The page of an area: what is promised, how Pulsar keeps it, in which code, judged by whom."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote

from jms_clients.mutants.mutant import Mutant
from plain_texts import in_lines, row, table, text
from source_pages import Sources
from touchstone.catalogue import Library, SourceDocument
from touchstone.catalogue.explanations import Explanation
from touchstone_reports.legible import legible

Areas = Mapping[str, Sequence[Explanation]]

_TITLES = {
    "nolocal": "noLocal",
    "async-send": "Asynchronous send",
    "simplified-api": "Simplified API",
}
_SUPPORT = {
    "core": "",
    "stored-ignored": "stored, else ignored",
    "configuration": "by configuration",
    "limitation": "a limitation",
    "extension": "an extension",
}
"""How the requirements' words are said here; the others say it themselves."""
_NOTHING = "\N{EN DASH}"
_UP = "../"
"""From the folder of the areas to that of the site."""


def by_area(explained: Mapping[str, Explanation], library: Library) -> Areas:
    """The explanations of each area that has any, in the catalogue's order."""
    areas: dict[str, list[Explanation]] = {area: [] for area in library.areas}
    for explanation in explained.values():
        areas[explanation.requirement.area].append(explanation)
    return {area: group for area, group in areas.items() if group}


def title(area: str) -> str:
    """An area's name as a heading."""
    return _TITLES.get(area, area.replace("-", " ").capitalize())


def overview(areas: Areas) -> str:
    """The page that leads to the areas."""
    lines = [
        "# The mapping, by area",
        "",
        "What each document promises of JMS, and how the reference keeps it on Pulsar. These pages "
        "are made from the requirements, the marks in the reference's code, the scenarios, the "
        "wrong clients and the known deviations; `touchstone explain ID` says the same of one "
        "requirement.",
        "",
        *table("area", "requirements", "with a rule", "with a scenario", "deviating"),
    ]
    for area, group in areas.items():
        counts = (
            len(group),
            sum(bool(explanation.rules) for explanation in group),
            sum(bool(explanation.scenarios) for explanation in group),
            sum(bool(explanation.deviations) for explanation in group),
        )
        lines.append(row(f"[{title(area)}]({area}.md)", *map(str, counts)))
    explained = (explanation.requirement for group in areas.values() for explanation in group)
    cited = dict.fromkeys(
        source.document for requirement in explained for source in requirement.source
    )
    lines += ["", "## Documents", "", "Each requirement names the section that states it.", ""]
    lines += table("document", "version", "date", "vendor", "licence")
    lines += [_document_row(document) for document in cited]
    return "\n".join([*lines, ""])


def page(area: str, group: Sequence[Explanation], sources: Sources) -> str:
    """The Markdown of an area's page, with a table for each document."""
    judged = sum(bool(explanation.scenarios) for explanation in group)
    lines = [f"# {title(area)}", "", f"Requirements: {len(group)}, with a scenario: {judged}.", ""]
    for document in dict.fromkeys(explanation.document.title for explanation in group):
        lines += [f"## {text(document)}", ""]
        lines += table(
            "requirement",
            "JMS side: what is promised",
            "Pulsar side: how it is kept",
            "code",
            "judged by",
        )
        lines += [
            _requirement_row(explanation, sources)
            for explanation in group
            if explanation.document.title == document
        ]
        lines.append("")
    return "\n".join([*lines, *_wrong_clients(group, sources)])


def _document_row(document: SourceDocument) -> str:
    known = (document.version, document.date, document.vendor, document.licence)
    name = text(document.title)
    if document.address.startswith("https://"):
        name = f'<a href="{html.escape(document.address)}">{name}</a>'
    return row(name, *(text(cell) or _NOTHING for cell in known))


def _requirement_row(explanation: Explanation, sources: Sources) -> str:
    requirement = explanation.requirement
    weaker = "" if requirement.strength == "must" else f"<br>*{requirement.strength}*"
    rules = dict.fromkeys((rule.module, rule.name) for rule in explanation.rules)
    judges = {scenario.id.partition("[")[0]: scenario.node for scenario in explanation.scenarios}
    return row(
        f'<a id="{_anchor(requirement.id.lower())}"></a>{text(requirement.id)}{weaker}',
        in_lines([text(requirement.statement), *(f"*{text(str(s))}*" for s in requirement.source)]),
        in_lines(_kept_lines(explanation)) or _NOTHING,
        in_lines(sources.link(name, module, _UP) for module, name in rules) or _NOTHING,
        in_lines(
            sources.link(id_.partition("/")[2], sources.module_of(node), _UP)
            for id_, node in judges.items()
        )
        or "not yet",
    )


def _kept_lines(explanation: Explanation) -> Iterator[str]:
    support = str(explanation.requirement.fields.get("support", ""))
    if said := _SUPPORT.get(support, support):
        yield f"*{text(said)}*"
    yield from dict.fromkeys(text(rule.statement) for rule in explanation.rules)
    providers: dict[tuple[str, str, str], list[str]] = {}
    for entry in explanation.deviations:
        names = providers.setdefault((entry.kind, entry.reason, entry.link), [])
        names += [entry.provider] * (entry.provider not in names)
    for (kind, reason, link), names in providers.items():
        _, _, anchor = link.partition("#")
        more = f" [Decision]({_UP}decisions.md#{_anchor(anchor)})" if anchor else ""
        yield f"**{text(', '.join(names))} deviates, {text(kind)}:** {text(reason)}{more}"


def _wrong_clients(group: Sequence[Explanation], sources: Sources) -> list[str]:
    clients: dict[str, tuple[Mutant, list[str]]] = {}
    for explanation in group:
        for mutant in explanation.mutants:
            clients.setdefault(mutant.name, (mutant, []))[1].append(explanation.requirement.id)
    if not clients:
        return []
    lines = ["## Wrong clients that are noticed", ""]
    lines += table("wrong client", "what is broken", "violates")
    for mutant, ids in clients.values():
        links = ", ".join(f"[{text(id_)}](#{_anchor(id_.lower())})" for id_ in ids)
        lines.append(row(sources.mutant_link(mutant.name, _UP), text(mutant.doc), links))
    return [*lines, ""]


def _anchor(words: str) -> str:
    return quote(legible(words))
