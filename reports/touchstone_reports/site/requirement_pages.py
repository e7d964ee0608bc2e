"""The page of a requirement: what it states, how that is judged, and what everybody does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from touchstone_reports.grid import KEYS, RequirementRow, document_of
from touchstone_reports.legible import shorten
from touchstone_reports.results import VerdictLine, worst_first
from touchstone_reports.site import addresses
from touchstone_reports.site.contents import Contents, Told, documents_of, rows_of
from touchstone_reports.verdicts import Verdict

_NAMES: Final = {
    "verify": "How it is seen",
    "observes": "Observed by",
    "strength": "Strength",
    "note": "Note",
    "assertion": "Assertion",
}
_TOLD: Final = (Verdict.VIOLATES, Verdict.INCONCLUSIVE, Verdict.DEVIATES)
"""The verdicts of which a page tells what was seen."""
_LONGEST: Final = 300
"""Characters of a reason, and of what was expected and seen."""


def requirement_view(
    contents: Contents, row: RequirementRow, neighbours: Sequence[tuple[str, str]]
) -> Mapping[str, Any]:
    """What the page of a requirement says; `neighbours` are ids by what leads to them."""
    given = row.requirement
    prefix = document_of(given)
    fields = {
        _NAMES[name]: ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
        for name in _NAMES
        if (value := given.get(name))
    }
    return {
        "title": row.id,
        "id": row.id,
        "anchor": anchor(prefix),
        "document": contents.title(prefix),
        "area": given["area"],
        "statement": given["statement"],
        "cited": [
            {name: source.get(name, "") for name in ("title", "address", "section")}
            for source in _mappings(given.get("source"))
        ],
        "fields": fields,
        "scenarios": _scenarios(row),
        "everybody": _everybody(contents, row),
        "seen": _seen(contents, row),
        "findings": _findings(contents, row.id),
        "neighbours": neighbours,
    }


def all_requirements_view(contents: Contents) -> Mapping[str, Any]:
    """What the page of all requirements says."""
    documents = []
    for prefix in documents_of(contents.matrix):
        areas: dict[str, list[RequirementRow]] = {}
        for row in rows_of(contents.matrix):
            if document_of(row.requirement) == prefix:
                areas.setdefault(str(row.requirement["area"]), []).append(row)
        documents.append(
            {
                "prefix": prefix,
                "anchor": anchor(prefix),
                "title": contents.title(prefix),
                "areas": [{"name": name, "rows": rows} for name, rows in areas.items()],
            }
        )
    return {"title": "Requirements", "documents": documents}


def anchor(prefix: str) -> str:
    """Where a document stands on the page of all requirements."""
    return addresses.name_in_address(prefix)


def neighbours_of(rows: Sequence[RequirementRow], index: int) -> list[tuple[str, str]]:
    """The requirements before and behind one."""
    before = [("Before", rows[index - 1].id)] if index else []
    behind = [("Behind", rows[index + 1].id)] if index + 1 < len(rows) else []
    return [*before, *behind]


def _scenarios(row: RequirementRow) -> list[dict[str, str]]:
    """Those of the catalogue, else those that the runs name."""
    known = _mappings(row.requirement.get("scenarios"))
    if known:
        return [{"id": str(each["id"]), "shows": str(each["shows"])} for each in known]
    names = dict.fromkeys(line.scenario for cell in row.cells for line in cell.judgements)
    return [{"id": name, "shows": ""} for name in names]


def _mappings(value: object) -> list[Mapping[str, Any]]:
    items = value if isinstance(value, list | tuple) else ()
    return [item for item in items if isinstance(item, Mapping)]


def _everybody(contents: Contents, row: RequirementRow) -> list[dict[str, Any]]:
    """The verdicts that there are, the worst first, each with the clients that have it."""
    having: dict[tuple[str, bool], dict[str, list[Told]]] = {}
    for told in contents.told:
        cell = contents.cell(row, told)
        should = bool(cell.judgements) and cell.judgements[0].unmet_should
        clients = having.setdefault((cell.key, should), {})
        clients.setdefault(told.judged.client, []).append(told)
    order = list(KEYS.values())
    return [
        {
            "key": key,
            "note": "should" if should else "",
            "clients": [
                {
                    "client": client,
                    "title": contents.client(client).title,
                    "versions": _versions(several),
                }
                for client, several in clients.items()
            ],
        }
        for (key, should), clients in sorted(
            having.items(), key=lambda each: (order.index(each[0][0]), each[0][1])
        )
    ]


def _versions(several: Sequence[Told]) -> list[str]:
    """The versions, with what tells one of the columns from the others."""
    return [told.column.title.removeprefix(f"{told.judged.client} ") for told in several]


def _seen(contents: Contents, row: RequirementRow) -> list[dict[str, Any]]:
    """What did not conform, the worst first; what has the same reason in several is told once."""
    same: dict[tuple[object, ...], list[tuple[Told, VerdictLine]]] = {}
    for told in contents.told:
        for line in contents.cell(row, told).judgements:
            if line.verdict in _TOLD:
                explained = line.deviation.reason if line.deviation else line.scenario
                key = told.judged.client, line.verdict, line.unmet_should, explained
                same.setdefault(key, []).append((told, line))
    ordered = sorted(same.values(), key=lambda group: worst_first(group[0][1]))
    return [_shown(contents, group) for group in ordered]


def _findings(contents: Contents, id_: str) -> list[dict[str, Any]]:
    """The known findings on a requirement, also those that no current run shows, by client."""
    return [
        {
            "finding": finding,
            "title": contents.client(finding.client).title,
            "conditions": list(
                dict.fromkeys(
                    case.conditions
                    for case in finding.cases
                    if case.requirement == id_ and case.conditions
                )
            ),
            "is_seen": any(each.line.requirement == id_ for each in contents.sightings[finding.id]),
        }
        for finding in contents.findings_on(id_)
    ]


def _shown(contents: Contents, group: Sequence[tuple[Told, VerdictLine]]) -> dict[str, Any]:
    told, line = group[0]
    finding = contents.finding_of(told.judged.client, line)
    return {
        "key": KEYS[line.verdict],
        "note": "should" if line.unmet_should else "",
        "title": contents.client(told.judged.client).title,
        "versions": list(dict.fromkeys(_versions([told for told, _ in group]))),
        "finding": finding,
        "deviation": line.deviation,
        "lines": _lines([line for _, line in group], is_explained=finding is not None),
    }


def _lines(lines: Sequence[VerdictLine], *, is_explained: bool) -> list[dict[str, str | None]]:
    """What each scenario saw; what a finding explains says itself what was expected."""
    told = dict.fromkeys(
        (
            line.scenario,
            shorten(line.reason or "", _LONGEST),
            None if is_explained or line.expected is None else shorten(line.expected, _LONGEST),
            None if is_explained or line.seen is None else shorten(line.seen, _LONGEST),
        )
        for line in lines
    )
    return [
        {"scenario": scenario, "reason": reason, "expected": expected, "seen": seen}
        for scenario, reason, expected, seen in told
    ]
