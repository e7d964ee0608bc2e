"""Run directories made up for the tests of the reports."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from project.untested import CHROMIUM, NO_CHROMIUM
from touchstone_reports import matrix
from touchstone_reports.comparison import compare
from touchstone_reports.comparison_page import comparison_page
from touchstone_reports.results import read
from touchstone_reports.side_by_side import Statements, render

Record = dict[str, Any]
MakeRecord = Callable[..., Record]
WriteRun = Callable[..., Path]

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
    lines = "".join(f"{json.dumps(values)}\n" for values in verdicts)
    (directory / name).write_bytes(lines.encode() + torn)
    return directory


def a_requirement(name: str, area: str, **changes: Any) -> Record:
    """A requirement as the catalogue gives it to the reports."""
    return {
        "id": name,
        "area": area,
        "document": name.partition("-")[0],
        "source": [
            {
                "document": "starlight-implementation",
                "title": "Starlight for JMS implementation details",
                "address": "https://docs.example/implementation.html",
                "section": "Message properties",
            }
        ],
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


_START = 1_000_000_000
_EVIDENCE = [
    {"name": "delivered again", "kind": "time"},
    {"name": "acknowledged deliveries", "kind": "count"},
]
_EMPTY = {"count": 0, "max": -1, "bins": [], "quantiles": {}}


def a_check(id_: str, **changes: Any) -> Record:
    """A check of such a report, with changes."""
    check = {"id": id_, "name": id_.lower(), "strength": "must", "promised": True, "violations": 0}
    check |= {"promise": None, "outcome": f"nothing of {id_}", "evidence": _EVIDENCE}
    check |= {"definition": {"finding": f"{id_} is", "evidence": "a, b", "power": "rows"}}
    return check | {"shoulds": 0, "power": 9, "verdict": "CONFORMS", "reason": None} | changes


@pytest.fixture
def volume_report() -> Record:
    """What the verification of a history wrote."""
    delivery: Record = {"session": 2, "ridx": 7, "uid": (3 << 40) | 5, "consumer": 4, "tx": -1}
    delivery |= {"t_enter": _START + 2_500_000, "settle": "CLIENT_ACK", "s_out": "OK"}
    fault = {"session": -1, "t": _START + 2, "event": "FAULT_BEGIN", "arg": "BROKER_RESTART"}
    return {
        "format": 2,
        "run": "2026-11-22-load",
        "history": "results/2026-11-22-load/history",
        "verdict": "VIOLATES",
        "checks": [
            a_check("D05", name="again after acknowledgement", violations=1, verdict="VIOLATES"),
            a_check("D17", power=0, verdict="INCONCLUSIVE", reason="nothing was transacted"),
            a_check("D08", promise="a message is finished once"),
            a_check("D22", promised=False, verdict=None),
            a_check("D32", strength="metric", violations=4, verdict=None),
        ],
        "findings": [
            {
                "check": "D05",
                "uid": (3 << 40) | 5,
                "sub": 0,
                "a": _START + 7_500_000,
                "b": 34,
                "should": False,
                "witness": {
                    "sends": [{"uid": (3 << 40) | 5, "t_inv": _START, "fate": "MUST"}],
                    "deliveries": [{**delivery, "redelivered": False}, delivery | {"ridx": 9}],
                    "events": [fault],
                },
            }
        ],
        "words": {"fin": "acknowledged for sure"},
        "statistics": {
            "sends": 1_000_000,
            "deliveries": 1_010_000,
            "dead_letters": 12,
            "redelivered_messages": 10_000,
            "delivery_counts": [
                {"sub": 0, "priority": 4, "counts": [[1, 990_000], [2, 9_990], [3, 10]]}
            ],
            "redelivery_causes": {"NACK": 6_000, "ROLLBACK": 4_010},
            "latency": {
                "count": 3,
                "max": 900_000_000,
                "bins": [[1_000_000, 2], [800_000_000, 1]],
                "quantiles": {"0.5": 1_000_000, "0.99": 900_000_000},
            },
            "lateness": _EMPTY,
            "reorder_distance": _EMPTY,
            "gaps": _EMPTY,
            "inversions": {"count": 4, "longest": 70_000_000},
            "throughput": {
                "start": _START,
                "step": 1_000_000_000,
                "sends": [100, 200, 150],
                "deliveries": [90, 0, 360],
                "redeliveries": [0, 0, 4],
            },
            "faults": [
                {
                    "kind": "BROKER_RESTART",
                    "begin": _START + 1_000_000_000,
                    "end": _START + 1_900_000_000,
                    "next_delivery": _START + 2_100_000_000,
                }
            ],
        },
        "plan": {
            "engine": "spark",
            "name": "screened",
            "master": "local[2]",
            "rows": {"send": 1_000_000, "delivery": 1_010_012},
            "bytes": 31_000_000,
            "suspects": 10_400,
            "seconds": 4.25,
            "steps": [{"name": "scan", "seconds": 3.0}],
            "settings": {"task_mib": 400, "shipped": True},
        },
        "settings": {"provider": "reference", "workload": "<script>window.hurt = 1</script>"},
        "names": {
            "consumer": {"4": "fourth"},
            "sub": {"0": "orders <script>window.hurt = 1</script>"},
        },
    }


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, without a window."""
    if CHROMIUM is None:
        pytest.skip(NO_CHROMIUM)
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


