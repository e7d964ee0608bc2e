"""A deviation of a real client is shown again without the harness; a made-up one is not."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from touchstone.cli import main
from touchstone.verdicts import ExitStatus

pytestmark = pytest.mark.thorough

REQUIREMENT = "JMS-PROP-047"
"""Qpid JMS says of a message that was sent that it has JMSXDeliveryCount."""


def reproduced(run: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Status and outcome of the command, and what the program printed."""
    capsys.readouterr()
    status = main(["reproduce", str(run), "--confirm", "--out", str(out), "--json"])
    data = json.loads(capsys.readouterr().out)
    schema = json.loads(
        resources.files("touchstone.commands").joinpath("listings.schema.json").read_text()
    )
    Draft202012Validator({**schema, "$ref": "#/$defs/reproduce"}).validate(data)
    [told] = data["reproducers"]
    return status, told["outcome"], told["told"]


def test_a_deviation_is_confirmed_and_a_made_up_one_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results"
    status = main(
        ["run", "--provider", "qpid", "--results-dir", str(results), "--no-reports",
         "--requirement", REQUIREMENT]
    )  # fmt: skip
    assert status == ExitStatus.NOTHING_UNEXPECTED
    [run] = results.iterdir()

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
