"""Runs side by side as people read them: filters without a script, a phone, paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from touchstone_reports.grid import columns_of
from touchstone_reports.releases import release_rows
from touchstone_reports.releases_page import releases_page
from touchstone_reports.results import read
from touchstone_reports.side_by_side import Statements, render

pytestmark = pytest.mark.thorough

Record = dict[str, Any]


def visible_rows(page: Page) -> list[str]:
    return page.locator("tr.requirement:visible th").all_inner_texts()


CHANGED = ["SLJ-PROP-001", "SLJ-PROP-002", "SLJ-PROP-003", "SLJ-HDR-002", "SLJ-HDR-001"]


@pytest.mark.parametrize("width", [375, 800, 1280])
@pytest.mark.parametrize("media", ["screen", "print"])
def test_counts_are_filters_at_any_width_and_on_paper(
    comparison: Path, open_page: Callable[..., Page], width: int, media: Literal["screen", "print"]
) -> None:
    page = open_page(
        comparison, viewport={"width": width, "height": 800}, java_script_enabled=media == "screen"
    )
    page.emulate_media(media=media)
    assert visible_rows(page) == CHANGED

    page.emulate_media(media="screen")
    page.get_by_label("as before 1").check()
    page.emulate_media(media=media)
    assert visible_rows(page) == ["SLJ-HDR-003"]

    page.emulate_media(media="screen")
    page.get_by_label("regression 1").check()
    page.emulate_media(media=media)
    assert visible_rows(page) == ["SLJ-PROP-001", "SLJ-HDR-003"]

    page.emulate_media(media="screen")
    page.get_by_role("button", name="Clear filters").click()
    assert visible_rows(page) == CHANGED


@pytest.mark.parametrize("width", [375, 800, 1280])
def test_nothing_sticks_out_with_all_opened(
    comparison: Path, open_page: Callable[..., Page], width: int
) -> None:
    page = open_page(comparison, viewport={"width": width, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    expect(page.locator(".reason").first).to_contain_text("and more")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("width", "count"), [(375, 9), (900, 4), (900, 9), (1280, 9)])
def test_many_releases_do_not_widen_the_page(
    older_and_newer: tuple[Path, Path],
    catalogue: list[Record],
    open_page: Callable[..., Page],
    tmp_path: Path,
    width: int,
    count: int,
) -> None:
    runs = [read(older_and_newer[place % 2]) for place in range(count)]
    versions = [f"{place}.0.0" for place in range(count)]
    made = releases_page(
        "qpid", versions, columns_of(runs), release_rows(runs), Statements.of(catalogue)
    )
    (tmp_path / "page.html").write_text(render(made), encoding="utf-8")
    page = open_page(tmp_path / "page.html", viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    statement = page.locator(".statement").first.bounding_box()
    assert statement is not None
    assert statement["width"] > 100


def test_on_paper_every_reason_is_there_and_nothing_to_press(
    comparison: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(comparison, color_scheme="dark")
    reason = page.locator(".reason", has_text="and more")
    assert not reason.evaluate("(one) => one.checkVisibility({ contentVisibilityAuto: true })")
    page.emulate_media(media="print")
    assert reason.evaluate("(one) => one.checkVisibility({ contentVisibilityAuto: true })")
    expect(page.get_by_text("Clear filters")).to_be_hidden()
    expect(page.locator("#theme")).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"


def test_the_heads_stay_in_sight(comparison: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(comparison, viewport={"width": 1280, "height": 300})
    page.get_by_text("SLJ-HDR-002", exact=True).scroll_into_view_if_needed()
    head = page.locator("thead th").first.bounding_box()
    assert head is not None
    assert 0 <= head["y"] < 300


@pytest.mark.parametrize("media", ["screen", "print"])
def test_where_cells_stand_below_each_other_each_says_whose_it_is(
    comparison: Path, open_page: Callable[..., Page], media: Literal["screen", "print"]
) -> None:
    page = open_page(comparison, viewport={"width": 794, "height": 1123})
    page.emulate_media(media=media)
    assert page.locator("thead:visible").count() == 0
    for row in ("tr.requirement", "tr.observation"):
        before = page.locator(f"{row} > td[data-label]").first.evaluate(
            "(one) => getComputedStyle(one, '::before').content"
        )
        assert before == '"qpid@1.0 "'
