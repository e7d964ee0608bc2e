"""Runs and releases side by side: which groups a page has, in which order, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from touchstone_reports.comparison import ChangeKind, compare
from touchstone_reports.comparison_page import ORDER, comparison_page
from touchstone_reports.grid import columns_of
from touchstone_reports.releases import release_rows
from touchstone_reports.releases_page import releases_page
from touchstone_reports.results import judgement, read
from touchstone_reports.side_by_side import Group, Row, SideBySide, Statements, render, what_differs

Record = dict[str, Any]


def test_every_kind_of_change_has_its_place() -> None:
    assert sorted(ORDER) == sorted(ChangeKind)


def test_what_got_worse_comes_first_and_what_is_as_before_is_folded(
    older_and_newer: tuple[Path, Path], catalogue: list[Record]
) -> None:
    page = comparison_page(compare(*map(read, older_and_newer)), Statements.of(catalogue))
    told = [
        (group.title, [row.label for row in group.rows], group.texts, group.folded)
        for group in page.groups
        if group.size
    ]
    assert told == [
        ("regression", ["SLJ-PROP-001"], (), False),
        ("newly stale deviation", [], ("qpid.toml: one",), False),
        ("improvement", ["SLJ-PROP-002"], (), False),
        ("cannot be judged any more", ["SLJ-PROP-003"], (), False),
        ("not judged any more", ["SLJ-HDR-002"], (), False),
        ("newly judged", ["SLJ-HDR-001"], (), False),
        ("as before", ["SLJ-HDR-003"], (), True),
    ]
    assert page.lead == "What differs: client, version."
    row = page.groups[0].rows[0]
    assert row.text == "What SLJ-PROP-001 states."
    assert row.address == "https://docs.example/implementation.html"


def test_runs_of_the_same_differ_in_nothing_that_counts(older_and_newer: tuple[Path, Path]) -> None:
    run = read(older_and_newer[0])
    assert what_differs(columns_of([run, run])) == "Client, broker and Java are the same."


def test_what_several_say_alike_is_said_once(verdict: Callable[..., Record]) -> None:
    lines = [judgement(verdict(verdict="VIOLATES", reason=reason)) for reason in ("a", "b", "a")]
    row = Row("R-1", "It holds.", "test_x", (*lines, None, judgement(verdict())))
    assert [(one["line"].reason, one["places"]) for one in row.said] == [("a", [0, 2]), ("b", [1])]
    assert row.in_short == "a"


def test_a_statement_without_an_address_leads_nowhere(
    requirement: Callable[..., Record],
) -> None:
    source = [{"title": "A book", "address": "javascript:alert(1)", "section": "1"}]
    statements = Statements.of([requirement("R-1", "x", source=source)])
    assert statements.address_of("R-1") == ""
    assert statements.address_of("R-2") == ""


def test_a_row_of_releases_says_in_which_it_changed(
    older_and_newer: tuple[Path, Path], catalogue: list[Record]
) -> None:
    runs = [read(run) for run in older_and_newer]
    page = releases_page(
        "qpid", ["1.0", "2.0"], columns_of(runs), release_rows(runs), Statements.of(catalogue)
    )
    changed = page.groups[0]
    assert changed.title == "changed"
    assert [(row.label, row.note) for row in changed.rows] == [
        ("SLJ-PROP-001", "changed in 2.0 ✗ violates"),
        ("SLJ-PROP-002", "changed in 2.0 ✓ conforms"),
    ]
    assert [group.title for group in page.groups if group.folded] == ["the same in all releases"]


def test_a_run_that_is_a_part_says_so(
    older_and_newer: tuple[Path, Path],
    write_run: Callable[..., Path],
    verdict: Callable[..., Record],
    tmp_path: Path,
) -> None:
    part = write_run(
        tmp_path / "part", [verdict()], selection={"narrowed_by": ["-k word"], "scenarios": []}
    )
    page = render(comparison_page(compare(read(older_and_newer[0]), read(part)), Statements()))
    assert "narrowed by -k word" in page


def test_filters_are_there_while_they_are_a_choice() -> None:
    def page(groups: int) -> str:
        row = Row("R-1", "It holds.", "test_x", (None,))
        made = tuple(Group(f"group {number}", (row,)) for number in range(groups))
        return render(SideBySide("title", "lead", ("Verdict",), made))

    assert page(24).count('type="checkbox"') == 24
    assert page(25).count('type="checkbox"') == 0
    assert page(25).count("<tbody") == 25
    assert "There is no verdict to show." in page(0)
