"""Runs of pairs of clients: read, laid out, printed, and shown in a real browser."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from rich.console import Console

from touchstone_reports import junit, matrix
from touchstone_reports.exchanges import pair_table
from touchstone_reports.pairs_summary import print_pairs
from touchstone_reports.records import ResultsError
from touchstone_reports.results import read
from touchstone_reports.verdicts import Verdict

Record = dict[str, Any]
NASTY = "</script><script>window.hurt = 1</script><b>{{ 7 * 7 }}"
CLIENTS = [{"name": name, "version": "1", "documents": ["SLJ"]} for name in ("one", "other", NASTY)]


def a_difference(**changes: Any) -> Record:
    return {
        "field": "JMSPriority",
        "requirement": "SLJ-PRIO-003",
        "expected": "9",
        "seen": "4",
        "verdict": "VIOLATES",
        "deviation": None,
        **changes,
    }


def an_exchange(producer: str = "one", consumer: str = "other", **changes: Any) -> Record:
    return {
        "format": 1,
        "exchange": "exchange/priority-9",
        "producer": producer,
        "consumer": consumer,
        "verdict": "CONFORMS",
        "reason": None,
        "fields": 17,
        "differences": [],
        "rerun": "touchstone interop --exchange priority-9",
        **changes,
    }


VIOLATING = an_exchange(
    verdict="VIOLATES", reason="JMSPriority is 4 instead of 9", differences=[a_difference()]
)
DEVIATING = an_exchange(
    "other",
    "one",
    verdict="DEVIATES-AS-DOCUMENTED",
    reason="JMSType is x",
    differences=[
        a_difference(
            field=NASTY,
            expected=NASTY,
            seen="x" * 10_000,
            verdict="DEVIATES-AS-DOCUMENTED",
            deviation={"class": "known-defect", "reason": NASTY, "link": "", "fault": "broker"},
        )
    ],
)
UNJUDGED = an_exchange(NASTY, "one", verdict="INCONCLUSIVE", reason=NASTY, fields=0)


@pytest.fixture
def write_pairs(tmp_path: Path, run_record: Callable[..., Record]) -> Callable[..., Path]:
    def write(exchanges: list[Record], finished: bool = True, torn: str = "") -> Path:
        folder = tmp_path / "pairs"
        folder.mkdir()
        ended = {} if finished else {"finished": None, "exit_status": None}
        facts = run_record(id="the-pairs", providers=CLIENTS, **ended)
        (folder / "run.json").write_text(json.dumps(facts), encoding="utf-8")
        name = "exchanges.jsonl" if finished else "exchanges.jsonl.part"
        lines = "".join(f"{json.dumps(exchange)}\n" for exchange in exchanges)
        (folder / name).write_text(lines + torn, encoding="utf-8")
        return folder

    return write


def test_pairs_are_laid_out_with_their_worst_verdict(write_pairs: Callable[..., Path]) -> None:
    left_out = an_exchange(verdict="NOT-APPLICABLE", reason="it has none", fields=0)
    results = read(write_pairs([an_exchange(), VIOLATING, left_out, DEVIATING]))
    table = pair_table(["one", "other"], results.exchanges)

    assert results.of_pairs
    assert results.judgements == ()
    cell = table.rows[0][1]
    assert (cell.producer, cell.consumer, cell.verdict) == ("one", "other", Verdict.VIOLATES)
    assert (cell.judged, cell.conforming, cell.fields) == (2, 1, 34)
    assert [exchange.verdict for exchange in cell.telling] == [
        Verdict.VIOLATES,
        Verdict.NOT_APPLICABLE,
    ]
    assert table.rows[0][0].verdict is None
    assert table.counts == {Verdict.VIOLATES: 1, Verdict.DEVIATES: 1}


def test_an_unfinished_run_of_pairs_is_read_as_far_as_it_goes(
    write_pairs: Callable[..., Path],
) -> None:
    results = read(write_pairs([an_exchange()], finished=False, torn='{"format'))
    assert len(results.exchanges) == 1
    assert results.notices == (
        "the-pairs: the run did not finish; 1 exchanges were written",
        "exchanges.jsonl.part:2: the last line is torn and left out",
    )


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (an_exchange(fields=-1), "fields"),
        (an_exchange(exchange="priority-9"), "exchange"),
        (an_exchange(verdict="FINE"), "verdict"),
        (an_exchange(differences=[a_difference(verdict="CONFORMS")]), "differences.0.verdict"),
        (an_exchange("nobody"), "provider 'nobody' has verdicts but is not listed"),
    ],
)
def test_a_line_that_does_not_fit_is_refused(
    write_pairs: Callable[..., Path], line: Record, says: str
) -> None:
    with pytest.raises(ResultsError, match=says):
        read(write_pairs([line]))


def test_the_terminal_shows_the_table_and_what_was_not_expected(
    write_pairs: Callable[..., Path],
) -> None:
    out = io.StringIO()
    results = read(write_pairs([an_exchange(), VIOLATING, DEVIATING, UNJUDGED]))
    print_pairs(results, Console(file=out), Path("report.html"))
    text = out.getvalue()

    for line in (
        "✗ 1  ✓ 1",
        "≈ 1",
        "one → other  exchange/priority-9",
        "SLJ-PRIO-003  JMSPriority is 4 instead of 9",
        "touchstone interop --exchange priority-9",
        "Report  report.html",
    ):
        assert line in text
    assert "other → one" not in text


@pytest.fixture
def xml(write_pairs: Callable[..., Path], tmp_path: Path) -> ET.Element:
    left_out = an_exchange(
        exchange="exchange/answer", verdict="NOT-APPLICABLE", reason="it has none", fields=0
    )
    fine = an_exchange(exchange="exchange/type-plain")
    out = tmp_path / "junit.xml"
    junit.write(write_pairs([fine, VIOLATING, left_out, DEVIATING, UNJUDGED]), out)
    return ET.parse(out).getroot()


def test_each_pair_is_a_suite_of_junit(xml: ET.Element) -> None:
    counts = ("tests", "failures", "errors", "skipped")
    suites = {
        suite.attrib["name"]: [int(suite.attrib[name]) for name in counts]
        for suite in xml.iter("testsuite")
    }
    assert suites == {
        "one to other on pulsar 4.0.7": [3, 1, 0, 1],
        "other to one on pulsar 4.0.7": [1, 0, 0, 0],
        f"{NASTY} to one on pulsar 4.0.7": [1, 0, 1, 0],
    }
    assert [xml.attrib[name] for name in counts[:3]] == ["5", "1", "1"]


def test_each_exchange_of_a_pair_is_a_case_of_junit(xml: ET.Element) -> None:
    cases = {
        (case.attrib["classname"], case.attrib["name"]): [child.tag for child in case]
        for case in xml.iter("testcase")
    }
    assert cases == {
        ("one to other on pulsar 4.0.7", "type-plain"): [],
        ("one to other on pulsar 4.0.7", "priority-9"): ["failure"],
        ("one to other on pulsar 4.0.7", "answer"): ["skipped"],
        ("other to one on pulsar 4.0.7", "priority-9"): ["system-out"],
        (f"{NASTY} to one on pulsar 4.0.7", "priority-9"): ["error"],
    }
    failure = xml.find(".//failure")
    assert failure is not None
    assert failure.attrib == {"type": "VIOLATES", "message": "JMSPriority is 4 instead of 9"}
    for line in (
        "SLJ-PRIO-003: JMSPriority (VIOLATES)",
        "expected: 9",
        "seen: 4",
        "rerun: touchstone interop --exchange priority-9",
    ):
        assert line in (failure.text or "")
    skipped = xml.find(".//skipped")
    assert skipped is not None
    assert skipped.attrib["message"] == "it has none"


def test_an_explained_difference_passes_in_junit_and_says_why(xml: ET.Element) -> None:
    said = xml.findtext(".//system-out") or ""
    properties = {
        element.attrib["name"]: element.attrib["value"] for element in xml.iter("property")
    }

    assert f"deviation: known-defect (broker): {NASTY}" in said
    assert "characters left out" in said
    assert properties[f"deviation priority-9 [{NASTY}]"] == f"known-defect (broker): {NASTY}"


def test_the_form_of_junit_is_that_of_other_runs(
    xml: ET.Element, mixed_run: Path, tmp_path: Path
) -> None:
    junit.write(mixed_run, tmp_path / "other.xml")
    allowed: dict[str, set[str]] = {}
    for element in ET.parse(tmp_path / "other.xml").iter():
        allowed.setdefault(element.tag, set()).update(element.attrib)

    for element in xml.iter():
        assert set(element.attrib) <= allowed[element.tag]


@pytest.fixture
def page_of(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a file; at the end nothing may have gone wrong in it."""
    opened: list[Page] = []
    complaints: list[str] = []

    def show(path: Path, **options: Any) -> Page:
        page = browser.new_context(**options).new_page()
        opened.append(page)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path.as_uri())
        return page

    yield show
    for page in opened:
        page.context.close()
    assert complaints == []


