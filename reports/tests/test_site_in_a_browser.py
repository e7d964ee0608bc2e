"""The site as people use it: they search, choose a theme, and read it on a phone and on paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from made_site import defect, known, write_releases
from test_accessibility import RULES
from touchstone_reports.site.facts import ClientFacts
from touchstone_reports.site.folder import write_files
from touchstone_reports.site.pages import site_files

pytestmark = pytest.mark.thorough

Record = dict[str, Any]
FINDING = defect("one")
LONG = "a_name_that_is_longer_than_a_line_of_a_phone_" * 4
PAGES = (
    "index.html",
    "client/one/index.html",
    "client/one/releases/one/index.html",
    "requirement/JMS-HDR-000/index.html",
    f"finding/{FINDING.id}/index.html",
    "finding/index.html",
    "requirement/index.html",
    "search/index.html",
    "words/index.html",
    "matrix/index.html",
)


@pytest.fixture
def site(
    tmp_path: Path,
    write_run: Callable[..., Path],
    verdict: Callable[..., Record],
    requirement: Callable[..., Record],
) -> Path:
    """The folder of a site with every kind of page, with a violation and long names."""
    wanted = [
        requirement("JMS-HDR-000", "headers", statement="A priority is kept by the broker."),
        requirement("JMS-HDR-001", "headers", statement="A message id begins with its prefix."),
        requirement("JMS-HDR-002", "headers", note=LONG),
    ]
    clients = ("one", "other")
    runs = write_releases(tmp_path / "old", write_run, verdict, clients, ["1.0"], wanted, 2)
    runs += write_releases(tmp_path / "new", write_run, verdict, clients, ["2.0"], wanted, 1)
    facts = ClientFacts("One for JMS", LONG, "Java", "MIT", f"https://one.example/{LONG}")
    files = site_files(runs, known(wanted, [FINDING, defect("other", reason=LONG)], one=facts))
    write_files(files, tmp_path / "site")
    return tmp_path / "site"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("path", PAGES)
def test_each_page_keeps_the_rules_and_fits(
    site: Path, open_page: Callable[..., Page], path: str, width: int, scheme: str
) -> None:
    size = {"width": width, "height": 800}
    page = open_page(site / path, viewport=size, color_scheme=scheme)
    found = Axe().run(page, options={**RULES, "preload": False}).response["violations"]
    assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("jms-hdr-001", "JMS-HDR-001"),
        ("prefix message", "JMS-HDR-001"),
        ("one for jms", "One for JMS"),
        ("first delivery duplicates", "One for JMS · duplicates · JMS-HDR-000"),
    ],
)
def test_the_search_finds_by_id_and_by_words(
    site: Path, open_page: Callable[..., Page], words: str, first: str
) -> None:
    page = open_page(site / "index.html")
    page.get_by_role("searchbox").fill(words)
    page.get_by_role("button", name="Search").click()
    link = page.locator("#found a").first
    expect(link).to_have_text(first)
    link.click()
    expect(page.locator("h1")).to_have_count(1)
    assert "/search/" not in page.url


def test_the_search_says_that_it_found_nothing(site: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(site / "search" / "index.html", "?q=priority")
    expect(page.locator("#found li")).to_have_count(1)
    page.get_by_role("searchbox").fill("nowhere")
    expect(page.get_by_role("status")).to_have_text("0 pages with nowhere")
    expect(page.locator("#found li")).to_have_count(0)


def test_the_search_goes_on_with_some_of_the_words(
    site: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(site / "search" / "index.html", "?q=broker+priority+nowhere")
    expect(page.get_by_role("status")).to_contain_text("No page has all of")
    expect(page.locator("#found a").first).to_have_text("JMS-HDR-000")


def test_a_row_of_the_matrix_leads_to_the_page_of_its_requirement(
    site: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(site / "matrix" / "index.html")
    page.get_by_role("searchbox").fill("prefix")
    page.get_by_role("button", name="JMS-HDR-001").click()
    page.get_by_role("link", name="JMS-HDR-001: what everybody does, and why").click()
    expect(page.locator("h1")).to_have_text("JMS-HDR-001")


def test_the_theme_that_was_chosen_stays_on_the_next_page(
    site: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(site / "index.html", color_scheme="light")
    before = page.evaluate("getComputedStyle(document.body).color")
    page.get_by_role("button", name="Dark theme").click()
    assert page.evaluate("getComputedStyle(document.body).color") != before
    page.get_by_role("link", name="Requirements").click()
    expect(page.get_by_role("button", name="Light theme")).to_be_visible()


def test_on_paper_there_is_what_is_said_and_nothing_to_press(
    site: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(site / f"finding/{FINDING.id}/index.html", color_scheme="dark")
    page.emulate_media(media="print")
    expect(page.get_by_text("class Reproducer {}")).to_be_visible()
    expect(page.locator(".find")).to_be_hidden()
    expect(page.locator("#theme")).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
