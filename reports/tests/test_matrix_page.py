"""The matrix in a real browser, opened from a file."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Locator, Page, expect

from touchstone_reports import matrix

pytestmark = pytest.mark.thorough

Record = dict[str, Any]


@pytest.fixture
def report(mixed_run: Path, catalogue: list[Record]) -> Path:
    out = mixed_run / "report.html"
    matrix.write(mixed_run, catalogue, out)
    return out


def row(page: Page, name: str) -> Locator:
    return page.locator(f"tr.requirement#{name}")


def visible_rows(page: Page) -> list[str]:
    rows = page.locator("tr.requirement:visible")
    return [str(element.get_attribute("id")) for element in rows.all()]


def test_each_cell_says_its_verdict_in_words(report: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(report)

    for name, words in {
        "SLJ-PROP-001": "✓ conforms",
        "SLJ-PROP-002": "✗ violates",
        "SLJ-PROP-003": "≈ deviates",
        "SLJ-HDR-001": "? inconclusive",
        "SLJ-HDR-002": "✗ violates (should)",
        "SLJ-HDR-003": "\N{EN DASH} n/a",
        "SLJ-PRIO-001": "○ not yet",
        "RMQ-BRW-001": "\N{EN DASH} n/a",
    }.items():
        expect(row(page, name).locator("td").last).to_have_text(words)
    expect(page.locator(".figure")).to_have_text("1 of 5 judged requirements conform")
    expect(page.locator(".to-come").first).to_contain_text("Not yet judged")


def test_filters_hide_rows_and_are_kept_in_the_address(
    report: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(report)
    assert len(visible_rows(page)) == 9

    page.get_by_role("checkbox", name="violates").check()
    assert visible_rows(page) == ["SLJ-PROP-002", "SLJ-HDR-002"]
    page.get_by_label("Area").select_option("headers")
    assert visible_rows(page) == ["SLJ-HDR-002"]
    expect(row(page, "SLJ-PROP-002")).to_be_hidden()
    expect(page.locator("#shown")).to_have_text("1 of 9 requirements")
    assert page.url.endswith("#verdict=violates&area=headers")

    shared = open_page(report, "#verdict=violates&area=headers")
    assert visible_rows(shared) == ["SLJ-HDR-002"]
    expect(shared.get_by_role("checkbox", name="violates")).to_be_checked()

    page.get_by_role("button", name="Clear filters").first.click()
    assert len(visible_rows(page)) == 9
    assert page.url == report.as_uri()


def test_document_and_search_narrow_the_rows(report: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(report)

    page.get_by_label("Document").select_option("RMQ")
    assert visible_rows(page) == ["RMQ-BRW-001"]
    page.get_by_label("Document").select_option("")
    page.get_by_label("Search").fill("DECIMAL text")
    assert visible_rows(page) == ["SLJ-PROP-002"]
    page.get_by_label("Search").fill("no such thing")
    assert visible_rows(page) == []
    expect(page.get_by_text("No requirement fits these filters.")).to_be_visible()


def test_an_area_of_the_overview_leads_to_its_rows(
    report: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(report)

    page.locator(".overview").get_by_role("button", name="priority").click()

    assert visible_rows(page) == ["SLJ-PRIO-001", "SLJ-PRIO-002"]


def test_a_row_opens_to_all_that_is_known(
    report: Path, open_page: Callable[..., Page], mixed_run: Path
) -> None:
    page = open_page(report)
    button = row(page, "SLJ-PROP-002").get_by_role("button")
    expect(button).to_have_attribute("aria-expanded", "false")
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")

    detail = page.locator("#SLJ-PROP-002-detail")
    for text in (
        "Starlight for JMS implementation details, Message properties",
        "How SLJ-PROP-002 is verified.",
        "properties/test_int_property_is_decimal_text",
        "size arrived as a float",
        "42.0",
        "encoding",
        "touchstone run --provider reference --seed 7 properties/test_int",
        "seed 7",
        "properties/test_int_again",
    ):
        expect(detail).to_contain_text(text)
    for name, path in (
        ("evidence", "evidence/raw.txt"),
        ("trace", "traces/int property.jsonl"),
    ):
        address = detail.get_by_role("link", name=name).evaluate("link => link.href")
        assert address == (mixed_run / path).as_uri()
    assert page.url.endswith("#open=SLJ-PROP-002")

    row(page, "SLJ-PROP-003").locator(".statement").click()
    deviation = page.locator("#SLJ-PROP-003-detail .deviation")
    expect(deviation).to_contain_text("wire-compatibility the real client writes it so")
    expect(deviation.get_by_role("link")).to_have_attribute(
        "href", "https://example.org/decisions#1"
    )

    page.get_by_label("Area").select_option("headers")
    expect(detail).to_be_hidden()
    page.get_by_label("Area").select_option("")
    expect(detail).to_be_visible()
    button.click()
    expect(detail).to_be_hidden()


def test_the_rerun_line_is_copied(report: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(
        report, "#open=SLJ-PROP-002", permissions=["clipboard-read", "clipboard-write"]
    )

    page.locator("#SLJ-PROP-002-detail").get_by_role("button", name="Copy").first.click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert (
        page.evaluate("navigator.clipboard.readText()")
        == "touchstone run --provider reference --seed 7 properties/test_int"
    )


def test_text_from_results_never_becomes_markup(
    report: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(report, "#open=SLJ-HDR-001,SLJ-HDR-002")
    detail = page.locator("#SLJ-HDR-001-detail")

    expect(detail.locator(".reason")).to_contain_text("<script>window.hurt = 1</script><img src=x")
    expect(detail.locator(".reason")).to_contain_text("{{ 7 * 7 }}")
    expect(detail.locator(".reason")).to_contain_text("\\x1b[31mred \\u202egnp.exe \\ud800")
    expect(detail.locator(".seen pre")).to_contain_text("994000 characters left out")
    expect(detail.locator(".foot")).to_contain_text("trace missing")
    links = [link.get_attribute("href") for link in detail.get_by_role("link").all()]
    assert links == ["https://docs.example/implementation.html"]
    expect(row(page, "SLJ-HDR-002").locator(".statement")).to_contain_text("<script>window.hurt")
    assert page.evaluate("window.hurt") is None
    assert page.locator("main img, main script").count() == 0


def test_only_web_addresses_become_links(
    tmp_path: Path,
    verdict: Callable[..., Record],
    write_run: Callable[..., Path],
    requirement: Callable[..., Record],
    open_page: Callable[..., Page],
) -> None:
    entry = {"class": "x", "reason": "y", "link": "javascript:window.hurt=3"}
    source = {"document": "d", "title": "D", "address": entry["link"], "section": "1"}
    directory = write_run(
        tmp_path / "run", [verdict(verdict="DEVIATES-AS-DOCUMENTED", deviation=entry)]
    )
    stated = requirement("SLJ-PROP-002", "properties", source=[source])
    matrix.write(directory, [stated], tmp_path / "page.html")

    page = open_page(tmp_path / "page.html", "#open=SLJ-PROP-002")

    expect(page.locator(".about")).to_contain_text("D, 1")
    assert page.locator(".about a").count() == 0
    expect(page.locator(".deviation")).to_contain_text("javascript:window.hurt=3")
    assert page.locator(".deviation a").count() == 0


def test_the_keyboard_is_enough(report: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(report)

    page.keyboard.press("/")
    expect(page.get_by_label("Search")).to_be_focused()
    page.keyboard.type("SLJ-PROP")
    assert visible_rows(page) == ["SLJ-PROP-001", "SLJ-PROP-002", "SLJ-PROP-003"]
    page.get_by_role("button", name="Clear filters").first.focus()
    page.keyboard.press("j")
    expect(row(page, "SLJ-PROP-001").get_by_role("button")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(row(page, "SLJ-PROP-002").get_by_role("button")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#SLJ-PROP-002-detail")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#SLJ-PROP-002-detail")).to_be_hidden()
    page.keyboard.press("k")
    expect(row(page, "SLJ-PROP-001").get_by_role("button")).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    assert len(visible_rows(page)) == 9


def test_clients_side_by_side_can_be_told_apart_and_compared(
    tmp_path: Path,
    verdict: Callable[..., Record],
    write_run: Callable[..., Path],
    catalogue: list[Record],
    open_page: Callable[..., Page],
) -> None:
    other = [{"name": "starlight@9.0.0", "version": "9.0.0", "documents": ["SLJ"]}]
    same = {"requirement": "SLJ-PROP-001", "scenario": "properties/test_first"}
    runs = [
        write_run(tmp_path / "1", [verdict(), verdict(**same)], id="one"),
        write_run(
            tmp_path / "2",
            [
                verdict(provider="starlight@9.0.0", verdict="VIOLATES"),
                verdict(provider="starlight@9.0.0", **same),
            ],
            id="two",
            finished=False,
            providers=other,
        ),
    ]
    matrix.write(runs, catalogue, tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")

    expect(page.locator(".matrix thead")).to_contain_text("starlight@9.0.0")
    expect(page.locator(".notice[role=status]")).to_contain_text("two: the run did not finish")
    page.get_by_role("checkbox", name="clients differ").check()
    assert visible_rows(page) == ["SLJ-PROP-002"]
    page.get_by_role("checkbox", name="clients differ").uncheck()
    page.get_by_role("combobox", name="Client").select_option("reference")
    page.get_by_role("checkbox", name="violates").check()
    assert visible_rows(page) == []
    page.get_by_role("combobox", name="Client").select_option("starlight@9.0.0")
    assert visible_rows(page) == ["SLJ-PROP-002"]
    assert "provider=starlight" in page.url


def test_observed_values_are_filtered(
    tmp_path: Path,
    verdict: Callable[..., Record],
    write_run: Callable[..., Path],
    open_page: Callable[..., Page],
    nasty: str,
) -> None:
    other = [{"name": "other", "version": "2", "documents": ["SLJ"]}]
    seen = {"order": [2, 1], "count": 3, nasty: nasty}
    runs = [
        write_run(tmp_path / "1", [verdict(observables=seen)]),
        write_run(
            tmp_path / "2",
            [verdict(provider="other", observables=seen | {"order": [1, 2], nasty: "none"})],
            id="two",
            providers=other,
        ),
    ]
    matrix.write(runs, [], tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")

    rows = page.locator("tr.observation:visible")
    expect(rows).to_have_count(2)
    expect(page.locator("#differences-shown")).to_have_text("2 differences")
    page.get_by_role("checkbox", name="what is the same, too").check()
    expect(rows).to_have_count(3)
    page.get_by_label("Search what was observed").fill("ORDER [1")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("[2, 1]")
    assert len(visible_rows(page)) == 1, "the matrix has filters of its own"
    assert page.evaluate("window.hurt") is None


@pytest.mark.parametrize("width", [320, 720, 1280, 1920])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_sticks_out_at_any_width(
    report: Path, open_page: Callable[..., Page], width: int, scheme: str
) -> None:
    page = open_page(
        report,
        "#open=SLJ-HDR-001,SLJ-PROP-002",
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
    )

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    lightness = sum(int(part) for part in paper.removeprefix("rgb(").removesuffix(")").split(","))
    assert (lightness > 384) == (scheme == "light")


def test_the_largest_catalogue_filters_without_a_wait(
    tmp_path: Path,
    verdict: Callable[..., Record],
    write_run: Callable[..., Path],
    requirement: Callable[..., Record],
    open_page: Callable[..., Page],
) -> None:
    names = [f"SLJ-PROP-{number:03}" for number in range(1, 835)]
    clients = [f"client{number}" for number in range(6)]
    directory = write_run(
        tmp_path / "run",
        [verdict(requirement=name, provider=client) for client in clients for name in names],
        providers=[{"name": client, "version": "1", "documents": ["SLJ"]} for client in clients],
    )
    matrix.write(
        directory, [requirement(name, "properties") for name in names], tmp_path / "page.html"
    )
    page = open_page(tmp_path / "page.html")

    milliseconds = page.evaluate("""() => {
        const search = document.getElementById("search");
        const started = performance.now();
        search.value = "PROP-1";
        search.dispatchEvent(new Event("input", { bubbles: true }));
        document.body.getBoundingClientRect();
        return performance.now() - started;
    }""")

    assert len(visible_rows(page)) == 100
    assert milliseconds < 1000


def test_the_heads_stay_in_sight(report: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(report, viewport={"width": 1280, "height": 500})
    page.locator("#SLJ-PRIO-002").scroll_into_view_if_needed()
    head = page.locator(".matrix thead th").first.bounding_box()
    assert head is not None
    assert 0 <= head["y"] < 500


@pytest.mark.parametrize("width", [375, 800, 1280])
@pytest.mark.parametrize("media", ["screen", "print"])
def test_filters_hide_rows_at_any_width_and_on_paper(
    report: Path, open_page: Callable[..., Page], width: int, media: Literal["screen", "print"]
) -> None:
    page = open_page(report, "#verdict=violates", viewport={"width": width, "height": 800})
    page.emulate_media(media=media)

    assert visible_rows(page) == ["SLJ-PROP-002", "SLJ-HDR-002"]


def test_the_address_of_a_requirement_opens_it(
    report: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(report, "#SLJ-HDR-002")

    expect(page.locator("#SLJ-HDR-002-detail")).to_be_visible()
    assert len(visible_rows(page)) == 9
    page.get_by_role("link", name="By document and area").click()
    expect(page.locator("#SLJ-HDR-002-detail")).to_be_visible()


def test_back_undoes_a_filter_and_a_word_of_the_search_as_a_whole(
    report: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(report)
    page.get_by_role("checkbox", name="violates").check()
    page.get_by_label("Search").press_sequentially("decimal")
    assert visible_rows(page) == ["SLJ-PROP-002"]

    page.go_back()
    assert visible_rows(page) == ["SLJ-PROP-002", "SLJ-HDR-002"]
    expect(page.get_by_label("Search")).to_have_value("")
    page.go_back()
    assert len(visible_rows(page)) == 9
    page.go_forward()
    assert visible_rows(page) == ["SLJ-PROP-002", "SLJ-HDR-002"]


def test_an_address_that_is_no_code_of_anything_shows_all(
    report: Path, open_page: Callable[..., Page]
) -> None:
    assert len(visible_rows(open_page(report, "#100%"))) == 9


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("qpid:violates", ["SLJ-PROP-002"]),
        ("qpid@2.10.0:n/a verdict:conforms", ["SLJ-PROP-003"]),
        ("reference:conforms -qpid:conforms -qpid:n/a", ["SLJ-PROP-002"]),
        ("area:prop document:SLJ -area:headers verdict:viol", ["SLJ-PROP-002"]),
        ("reference:violates", []),
        ("nobody:violates", []),
    ],
)
def test_the_search_asks_for_verdicts_of_clients(
    side_by_side: Path, open_page: Callable[..., Page], asked: str, found: list[str]
) -> None:
    page = open_page(side_by_side)
    page.get_by_label("Search").fill(asked)
    assert visible_rows(page) == found


def test_clients_do_not_differ_where_one_is_not_concerned(
    side_by_side: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(side_by_side)
    page.get_by_role("checkbox", name="clients differ").check()
    assert visible_rows(page) == ["SLJ-PROP-002"]


def test_a_count_of_a_card_shows_its_rows(
    side_by_side: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(side_by_side)
    page.locator(".card").nth(1).get_by_role("button", name="violates").click()
    assert visible_rows(page) == ["SLJ-PROP-002"]
    expect(page.get_by_role("combobox", name="Client")).to_have_value("qpid@2.10.0")


def test_what_is_shown_is_to_be_had_as_csv(
    tmp_path: Path,
    verdict: Callable[..., Record],
    write_run: Callable[..., Path],
    requirement: Callable[..., Record],
    open_page: Callable[..., Page],
) -> None:
    run = write_run(tmp_path / "run", [verdict(requirement="SLJ-PROP-001")])
    known = [
        {**requirement("SLJ-PROP-001", "properties"), "statement": '=1+"1"'},
        requirement("SLJ-HDR-001", "headers"),
    ]
    matrix.write(run, known, tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#area=properties")
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()

    lines = list(csv.reader(Path(download.value.path()).read_text("utf-8").splitlines()))
    assert lines == [
        ["requirement", "document", "area", "statement", "reference"],
        ["SLJ-PROP-001", "SLJ", "properties", '\'=1+"1"', "conforms"],
    ]


def test_the_theme_can_be_switched_and_is_kept(
    report: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(report, color_scheme="light")
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_role("button", name="Dark theme").click()
    dark = page.evaluate(paper)
    assert dark != light

    page.reload()
    assert page.evaluate(paper) == dark
    page.emulate_media(media="print")
    expect(page.locator("html")).to_have_css("color-scheme", "light")
    page.emulate_media(media="screen")
    page.get_by_role("button", name="Light theme").click()
    assert page.evaluate(paper) == light