@pytest.mark.parametrize("scripts", [True, False])
def test_a_cell_opens_to_the_fields_that_differ(
    write_pairs: Callable[..., Path], page_of: Callable[..., Page], scripts: bool
) -> None:
    folder = write_pairs([an_exchange(), VIOLATING, DEVIATING, UNJUDGED])
    matrix.write(folder, [], folder / "report.html")
    page = page_of(folder / "report.html", java_script_enabled=scripts)

    cells = page.locator("button.pair")
    expect(cells).to_have_count(9)
    expect(cells.nth(1)).to_contain_text("✗ violates")
    expect(cells.nth(1)).to_contain_text("1 of 2")
    opened = page.locator("#pair-1-1-2")
    expect(opened).to_be_hidden()
    cells.nth(1).click()
    expect(opened).to_be_visible()
    for text in ("JMSPriority SLJ-PRIO-003", "9", "4", "touchstone interop --exchange priority-9"):
        expect(opened).to_contain_text(text)
    opened.get_by_role("button", name="Close").click()
    expect(opened).to_be_hidden()

    cells.nth(3).click()
    deviating = page.locator("#pair-1-2-1")
    expect(deviating.locator(".deviation")).to_contain_text(f"known-defect (broker) {NASTY}")
    expect(deviating).to_contain_text("characters left out")
    assert page.locator("section.pairs script, section.pairs b").count() == 0


def test_pairs_stand_beside_requirements(
    write_pairs: Callable[..., Path],
    mixed_run: Path,
    catalogue: list[Record],
    page_of: Callable[..., Page],
) -> None:
    out = mixed_run / "both.html"
    matrix.write([mixed_run, write_pairs([VIOLATING])], catalogue, out)
    page = page_of(out)

    expect(page.locator(".cards article")).to_have_count(1)
    expect(page.locator(".matrix thead th")).to_have_count(3)
    expect(page.locator("section.pairs h2")).to_have_text(
        "Whether the clients understand each other"
    )
    page.get_by_role("checkbox", name="violates").check()
    expect(page.locator("#shown")).to_have_text("2 of 9 requirements")


@pytest.mark.parametrize("width", [320, 1280])
def test_nothing_sticks_out(
    write_pairs: Callable[..., Path], page_of: Callable[..., Page], width: int
) -> None:
    folder = write_pairs([VIOLATING, DEVIATING])
    matrix.write(folder, [], folder / "report.html")
    page = page_of(folder / "report.html", viewport={"width": width, "height": 800})
    page.locator("button.pair").nth(3).click()

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator("#pair-1-2-1").bounding_box()
    assert box is not None
    assert box["width"] <= width
