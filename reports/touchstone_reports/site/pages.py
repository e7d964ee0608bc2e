"""The files of a site, by their paths: a pure function of runs, and of what is known besides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from jinja2 import Environment

from touchstone_reports import matrix, side_by_side
from touchstone_reports.grid import KEYS, lay_out
from touchstone_reports.releases import RowKind
from touchstone_reports.releases_page import releases_page
from touchstone_reports.results import RunResults
from touchstone_reports.side_by_side import Statements
from touchstone_reports.site import addresses
from touchstone_reports.site.client_pages import badges, client_view
from touchstone_reports.site.contents import Contents, contents, documents_of, rows_of
from touchstone_reports.site.facts import Known
from touchstone_reports.site.feeds import feeds
from touchstone_reports.site.finding_pages import finding_view, statements_of
from touchstone_reports.site.findings_table import findings_csv
from touchstone_reports.site.requirement_pages import (
    all_requirements_view,
    anchor,
    neighbours_of,
    requirement_view,
)
from touchstone_reports.site.rows import told_row
from touchstone_reports.site.searching import search_index
from touchstone_reports.site.trend import ReleaseTable
from touchstone_reports.templating import environment, sources

TITLE: Final = "JMS conformance"
_SHEETS: Final = ("page.css", "matrix.css", "site/site.css")
_SCRIPTS: Final = ("theme.js", "site/search.js")

Files = Iterator[tuple[str, str]]


def site_files(runs: Iterable[RunResults], known: Known, url: str = "") -> dict[str, str]:
    """Every file of the site, by its path from the site's folder.

    `url` is the address at which it will stand: feeds then name their pages by it.
    """
    found = contents(runs, known)
    templates = _templates(found, url)
    return dict(
        (
            (addresses.STYLE, sources(templates, _SHEETS)),
            (addresses.SCRIPT, sources(templates, _SCRIPTS)),
            *_overview(found, templates),
            *_clients(found, templates),
            *_requirements(found, templates),
            *_findings(found, templates),
            *_matrix(found),
            *_search(found, templates),
            _page(templates, addresses.WORDS, "words.html.j2", {"title": "Words"}),
            *_feeds(found, templates, url),
        )
    )


def _templates(found: Contents, url: str) -> Environment:
    """The templates, with what every page needs."""
    templates = environment()
    templates.globals |= {
        "client_page": addresses.client_page,
        "feed": addresses.FEED,
        "finding_page": addresses.finding_page,
        "has_pairs": bool(found.pairs),
        "newest_run": found.judged[0].results.run.started if found.judged else None,
        "keys": KEYS,
        "findings_table": addresses.FINDINGS_TABLE,
        "releases_page": addresses.releases_page,
        "requirement_page": addresses.requirement_page,
        "run_count": len({id(one.results) for one in found.judged}) + len(found.pairs),
        "site_title": TITLE,
        "site_url": url,
        "states": matrix.STATES,
        "words_page": addresses.WORDS,
        "title_of": lambda client: found.client(client).title,
    }
    return templates


def _page(
    templates: Environment, path: str, template: str, view: Mapping[str, Any]
) -> tuple[str, str]:
    root = addresses.root_from(path)
    return path, templates.get_template(f"site/{template}").render(root=root, **view)


def _overview(found: Contents, templates: Environment) -> Files:
    sections = found.matrix.sections
    documents = [
        {
            "prefix": prefix,
            "anchor": anchor(prefix),
            "title": found.title(prefix),
            "tallies": [
                sum(
                    (
                        section.tally(told.index)
                        for section in sections
                        if section.document == prefix
                    ),
                    Counter(),
                )
                for told in found.newest
            ],
        }
        for prefix in documents_of(found.matrix)
    ]
    effects = list(dict.fromkeys(each.effect or "not told" for each in found.findings))
    suffered = [
        {
            "client": client,
            "title": found.client(client).title,
            "counts": [counts[effect] for effect in effects],
            "all": counts.total(),
        }
        for client in found.clients
        for counts in [Counter(each.effect or "not told" for each in found.findings_of(client))]
    ]
    view = {
        "title": "Clients",
        "rows": [told_row(found, told) for told in found.told],
        "notices": list(
            dict.fromkeys(n for told in found.told for n in told.judged.results.notices)
        ),
        "heads": [
            f"{found.client(t.judged.client).title} {t.judged.version}" for t in found.newest
        ],
        "documents": documents,
        "requirements_page": addresses.REQUIREMENTS,
        "findings_page": addresses.FINDINGS,
        "effects": effects,
        "suffered": suffered,
    }
    yield _page(templates, addresses.OVERVIEW, "overview.html.j2", view)


def _clients(found: Contents, templates: Environment) -> Files:
    for client in found.clients:
        view = client_view(found, client)
        yield _page(templates, addresses.client_page(client), "client.html.j2", view)
        for document, badge in badges(found, client).items():
            yield addresses.badge(client, document), badge.as_svg()
        yield from _releases(found, client, view["changes"])


def _releases(found: Contents, client: str, tables: Iterable[ReleaseTable]) -> Files:
    """The releases of a client side by side, without what is the same in all."""
    for table in tables:
        path = addresses.releases_page(client, table.family)
        root = addresses.root_from(path)
        title = f"{found.client(client).title} on {table.family}"
        rows = [row for row in table.rows if row.kind is not RowKind.SAME]
        page = releases_page(title, table.versions, table.columns, rows, _statements(found, root))
        yield path, side_by_side.render(page, root + addresses.OVERVIEW)


def _statements(found: Contents, root: str) -> Statements:
    """Every statement, with the address of its page."""
    texts = {row.id: str(row.requirement["statement"]) for row in rows_of(found.matrix)}
    return Statements(texts, lambda id_: root + addresses.requirement_page(id_))


def _requirements(found: Contents, templates: Environment) -> Files:
    view = all_requirements_view(found)
    yield _page(templates, addresses.REQUIREMENTS, "all_requirements.html.j2", view)
    for section in found.matrix.sections:
        for index, row in enumerate(section.rows):
            view = requirement_view(found, row, neighbours_of(section.rows, index))
            yield _page(templates, addresses.requirement_page(row.id), "requirement.html.j2", view)


def _findings(found: Contents, templates: Environment) -> Files:
    view = {"title": "Findings", "findings": found.findings, "several": True}
    yield _page(templates, addresses.FINDINGS, "all_findings.html.j2", view)
    yield addresses.FINDINGS_TABLE, findings_csv(found)
    statements = statements_of(found)
    for finding in found.findings:
        path = addresses.finding_page(finding.id)
        yield _page(templates, path, "finding.html.j2", finding_view(found, finding, statements))
        for program in finding.programs:
            if program.path:
                yield addresses.program(program.path), program.text


def _matrix(found: Contents) -> Files:
    """The matrix of the newest versions, whose rows lead to pages; and that of pairs."""
    newest = lay_out([told.column for told in found.newest], found.known.requirements)
    root = addresses.root_from(addresses.MATRIX)
    beside = matrix.Beside(
        root + addresses.OVERVIEW, lambda id_: root + addresses.requirement_page(id_)
    )
    yield addresses.MATRIX, matrix.render(newest, beside, found.known.titles)
    if found.pairs:
        nobody = lay_out((), ())
        yield addresses.PAIRS, matrix.render(nobody, beside, found.known.titles, found.pairs)


def _search(found: Contents, templates: Environment) -> Files:
    yield _page(templates, addresses.SEARCH, "search.html.j2", {"title": "Search"})
    yield addresses.SEARCH_INDEX, search_index(found)


def _feeds(found: Contents, templates: Environment, url: str) -> Files:
    template = templates.get_template("site/feed.xml.j2")
    for path, view in feeds(found, TITLE):
        yield path, template.render(base=url or addresses.root_from(path), path=path, **view)
