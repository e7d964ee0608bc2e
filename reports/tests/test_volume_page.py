"""The page of a verified history: what it says, in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from touchstone_reports.plots import Series, Window, bars, distribution, plot_over_time
from touchstone_reports.records import ResultsError
from touchstone_reports.volume import write_volume
from touchstone_reports.volume_results import read_volume
from touchstone_reports.volume_values import Words, duration, message, subscription

HURT = "<script>window.hurt = 1</script>"


def written(folder: Path, report: dict[str, Any]) -> Path:
    file = folder / "report.json"
    file.write_text(json.dumps(report))
    return file


@pytest.fixture
def page_file(tmp_path: Path, volume_report: dict[str, Any]) -> Path:
    return write_volume(written(tmp_path, volume_report), tmp_path / "volume.html")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_shows_verdicts_and_witnesses_without_scripts(
    page_file: Path, open_page: Callable[..., Page], scheme: str
) -> None:
    page = open_page(page_file, color_scheme=scheme, java_script_enabled=False)

    expect(page.get_by_role("heading", level=1)).to_have_text("What 1,010,000 deliveries show")
    expect(page.locator("#D05")).to_contain_text("violates")
    expect(page.locator("#D17")).to_contain_text("nothing was transacted")
    expect(page.locator("#D08")).to_contain_text("a message is finished once")
    expect(page.locator("#D22")).to_contain_text("not promised")
    expect(page.locator("#D32")).to_contain_text("counted only")
    plan = page.locator("dl.facts").nth(1)
    expect(plan).to_contain_text(re.compile(r"task in MiB\s*400\s*shipped\s*yes\s*scan\s*3.00 s"))
    witness = page.locator("#D05 .witness")
    expect(witness.locator("dl").first).to_be_hidden()
    witness.locator("summary").click()
    for said in ("3:5", "2.500 ms", "fourth", "by acknowledge() (CLIENT_ACK)", "broker restart"):
        expect(witness).to_contain_text(said)
    expect(witness).not_to_contain_text("transaction")  # there is none


def test_a_check_says_what_was_found_with_its_definition_one_click_away(
    page_file: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(page_file, java_script_enabled=False)

    expect(page.locator("#D08 .outcome")).to_have_text("nothing of D08")
    definition = page.locator("#D08 .definition")
    expect(definition.get_by_text("D08 is")).to_be_hidden()
    definition.locator("summary").click()
    expect(definition.get_by_text("D08 is")).to_be_visible()
    definition.get_by_role("link").click()
    expect(page.get_by_text("acknowledged for sure")).to_be_in_viewport()


def test_the_numbers_of_a_finding_stand_in_columns_with_names(
    page_file: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(page_file)

    table = page.locator("#D05").get_by_role("table", name="Findings of D05")
    named = ["Message", "Subscription", "Delivered again", "Acknowledged deliveries", "Decides"]
    expect(table.get_by_role("columnheader")).to_have_text(named)
    cells = [f"orders {HURT}", "7.500 ms", "34", "yes"]
    expect(table.get_by_role("cell")).to_have_text(cells)


def test_what_is_not_shown_of_findings_is_counted(
    tmp_path: Path, volume_report: dict[str, Any], open_page: Callable[..., Page]
) -> None:
    volume_report["checks"][0]["violations"] = 1200
    page = open_page(write_volume(written(tmp_path, volume_report), tmp_path / "volume.html"))

    expect(page.get_by_role("table", name="The first 1 of 1,200 findings of D05")).to_be_visible()


def test_paper_has_the_definitions(page_file: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(page_file)
    told = page.locator("#D08").get_by_text("D08 is")
    expect(told).to_be_hidden()

    page.emulate_media(media="print")

    expect(told).to_be_visible()


def test_faults_and_distributions_are_drawn(
    page_file: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(page_file)

    throughput = page.get_by_role("img", name="Messages a second over time")
    expect(throughput.locator("rect.fault")).to_have_count(1)
    expect(throughput.locator("polyline")).to_have_count(3)
    expect(page.get_by_role("img", name="Latency").locator("rect")).to_have_count(2)
    expect(page.get_by_role("img", name="Gaps")).to_have_count(0)
    expect(
        page.get_by_text("3 seen; 50 % up to 1 ms, 99 % up to 900 ms; most 900 ms")
    ).to_be_visible()
    expect(page.get_by_role("cell", name="200 ms")).to_be_visible()


def test_names_never_become_markup(page_file: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(page_file)

    assert page.evaluate("window.hurt") is None
    expect(page.get_by_text(HURT).first).to_be_visible()


@pytest.mark.parametrize("width", [375, 800, 1280])
def test_nothing_sticks_out_of_the_window_with_everything_opened(
    tmp_path: Path, volume_report: dict[str, Any], open_page: Callable[..., Page], width: int
) -> None:
    long = "a_name_that_is_longer_than_a_line_of_a_phone_" * 4
    volume_report["names"]["consumer"]["4"] = volume_report["names"]["sub"]["0"] = long
    volume_report["words"][long] = long
    for check in volume_report["checks"]:
        check |= {"name": long, "outcome": long, "evidence": [{"name": long, "kind": "digest"}] * 2}
    file = write_volume(written(tmp_path, volume_report), tmp_path / "volume.html")
    page = open_page(file, viewport={"width": width, "height": 740})
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")

    expect(page.locator("#D05 .witness dl").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    inside = "each => each.scrollWidth > each.clientWidth && getComputedStyle(each).overflowX"
    everything = "[...document.querySelectorAll('main *')].map"
    assert "auto" not in page.evaluate(f"{everything}({inside})")


def test_a_report_of_another_form_is_refused_by_place(
    tmp_path: Path, volume_report: dict[str, Any]
) -> None:
    report = volume_report
    report["checks"][0]["power"] = -1
    file = written(tmp_path, report)

    with pytest.raises(ResultsError, match=r"report\.json: \$\.checks\[0\]\.power .*verify"):
        read_volume(file)


def test_a_torn_report_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text('{"format": 1')

    with pytest.raises(ResultsError, match=r"report\.json: cannot be read"):
        read_volume(file)


@pytest.mark.parametrize(
    ("nanoseconds", "said"),
    [(0, "0 ns"), (999, "999 ns"), (1500, "1.5 µs"), (2_500_000, "2.5 ms"), (61e9, "61 s")],
)
def test_durations_are_said_with_their_unit(nanoseconds: float, said: str) -> None:
    assert duration(nanoseconds) == said
    assert duration(-1500) == "\N{MINUS SIGN}1.5 µs"


def test_messages_and_subscriptions_have_names() -> None:
    names = {"sub": {"0": "orders"}}

    assert message((3 << 40) | 5) == "3:5"
    assert message(-1) == "\N{EN DASH}"
    assert [subscription(n, names) for n in (0, -1, 7, -(1 << 31))] == [
        "orders",
        "dead letters of orders",
        "7",
        "\N{EN DASH}",
    ]


def test_what_never_was_and_what_never_ends_is_said() -> None:
    words = Words(1000, {"consumer": {"4": "fourth"}})

    assert words.evidence("time", 2_501_000) == "2.500 ms"
    assert words.evidence("time", (1 << 63) - 1) == "never"
    assert words.evidence("consumer", 4) == "fourth"
    assert words.evidence("digest", -2) == "fffffffffffffffe"
    for kind in ("time", "count", "message", "consumer", "transaction", "digest"):
        assert words.evidence(kind, -1) == "\N{EN DASH}"


def test_an_empty_history_can_be_drawn() -> None:
    drawn = [
        plot_over_time("t", [Series("sends", "l-sends", [])], [], 1.0, str),
        bars("b", []),
        distribution("d", [], str),
    ]

    assert all("<svg" in drawing and "nan" not in drawing for drawing in drawn)


def test_a_fault_without_end_reaches_the_end() -> None:
    drawn = plot_over_time(
        "t", [Series("sends", "l-sends", [1, 2, 3])], [Window("CUT", 1, 3)], 1.0, str
    )

    assert 'x="352.0" y="16" width="276.0"' in drawn


def test_one_of_a_million_is_seen() -> None:
    drawn = bars("b", [("1", 1_000_000), ("2", 1), ("3", 0)])

    assert 'height="193.0"' in drawn
    assert 'height="3.0"' in drawn
    assert 'height="0.0"' in drawn
