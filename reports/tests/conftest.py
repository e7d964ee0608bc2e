"""Run directories made up for the tests of the reports."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

Record = dict[str, Any]
MakeRecord = Callable[..., Record]
WriteRun = Callable[..., Path]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

SCRIPT = "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 2'>"
NASTY = (
    f"{SCRIPT} </script><!-- ]]> & \" ' ` {{{{ 7 * 7 }}}} [bold]markup[/bold] "
    "\x00\x07\x1b[31mred \u202egnp.exe \ud800 \ufffe Größe 中文 😀\n\tsecond line"
)


def a_verdict(**changes: Any) -> Record:
    """A verdict record that fits the schema, with changes."""
    record: Record = {
        "format": 1,
        "scenario": "properties/test_int_property_is_decimal_text",
        "requirement": "SLJ-PROP-002",
        "provider": "reference",
        "verdict": "CONFORMS",
        "strength": "must",
        "permissive": False,
        "reason": None,
        "expected": None,
        "seen": None,
        "deviation": None,
        "observables": {},
        "duration": 0.125,
        "worker": "gw0",
        "broker_profile": "plain",
        "seed": 7,
        "trace": None,
        "evidence": None,
        "rerun": "touchstone run --provider reference --seed 7 properties/test_int",
        "started": "2026-11-21T09:00:00+00:00",
        "area": "properties",
        "document": "SLJ",
    }
    record.update(changes)
    if record["verdict"] != "CONFORMS" and record["reason"] is None:
        record["reason"] = f"because of {record['verdict']}"
    if record["verdict"] == "DEVIATES-AS-DOCUMENTED" and record["deviation"] is None:
        record["deviation"] = {
            "class": "wire-compatibility",
            "reason": "the real client writes it so",
            "link": "https://example.org/decisions#1",
        }
    return record


def a_run(**changes: Any) -> Record:
    """A run record that fits the schema, with changes."""
    record: Record = {
        "format": 1,
        "id": "2026-11-21T09-00-00",
        "started": "2026-11-21T09:00:00+00:00",
        "finished": "2026-11-21T09:01:30.5+00:00",
        "seed": 7,
        "command": ["touchstone", "run"],
        "touchstone": "0.1.0",
        "python": "3.11.2",
        "machine": {"platform": "Linux x86_64", "cpus": 2, "memory_mib": 4096},
        "providers": [
            {
                "name": "reference",
                "version": "0.1.0",
                "transport": "pulsar-client 3.13",
                "documents": ["SLJ"],
                "capabilities": [],
            }
        ],
        "brokers": [
            {
                "family": "pulsar",
                "way": "embedded",
                "version": "4.0.7",
                "profile": "plain",
                "started_in_seconds": 3.2,
            }
        ],
        "not_applicable_documents": ["RMQ", "AMQ"],
        "exit_status": 1,
        "timings": {"catalogue": 80.0},
        "catalogue": {"scenarios": 4},
    }
    record.update(changes)
    return record


def write_run_directory(
    directory: Path,
    verdicts: Iterable[Mapping[str, Any]],
    *,
    finished: bool = True,
    torn: bytes = b"",
    **run: Any,
) -> Path:
    """Write run.json and the verdicts; unfinished ones as .part, `torn` after the last line."""
    directory.mkdir(parents=True, exist_ok=True)
    facts = a_run(**run) if finished else a_run(**{"finished": None, "exit_status": None, **run})
    (directory / "run.json").write_text(json.dumps(facts), encoding="utf-8")
    name = "verdicts.jsonl" if finished else "verdicts.jsonl.part"
    lines = "".join(f"{json.dumps(one)}\n" for one in verdicts)
    (directory / name).write_bytes(lines.encode() + torn)
    return directory


def a_requirement(name: str, area: str, **changes: Any) -> Record:
    """A requirement as the catalogue gives it to the reports."""
    return {
        "id": name,
        "area": area,
        "document": name.partition("-")[0],
        "source": [{"document": "000_ec19.txt", "section": "Message properties"}],
        "statement": f"What {name} states.",
        "support": "native",
        "verify": f"How {name} is verified.",
        "observes": ["api", "wire"],
        "negative": False,
        "note": "",
        "strength": "must",
        **changes,
    }


@pytest.fixture(scope="session")
def verdict() -> MakeRecord:
    """Maker of verdict records."""
    return a_verdict


@pytest.fixture
def run_record() -> MakeRecord:
    """Maker of run records."""
    return a_run


@pytest.fixture
def requirement() -> MakeRecord:
    """Maker of requirements."""
    return a_requirement


@pytest.fixture(scope="session")
def write_run() -> WriteRun:
    """Writer of run directories."""
    return write_run_directory


@pytest.fixture
def nasty() -> str:
    """Text that breaks pages, terminals, XML and encodings that do not guard against it."""
    return NASTY


@pytest.fixture
def catalogue() -> list[Record]:
    """Requirements of two areas that are judged, one to come, and one of another document."""
    return [
        a_requirement("SLJ-PROP-001", "properties"),
        a_requirement("SLJ-PROP-002", "properties", statement="An int travels as decimal text."),
        a_requirement("SLJ-PROP-003", "properties", note="Contradicts SLJ-PROP-015."),
        a_requirement("SLJ-HDR-001", "headers"),
        a_requirement("SLJ-HDR-002", "headers", strength="should", statement=NASTY[:200]),
        a_requirement("SLJ-HDR-003", "headers"),
        a_requirement("SLJ-PRIO-001", "priority"),
        a_requirement("SLJ-PRIO-002", "priority"),
        a_requirement("RMQ-BRW-001", "browser"),
    ]


@pytest.fixture
def mixed_run(tmp_path: Path) -> Path:
    """A run with every verdict, nasty texts, a file of evidence and one that is missing."""
    directory = write_run_directory(
        tmp_path / "results" / "mixed",
        [
            a_verdict(requirement="SLJ-PROP-001", scenario="properties/test_first[a-1]"),
            a_verdict(
                verdict="VIOLATES",
                reason="size arrived as a float\nand more",
                expected="42",
                seen="42.0",
                trace="traces/int property.jsonl",
                evidence="evidence/raw.txt",
                observables={"encoding": "utf-8", "sizes": [1, 2]},
            ),
            a_verdict(scenario="properties/test_int_again"),
            a_verdict(
                requirement="SLJ-PROP-003",
                scenario="properties/test_type",
                verdict="DEVIATES-AS-DOCUMENTED",
            ),
            a_verdict(
                requirement="SLJ-HDR-001",
                area="headers",
                scenario="headers/test_nasty[</script>]",
                verdict="INCONCLUSIVE",
                reason=NASTY,
                expected=NASTY,
                seen="x" * 1_000_000,
                observables={NASTY: NASTY},
                trace="traces/gone.jsonl",
                rerun=f"touchstone run {NASTY}",
            ),
            a_verdict(
                requirement="SLJ-HDR-002",
                area="headers",
                scenario="headers/test_should",
                verdict="VIOLATES",
                strength="should",
            ),
            a_verdict(
                requirement="SLJ-HDR-003",
                area="headers",
                scenario="headers/test_optional",
                verdict="NOT-APPLICABLE",
                reason="optional, and the client declares it absent",
            ),
        ],
    )
    (directory / "traces").mkdir()
    (directory / "traces" / "int property.jsonl").write_text('{"call": "send"}\n', encoding="utf-8")
    (directory / "evidence").mkdir()
    (directory / "evidence" / "raw.txt").write_text("raw bytes", encoding="utf-8")
    return directory


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, without a window."""
    if CHROMIUM is None:
        reason = "no Chromium on this machine; 'apt-get install chromium' brings it"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a file in a fresh browser context; at the end nothing may have gone wrong in it."""
    contexts, complaints, requested = [], [], []

    def show(path: Path, fragment: str = "", **options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requested.append(request.url))
        page.goto(f"{path.as_uri()}{fragment}")
        return page

    yield show
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for url in requested if not url.startswith(("file://", "data:"))] == []
