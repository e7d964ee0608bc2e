"""The page of a client, and its badges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from touchstone_reports.badges import ALL, Badge, badge_of
from touchstone_reports.legible import one_line
from touchstone_reports.results import VerdictLine
from touchstone_reports.site import addresses, trend
from touchstone_reports.site.contents import Contents, Told
from touchstone_reports.site.rows import counted, judged_row, told_row
from touchstone_reports.verdicts import Verdict


def client_view(contents: Contents, client: str) -> Mapping[str, Any]:
    """What the page of a client says."""
    facts = contents.client(client)
    told = list(contents.told_of(client))
    history = contents.history[client]
    return {
        "title": facts.title,
        "client": client,
        "feed": addresses.client_feed(client),
        "facts": facts,
        "about": {
            "Language": facts.language,
            "Licence": facts.licence,
            "Homepage": facts.homepage,
            "Source": facts.source,
            "Tracker": facts.tracker,
        },
        "rows": [told_row(contents, each) for each in told],
        "trend": trend.chart(history),
        "runs": [judged_row(contents, one, counted(one)) for one in history],
        "changes": trend.between_releases(told),
        "violations": _violations(told),
        "findings": contents.findings_of(client),
        "several": False,
        "badges": [
            {
                "path": addresses.badge(client, document),
                "alt": f"{badge.label}: {badge.message}",
            }
            for document, badge in badges(contents, client).items()
        ],
    }


def badges(contents: Contents, client: str) -> dict[str, Badge]:
    """The badges of a client's newest version: for all documents, and for each that it judged."""
    newest = next(iter(contents.told_of(client)))
    results = trend.alone(newest.judged)
    documents = dict.fromkeys(line.requirement.partition("-")[0] for line in results.judgements)
    return {
        ALL: badge_of([results]),
        **{document: badge_of([results], document) for document in sorted(documents)},
    }


def _violations(told: list[Told]) -> list[dict[str, Any]]:
    rows: dict[tuple[str, str], tuple[VerdictLine, list[str]]] = {}
    for each in told:
        for line in each.judged.results.of(each.judged.provider.name):
            if line.verdict is Verdict.VIOLATES:
                place = line.requirement, line.scenario
                rows.setdefault(place, (line, []))[1].append(each.column.title)
    return [
        {
            "requirement": line.requirement,
            "scenario": line.scenario,
            "versions": versions,
            "reason": one_line(line.reason or "", 300),
        }
        for line, versions in rows.values()
    ]
