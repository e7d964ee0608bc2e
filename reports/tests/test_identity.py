"""As many rows as cells, in every output: clients on brokers in several releases and Javas."""

from __future__ import annotations

import itertools
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from touchstone_reports import allure, allure_resolutions, junit, markdown, matrix
from touchstone_reports.combination import Combination, titles
from touchstone_reports.grid import columns_of
from touchstone_reports.results import read_all
from touchstone_reports.summary import print_summary

Record = dict[str, Any]
CELLS = list(
    itertools.product(
        ("reference", "starlight"),
        (
            ("pulsar", "4.0.7", "embedded"),
            ("pulsar", "4.2.4", "embedded"),
            ("pulsar", "4.2.4", "container"),
            ("artemis", "4.2.4", "embedded"),
        ),
        ("17.0.12", "21.0.8"),
    )
)


@pytest.fixture
def runs(
    tmp_path: Path, verdict: Callable[..., Record], write_run: Callable[..., Path]
) -> list[Path]:
    """A run of each cell: one scenario that deviates, and one that violates."""
    made = []
    for number, (client, (family, version, way), java) in enumerate(CELLS):
        deviates = verdict(
            provider=client, scenario="a/test_deviates", verdict="DEVIATES-AS-DOCUMENTED"
        )
        violates = verdict(provider=client, verdict="VIOLATES")
        folder = write_run(
            tmp_path / str(number),
            [deviates, violates],
            id=f"run-{number}",
            providers=[{"name": client, "version": "1", "documents": ["SLJ"]}],
            brokers=[{"family": family, "way": way, "version": version, "profile": "plain"}],
            java=java,
        )
        made.append(folder)
    return made


def test_each_cell_has_results_of_its_own_in_allure(runs: list[Path], tmp_path: Path) -> None:
    allure.write(runs, [], tmp_path / "out")

    results = [json.loads(path.read_text()) for path in (tmp_path / "out").glob("*-result.json")]
    parameters = {
        tuple(
            parameter["value"]
            for parameter in result["parameters"]
            if not parameter.get("excluded")
        )
        for result in results
    }
    suites = {
        label["value"]
        for result in results
        for label in result["labels"]
        if label["name"] == "parentSuite"
    }
    assert len(results) == 2 * len(CELLS)
    assert len({result["historyId"] for result in results}) == 2 * len(CELLS)
    assert len({result["testCaseId"] for result in results}) == 2
    assert len(parameters) == len(suites) == len(CELLS)
    assert "reference on pulsar 4.2.4 (container), Java 21.0.8" in suites


def test_each_cell_has_an_accepted_failure_of_its_own(runs: list[Path]) -> None:
    [rule] = allure_resolutions.rules(runs)

    assert len(rule["retryHash"]) == len(CELLS)  # type: ignore[arg-type]


def test_each_cell_has_cases_of_its_own_in_junit(runs: list[Path], tmp_path: Path) -> None:
    junit.write(runs, tmp_path / "junit.xml")

    root = ET.parse(tmp_path / "junit.xml").getroot()
    cases = [(case.attrib["classname"], case.attrib["name"]) for case in root.iter("testcase")]
    assert len(set(cases)) == len(cases) == 2 * len(CELLS)
    assert len({suite.attrib["name"] for suite in root.iter("testsuite")}) == len(CELLS)


def test_each_pair_on_each_broker_has_cases_of_its_own_in_junit(
    runs: list[Path], tmp_path: Path
) -> None:
    exchange = {
        "format": 1,
        "exchange": "exchange/text",
        "verdict": "CONFORMS",
        "reason": None,
        "fields": 1,
        "differences": [],
        "rerun": "touchstone interop",
    }
    for run in runs:
        (run / "verdicts.jsonl").unlink()
        client = json.loads((run / "run.json").read_text())["providers"][0]["name"]
        line = exchange | {"producer": client, "consumer": client}
        (run / "exchanges.jsonl").write_text(json.dumps(line) + "\n")

    junit.write(runs, tmp_path / "junit.xml")

    root = ET.parse(tmp_path / "junit.xml").getroot()
    assert len({case.attrib["classname"] for case in root.iter("testcase")}) == len(CELLS)


def test_each_cell_has_a_column_on_the_page_and_rows_in_the_summaries(
    runs: list[Path], tmp_path: Path
) -> None:
    results = read_all(runs)
    named = [column.title for column in columns_of(results)]
    assert len(set(named)) == len(CELLS)
    matrix.write(runs, [], tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert all(name in page for name in named)

    lines = markdown.summary_of(results).splitlines()
    assert len({line for line in lines if "pulsar 4" in line or "artemis 4" in line}) == (
        2 * len(CELLS)
    )
    console = Console(record=True, width=200)
    print_summary(results, console, None)
    told = {line for line in console.export_text().splitlines() if "judged" in line}
    assert len(told) == len(CELLS)


def test_the_same_combination_keeps_its_names_whatever_is_shown_beside_it(
    runs: list[Path], tmp_path: Path
) -> None:
    def written(name: str, some: list[Path]) -> tuple[set[str], set[str]]:
        out = tmp_path / name
        allure.write(some, [], out)
        junit.write(some, out / "junit.xml")
        results = [json.loads(path.read_text()) for path in out.glob("*-result.json")]
        cases = ET.parse(out / "junit.xml").getroot().iter("testcase")
        return (
            {result["historyId"] for result in results},
            {case.attrib["classname"] for case in cases},
        )

    alone, together = written("alone", runs[:1]), written("together", runs)

    assert alone[0] < together[0]
    assert alone[1] < together[1]


@pytest.mark.parametrize(
    ("combinations", "named"),
    [
        ([Combination("qpid+on:rabbitmq", "rabbitmq 3.10", "21")], ["qpid on rabbitmq"]),
        ([Combination("a", "b 1", "21"), Combination("c", "b 1", "21")], ["a", "c"]),
        (
            [Combination("a", "b 1"), Combination("a", "b 2"), Combination("c", "b 2")],
            ["a on b 1", "a on b 2", "c"],
        ),
        (
            [Combination("a", "b 1", "17"), Combination("a", "b 1", "21")],
            ["a on b 1, Java 17", "a on b 1, Java 21"],
        ),
        ([Combination("a", "b 1")] * 2, ["a", "a"]),
    ],
)
def test_a_title_says_no_more_than_it_has_to(
    combinations: list[Combination], named: list[str]
) -> None:
    assert titles(combinations) == named


def test_a_family_that_the_client_names_is_told_once() -> None:
    told = Combination("qpid@2.10.0+on:rabbitmq+mutant:x", "rabbitmq 3.10", "21").title
    assert told == "qpid@2.10.0+mutant:x on rabbitmq 3.10, Java 21"
    assert Combination("qpid+on:rabbitmq").title == "qpid on rabbitmq"
