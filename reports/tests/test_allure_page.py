"""Allure's page by the pinned Allure: history, accepted deviations, nothing from outside."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from touchstone.errors import HarnessError, UsageError
from touchstone.results import allure_tool as tool
from touchstone.results.allure_page import HISTORY, forget, make_page, without_outside

Record = dict[str, Any]
WITHIN = 180_000
"""Milliseconds for a page of four megabytes to open on a machine that does other things as well."""
OUTSIDE = re.compile(r"""<[a-z][^>]*?\b(?:src|href|data|poster|action)\s*=\s*["']?(?:https?:)?//""")


def results_in(page: Path) -> dict[str, Record]:
    """The results by name and status that a page of Allure carries."""
    files = re.findall(r'd\("(data/test-results/[^"]+)","([^"]*)"\)', page.read_text("utf-8"))
    results = [json.loads(base64.b64decode(content)) for _, content in files]
    return {f"{result['name']} {result['status']}": result for result in results}


@pytest.fixture(scope="module")
def pages(
    tmp_path_factory: pytest.TempPathFactory,
    verdict: Callable[..., Record],
    write_run: Callable[..., Path],
) -> tuple[Path, Path]:
    """A run, one in which a scenario got worse, and the page of the first made again."""
    folder = tmp_path_factory.mktemp("results")
    known = {
        "class": "wire-compatibility",
        "reason": "the real client writes it so",
        "effect": "wrong exception",
    }
    deviates = verdict(
        scenario="properties/test_type", verdict="DEVIATES-AS-DOCUMENTED", deviation=known
    )
    first = write_run(folder / "1", [verdict(), deviates], id="one")
    second = write_run(folder / "2", [verdict(verdict="VIOLATES"), deviates], id="two")
    allure, history = tool.install(), folder / HISTORY
    made = [make_page([run], [], run, history, allure) for run in (first, second, first)]
    assert made[0] == made[2]

    reports = [json.loads(line)["name"] for line in history.read_text("utf-8").splitlines()]
    assert reports == ["two", "one"]
    return made[0], made[1]


def test_what_deviates_is_accepted_with_its_reason_and_what_violates_is_not(
    pages: tuple[Path, Path],
) -> None:
    results = results_in(pages[1])

    assert set(results) == {"test_type failed", "test_int_property_is_decimal_text failed"}
    accepted = results["test_type failed"]
    assert accepted["resolution"] == "accepted"
    assert accepted["resolutionComment"].startswith("wire-compatibility: the real client")
    assert "resolution" not in results["test_int_property_is_decimal_text failed"]


def test_a_result_shows_how_it_was_in_earlier_runs(pages: tuple[Path, Path]) -> None:
    again = results_in(pages[0])["test_int_property_is_decimal_text passed"]

    assert [run["status"] for run in again["history"]] == ["failed"]
    assert again["transition"] == "fixed"


def test_the_page_opens_from_a_file_and_asks_nothing_of_the_outside(
    pages: tuple[Path, Path], open_page: Callable[..., Page]
) -> None:
    text = pages[1].read_text("utf-8")
    assert OUTSIDE.findall(text) == []
    assert "googletagmanager" not in text

    page = open_page(pages[1])
    page.get_by_text("Resolutions").click(timeout=WITHIN)
    reason = page.get_by_text("wire-compatibility: the real client writes it so")
    expect(reason).to_be_visible(timeout=WITHIN)


def test_a_result_says_how_severe_it_is(
    pages: tuple[Path, Path], open_page: Callable[..., Page]
) -> None:
    severities = {
        name: [label["value"] for label in result["labels"] if label["name"] == "severity"]
        for name, result in results_in(pages[1]).items()
    }
    assert severities == {
        "test_type failed": ["normal"],
        "test_int_property_is_decimal_text failed": ["critical"],
    }

    page = open_page(pages[1])
    page.get_by_text("test_int_property_is_decimal_text").first.click(timeout=WITHIN)
    expect(page.get_by_text("critical", exact=True).first).to_be_visible(timeout=WITHIN)


WITH_ANALYTICS = """\
<html><head><title>a</title></head><body>
<script>window.allure = {};</script>
<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>
<script>
    window.dataLayer = window.dataLayer || [];
    gtag('config', 'G-1');
</script>
<script src="data:text/javascript;base64,MQ=="></script>
</body></html>
"""


def test_scripts_from_outside_are_taken_out_and_the_rest_stays() -> None:
    assert OUTSIDE.findall(WITH_ANALYTICS)
    html = without_outside(WITH_ANALYTICS)

    assert OUTSIDE.findall(html) == []
    assert html.count("<script") == 2
    assert "gtag" not in html


def test_a_request_that_a_later_allure_may_add_is_forbidden(
    tmp_path: Path, browser: Browser
) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        without_outside(
            "<html><head></head><body><script>"
            "document.addEventListener('securitypolicyviolation', found => {"
            "  document.title = `${found.effectiveDirective} ${found.blockedURI}`; });"
            "fetch('http://127.0.0.1:9/seen').catch(() => {});"
            "</script></body></html>"
        )
    )
    with browser.new_context() as context:
        shown = context.new_page()
        shown.goto(page.as_uri())
        told = "connect-src http://127.0.0.1:9/seen"
        expect(shown).to_have_title(told, timeout=WITHIN)


def test_pairs_of_clients_are_nothing_for_allure(
    tmp_path: Path, write_run: Callable[..., Path]
) -> None:
    run = write_run(tmp_path / "pairs", [], id="pairs")

    with pytest.raises(UsageError, match="pairs has no scenario"):
        make_page([run], [], run, tmp_path / HISTORY, tool.install())

    assert not (tmp_path / HISTORY).exists()


def test_a_torn_history_is_named_with_its_line(tmp_path: Path) -> None:
    history = tmp_path / HISTORY
    history.write_text('{"name": "one"}\n{"na')

    with pytest.raises(HarnessError, match=r"allure-history\.jsonl, line 2") as caught:
        forget("one", history)

    assert "Remove the line" in caught.value.hint
    assert history.read_text() == '{"name": "one"}\n{"na'
