"""`touchstone run --lf` judges again what was not as expected in a provider's newest run."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from commands.made_runs import EARLY, LATE, a_line, write_run
from touchstone.cli import main
from touchstone.commands import run
from touchstone.verdicts import ExitStatus


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The options of each run that was made."""
    made: list[list[str]] = []

    def judge(_: object, options: list[str]) -> ExitStatus:
        made.append(options)
        return ExitStatus.UNEXPECTED

    monkeypatch.setattr(run, "judge", judge)
    return made


def chosen(options: list[str]) -> list[str]:
    return [name for option, name in pairwise(options) if option == "--scenario"]


def test_what_failed_in_the_newest_run_is_judged_again(
    tmp_path: Path, judged: list[list[str]]
) -> None:
    write_run(tmp_path / "1", [a_line("VIOLATES", scenario="headers/test_old")], started=EARLY)
    lines = [
        a_line("VIOLATES", scenario="headers/test_b"),
        a_line("INCONCLUSIVE", scenario="headers/test_a[x]"),
        a_line("VIOLATES", scenario="headers/test_a[x]", requirement="SLJ-HDR-002"),
        a_line(scenario="headers/test_right"),
    ]
    write_run(tmp_path / "2", lines, started=LATE)
    status = main(["run", "--provider", "mine", "--lf", "--results-dir", str(tmp_path), "-x"])
    assert status == ExitStatus.UNEXPECTED
    [options] = judged
    assert chosen(options) == ["headers/test_a[x]", "headers/test_b"]
    assert "-x" in options
    assert "--drawn" not in options


def test_drawn_programs_are_drawn_for_what_they_showed(
    tmp_path: Path, judged: list[list[str]]
) -> None:
    name = "sessions/test_drawn_programs_on_sessions"
    write_run(tmp_path / "1", [a_line("VIOLATES", scenario=name)])
    main(["run", "--provider", "mine", "--last-failed", "--results-dir", str(tmp_path)])
    assert "--drawn" in judged[0]


def test_where_nothing_failed_nothing_is_judged(
    tmp_path: Path, judged: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(tmp_path / "1", [a_line()])
    status = main(["run", "--provider", "mine", "--lf", "--results-dir", str(tmp_path)])
    assert status == ExitStatus.NOTHING_UNEXPECTED
    assert judged == []
    assert "mine: nothing failed in" in capsys.readouterr().out


def test_without_a_run_there_is_nothing_to_choose_from(
    tmp_path: Path, judged: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["run", "--provider", "mine", "--lf", "--results-dir", str(tmp_path)])
    assert status == ExitStatus.FAULT
    assert judged == []
    assert "There is no run" in capsys.readouterr().err


def test_a_run_goes_on_with_all_that_it_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_run(tmp_path / "1", [a_line()], finished=None)
    assert main(["run", "--resume", str(folder), "--lf"]) == ExitStatus.FAULT
    assert "--resume and --last-failed were both given" in capsys.readouterr().err
