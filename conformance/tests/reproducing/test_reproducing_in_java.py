"""A deviation of a real client is shown again without the harness; a made-up one is not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from touchstone.cli import main
from touchstone.verdicts import ExitStatus

pytestmark = pytest.mark.thorough

REQUIREMENT = "JMS-PROP-047"
"""Qpid JMS says of a message that was sent that it has JMSXDeliveryCount."""


def judged(provider: str, requirements: Sequence[str], results: Path) -> Path:
    """The run of a provider in which only known deviations were seen."""
    chosen = [word for requirement in requirements for word in ("--requirement", requirement)]
    options = ("--results-dir", str(results), "--no-reports", *chosen)
    assert main(["run", "--provider", provider, *options]) == ExitStatus.NOTHING_UNEXPECTED
    [run] = results.iterdir()
    return run


def reproduced(
    run: Path, out: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> tuple[int, str, str]:
    """Status and outcome of the command, and what the program printed."""
    told = attempted(run, out, capsys, *options)
    return told["status"], told["outcome"], told["told"]


def attempted(
    run: Path, out: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> dict[str, Any]:
    """What the command says of the only verdict, and its status."""
    capsys.readouterr()
    status = main(["reproduce", str(run), "--confirm", "--out", str(out), "--json", *options])
    data = json.loads(capsys.readouterr().out)
    schema = json.loads(
        resources.files("touchstone.commands").joinpath("listings.schema.json").read_text()
    )
    Draft202012Validator({**schema, "$ref": "#/$defs/reproduce"}).validate(data)
    [told] = data["reproducers"]
    return {**told, "status": status}


def test_a_deviation_is_confirmed_and_a_made_up_one_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = judged("qpid", [REQUIREMENT], tmp_path / "results")

    status, outcome, told = reproduced(run, tmp_path / "out", capsys)
    assert (status, outcome) == (ExitStatus.NOTHING_UNEXPECTED, "confirmed")
    assert "propertyExists('JMSXDeliveryCount') gave true" in told
    [folder] = (tmp_path / "out" / "qpid").iterdir()
    assert {file.name for file in folder.iterdir()} == {
        *("Reproducer.java", "pom.xml", "ISSUE.md", "OUTPUT.txt")
    }
    program = (folder / "Reproducer.java").read_text()
    assert "touchstone" not in program
    assert "jpype" not in program
    assert "<artifactId>qpid-jms-client</artifactId>" in (folder / "pom.xml").read_text()
    issue = (folder / "ISSUE.md").read_text()
    assert "3.5.9 Jakarta Messaging defined properties" in issue

    [trace] = (run / "traces").iterdir()
    lines = trace.read_text().splitlines()
    [index] = [i for i, line in enumerate(lines) if '"JMSXRcvTimestamp"' in line and "java" in line]
    wrong = json.loads(lines[index])
    assert wrong["got"] == {"boolean": False}
    lines[index] = json.dumps(wrong | {"got": {"boolean": True}})
    trace.write_text("\n".join(lines))

    status, outcome, told = reproduced(run, tmp_path / "wrong", capsys)
    assert (status, outcome) == (ExitStatus.UNEXPECTED, "not confirmed")
    assert told.strip().endswith("NOT SEEN")
    assert "differs: shown was true" in told


def test_a_program_that_accuses_a_client_which_keeps_the_statement_confirms_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The calls that decide become others, which give the same of every client."""
    run = judged("artemis", ["JMS-HDR-022"], tmp_path / "artemis")
    chosen = ("--scenario", "headers/test_sender_reads_the_delivery_time[at once]")
    control = str(judged("qpid", ["JMS-HDR-022", REQUIREMENT], tmp_path / "qpid"))

    told = attempted(run, tmp_path / "out", capsys, *chosen, "--control", control)
    assert (told["outcome"], told["control"]) == ("confirmed", "qpid 2.10.0")
    options = (*chosen, "--control", control, "--shorten")
    shorter = attempted(run, tmp_path / "short", capsys, *options)
    assert (shorter["outcome"], shorter["control"]) == ("confirmed", "qpid 2.10.0")
    assert shorter["calls"] < told["calls"]
    [program] = (tmp_path / "short").rglob("Reproducer.java")
    assert ".getJMSDeliveryTime(" in program.read_text()

    for trace in (run / "traces").iterdir():
        lines = trace.read_text().splitlines()
        other = {"setDeliveryDelay": "setTimeToLive", "getJMSDeliveryTime": "getJMSExpiration"}
        for method, neighbour in other.items():
            lines = [line.replace(method, neighbour) for line in lines]
        trace.write_text("\n".join(lines))
    told = attempted(run, tmp_path / "out", capsys, *chosen)
    assert (told["outcome"], told["control"]) == ("confirmed", "")
    told = attempted(run, tmp_path / "out", capsys, *chosen, "--control", control)
    assert (told["outcome"], told["control"]) == ("not confirmed", "qpid 2.10.0")
    assert told["told"].strip().endswith("qpid 2.10.0 keeps the statement, and shows the same")


def test_a_deviation_of_starlight_shows_on_another_pulsar(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is told the port of the administration, too, and needs no namespace of a run."""
    results = tmp_path / "results"
    scenario = "bodies/test_received_body_is_read_only_until_it_is_cleared[text]"
    status = main(
        ["run", "--provider", "starlight", "--results-dir", str(results), "--no-reports",
         "--requirement", "JMS-BODY-005", "--scenario", scenario]
    )  # fmt: skip
    assert status == ExitStatus.NOTHING_UNEXPECTED
    [run] = results.iterdir()

    status, outcome, _ = reproduced(run, tmp_path / "out", capsys)
    assert (status, outcome) == (ExitStatus.NOTHING_UNEXPECTED, "confirmed")
    [folder] = (tmp_path / "out" / "starlight").iterdir()
    program = (folder / "Reproducer.java").read_text()
    assert '"webServiceUrl", "http://" + HOST + ":" + WEB_PORT' in program
    assert '"jms.systemNamespace", "public/default"' in program
    assert "touchstone" not in program
    assert '-Dexec.args="HOST PORT WEB_PORT"' in (folder / "ISSUE.md").read_text()
