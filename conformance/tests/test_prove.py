"""`touchstone prove`: how far a wrong client's run goes, and what counts as noticed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest

from touchstone.cli import main
from touchstone.commands import prove
from touchstone.mutants.registry import mutant

ANY = "redelivered-false"
"""A wrong client that each scenario of its ids may notice."""
CERTAIN = "hands-out-one-in-fifty-twice"
"""A wrong client that certain scenarios have to notice in each of its ids."""
CERTAIN_OF_ONE = "unreadable-messages-end-listeners"
"""One that certain scenarios have to notice in its only id."""


class Runs:
    """Answers in place of runs of scenarios, and what was asked for."""

    def __init__(self, *answers: tuple[tuple[str, ...], str, str]) -> None:
        self.answers = list(answers)
        self.first_only: list[bool] = []
        self.files: list[str] = []

    def __call__(
        self, one: object, files: Sequence[str], options: Sequence[str], *_: object
    ) -> tuple[tuple[str, ...], str, str]:
        self.files = list(files)
        self.first_only.append("--exitfirst" in options)
        return self.answers.pop(0)


def replaced(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is run, so nothing has to be collected."""
    monkeypatch.setattr(prove, "_judged", runs)
    monkeypatch.setattr(prove, "_warm", lambda *_: nullcontext())


def proof(
    runs: Runs, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    *more: str,
) -> tuple[int, dict[str, object]]:  # fmt: skip
    replaced(runs, monkeypatch)
    code = main(["prove", "--mutant", name, "--json", *more])
    [told] = json.loads(capsys.readouterr().out)["proofs"]
    return code, told


def test_a_run_ends_at_the_first_scenario_that_notices(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    noticed = mutant(ANY).violates[:1]
    runs = Runs((noticed, "", ""))
    code, told = proof(runs, ANY, monkeypatch, capsys)
    assert (code, told["noticed_by"], told["problem"]) == (0, list(noticed), None)
    assert runs.first_only == [True]
    assert runs.files
    assert all(Path(file).name.startswith("test_") for file in runs.files)


def test_where_the_first_failure_says_nothing_the_whole_decides(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = Runs(((), "not noticed: {}", "the first"), ((), "not noticed: {}", "the whole"))
    code, told = proof(runs, ANY, monkeypatch, capsys)
    assert (code, told["problem"]) == (1, "not noticed: {}")
    assert runs.first_only == [True, False]


def test_the_whole_can_be_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = Runs((mutant(ANY).violates, "", ""))
    assert proof(runs, ANY, monkeypatch, capsys, "--whole")[0] == 0
    assert runs.first_only == [False]


def test_certain_scenarios_of_one_id_end_at_the_first_that_notices(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert mutant(CERTAIN_OF_ONE).scenarios
    runs = Runs((mutant(CERTAIN_OF_ONE).violates, "", ""))
    assert proof(runs, CERTAIN_OF_ONE, monkeypatch, capsys)[0] == 0
    assert runs.first_only == [True]


def test_certain_scenarios_of_several_ids_run_to_their_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert mutant(CERTAIN).scenarios
    assert len(mutant(CERTAIN).violates) > 1
    runs = Runs((mutant(CERTAIN).violates, "", ""))
    assert proof(runs, CERTAIN, monkeypatch, capsys)[0] == 0
    assert runs.first_only == [False]


def test_what_the_run_of_an_unnoticed_one_printed_comes_last(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = "\n".join(f"line {number}" for number in range(100))
    runs = Runs(((), "nothing was judged", ""), ((), "nothing was judged", printed))
    replaced(runs, monkeypatch)
    assert main(["prove", "--mutant", ANY]) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"\n{ANY}: nothing was judged\n")
    assert told.endswith(f"  line 98\n  line 99\n\nNot noticed: {ANY}\n")
    assert told.count("  line ") == prove.LINES_KEPT
