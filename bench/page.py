"""How long the page of a matrix takes to open and to filter in Chromium.

Four clients and all documents: every requirement that is judged now has a verdict for each client
that its document speaks of, with the texts that a verdict has.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from touchstone.catalogue import load_library
from touchstone.catalogue.items import Scenario
from touchstone.catalogue.registry import Library
from touchstone.catalogue.scenarios import by_requirement, collect_scenarios
from touchstone.results.reporting import write_reports

OPENS_WITHIN, FILTERS_WITHIN = 1.0, 0.1
"""Seconds that are aimed at."""
CLIENTS = {
    "reference": frozenset({"SLJ"}),
    "starlight": frozenset({"SLJ"}),
    "rabbitmq": frozenset({"RMQ"}),
    "qpid": frozenset({"AMQ"}),
}
_VERDICTS = ("CONFORMS", "CONFORMS", "CONFORMS", "VIOLATES", "DEVIATES-AS-DOCUMENTED")
_MOMENT = "2026-01-01T00:00:00+00:00"
_FILTER = """(text) => {
    const search = document.getElementById("search");
    const started = performance.now();
    search.value = text;
    search.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.getBoundingClientRect();
    return performance.now() - started;
}"""


@dataclass(frozen=True)
class PageFigures:
    """Of one page: clients, requirements, verdicts, size, and seconds (medians)."""

    rows: int
    verdicts: int
    kilobytes: int
    opens: float
    filters: float


def measure(rounds: int) -> PageFigures:
    """Write the page and open it afresh `rounds` times, each time filtering it by three words."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("no Chromium on this machine: apt-get install chromium")
    library = load_library()
    with tempfile.TemporaryDirectory(prefix="touchstone-bench-") as name:
        folder = Path(name)
        verdicts = _write_runs(folder, library)
        page_file = write_reports(sorted(folder.glob("run-*")), library, folder)
        opens, filters, rows = [], [], 0
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for _ in range(rounds):
                page = browser.new_page()
                page.goto(page_file.as_uri())
                timing = "performance.getEntriesByType('navigation')[0].duration"
                opens.append(page.evaluate(timing) / 1000)
                words = ("acknowledge", "JMS-", "")
                filters += [page.evaluate(_FILTER, word) / 1000 for word in words]
                rows = page.locator("tr.requirement").count()
                page.close()
            browser.close()
        size = page_file.stat().st_size // 1024
        return PageFigures(rows, verdicts, size, median(opens), median(filters))


def _write_runs(folder: Path, library: Library) -> int:
    judges = by_requirement(collect_scenarios(library))
    count = 0
    for provider, documents in CLIENTS.items():
        run = folder / f"run-{provider}"
        run.mkdir()
        silent = sorted(frozenset({"SLJ", "RMQ", "AMQ"}) - documents)
        facts = {
            "format": 1, "id": run.name, "started": _MOMENT, "finished": _MOMENT, "seed": 1,
            "touchstone": "0", "not_applicable_documents": silent,
            "providers": [{"name": provider, "version": "1", "documents": sorted(documents)}],
        }  # fmt: skip
        (run / "run.json").write_text(json.dumps(facts))
        lines = list(_lines(provider, documents, library, judges))
        (run / "verdicts.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        count += len(lines)
    return count


def _lines(
    provider: str, documents: frozenset[str], library: Library, judges: Any
) -> Iterator[dict[str, object]]:
    for number, (id_, scenarios) in enumerate(judges.items()):
        requirement = library.requirements[id_]
        applies = library.applies(requirement.document, documents)
        verdict = _VERDICTS[number % len(_VERDICTS)] if applies else "NOT-APPLICABLE"
        for scenario in scenarios:
            yield _line(provider, id_, requirement.document, scenario, verdict)


def _line(
    provider: str, id_: str, document: str, scenario: Scenario, verdict: str
) -> dict[str, object]:
    failed = verdict not in ("CONFORMS", "NOT-APPLICABLE")
    entry = {"class": "by-design", "reason": "The client does otherwise. " * 6, "link": ""}
    return {
        "format": 1, "scenario": scenario.id, "requirement": id_, "provider": provider,
        "verdict": verdict, "strength": "must", "duration": 0.1, "seed": 1, "started": _MOMENT,
        "reason": None if verdict == "CONFORMS" else "assert 'what was seen' == 'what was said'",
        "expected": "what the document says " * 8 if failed else None,
        "seen": "what was seen " * 8 if failed else None,
        "deviation": entry if verdict == "DEVIATES-AS-DOCUMENTED" else None,
        "observables": {f"{id_} holds": "no" if failed else "yes"},
        "rerun": f"touchstone run --provider {provider} --scenario {scenario.id}",
        "area": scenario.area, "document": document,
    }  # fmt: skip