@pytest.fixture
def side_by_side(
    tmp_path: Path,
    verdict: MakeRecord,
    write_run: WriteRun,
    catalogue: list[Record],
) -> Path:
    """A report of two clients: they differ in one row, and in another one is not judged."""
    qpid = {"provider": "qpid@2.10.0"}
    first = {"requirement": "SLJ-PROP-001", "scenario": "properties/test_first"}
    second = {"requirement": "SLJ-PROP-003", "scenario": "properties/test_third"}
    runs = [
        write_run(tmp_path / "1", [verdict(), verdict(**first), verdict(**second)], id="one"),
        write_run(
            tmp_path / "2",
            [
                verdict(**qpid, verdict="VIOLATES"),
                verdict(**qpid, **first),
                verdict(**qpid, **second, verdict="NOT-APPLICABLE"),
            ],
            id="two",
            providers=[{"name": "qpid@2.10.0", "version": "2.10.0", "documents": ["SLJ"]}],
        ),
    ]
    matrix.write(runs, catalogue, tmp_path / "page.html")
    return tmp_path / "page.html"


@pytest.fixture
def older_and_newer(tmp_path: Path, verdict: MakeRecord, write_run: WriteRun) -> tuple[Path, Path]:
    """Runs of two versions: worse, mended, judged in one alone, as before; the values differ."""
    seen = {"expected": "42", "seen": "42.0"}
    verdicts: Mapping[str, Sequence[Record | None]] = {
        "SLJ-PROP-001": ({}, {"verdict": "VIOLATES", "reason": "a float\nand more", **seen}),
        "SLJ-PROP-002": ({"verdict": "VIOLATES", "reason": "no text"}, {}),
        "SLJ-PROP-003": ({}, {"verdict": "INCONCLUSIVE"}),
        "SLJ-HDR-001": (None, {}),
        "SLJ-HDR-002": ({}, None),
        "SLJ-HDR-003": ({"verdict": "DEVIATES-AS-DOCUMENTED"},) * 2,
    }
    folders = []
    for place, version in enumerate(("1.0", "2.0")):
        lines = [
            verdict(
                requirement=id_, scenario=f"area/test_{id_}", provider=f"qpid@{version}",
                observables={"order": [place]}, **changes,
            )
            for id_, both in verdicts.items()
            if (changes := both[place]) is not None
        ]  # fmt: skip
        provider = {"name": f"qpid@{version}", "version": version, "documents": ["SLJ"]}
        folders.append(
            write_run(
                tmp_path / version, lines, id=f"run-{version}", providers=[provider], seed=place,
                selection={"narrowed_by": [], "scenarios": []}, stale=["qpid.toml: one"] * place,
            )
        )  # fmt: skip
    return folders[0], folders[1]


@pytest.fixture
def comparison(older_and_newer: tuple[Path, Path], catalogue: list[Record], tmp_path: Path) -> Path:
    """The page that has them side by side."""
    compared = compare(*map(read, older_and_newer))
    page = tmp_path / "comparison.html"
    page.write_text(render(comparison_page(compared, Statements.of(catalogue))), encoding="utf-8")
    return page
