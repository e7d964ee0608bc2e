"""What is new, for feed readers (Atom, RFC 4287): an entry for each time that a client was judged.

An entry and a feed have ids that do not depend on where the site stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from touchstone_reports.appearance import WORDS, count_text
from touchstone_reports.grid import KEYS
from touchstone_reports.releases import release_rows
from touchstone_reports.results import VerdictLine
from touchstone_reports.site import addresses
from touchstone_reports.site.contents import Contents
from touchstone_reports.site.judged import Judged
from touchstone_reports.site.trend import alone
from touchstone_reports.verdicts import Verdict

_MOST: Final = 50
"""Entries of a feed."""
_MOST_CHANGES: Final = 30
_NAME: Final = "touchstone-site"


def feeds(contents: Contents, title: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each feed by its path: that of everybody, and one for each client."""
    yield addresses.FEED, _feed(contents, title, "", contents.judged)
    for client, history in contents.history.items():
        told = f"{title}: {contents.client(client).title}"
        yield addresses.client_feed(client), _feed(contents, told, client, history)


def _feed(
    contents: Contents, title: str, client: str, judged: Sequence[Judged]
) -> Mapping[str, Any]:
    return {
        "title": title,
        "id": _id("feed", client),
        "page": addresses.client_page(client) if client else addresses.OVERVIEW,
        "updated": max((_ended(one) for one in judged), default="1970-01-01T00:00:00+00:00"),
        "entries": [_entry(contents, one) for one in judged[:_MOST]],
    }


def _entry(contents: Contents, judged: Judged) -> Mapping[str, Any]:
    run = judged.results.run
    counts = judged.results.counts(judged.provider.name)
    told = ", ".join(
        f"{counts[verdict]} {count_text(verdict, counts[verdict])}"
        for verdict in Verdict
        if counts[verdict] and verdict is not Verdict.NOT_APPLICABLE
    )
    return {
        "id": _id(run.id, run.started.isoformat(), judged.provider.name),
        "title": f"{judged.combination.title}: {told or 'nothing judged'}",
        "updated": _ended(judged),
        "page": addresses.client_page(judged.client),
        "changes": _changes(judged, contents.history[judged.client]),
        "is_whole": judged.is_whole,
    }


def _changes(judged: Judged, history: Sequence[Judged]) -> list[dict[str, str]]:
    """What the last run before of the same client there saw otherwise."""
    behind = history[history.index(judged) + 1 :]
    before = next((one for one in behind if one.key == judged.key), None)
    if before is None:
        return []
    rows = release_rows([alone(before), alone(judged)])
    return [
        {
            "requirement": row.requirement,
            "scenario": row.scenario,
            "before": _word(row.lines[0]),
            "after": _word(row.lines[1]),
        }
        for row in rows
        if row.changed_at
    ][:_MOST_CHANGES]


def _word(line: VerdictLine | None) -> str:
    return WORDS[line.verdict] if line else KEYS[None]


def _ended(judged: Judged) -> str:
    run = judged.results.run
    at = run.finished or run.started
    return (at if at.tzinfo else at.astimezone()).isoformat(timespec="seconds")


def _id(*parts: str) -> str:
    told = "\n".join((_NAME, *parts)).encode("utf-8", "backslashreplace").decode()
    return uuid5(NAMESPACE_URL, told).urn
