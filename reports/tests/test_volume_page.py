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
from touchstone_reports.volume import duration, message, subscription, write_volume
from touchstone_reports.volume_results import read_volume

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
    details = page.locator("#D05 + .witnesses details")
    expect(details.locator("table").first).to_be_hidden()
    details.locator("summary").click()
    expect(details).to_contain_text("3:5")
    expect(details).to_contain_text("2.5 ms")


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


def test_nothing_sticks_out_of_a_narrow_window(
    page_file: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(page_file, viewport={"width": 360, "height": 740})

    assert page.evaluate("document.documentElement.scrollWidth") <= 360


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
