"""The pages keep the rules of WCAG 2.2 A and AA that axe-core knows, in both themes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from touchstone_reports import matrix
from touchstone_reports.over_runs import tracks
from touchstone_reports.over_runs_page import over_runs_page
from touchstone_reports.results import read
from touchstone_reports.side_by_side import Statements, render
from touchstone_reports.site.judged import judged_by
from touchstone_reports.volume import write_volume

pytestmark = pytest.mark.thorough

Record = dict[str, Any]

RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}


def violations(page: Page) -> list[str]:
    """What axe-core has to say against a page, with the first places."""
    found = Axe().run(page, options=RULES).response["violations"]
    return [
        f"{one['id']}: {one['help']} ({one['nodes'][0]['html'][:200]}, {len(one['nodes'])})"
        for one in found
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_the_matrix_keeps_the_rules(
    mixed_run: Path,
    catalogue: list[Record],
    open_page: Callable[..., Page],
    scheme: str,
    width: int,
) -> None:
    out = mixed_run / "report.html"
    matrix.write(mixed_run, catalogue, out)
    page = open_page(
        out,
        "#open=SLJ-PROP-002,SLJ-PROP-003,SLJ-HDR-001",
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
    )
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_clients_side_by_side_keep_the_rules(
    side_by_side: Path, open_page: Callable[..., Page], scheme: str
) -> None:
    page = open_page(side_by_side, "#open=SLJ-PROP-002", color_scheme=scheme)
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_runs_compared_keep_the_rules(
    comparison: Path, open_page: Callable[..., Page], scheme: str, width: int
) -> None:
    page = open_page(comparison, color_scheme=scheme, viewport={"width": width, "height": 800})
    page.get_by_text("a float", exact=True).click()
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_verdicts_over_runs_keep_the_rules_and_fit(
    older_and_newer: tuple[Path, Path],
    catalogue: list[Record],
    tmp_path: Path,
    open_page: Callable[..., Page],
    scheme: str,
    width: int,
) -> None:
    found = tracks(judged_by(map(read, older_and_newer)))
    made = over_runs_page("What changed", found, Statements.of(catalogue))
    (tmp_path / "verdicts.html").write_text(render(made), encoding="utf-8")
    size = {"width": width, "height": 800}
    page = open_page(tmp_path / "verdicts.html", color_scheme=scheme, viewport=size)
    page.get_by_text("a float", exact=True).click()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_the_page_of_a_workload_keeps_the_rules(
    tmp_path: Path, volume_report: Record, open_page: Callable[..., Page], scheme: str, width: int
) -> None:
    report = tmp_path / "report.json"
    report.write_text(json.dumps(volume_report))
    file = write_volume(report, tmp_path / "volume.html")
    size = {"width": width, "height": 800}
    page = open_page(file, viewport=size, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    assert violations(page) == []
