"""Turns runs into what people and tools read: pages, XML, Markdown, badges."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from touchstone.catalogue import Library
from touchstone.results import allure_tool as tool
from touchstone.results.allure_page import HISTORY, make_page
from touchstone_reports import allure, badges, junit, markdown, matrix

PAGE = "report.html"
_JUNIT = "junit.xml"


def write_reports(runs: Sequence[Path], library: Library, out: Path) -> Path:
    """Write every report of these runs to the folder `out`; the path of the HTML page."""
    page = write_pages(runs, library, out / PAGE)
    junit.write(runs, out / _JUNIT)
    allure.write(runs, _requirements(library), out / "allure-results")
    markdown.write(runs, out / "summary.md")
    badges.write(runs, out)
    return page


def write_pairs(run: Path, library: Library) -> Path:
    """Write page and JUnit XML of a run of pairs into its folder; the path of the page."""
    junit.write(run, run / _JUNIT)
    return write_pages([run], library, run / PAGE)


def write_pages(runs: Sequence[Path], library: Library, page: Path) -> Path:
    """Write the HTML page of these runs to `page`, and give its path."""
    titles = {prefix: document.title for prefix, document in library.documents.items()}
    matrix.write(runs, _requirements(library), page, titles=titles)
    return page


def write_allure_page(runs: Sequence[Path], library: Library, out: Path, results_dir: Path) -> Path:
    """Write Allure's own page of these runs to `out`, and its history to `results_dir`.

    Returns the path of the page; `HarnessError` where Node or npm is missing.
    """
    return make_page(runs, _requirements(library), out, results_dir / HISTORY, tool.install())


def _requirements(library: Library) -> list[dict[str, object]]:
    return [requirement.as_dict() for requirement in library.requirements.values()]
