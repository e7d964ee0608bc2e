"""`touchstone verdicts`: which verdicts of a folder are told, to people, programs and on a page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands.made_runs import a_line, write_run
from commands.test_runs_compared import assert_listed
from touchstone.cli import main
from touchstone.verdicts import ExitStatus


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Three runs of a client: one scenario changes twice, a case of another never."""
    for day, verdict in enumerate(("CONFORMS", "VIOLATES", "CONFORMS"), start=1):
        lines = [
            a_line(verdict),
            a_line(scenario="headers/test_y[one]", requirement="SLJ-HDR-002"),
        ]
        started = f"2026-01-{day:02}T00:00:00+00:00"
        write_run(tmp_path / "results" / f"day-{day}", lines, provider="mine@9", started=started)
    other = [a_line("VIOLATES")]
    write_run(tmp_path / "results" / "else", other, provider="other", started=started)
    return tmp_path / "results"


def test_one_scenario_is_told_run_by_run(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--scenario", "headers/test_x", "--provider", "mine"]
    status = main(["verdicts", *asked, "--results-dir", str(results)])

    assert status == ExitStatus.NOTHING_UNEXPECTED
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines() if line]
    who = "mine 9 on pulsar 4.0.7"
    assert lines == [
        "SLJ-HDR-001 headers/test_x, mine on pulsar: changed 2 times in 3 runs",
        f"first change: regression, {who} (day-1) -> {who} (day-2)",
        f"last change: improvement, {who} (day-2) -> {who} (day-3)",
        "started version broker Java verdict change run",
        "2026-01-01 00:00 UTC 9 pulsar 4.0.7 ✓ CONFORMS day-1",
        "2026-01-02 00:00 UTC 9 pulsar 4.0.7 ✗ VIOLATES regression day-2",
        "2026-01-03 00:00 UTC 9 pulsar 4.0.7 ✓ CONFORMS improvement day-3",
    ]


def test_without_a_name_only_what_changed_is_told(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["verdicts", "--results-dir", str(results)])
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "1 of 3 changed",
        "changes runs requirement scenario client brokers last change",
        "2 3 SLJ-HDR-001 headers/test_x mine pulsar improvement, day-3",
    ]


@pytest.mark.parametrize(
    ("asked", "tracks"),
    [
        (["--requirement", "SLJ-HDR-001"], [("mine", 2), ("other", 0)]),
        (["--scenario", "headers/test_y"], [("mine", 0)]),
        (["--scenario", "headers/test_y[one]", "--provider", "mine@9"], [("mine", 0)]),
        ([], [("mine", 2)]),
    ],
)
def test_programs_get_json(
    results: Path,
    capsys: pytest.CaptureFixture[str],
    asked: list[str],
    tracks: list[tuple[str, int]],
) -> None:
    main(["verdicts", *asked, "--results-dir", str(results), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert_listed("verdicts", told)
    assert [(track["client"], track["changed"]) for track in told["tracks"]] == tracks
    for track in told["tracks"]:
        assert len(track["changes"]) == track["changed"]
        assert [one["started"] for one in track["verdicts"]] == sorted(
            one["started"] for one in track["verdicts"]
        )


def test_a_page_is_written_where_it_is_asked_for(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--requirement", "SLJ-HDR-001", "--results-dir", str(results)]
    main(["verdicts", *asked, "--out", str(tmp_path / "out")])
    page = (tmp_path / "out" / "verdicts.html").read_text("utf-8")
    assert "changed 2 times in 3 runs" in page
    assert "because of VIOLATES [red]" in page
    assert "verdicts.html" in capsys.readouterr().out


def test_what_no_run_has_is_said(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["verdicts", "--scenario", "no/such", "--results-dir", str(results)])
    assert status == ExitStatus.FAULT
    assert "has such a verdict" in capsys.readouterr().err
