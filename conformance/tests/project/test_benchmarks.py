"""The benchmarks' own conduct: what they keep, and what they refuse."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench import kept, live, timing, volume
from jms_histories.history.simulation.truth import NAME as EXPECTED

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 1, 2, tzinfo=UTC)


def test_results_of_other_arguments_are_kept_apart(tmp_path: Path) -> None:
    many, few = (
        kept.write(tmp_path, "volume", {"messages": messages}, {"seconds": 1}, "abc", NOW)
        for messages in (10_000_000, 10_000)
    )
    assert many != few
    assert json.loads(many.read_text()) == {
        "date": "2026-01-02",
        "commit": "abc",
        "arguments": {"messages": 10_000_000},
        "seconds": 1,
    }
    assert many.name == "volume-messages=10000000-20260102-abc.json"


def test_a_result_of_the_same_arguments_takes_the_place_of_the_former(tmp_path: Path) -> None:
    for seconds in (1, 2):
        path = kept.write(tmp_path, "memory", {"seed": 1}, {"seconds": seconds}, "abc", NOW)
    assert json.loads(path.read_text())["seconds"] == 2
    assert [*tmp_path.iterdir()] == [path]


def test_any_argument_makes_the_name_of_a_file(tmp_path: Path) -> None:
    arguments = {"provider": "reference/rabbitmq", "document": None}
    path = kept.write(tmp_path, "stability", arguments, {}, "abc", NOW)
    assert path.parent == tmp_path
    assert path.is_file()


@pytest.mark.parametrize(("what", "least"), [("volume", "10,000"), ("memory", "1,000")])
def test_fewer_messages_than_there_is_room_for_anomalies_are_refused(what: str, least: str) -> None:
    command = [sys.executable, "-m", "bench", "recorder", what, "--messages", "999"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"--messages 999: {what} needs {least} or more" in done.stderr
    assert not done.stdout


@pytest.mark.parametrize(("what", "rounds"), [("workload", "4"), ("volume", "0")])
def test_fewer_rounds_than_tell_something_are_refused(what: str, rounds: str) -> None:
    command = [sys.executable, "-m", "bench", "recorder", what, "--rounds", rounds]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"--rounds {rounds}: of fewer than" in done.stderr
    assert not done.stdout


@pytest.mark.parametrize("preset", ["plain", "hard"])
def test_the_smallest_history_has_room_for_the_anomalies_that_it_gets(
    tmp_path: Path, preset: str
) -> None:
    history = volume.make(tmp_path / "history", volume.LEAST // 10, 1, preset)
    counts = json.loads((history / EXPECTED).read_text())["counts"]
    assert counts["D05"]["violations"] > 0


def test_of_a_live_run_figures_and_verdicts_are_kept_without_findings() -> None:
    figures = {"violations": 0, "shoulds": 0, "power": 7}
    judged = {"id": "D01", "promised": True, "verdict": "CONFORMS", **figures}
    found = {"id": "D02", "promised": False, "verdict": None, **figures, "violations": 1}
    neither = {"id": "D03", "promised": False, "verdict": None, **figures}
    report = {
        "settings": {"sent_a_second": 9000},
        "verdict": "VIOLATES",
        "checks": [judged, found, neither],
        "findings": [{"uid": 1}],
        "statistics": {"redelivery_causes": {"RECOVER": 2}, "latency": {"bins": [1]}},
        "plan": {"name": "screened", "bytes": 5, "seconds": 3.0, "steps": []},
    }
    content = live.Live({"received": 8}, report, 20.0, 10.0).described()
    assert set(content) == {
        *("load", "processors", "workload", "received", "seconds", "verdict", "checks"),
        *("redeliveries", "plan"),
    }
    assert content["checks"] == {
        "D01": {"promised": True, "verdict": "CONFORMS", **figures},
        "D02": {"promised": False, "verdict": None, **figures, "violations": 1},
    }
    assert content["seconds"] == {"workload run": 20.0, "verify": 10.0}


def test_scenarios_that_judge_time_are_found_by_what_they_call() -> None:
    source = """
def departures(waits): bounded(waits[0])
def waited(jms): return timed(jms)
def by_a_call(jms): departures(jms)
def by_a_fixture(waited): assert waited
def by_an_attribute(jms): checks.no_overlap(jms)
def by_none(jms): assert before <= jms.receive().jms_timestamp <= now()
"""
    assert timing.functions_that_judge_time(source) == {
        "departures", "waited", "by_a_call", "by_a_fixture", "by_an_attribute"
    }  # fmt: skip
