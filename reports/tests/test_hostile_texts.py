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
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from touchstone_reports import allure, junit, markdown, matrix
from touchstone_reports.pairs_summary import print_pairs
from touchstone_reports.results import read
from touchstone_reports.summary import print_summary
from touchstone_reports.volume import write_volume

Record = dict[str, Any]
HOSTILE = {
    "script": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "double quoted": '"><svg onload=alert(1)><a href="//evil.example">x</a>',
    "single quoted": "' onmouseover='alert(1)' x='",
    "end of all": "</title></style></textarea></script></svg></template><script>alert(1)</script>",
    "address": "javascript:alert(1)//",
    "comment": "<!-- <script> --!> ]]> <![CDATA[ <x/> ]]> <?pi ?>",
    "entities": "&lt;b&gt; &#60;b&#62; &quot;&amp;",
    "line separators": "a\u2028b\u2029c\x85d",
    "controls": "a\x00\x07\x08\x9b31m\x1b[31mred\x1b]0;title\x07\x1b]8;;http://evil.example\x07x",
    "order": "\u202egnp.exe\u2066 \ud800 \ufffe",
    "templates": "{{ 7 * 7 }} {% raw %} ${7*7} #{7*7}",
    "rich": "[red]x[/red] [link=http://evil.example]x[/link] [/] [bold",
    "table": "a | b \\| c\n|---|---|\n| d |",
    "markdown": "[x](javascript:alert(1)) ![x](http://evil.example/x.png) **b** `c` <b> ~~d~~ # e",
    "mention": "@everyone @org/team #1 org/repository#2",
    "formula": "=1+1+cmd|' /C calc'!A0",
}
HARMLESS = "harmless"
everything = pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE.keys())


class Skeleton(HTMLParser):
    """The elements of a page with the names of their attributes, and every address."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.addresses: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        self.addresses += [
            value or "" for name, value in attrs if name in ("href", "src", "action", "srcdoc")
        ]

    def handle_comment(self, data: str) -> None:
        self.elements.append(("comment", ()))


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


def same_elements(hostile: str, harmless: str) -> None:
    """Nothing but the texts differs; no address leads anywhere but to the page's own files."""
    one, other = Skeleton(hostile), Skeleton(harmless)
    assert len(other.elements) > 10
    assert one.elements == other.elements
    for address in one.addresses:
        parts = urlsplit(address)
        assert parts.scheme in ("", "data"), address
        assert not parts.netloc, address


def catalogue_of(text: str, requirement: Callable[..., Record]) -> list[Record]:
    source = [{"document": text, "section": text}]
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
def test_the_volume_page(hostile: str, volume_report: Record, tmp_path: Path) -> None:
    pages = []
    for text in (hostile, HARMLESS):
        report = deepcopy(volume_report)
        report |= {"run": text, "history": text, "settings": {"provider": text, text: text}}
        report["names"] = {"sub": {"0": text}}
        report["plan"]["master"] = text
        report["plan"]["settings"] = {text: text}
        report["plan"]["steps"] = [{"name": text, "seconds": 3.0}]
        report["statistics"]["redelivery_causes"] = {text: 6_000}
        report["statistics"]["faults"][0]["kind"] = text
        for check in report["checks"]:
            check |= {"name": text, "promise": check["promise"] and text}
            check["reason"] = check["reason"] and text
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
        return [(one.tag, tuple(one.attrib)) for one in root.iter()]

    assert skeleton(hostile) == skeleton(HARMLESS)


@everything
def test_the_summary_in_markdown(
    hostile: str, a_run_of: Callable[[str], Path], tmp_path: Path
) -> None:
    def skeleton(text: str) -> list[str]:
        summary = tmp_path / "summary.md"
        markdown.write([a_run_of(text)], summary, tmp_path / "badge.json")
        written = summary.read_text(encoding="utf-8")
        assert "@everyone" not in written
        assert json.loads((tmp_path / "badge.json").read_text())["schemaVersion"] == 1
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
    assert len(written) == 5
    texts = [file.read_text() for file in written]
    assert not [text for text in texts if "private words" in text]
    assert sum("is missing from the run directory" in text for text in texts) == 2
    assert '"links":{}' in texts[0]
