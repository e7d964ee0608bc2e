"""What the search of the site knows: an entry for each page, as a script that lies beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from touchstone_reports.grid import document_of
from touchstone_reports.legible import legible, shorten
from touchstone_reports.site import addresses
from touchstone_reports.site.contents import Contents, rows_of

Entry = tuple[str, str, str, str]
"""Kind, title, text and path of a page."""
_LONGEST = 500


def search_index(contents: Contents) -> str:
    """A script that puts every entry into `window.searchIndex`: a page may load it from disk."""
    entries = [[*map(legible, entry)] for entry in _entries(contents)]
    text = json.dumps(entries, ensure_ascii=True, separators=(",", ":"))
    return f"window.searchIndex={text};\n"


def _entries(contents: Contents) -> Iterator[Entry]:
    for client in contents.clients:
        facts = contents.client(client)
        versions = " ".join(dict.fromkeys(t.judged.version for t in contents.told_of(client)))
        text = " ".join(filter(None, (client, versions, facts.about)))
        yield "client", facts.title, text, addresses.client_page(client)
    for row in rows_of(contents.matrix):
        told = (str(row.requirement["area"]), document_of(row.requirement))
        seen = str(row.requirement.get("verify") or "")
        text = f"{row.requirement['statement']} ({', '.join(told)}) {seen}".rstrip()
        yield "requirement", row.id, shorten(text, _LONGEST), addresses.requirement_page(row.id)
    for finding in contents.findings:
        facts = contents.client(finding.client)
        title = " · ".join(filter(None, (facts.title, finding.effect, finding.requirements[0])))
        options = "".join(f" Kept with {option}." for option in finding.options)
        text = f"{finding.reason}{options} ({', '.join(finding.requirements[:20])})"
        yield "finding", title, shorten(text, _LONGEST), addresses.finding_page(finding.id)
