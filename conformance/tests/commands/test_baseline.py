"""Which older run a new one is held to, what `report` ends with, and runs that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from commands.made_runs import EARLY, LATE, WHOLE, a_line, write_run
from touchstone.cli import main
from touchstone.commands.baseline import held_against
from touchstone.verdicts import ExitStatus

NARROWED = {"narrowed_by": ["--draw 25"], "scenarios": ["headers/test_y"]}
BESIDE = a_line(scenario="headers/test_y")
CONFORMING, VIOLATING = [a_line(), BESIDE], [a_line("VIOLATES"), BESIDE]
NOTHING, UNEXPECTED, COULD_NOT = (
    ExitStatus.NOTHING_UNEXPECTED, ExitStatus.UNEXPECTED, ExitStatus.COULD_NOT_JUDGE
)  # fmt: skip


def held(baseline: Path, results: Path, status: ExitStatus, lines: Any, **facts: Any) -> ExitStatus:
    """The status of a run with these lines, which ended so, beside the baseline."""
    with held_against(baseline, results) as status_beside:
        write_run(results / "now", lines, started=LATE, **facts)
        return status_beside(status)


PARTIAL: Mapping[str, tuple[list[Any], dict[str, Any]]] = {
    "narrowed by --draw 25": (CONFORMING, {"selection": NARROWED}),
    "the run did not finish": (CONFORMING, {"finished": None}),
    "nothing was judged": ([a_line("INCONCLUSIVE"), a_line("NOT-APPLICABLE")], {}),
    "it does not say which scenarios were asked for": (CONFORMING, {"selection": None}),
}


def a_partial_run(folder: Path, why: str) -> Path:
    lines, facts = PARTIAL[why]
    return write_run(folder, lines, started=LATE, **facts)


@pytest.mark.parametrize("why", PARTIAL)
def test_the_newest_whole_run_of_a_folder_is_taken_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], why: str
) -> None:
    runs = tmp_path / "runs"
    write_run(runs / "oldest", VIOLATING, started="2025-01-01T00:00:00+00:00")
    write_run(runs / "whole", CONFORMING, started=EARLY)
    a_partial_run(runs / "partial", why)
    write_run(runs / "wrong-client", VIOLATING, provider="mine+mutant:wrong", started=LATE)

    assert held(runs, tmp_path / "results", UNEXPECTED, VIOLATING) is UNEXPECTED

    out = capsys.readouterr().out
    assert f"The baseline of mine is its newest whole run in {runs}: whole" in out
    assert "Newer ones are partial: partial (" in out
    assert why in out
    assert "regression: 1" in out


def test_the_newest_is_the_one_that_was_begun_last_whatever_its_clock_is_set_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(tmp_path / "a", VIOLATING, started="2026-01-01T23:00:00-05:00")
    write_run(tmp_path / "b", CONFORMING, started="2026-01-02T01:00:00+00:00")
    assert held(tmp_path, tmp_path / "results", UNEXPECTED, VIOLATING) is NOTHING
    assert f"newest whole run in {tmp_path}: a" in capsys.readouterr().out


@pytest.mark.parametrize("why", PARTIAL)
def test_where_only_partial_runs_are_everything_unexpected_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], why: str
) -> None:
    a_partial_run(tmp_path / "runs" / "partial", why)
    assert held(tmp_path / "runs", tmp_path / "results", UNEXPECTED, VIOLATING) is UNEXPECTED
    out = capsys.readouterr().out
    assert f"There is no whole run of mine in {tmp_path / 'runs'}" in out
    assert "Those that are there are partial: partial (" in out
    assert why in out


def test_a_run_that_is_named_is_taken_as_it_is_and_told_to_be_partial(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    older = write_run(tmp_path / "older", VIOLATING, selection=NARROWED)
    assert held(older, tmp_path / "results", UNEXPECTED, VIOLATING) is NOTHING
    assert "! partial: narrowed by --draw 25" in capsys.readouterr().out


@pytest.mark.parametrize(("selection", "status"), [(WHOLE, COULD_NOT), (NARROWED, NOTHING)])
def test_what_is_not_judged_any_more_fails_unless_it_was_not_asked_for(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    selection: Mapping[str, Any],
    status: ExitStatus,
) -> None:
    older = write_run(tmp_path / "older", VIOLATING)
    assert held(older, tmp_path / "results", NOTHING, [BESIDE], selection=selection) is status
    out = capsys.readouterr().out
    assert ("VIOLATES -> -  headers/test_x" in out) == (status is COULD_NOT)
    assert ("not asked for: 1" in out) == (status is NOTHING)


def test_what_fails_a_run_besides_its_verdicts_counts_as_ever(tmp_path: Path) -> None:
    older = write_run(tmp_path / "older", CONFORMING)
    assert held(older, tmp_path / "results", UNEXPECTED, CONFORMING) is UNEXPECTED


def test_a_run_that_judged_nothing_is_no_success_beside_one_that_did_not_either(
    tmp_path: Path,
) -> None:
    lines = [a_line("INCONCLUSIVE")]
    older = write_run(tmp_path / "older", lines)
    assert held(older, tmp_path / "results", COULD_NOT, lines) is COULD_NOT


@pytest.mark.parametrize(("begun", "status"), [(0, NOTHING), (2, NOTHING), (2, UNEXPECTED)])
def test_where_no_run_or_several_were_begun_nothing_is_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], begun: int, status: ExitStatus
) -> None:
    older = write_run(tmp_path / "older", CONFORMING)
    with held_against(older, tmp_path / "results") as status_beside:
        for number in range(begun):
            write_run(tmp_path / "results" / str(number), CONFORMING)
        assert status_beside(status) is (status or COULD_NOT)
    assert f"{begun} runs were begun in" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lines", "facts", "status"),
    [
        (CONFORMING, {}, 0),
        (VIOLATING, {}, 1),
        ([a_line("VIOLATES", strength="should"), BESIDE], {}, 0),
        ([a_line("VIOLATES", strength="should"), BESIDE], {"strict_should": True}, 1),
        ([a_line("INCONCLUSIVE"), BESIDE], {}, 2),
        ([a_line("INCONCLUSIVE"), BESIDE], {"allow_inconclusive": "no rights"}, 0),
        ([a_line("INCONCLUSIVE")], {"allow_inconclusive": "no rights"}, 2),
        ([a_line("NOT-APPLICABLE")], {}, 2),
        ([], {}, 2),
        (CONFORMING, {"finished": None}, 2),
        (CONFORMING, {"stale": ["mine.toml: SLJ-HDR-001 in any scenario"]}, 1),
        (CONFORMING, {"exit_status": 1}, 1),
        (CONFORMING, {"exit_status": 3}, 3),
        (VIOLATING, {"exit_status": 0}, 1),
    ],
)
def test_a_report_ends_as_its_runs_do(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    lines: list[Any],
    facts: dict[str, Any],
    status: int,
) -> None:
    run = write_run(tmp_path / "a", lines, **facts)
    well = write_run(tmp_path / "b", CONFORMING, provider="other")
    assert main(["report", str(run)]) == status
    assert main(["report", str(well), str(run), "--out", str(tmp_path / "both")]) == status
    assert main(["report", "--results-dir", str(tmp_path)]) == status
    out = capsys.readouterr().out
    assert all(
        f"stale deviation, it did not happen: {stale}" in out for stale in facts.get("stale", ())
    )


def whole_text(folder: Path) -> str:
    return (write_run(folder, CONFORMING) / "run.json").read_text()


HOSTILE: Mapping[str, Any] = {
    "truncated": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "no object": lambda text: "[]",
    "null": lambda text: "null",
    "deep": lambda text: "[" * 200_000,
    "providers of another type": lambda text: text.replace('"mine"', "5"),
    "no providers": lambda text: json.dumps({**json.loads(text), "providers": 5}),
    "a selection of another type": lambda text: json.dumps({**json.loads(text), "selection": [1]}),
    "an unknown status": lambda text: json.dumps({**json.loads(text), "exit_status": 77}),
    "a boolean status": lambda text: json.dumps({**json.loads(text), "exit_status": True}),
    "a day that is none": lambda text: text.replace("2026-01-01", "2026-13-41"),
}


@pytest.mark.parametrize("how", [*HOSTILE, "a folder", "verdicts in a folder", "bytes"])
def test_a_run_that_cannot_be_read_is_one_fault_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    well = write_run(tmp_path / "well", CONFORMING)
    folder = tmp_path / "hostile"
    text = whole_text(folder)
    file = folder / ("verdicts.jsonl" if how.startswith("verdicts") else "run.json")
    file.unlink()
    if how.endswith("folder"):
        file.mkdir()
    elif how == "bytes":
        file.write_bytes(b"\xff\xfe{}")
    else:
        file.write_text(HOSTILE[how](text))

    run = ["run", "--results-dir", str(tmp_path / "results"), "--baseline"]
    for command in (["compare", str(well)], ["report"], run):
        assert main([*command, str(folder)]) == ExitStatus.FAULT
        error = capsys.readouterr().err
        assert "Traceback" not in error
        assert str(folder) in error
    assert main(["report", "--results-dir", str(tmp_path), "--provider", "mine"]) == NOTHING
