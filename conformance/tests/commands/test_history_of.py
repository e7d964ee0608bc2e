"""`touchstone history-of`: which releases are judged, how one is had, and what is told of them.

A script stands for Maven (`test_lock`), and made-up folders for the runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from commands.made_runs import EARLY, a_line, write_run
from commands.test_lock import maven
from commands.test_runs_compared import assert_listed
from jms_clients import artemis, qpid
from jms_clients.errors import ProviderError
from touchstone.cli import main
from touchstone.commands import run
from touchstone.verdicts import ExitStatus

__all__ = ["maven"]

VERDICTS = {
    "1.16.0": ("VIOLATES", "CONFORMS", "CONFORMS", "NOT-APPLICABLE"),
    "2.10.0": ("CONFORMS", "CONFORMS", "INCONCLUSIVE", "VIOLATES"),
}
OLD, NEW = VERDICTS
Asked = list[Sequence[str]]


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the runs are asked; each leaves a folder, with the verdicts of its release."""
    options_of: Asked = []

    def judged(
        packages: Sequence[str], options: Sequence[str], more: Mapping[str, str] | None, **_: bool
    ) -> ExitStatus:
        assert packages
        options_of.append(options)
        provider = options[1]
        version = provider.partition("@")[2]
        lines = [
            a_line(verdict, scenario=f"headers/test_{place}")
            for place, verdict in enumerate(VERDICTS[version])
        ]
        told = ["qpid.toml: JMS-HDR-001"] if version == OLD else []
        write_run(
            tmp_path / "results" / version, lines, provider=provider, started=EARLY, not_shown=told
        )
        return ExitStatus.UNEXPECTED if version == OLD else ExitStatus.COULD_NOT_JUDGE

    monkeypatch.setattr(run, "judge", judged)
    monkeypatch.chdir(tmp_path)
    return options_of


def test_each_release_is_judged_alike_and_what_changed_is_told(
    asked: Asked, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["history-of", "qpid", OLD, NEW, "--area", "headers", "-k", "word"])

    assert status == ExitStatus.UNEXPECTED
    assert [options[:2] for options in asked] == [
        ["--provider", f"qpid@{version}"] for version in VERDICTS
    ]
    [options] = {tuple(options[2:]) for options in asked}
    assert options[-6:-2] == ("--area", "headers", "-k", "word")
    assert options[-2] == "--touchstone-seed"
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert (
        f"{OLD}: 1 entry of deviations did not show with this release, seen with another one"
        in (lines)
    )
    assert lines[lines.index("changed: 1") + 2] == (
        f"SLJ-HDR-001 headers/test_0 ✗ violates ✓ conforms {NEW} ✓ conforms"
    )
    assert lines[lines.index("could not be judged in some releases: 1") + 2] == (
        "SLJ-HDR-001 headers/test_2 ✓ conforms ? inconclusive"
    )
    assert lines[lines.index("does not concern some releases: 1") + 2] == (
        "SLJ-HDR-001 headers/test_3 \N{EN DASH} not applicable ✗ violates"
    )
    assert "the same in all releases: 1" in lines
    folder = tmp_path / "results" / "history-of-qpid"
    page = (folder / "changes.md").read_text("utf-8")
    assert "| SLJ-HDR-001 | headers/test\\_0 | ✗ violates | ✓ conforms |" in page
    assert "test\\_1" not in page
    assert "SLJ-HDR-001" in (folder / "report.html").read_text("utf-8")
    assert f"changed in {NEW} ✓ conforms" in (folder / "changes.html").read_text("utf-8")


def test_the_seed_may_be_given(asked: Asked) -> None:
    main(["history-of", "qpid", OLD, NEW, "--touchstone-seed=7"])
    assert [options[-1] for options in asked] == ["--touchstone-seed=7"] * 2


@pytest.mark.usefixtures("asked")
def test_programs_get_json_alone(capsys: pytest.CaptureFixture[str]) -> None:
    main(["history-of", "qpid", OLD, NEW, "--json"])

    printed = capsys.readouterr()
    told = json.loads(printed.out)
    assert_listed("history-of", told)
    assert f"qpid@{OLD}" in printed.err
    assert told["releases"] == [
        {"version": OLD, "run": OLD, "status": 1, "not_shown": ["qpid.toml: JMS-HDR-001"]},
        {"version": NEW, "run": NEW, "status": 2, "not_shown": []},
    ]
    assert told["counts"] == {
        "changed": 1, "otherwise": 0, "chance": 0, "unknown": 1, "not_concerned": 1, "same": 1,
    }  # fmt: skip
    [changed] = [row for row in told["rows"] if row["changed_in"]]
    assert changed["changed_in"] == [NEW]
    assert changed["verdicts"][NEW] == {"verdict": "CONFORMS", "reason": None}


def test_a_release_that_is_not_there_is_locked(
    asked: Asked, maven: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(VERDICTS, "0.0.1", VERDICTS[OLD])

    main(["history-of", "qpid", "0.0.1", NEW])

    assert [options[1] for options in asked] == ["qpid@0.0.1", f"qpid@{NEW}"]
    assert qpid.RELEASES.known[0] == "0.0.1"
    assert "<artifactId>qpid-jms-client</artifactId><version>0.0.1<" in maven.read_text()


def test_a_release_that_there_is_not_is_one_clear_error(
    asked: Asked, maven: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = maven.parent / "bin" / "mvn"
    script.write_text("#!/bin/sh\necho '[ERROR] Could not find artifact'\nexit 1\n")

    assert main(["history-of", "qpid", "1.16.0", "9.9.9"]) == ExitStatus.COULD_NOT_JUDGE

    assert asked == []
    told = capsys.readouterr().err
    assert "Qpid JMS 9.9.9 cannot be had" in told
    assert "Could not find artifact" in told
    assert "/org/apache/qpid/qpid-jms-client/maven-metadata.xml" in told
    assert "locked are 1.16.0, 2.10.0" in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["qpid", "2.10.0"], "two releases or more"),
        (["qpid", "2.10.0", "2.10.0"], "two releases or more"),
        (["qpid@1.16.0", "1.16.0", "2.10.0"], "two releases or more"),
        (["qpit", "1.0", "2.0"], "There is no provider 'qpit'"),
        (["artemis", "2.50.0", "2.55.0"], "It is not known which jar"),
    ],
)
def test_wrong_usage_is_told(
    asked: Asked, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history-of", *arguments]) == ExitStatus.FAULT
    assert told in capsys.readouterr().err
    assert asked == []


def test_the_newest_lock_says_what_a_client_is_called() -> None:
    assert qpid.RELEASES.coordinates("0.1") == "org.apache.qpid:qpid-jms-client:0.1"
    with pytest.raises(ProviderError, match="It is not known which jar"):
        artemis.RELEASES.coordinates("2.50.0")
