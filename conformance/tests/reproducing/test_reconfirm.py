"""Confirmations are drawn, judged and shown anew; one that is not shown again fails."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from touchstone.catalogue import load_library
from touchstone.catalogue.confirmations import ConfirmationOutcome, load_confirmations
from touchstone.catalogue.items import is_of_drawn_programs
from touchstone.cli import main
from touchstone.commands import reconfirm
from touchstone.reproducing.control import Control
from touchstone.verdicts import ExitStatus


def reconfirmed(
    capsys: pytest.CaptureFixture[str], folder: Path, *options: str
) -> tuple[int, dict[str, Any]]:
    """The status of the command, and what it printed."""
    capsys.readouterr()
    places = ("--results-dir", str(folder / "results"), "--out", str(folder / "out"))
    status = main(["reconfirm", "--json", *places, *options])
    data = json.loads(capsys.readouterr().out)
    schema = json.loads(
        resources.files("touchstone.commands").joinpath("listings.schema.json").read_text()
    )
    Draft202012Validator({**schema, "$ref": "#/$defs/reconfirm"}).validate(data)
    return status, data


@pytest.mark.thorough
def test_what_is_drawn_is_shown_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, data = reconfirmed(
        capsys, tmp_path, "--provider", "qpid", "--draw", "2", "--touchstone-seed", "4"
    )
    assert [each["outcome"] for each in data["confirmations"]] == ["confirmed", "confirmed"]
    assert status == ExitStatus.NOTHING_UNEXPECTED
    assert len(list(tmp_path.glob("out/qpid*/*/OUTPUT.txt"))) == 2  # on any broker


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [("CONFORMS", "conforms"), ("INCONCLUSIVE", "inconclusive"), (None, "not judged")],
)
def test_what_its_scenario_shows_no_more_says_its_verdict(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    verdict: str | None,
    outcome: str,
) -> None:
    rows = load_confirmations(load_library())["rabbitmq.toml"]
    row = next(row for row in rows if row.outcome is ConfirmationOutcome.CONFIRMED)
    line = {"scenario": row.scenario, "requirement": row.requirement, "verdict": verdict}
    (tmp_path / "run.json").write_text('{"brokers": [], "providers": []}')
    (tmp_path / "verdicts.jsonl").write_text(f"{json.dumps(line)}\n" if verdict else "")
    monkeypatch.setattr(reconfirm, "judge_into", lambda *_, **__: (ExitStatus(0), tmp_path))
    monkeypatch.setattr(reconfirm, "_candidates", lambda *_, **__: [("rabbitmq", row)])
    status, data = reconfirmed(capsys, tmp_path)
    assert [each["outcome"] for each in data["confirmations"]] == [outcome]
    assert status == ExitStatus.UNEXPECTED


def test_the_same_seed_draws_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reconfirm, "judge_into", lambda *_, **__: (ExitStatus(0), None))
    drawn = [
        reconfirmed(capsys, tmp_path, "--draw", "4", "--touchstone-seed", seed)
        for seed in ("1", "1", "2")
    ]
    assert drawn[0] == drawn[1]
    assert drawn[0][1]["confirmations"] != drawn[2][1]["confirmations"]


def test_each_is_judged_on_the_java_that_it_was_seen_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: dict[str, set[str]] = {}

    def judge(_: Path, __: str, ___: list[str], options: list[str], **____: Any) -> Any:
        told = [pair[1] for pair in pairwise(options) if pair[0] == "--scenario"]
        judged[options[options.index("--java") + 1]] = set(told)
        return ExitStatus(0), None

    monkeypatch.setattr(reconfirm, "judge_into", judge)
    reconfirmed(capsys, tmp_path, "--provider", "openmq", "--draw", "40")
    rows = load_confirmations(load_library())["openmq.toml"]
    assert judged
    for java, scenarios in judged.items():
        seen = {row.scenario for row in rows if row.java.split(".")[0] == java}
        assert scenarios <= seen


def test_only_what_comes_each_time_and_in_each_run_is_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reconfirm, "judge_into", lambda *_, **__: (ExitStatus(0), None))
    recorded = [
        row
        for rows in load_confirmations(load_library()).values()
        for row in rows
        if row.outcome is ConfirmationOutcome.CONFIRMED
    ]
    assert any(is_of_drawn_programs(row.scenario) for row in recorded)
    _, data = reconfirmed(capsys, tmp_path, "--draw", "100000")
    drawn = [(each["scenario"], each["requirement"]) for each in data["confirmations"]]
    assert drawn
    assert not any(is_of_drawn_programs(scenario) for scenario, _ in drawn)
    assert set(drawn) <= {(row.scenario, row.requirement) for row in recorded}


def test_where_nothing_is_confirmed_nothing_can_be_drawn(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["reconfirm", "--provider", "nobody"]) == ExitStatus.FAULT
    assert "Nothing of nobody is confirmed" in capsys.readouterr().err


def test_what_a_later_release_mended_is_drawn_and_locked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    locked: list[tuple[str, Sequence[str]]] = []
    monkeypatch.setattr(reconfirm, "judge_into", lambda *_, **__: (ExitStatus(0), None))
    monkeypatch.setattr(
        reconfirm, "lock_missing", lambda client, releases: locked.append((str(client), releases))
    )
    _, data = reconfirmed(capsys, tmp_path, "--mended", "--draw", "100000")
    drawn = {(each["provider"], each["requirement"]) for each in data["confirmations"]}
    assert ("rabbitmq@1.6.0", "JMS-HDR-006") in drawn
    assert all("@" in provider for provider, _ in drawn)
    assert ("rabbitmq", ["1.6.0", "2.2.0"]) in locked


@pytest.mark.parametrize(
    ("control", "outcome"),
    [("qpid 2.10.0", "confirmed"), ("", "not held"), ("openmq 6.6.0", "not held")],
)
def test_what_was_held_against_a_control_has_to_be_held_again(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    control: str,
    outcome: str,
) -> None:
    rows = load_confirmations(load_library())["rabbitmq.toml"]
    row = next(row for row in rows if row.control == "qpid 2.10.0")
    accusation = SimpleNamespace(judged=(row.scenario, row.requirement), name="it")
    attempt = SimpleNamespace(outcome=ConfirmationOutcome.CONFIRMED, control=control)
    judged: list[str] = []
    (tmp_path / "run.json").write_text("{}")
    (tmp_path / "verdicts.jsonl").write_text("")

    def judge(_: Path, provider: str, *__: object, **___: object) -> tuple[ExitStatus, Path]:
        judged.append(provider)
        return ExitStatus(0), tmp_path

    monkeypatch.setattr(reconfirm, "judge_into", judge)
    monkeypatch.setattr(reconfirm, "_candidates", lambda *_, **__: [("rabbitmq", row)])
    monkeypatch.setattr(reconfirm, "accusations", lambda _: [accusation])
    monkeypatch.setattr(Control, "of_run", lambda _: None)
    monkeypatch.setattr(reconfirm, "attempts", lambda *_: [attempt])
    status, data = reconfirmed(capsys, tmp_path)
    assert [each["outcome"] for each in data["confirmations"]] == [outcome]
    assert status == (ExitStatus(0) if outcome == "confirmed" else ExitStatus.UNEXPECTED)
    assert judged == ["rabbitmq", "qpid@2.10.0"]
