"""Allure results keep their identity over runs and say the same as the verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from touchstone_reports import allure
from touchstone_reports.allure_severity import BY_EFFECT, BY_STRENGTH

Record = dict[str, Any]


def results_in(directory: Path) -> dict[str, Record]:
    results = [json.loads(path.read_text("utf-8")) for path in directory.glob("*-result.json")]
    return {result["fullName"]: result for result in results}


@pytest.fixture
def out(mixed_run: Path, catalogue: list[Record], tmp_path: Path) -> Path:
    directory = tmp_path / "allure-results"
    allure.write(mixed_run, catalogue, directory)
    return directory


@pytest.mark.parametrize(
    ("scenario", "status"),
    [
        ("properties/test_first[a-1]", "passed"),
        ("properties/test_int_property_is_decimal_text", "failed"),
        ("properties/test_type", "passed"),
        ("headers/test_nasty[</script>]", "broken"),
        ("headers/test_optional", "skipped"),
        ("headers/test_should", "failed"),
    ],
)
def test_each_verdict_has_its_status(out: Path, scenario: str, status: str) -> None:
    assert results_in(out)[scenario]["status"] == status


def test_client_and_broker_are_what_identifies_a_result(out: Path) -> None:
    for result in results_in(out).values():
        identifying = [
            parameter for parameter in result["parameters"] if not parameter.get("excluded")
        ]
        assert identifying == [
            {"name": "provider", "value": "reference"},
            {"name": "broker", "value": "pulsar 4.0.7"},
        ]


def test_identity_stays_over_runs_and_differs_by_provider(
    tmp_path: Path, verdict: Callable[..., Record], write_run: Callable[..., Path]
) -> None:
    other = [{"name": "starlight", "version": "9.0.0", "documents": ["SLJ"]}]
    first = write_run(tmp_path / "1", [verdict()], id="one")
    again = write_run(tmp_path / "2", [verdict(worker="gw1", seed=8, duration=9)], id="two")
    foreign = write_run(
        tmp_path / "3", [verdict(provider="starlight")], id="three", providers=other
    )
    results: list[Record] = []
    for number, directory in enumerate((first, again, foreign)):
        allure.write(directory, [], tmp_path / f"out{number}")
        results += results_in(tmp_path / f"out{number}").values()

    at_first, at_second, of_foreign = results
    assert at_first["historyId"] == at_second["historyId"] != of_foreign["historyId"]
    assert at_first["testCaseId"] == at_second["testCaseId"] == of_foreign["testCaseId"]
    assert len({at_first["uuid"], at_second["uuid"], of_foreign["uuid"]}) == 3


def labels(result: Record, name: str) -> list[str]:
    return [label["value"] for label in result["labels"] if label["name"] == name]


def test_severity_is_what_the_strongest_requirement_asks_for(out: Path) -> None:
    assert labels(results_in(out)["properties/test_type"], "severity") == ["critical"]
    assert labels(results_in(out)["headers/test_should"], "severity") == ["minor"]


def of_effect(effect: str) -> Record:
    known = {"class": "known-defect", "reason": "it is one", "effect": effect}
    return {"verdict": "DEVIATES-AS-DOCUMENTED", "deviation": known}


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        ([of_effect("loss")], "blocker"),
        ([of_effect("duplicates") | {"strength": "should"}], "blocker"),
        ([of_effect("hang")], "critical"),
        ([of_effect("wrong exception")], "normal"),
        ([of_effect("wording")], "trivial"),
        ([of_effect("wording"), {}], "trivial"),  # a must that is kept makes it no worse
        ([of_effect("wording"), of_effect("loss")], "blocker"),
        ([of_effect("wording"), {"verdict": "VIOLATES"}], "critical"),
        ([{"verdict": "VIOLATES", "strength": "should"}, {"verdict": "VIOLATES"}], "critical"),
        ([{"strength": "may"}], "minor"),
    ],
)
def test_severity_is_what_a_user_suffers_from_what_decides(
    tmp_path: Path,
    verdict: Callable[..., Record],
    write_run: Callable[..., Path],
    changes: list[Record],
    severity: str,
) -> None:
    lines = [
        verdict(**each, requirement=f"SLJ-PROP-00{number}") for number, each in enumerate(changes)
    ]
    allure.write(write_run(tmp_path / "run", lines), [], tmp_path / "out")

    (result,) = results_in(tmp_path / "out").values()

    assert labels(result, "severity") == [severity]


def test_every_effect_and_strength_of_the_schema_has_a_severity() -> None:
    text = (files("touchstone_reports") / "results.schema.json").read_text("utf-8")
    schema = json.loads(text)["$defs"]
    assert list(BY_EFFECT) == schema["deviation"]["properties"]["effect"]["enum"]
    assert list(BY_STRENGTH) == schema["verdict"]["properties"]["strength"]["enum"]


def test_the_timeline_has_the_machine_by_its_kind_and_the_worker_with_its_run(out: Path) -> None:
    result = results_in(out)["properties/test_type"]

    assert labels(result, "host") == ["Linux x86_64"]
    assert labels(result, "thread") == [f"gw0 of {environment(out)['run']}"]


def test_what_was_not_recorded_of_the_place_is_left_out(
    tmp_path: Path, verdict: Callable[..., Record], write_run: Callable[..., Path]
) -> None:
    run = write_run(tmp_path / "run", [verdict(worker="")], machine={}, id="one")
    allure.write(run, [], tmp_path / "out")

    (result,) = results_in(tmp_path / "out").values()

    assert (labels(result, "host"), labels(result, "thread")) == ([], ["one"])


def test_the_executor_names_the_suite_and_the_runs_by_time(
    tmp_path: Path, verdict: Callable[..., Record], write_run: Callable[..., Path]
) -> None:
    times = {"b": "2026-11-22T09:00:00+00:00", "a": "2026-11-21T09:00:00+00:00"}
    runs = [
        write_run(tmp_path / name, [verdict()], id=name, started=started)
        for name, started in times.items()
    ]
    allure.write(runs, [], tmp_path / "out")

    executor = json.loads((tmp_path / "out" / "executor.json").read_text("utf-8"))

    assert executor == {
        "name": "Touchstone 0.1.0",
        "type": "touchstone",
        "buildName": "a, b",
        "buildOrder": int(datetime(2026, 11, 22, 9, tzinfo=UTC).timestamp()),
    }


def environment(out: Path) -> dict[str, str]:
    lines = (out / "environment.properties").read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_writing_twice_leaves_one_result_each(
    out: Path, mixed_run: Path, catalogue: list[Record]
) -> None:
    before = sorted(path.name for path in out.iterdir())
    allure.write(mixed_run, catalogue, out)

    assert sorted(path.name for path in out.iterdir()) == before


def test_requirements_are_links_and_deviations_known_issues(out: Path) -> None:
    result = results_in(out)["properties/test_type"]

    assert result["links"] == [
        {"type": "tms", "url": "../report.html#open=SLJ-PROP-003", "name": "SLJ-PROP-003"},
        {
            "type": "issue",
            "url": "https://example.org/decisions#1",
            "name": "wire-compatibility (SLJ-PROP-003)",
        },
    ]
    assert result["statusDetails"]["known"] is True
    tags = {label["value"] for label in result["labels"] if label["name"] == "tag"}
    assert tags == {"DEVIATES-AS-DOCUMENTED", "wire-compatibility"}


def test_a_deviation_tells_whose_fault_it_is(
    tmp_path: Path, verdict: Callable[..., Record], write_run: Callable[..., Path]
) -> None:
    of_the_broker = {"class": "by-design", "reason": "no transactions", "fault": "broker"}
    known = verdict(verdict="DEVIATES-AS-DOCUMENTED", deviation=of_the_broker)
    allure.write(write_run(tmp_path / "run", [known]), [], tmp_path / "out")

    (result,) = results_in(tmp_path / "out").values()

    assert "deviation: by-design (broker): no transactions" in result["statusDetails"]["trace"]


def test_a_scenario_of_several_requirements_is_one_result_with_a_step_each(
    tmp_path: Path, verdict: Callable[..., Record], write_run: Callable[..., Path]
) -> None:
    directory = write_run(
        tmp_path / "run",
        [verdict(), verdict(requirement="SLJ-DEST-009", verdict="VIOLATES", reason="lost")],
    )
    allure.write(directory, [], tmp_path / "out")

    (result,) = results_in(tmp_path / "out").values()

    assert result["status"] == "failed"
    assert [(step["name"], step["status"]) for step in result["steps"]] == [
        ("SLJ-DEST-009 VIOLATES: lost", "failed"),
        ("SLJ-PROP-002 CONFORMS", "passed"),
    ]
    assert {link["name"] for link in result["links"]} == {"SLJ-DEST-009", "SLJ-PROP-002"}


def test_evidence_is_attached_and_what_is_missing_is_said(out: Path) -> None:
    attached = results_in(out)["properties/test_int_property_is_decimal_text"]["attachments"]
    by_name = {attachment["name"]: attachment for attachment in attached}
    lost = results_in(out)["headers/test_nasty[</script>]"]

    assert set(by_name) == {"evidence/raw.txt", "traces/int property.jsonl"}
    assert (out / by_name["evidence/raw.txt"]["source"]).read_text("utf-8") == "raw bytes"
    assert "attachments" not in lost
    assert lost["steps"][-1]["name"] == "traces/gone.jsonl is missing from the run directory"


def test_environment_and_categories(out: Path) -> None:
    facts = environment(out)
    categories = json.loads((out / "categories.json").read_text("utf-8"))

    assert facts["seed"] == "7"
    assert facts["provider.reference"] == "0.1.0 pulsar-client 3.13"
    assert facts["broker.pulsar.plain"] == "4.0.7 embedded"
    assert {status for category in categories for status in category["matchedStatuses"]} == {
        "failed",
        "broken",
        "skipped",
    }


def test_properties_are_escaped(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    providers = [{"name": "a b:c=ü😀", "version": "1\n2", "documents": []}]
    directory = write_run(tmp_path / "run", [], providers=providers)
    allure.write(directory, [], tmp_path / "out")

    text = (tmp_path / "out" / "environment.properties").read_text("ascii")

    assert r"provider.a\ b\:c\=\u00fc\ud83d\ude00=1\n2" in text.splitlines()
