"""Turns runs into what people and tools read: the matrix, JUnit XML, Allure results, Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from touchstone.catalogue import Library
from touchstone_reports import allure, junit, markdown, matrix

PAGE = "report.html"
_JUNIT = "junit.xml"


def write_reports(runs: Sequence[Path], library: Library, out: Path) -> Path:
    """Write every report of these runs to the folder `out`; the path of the HTML page."""
    page = write_pages(runs, library, out / PAGE)
    requirements = [requirement.as_dict() for requirement in library.requirements.values()]
    junit.write(runs, out / _JUNIT)
    allure.write(runs, requirements, out / "allure-results")
    markdown.write(runs, out / "summary.md", out / "badge.json")
    return page


def write_pairs(run: Path, library: Library) -> Path:
    """Write page and JUnit XML of a run of pairs into its folder; the path of the page."""
    junit.write(run, run / _JUNIT)
    return write_pages([run], library, run / PAGE)


def write_pages(runs: Sequence[Path], library: Library, page: Path) -> Path:
    """Write the HTML page of these runs to `page`, and give its path."""
    requirements = [requirement.as_dict() for requirement in library.requirements.values()]
    titles = {prefix: document.title for prefix, document in library.documents.items()}
    matrix.write(runs, requirements, page, titles=titles)
    return page
