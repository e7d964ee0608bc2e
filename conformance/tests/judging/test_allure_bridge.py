"""With allure-pytest's own `--alluredir` scenarios have the results that our writer gives them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.thorough

OTHER = """
from dataclasses import dataclass
from try_memory import Memory

@dataclass(frozen=True)
class Other(Memory):
    name: str = "other"
    documents: frozenset = frozenset({"TRY", "OTH"})

provider = Other()
"""
CLIENTS = ("memory", "python:try_other:provider")
SCENARIOS = """
@requirement("TRY-ONE-001")
@pytest.mark.parametrize("value", range(2))
def test_conforms(value):
    observe("value", value)
    assert value >= 0

@requirement("TRY-ONE-001", "TRY-ONE-003")
def test_of_two():
    with judging("TRY-ONE-001"):
        assert [1] == [1]
    with judging("TRY-ONE-003"):
        assert [1] == [2], "it is two"

@requirement("TRY-ONE-001", "OTH-ONE-001")
def test_of_two_documents():
    with judging("TRY-ONE-001"):
        assert [1] == [1]
    with judging("OTH-ONE-001"):
        assert [1] == [1]

@requirement("OTH-ONE-001")
def test_of_other_document():
    assert [1] == [1]

@requirement("TRY-ONE-002")
def test_deviates():
    assert [1] == [2], "it is two"

@requirement("TRY-ONE-002")
def test_violates():
    assert [1] == [2], "it is two"

@slow
@requirement("TRY-ONE-002")
def test_cannot_be_judged():
    raise RuntimeError("nobody expected this")

@needs("user-id")
@requirement("TRY-ONE-002")
def test_needs_what_is_absent():
    assert [1] == [1]
"""
DIES = """
@requirement("TRY-ONE-002")
def test_dies():
    os._exit(3)
"""
DEVIATION = """
[[deviation]]
provider = "memory"
requirement = "TRY-ONE-002"
scenario = "ones/test_deviates"
message = "it is two"
class = "known-defect"
reason = "It has always been two."
link = "https://example.org/two"
date = 2026-01-31
"""
ALIKE = ("testCaseId", "historyId", "titlePath", "description", "status", "statusDetails", "name")


def told_by(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """What results say, without times and names of files, by scenario and identity."""
    found = {}
    for file in folder.glob("*-result.json"):
        result = json.loads(file.read_text("utf-8"))
        ours = {
            **{name: result.get(name) for name in ALIKE},
            "parameters": [one for one in result["parameters"] if one["name"] != "run"],
            "links": [(one["type"], one["name"]) for one in result["links"]],
            "labels": labels_of(result, without=("thread", "package", "framework")),
            "steps": [without_times(step) for step in result.get("steps", ())],
            "attachments": {
                one["name"]: (one["type"], (folder / one["source"]).read_text("utf-8"))
                for one in result.get("attachments", ())
            },
        }
        key = result["fullName"], result["historyId"]
        assert key not in found
        found[key] = ours
    return found


def labels_of(result: dict[str, Any], without: Iterable[str]) -> list[tuple[str, str]]:
    return sorted(
        (one["name"], one["value"]) for one in result["labels"] if one["name"] not in without
    )


def without_times(step: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in step.items() if name not in ("start", "stop")}


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_both_writers_say_the_same_of_two_clients(catalogue: Any, workers: tuple[str, ...]) -> None:
    catalogue.scenarios(SCENARIOS + (DIES if workers else "")).deviations(DEVIATION)
    path = catalogue.pytester.path
    (path / "try_other.py").write_text(OTHER)
    own: dict[tuple[str, str], dict[str, Any]] = {}
    for client in CLIENTS:
        judged = catalogue.judge(
            *("--provider", client, "--alluredir", "allure", *workers), subprocess=True
        )
        own |= told_by(judged.folder / "allure-results")

    found = told_by(path / "allure")

    assert found == own
    clients = {one["value"] for result in found.values() for one in result["parameters"][:1]}
    assert clients == set(CLIENTS)
    statuses = {(name, result["status"]) for (name, _), result in found.items()}
    assert {
        ("ones/test_conforms[0]", "passed"),
        ("ones/test_of_two", "failed"),
        ("ones/test_deviates", "passed"),
        ("ones/test_deviates", "failed"),
        ("ones/test_cannot_be_judged", "broken"),
        ("ones/test_of_other_document", "skipped"),
    } <= statuses
    assert (("ones/test_dies", "broken") in statuses) == bool(workers)


def test_what_a_test_makes_by_itself_stays_and_other_tests_are_left_alone(catalogue: Any) -> None:
    catalogue.scenarios("""
        import allure

        @requirement("TRY-ONE-001")
        def test_attaches():
            with allure.step("look"):
                allure.attach("seen", name="mine")
            allure.dynamic.label("owner", "me")
            assert [1] == [1]
        """)
    catalogue.pytester.makepyfile(test_mine="def test_mine(): assert [1] == [1]")
    catalogue.judge(
        *("--alluredir", "allure", "--allure-link-pattern", "tms:https://example.org/{}"),
        *("--pyargs", "try_scenarios", "test_mine.py"),
        subprocess=True,
    )

    folder = catalogue.pytester.path / "allure"
    results = {
        one["fullName"]: one
        for file in folder.glob("*-result.json")
        for one in [json.loads(file.read_text("utf-8"))]
    }
    assert set(results) == {"ones/test_attaches", "test_mine#test_mine"}
    ours = results["ones/test_attaches"]
    assert [step["name"] for step in ours["steps"]] == ["look", "TRY-ONE-001 CONFORMS"]
    assert [one["name"] for one in ours["steps"][0]["attachments"]] == ["mine"]
    assert ("owner", "me") in labels_of(ours, without=())
    assert [one["url"] for one in ours["links"]] == ["https://example.org/TRY-ONE-001"]
    assert "parameters" not in results["test_mine#test_mine"]


def test_half_a_character_in_a_fixture_or_in_a_log_costs_no_result(catalogue: Any) -> None:
    judged = catalogue.scenarios("""
        import logging

        @pytest.fixture
        def failing():
            logging.getLogger("a client").warning("half \\ud800")
            raise RuntimeError("half \\ud800")

        @requirement("TRY-ONE-001")
        def test_set_up(failing):
            assert failing

        @requirement("TRY-ONE-002")
        def test_fails():
            logging.getLogger("a client").warning("half \\ud800")
            assert "half \\ud800" == "whole"
        """).judge("--alluredir", "allure", subprocess=True)

    folder = catalogue.pytester.path / "allure"
    assert "INTERNALERROR" not in judged.output
    statuses = {name: result["status"] for (name, _), result in told_by(folder).items()}
    assert statuses == {"ones/test_set_up": "broken", "ones/test_fails": "failed"}
    logs = [file.read_text() for file in folder.glob("*-attachment.txt")]
    assert any("half \\ud800" in log for log in logs)


def test_without_the_plug_in_nothing_is_told_to_it(catalogue: Any) -> None:
    judged = catalogue.scenarios("""
        import sys

        @requirement("TRY-ONE-001")
        def test_looks():
            assert "touchstone.judging.allure_bridge" not in sys.modules
        """).judge("-p", "no:allure_pytest", subprocess=True)

    assert judged.verdicts == {"TRY-ONE-001": "CONFORMS"}
