"""A corpus of hostile texts goes through every page and writer in the place of every text.

What a real parser finds is held against what it finds with harmless texts in the same places: an
element, attribute, cell or address more has come out of a text.
"""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from commands.hostile_texts import HARMLESS, HOSTILE, everything, same_elements
from touchstone_reports import allure, junit, markdown, matrix
from touchstone_reports.comparison import compare
from touchstone_reports.comparison_page import comparison_page
from touchstone_reports.grid import columns_of
from touchstone_reports.over_runs import tracks
from touchstone_reports.over_runs_page import over_runs_page
from touchstone_reports.pairs_summary import print_pairs
from touchstone_reports.releases import release_rows
from touchstone_reports.releases_page import releases_page
from touchstone_reports.results import read
from touchstone_reports.side_by_side import Statements, render
from touchstone_reports.site.judged import judged_by
from touchstone_reports.summary import print_summary
from touchstone_reports.verdicts import Verdict
from touchstone_reports.volume import write_volume

Record = dict[str, Any]


@pytest.fixture
def a_run_of(
    tmp_path: Path, write_run: Callable[..., Path], verdict: Callable[..., Record]
) -> Callable[[str], Path]:
    """Writes a run with a text in every place that takes one."""

    def write(text: str) -> Path:
        texts: Record = {
            "scenario": f"area/test[{text}]",
            "provider": text,
            "reason": text,
            "expected": text,
            "seen": text,
            "observables": {text: text, "nested": [text, {"x": text}]},
            "worker": text,
            "broker_profile": text,
            "rerun": text,
        }
        deviation = {"class": text, "reason": text, "link": text}
        names = {"name": text, "version": text, "transport": text, "documents": ["SLJ"]}
        broker = {"family": text, "way": "embedded", "version": text, "profile": text}
        return write_run(
            tmp_path / f"run-{len(list(tmp_path.iterdir()))}",
            [
                verdict(**texts, verdict="VIOLATES"),
                verdict(**{**texts, "scenario": f"area/test2[{text}]"}, verdict="INCONCLUSIVE"),
                verdict(
                    **texts,
                    requirement="SLJ-PROP-003",
                    verdict="DEVIATES-AS-DOCUMENTED",
                    deviation=deviation,
                ),
                verdict(
                    **texts, requirement="SLJ-PROP-001", area=f"a {text}", document=f"a {text}"
                ),
            ],
            id=text,
            command=[text],
            touchstone=text,
            python=text,
            machine={"platform": text, "cpus": 2, "memory_mib": 1},
            providers=[{**names, "capabilities": [text]}],
            brokers=[broker],
        )

    return write


@pytest.fixture
def pairs_of(tmp_path: Path, run_record: Callable[..., Record]) -> Callable[[str], Path]:
    """Writes a run of pairs of clients, likewise."""

    def write(text: str) -> Path:
        folder = tmp_path / f"pairs-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        clients = [{"name": name, "version": text, "documents": ["SLJ"]} for name in ("one", text)]
        facts = run_record(id=text, providers=clients)
        (folder / "run.json").write_text(json.dumps(facts), encoding="utf-8")
        difference = {
            "field": text, "requirement": "SLJ-PROP-001", "expected": text, "seen": text,
            "verdict": "DEVIATES-AS-DOCUMENTED",
            "deviation": {"class": text, "reason": text, "link": text},
        }  # fmt: skip
        exchange = {
            "format": 1, "exchange": f"exchange/{text}", "producer": "one", "consumer": text,
            "verdict": "VIOLATES", "reason": text, "fields": 3, "differences": [difference],
            "rerun": text,
        }  # fmt: skip
        (folder / "exchanges.jsonl").write_text(json.dumps(exchange) + "\n", encoding="utf-8")
        return folder

    return write


def catalogue_of(text: str, requirement: Callable[..., Record]) -> list[Record]:
    source = [{"document": text, "title": text, "address": text, "section": text}]
    return [
        requirement(name, "properties", statement=text, note=text, verify=text, source=source)
        for name in ("SLJ-PROP-001", "SLJ-PROP-002", "SLJ-PROP-003", "SLJ-PROP-004")
    ]


@everything
def test_the_matrix(
    hostile: str,
    a_run_of: Callable[[str], Path],
    pairs_of: Callable[[str], Path],
    requirement: Callable[..., Record],
) -> None:
    pages = []
    for text in (hostile, HARMLESS):
        runs = [a_run_of(text), a_run_of(f"{text}2"), pairs_of(text)]
        out = runs[0] / "report.html"
        matrix.write(runs, catalogue_of(text, requirement), out, titles={"SLJ": text})
        pages.append(out.read_text(encoding="utf-8"))
    same_elements(*pages)


@everything
def test_runs_side_by_side(
    hostile: str, a_run_of: Callable[[str], Path], requirement: Callable[..., Record]
) -> None:
    pages = []
    for text in (hostile, HARMLESS):
        older = read(a_run_of(text))
        later = older.run.started + timedelta(days=1)
        facts = replace(older.run, id=f"{text}2", started=later, touchstone=text, stale=(text,))
        kept = [replace(line, verdict=Verdict.CONFORMS) for line in older.judgements]
        runs = [older, replace(older, run=facts, judgements=tuple(kept))]
        statements = Statements.of(catalogue_of(text, requirement))
        rows = release_rows(runs)
        times = tracks(judged_by(runs))
        assert any(track.changes for track in times)
        pages += [
            render(over_runs_page(text, times, statements)),
            render(comparison_page(compare(*runs), statements)),
            render(releases_page(text, (text, f"{text}2"), columns_of(runs), rows, statements)),
        ]
    for page, other in zip(pages[:3], pages[3:], strict=True):
        same_elements(page, other)


