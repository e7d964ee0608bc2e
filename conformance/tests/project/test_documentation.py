"""The site: built without a warning, each area with its page, each link to what is there."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import markdown  # type: ignore[import-untyped]
import pytest
import yaml

import area_pages
import finding_pages
import moving_pages
from commands.hostile_texts import HARMLESS, everything, same_elements
from jms_clients.mutants.mutant import Mutant
from pulsar_jms.implements import Implementation
from source_pages import Sources
from touchstone.catalogue import Document, Requirement, load_library
from touchstone.catalogue.confirmations import Confirmation, ConfirmationOutcome
from touchstone.catalogue.deviation_files import read_deviations
from touchstone.catalogue.deviations import Deviation
from touchstone.catalogue.explanations import Explanation
from touchstone.catalogue.findings import Finding
from touchstone.catalogue.moving import Move
from touchstone.catalogue.sources import Source, SourceDocument
from touchstone.verdicts import Strength
from touchstone_reports.legible import legible

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[3]
LIBRARY = load_library()


@dataclass
class Page(HTMLParser):
    """What a page links, and the places that links can lead to."""

    links: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is not None and name in ("href", "src"):
                self.links.append(value)
            elif value and name in ("id", "name"):
                self.ids.add(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built as `make site` builds it."""
    folder = tmp_path_factory.mktemp("documentation") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir"]
    done = subprocess.run(
        [*command, folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    """Every page of the site by its file; without that for addresses that are not there."""
    found = {}
    for file in sorted(site.rglob("*.html")):
        if file.name != "404.html":
            found[file] = Page()
            found[file].feed(file.read_text("utf-8"))
    return found


def test_every_link_leads_to_a_page_and_a_place(site: Path, pages: dict[Path, Page]) -> None:
    assert [problem for file in pages for problem in problems(file, pages)] == []


def problems(file: Path, pages: dict[Path, Page]) -> Iterator[str]:
    for link in dict.fromkeys(pages[file].links):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            if parts.scheme not in ("https", "http", "mailto") or not (parts.netloc or parts.path):
                yield f"{file.name}: {link} is no address"
            continue
        target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
        if not target.is_file():
            yield f"{file.name}: {link} leads to no file"
        elif parts.fragment and unquote(parts.fragment) not in pages[target].ids:
            yield f"{file.name}: {link} leads to no place of the page"


def test_no_page_asks_anything_of_the_network(pages: dict[Path, Page]) -> None:
    """Links that a reader may follow stand in `a`; what a browser loads by itself is local."""
    for file in pages:
        text = file.read_text("utf-8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]+src="([^"]+)"', text)
        loaded += re.findall(
            r'<link[^>]+rel="(?:stylesheet|icon|preconnect)"[^>]*href="([^"]+)', text
        )
        assert [one for one in loaded if urlsplit(one).netloc] == [], file.name


def test_every_requirement_stands_on_the_page_of_its_area(
    site: Path, pages: dict[Path, Page]
) -> None:
    missing = [
        id_
        for id_, requirement in LIBRARY.requirements.items()
        if id_.lower() not in pages[site / "areas" / f"{requirement.area}.html"].ids
    ]
    assert missing == []


def test_an_area_tells_the_mapping_with_its_code_judges_and_wrong_clients(site: Path) -> None:
    page = html.unescape((site / "areas" / "redelivery.html").read_text("utf-8"))
    [row] = re.findall(r'<tr>\s*<td><a id="slj-redl-001">.*?</tr>', page, re.DOTALL)
    assert LIBRARY.requirements["SLJ-REDL-001"].statement in row
    assert "JMSXDeliveryCount: one more than Pulsar's redelivery count." in row
    assert re.search(
        r'href="\.\./code/impl/pulsar_jms/mapping/redelivery_counts\.py\.html#__c', row
    )
    assert re.search(
        r'href="\.\./code/scenarios/jms_scenarios/starlight/redelivery/test_redelivery\.py', row
    )
    assert "deliveries-counted-from-zero" in page.replace("<wbr>", "")
    assert "wire-compatibility" in (site / "areas" / "headers.html").read_text("utf-8")


def area_page_of(text: str) -> str:
    """The Markdown of an area's page, with a text in every place that takes one."""
    source = Source(SourceDocument(text, text), text)
    requirement = Requirement(
        f"SLJ-{text}", "ones", text, (source,), Strength("should"), {"support": text}
    )
    one = Explanation(
        requirement,
        Document("SLJ", text, "slj.toml"),
        (Implementation("page", "area_pages", (requirement.id,), text),),
        (),
        (Deviation(text, text, requirement.id, text, text, text, f"x.md#{text}", date.today()),),
        (Mutant(text, "ones", (requirement.id,), text, nullcontext),),
    )
    return area_pages.page("ones", [one], Sources(ROOT))


def finding_page_of(text: str) -> str:
    """The Markdown of a client's findings, with a text in every place that takes one."""
    id_ = "SLJ-REDL-001"
    entry = Deviation(text, text, id_, text, "known-defect", text, text, date.today(), fault=text)
    beyond = Confirmation(
        id_, text, text, ConfirmationOutcome.NOT_EXPRESSIBLE, text, text, text, text, "", "", text
    )
    return finding_pages.page("client", [Finding([entry], [beyond])], LIBRARY)


def moving_page_of(text: str) -> str:
    """The Markdown of a move, with a text in every place that takes one."""
    id_ = "JMS-REDL-001"
    entry = Deviation(text, text, id_, text, text, text, text, date.today(), option=text)
    return moving_pages.page("old", "new", Move([Finding([entry], [])], [], [id_]), LIBRARY)


@everything
@pytest.mark.parametrize(
    ("page_of", "places"), [(area_page_of, 7), (finding_page_of, 3), (moving_page_of, 3)]
)
def test_texts_of_catalogues_stand_on_the_pages_made_of_them_as_they_are(
    page_of: Callable[[str], str], places: int, hostile: str
) -> None:
    hostile = hostile.replace("`", "'")  # what stands in these is code
    page, harmless = (shown(page_of(text)) for text in (hostile, HARMLESS))
    same_elements(page, harmless)
    words = legible(" ".join(hostile.split()))
    assert html.unescape(re.sub("<[^>]+>", "", page)).count(words) >= places


def shown(page: str) -> str:
    """The HTML of a page, made as that of the site is."""
    configured = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["markdown_extensions"]
    names = [one if isinstance(one, str) else next(iter(one)) for one in configured]
    options = {name: of for one in configured if isinstance(one, dict) for name, of in one.items()}
    return str(markdown.markdown(page, extensions=names, extension_configs=options))


@pytest.mark.parametrize("document", sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/*.md")))
def test_a_document_of_the_repository_links_what_is_there(document: Path) -> None:
    text = re.sub(r"(?ms)^```.*?^```", "", document.read_text("utf-8"))
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    targets = [(document.parent / link.partition("#")[0]) for link in links]
    assert [str(target) for target in targets if not target.exists()] == []


def test_deviations_that_documents_show_are_accepted(tmp_path: Path) -> None:
    shown = 0
    for document in sorted(ROOT.glob("docs/*.md")):
        for block in re.findall(r"(?ms)^```toml\n(\[\[deviation\]\].*?)^```", document.read_text()):
            file = tmp_path / f"{document.stem}.toml"
            file.write_text(block)
            shown += len(read_deviations(file, LIBRARY))
    assert shown == 2