@everything
def test_the_volume_page(hostile: str, volume_report: Record, tmp_path: Path) -> None:
    pages = []
    for text in (hostile, HARMLESS):
        report = deepcopy(volume_report)
        report |= {"run": text, "history": text, "settings": {"provider": text, text: text}}
        report["names"] = dict.fromkeys(("consumer", "session", "sub"), dict.fromkeys("024", text))
        report["words"] = {text: text}
        witness = report["findings"][0]["witness"]
        for row in (*witness["sends"], *witness["deliveries"], *witness["events"]):
            row |= dict.fromkeys(("event", "fate", "settle", text), text)
        report["plan"]["master"] = text
        report["plan"]["settings"] = {text: text}
        report["plan"]["steps"] = [{"name": text, "seconds": 3.0}]
        report["statistics"]["redelivery_causes"] = {text: 6_000}
        report["statistics"]["faults"][0]["kind"] = text
        for check in report["checks"]:
            check |= {"name": text, "promise": check["promise"] and text}
            check["reason"] = check["reason"] and text
            check |= {"outcome": text, "definition": dict.fromkeys(check["definition"], text)}
            check["evidence"] = [{"name": text, "kind": "time"}] * 2
        file = tmp_path / "report.json"
        file.write_text(json.dumps(report))
        page = write_volume(file, tmp_path / "volume.html")
        pages.append(page.read_text(encoding="utf-8"))
    same_elements(*pages)


@everything
def test_junit_xml(
    hostile: str, a_run_of: Callable[[str], Path], pairs_of: Callable[[str], Path], tmp_path: Path
) -> None:
    def skeleton(text: str) -> list[tuple[str, tuple[str, ...]]]:
        junit.write([a_run_of(text), pairs_of(text)], tmp_path / "junit.xml")
        root = ET.parse(tmp_path / "junit.xml").getroot()  # as strict as any reader
        return [(element.tag, tuple(element.attrib)) for element in root.iter()]

    assert skeleton(hostile) == skeleton(HARMLESS)


@everything
def test_the_summary_in_markdown(
    hostile: str, a_run_of: Callable[[str], Path], tmp_path: Path
) -> None:
    def skeleton(text: str) -> list[str]:
        summary = tmp_path / "summary.md"
        markdown.write([a_run_of(text)], summary)
        written = summary.read_text(encoding="utf-8")
        assert "@everyone" not in written
        parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
        return list(kinds(parser.parse(written)))

    def kinds(tokens: list[Any]) -> Iterator[str]:
        for token in tokens:
            if token.type not in ("text", "text_special", "inline"):
                yield token.type
            yield from kinds(token.children or [])

    assert skeleton(hostile) == skeleton(HARMLESS)


@everything
def test_allure_results(
    hostile: str,
    a_run_of: Callable[[str], Path],
    requirement: Callable[..., Record],
    tmp_path: Path,
) -> None:
    out = tmp_path / "allure"
    allure.write([a_run_of(hostile)], catalogue_of(hostile, requirement), out)
    results = [json.loads(file.read_text()) for file in out.glob("*-result.json")]
    links = [link for result in results for link in result["links"]]
    assert links
    for link in links:
        assert urlsplit(link["url"]).scheme in ("", "http", "https"), link
    assert not [result for result in results if "descriptionHtml" in result]
    assert (out / "environment.properties").read_text().count("\n") == (
        environment_lines(a_run_of(HARMLESS), requirement, tmp_path / "harmless")
    )
    for file in out.iterdir():
        assert not set(file.read_text(encoding="utf-8")) & set("\x00\x07\x08\x1b\x9b\u202e")


def environment_lines(run: Path, requirement: Callable[..., Record], out: Path) -> int:
    allure.write([run], catalogue_of(HARMLESS, requirement), out)
    return (out / "environment.properties").read_text().count("\n")


@everything
def test_the_terminal(
    hostile: str, a_run_of: Callable[[str], Path], pairs_of: Callable[[str], Path]
) -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=False, width=200)
    print_summary(read(a_run_of(hostile)), console, Path("report.html"))
    print_pairs(read(pairs_of(hostile)), console, Path("report.html"))
    shown = screen.getvalue()
    assert not set(shown) & set("\x00\x07\x08\x1b\x9b\u202e\u2066")
    if hostile == HOSTILE["rich"]:
        assert "[red]x[/red]" in shown


def test_a_link_out_of_the_run_is_not_followed(
    write_run: Callable[..., Path], verdict: Callable[..., Record], tmp_path: Path
) -> None:
    (tmp_path / "private.txt").write_text("private words")
    run = write_run(
        tmp_path / "run",
        [
            verdict(scenario="a/test_one", verdict="VIOLATES", trace="traces/linked.jsonl"),
            verdict(scenario="a/test_two", verdict="VIOLATES", trace="elsewhere/private.txt"),
        ],
    )
    (run / "traces").mkdir()
    (run / "traces/linked.jsonl").symlink_to(tmp_path / "private.txt")
    (run / "elsewhere").symlink_to(tmp_path)
    allure.write([run], [], tmp_path / "allure")
    matrix.write([run], [], tmp_path / "report.html")
    written = [tmp_path / "report.html", *(tmp_path / "allure").iterdir()]
    assert len(written) == 6
    texts = [file.read_text() for file in written]
    assert not [text for text in texts if "private words" in text]
    assert sum("is missing from the run directory" in text for text in texts) == 2
    assert '"links":{}' in texts[0]
