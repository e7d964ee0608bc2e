"""Hostile texts in results and catalogues: commands show them, and nothing obeys them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from commands.hostile_texts import HARMLESS, everything
from commands.made_runs import a_line, write_run
from touchstone.cli import main
from touchstone.commands import explain
from touchstone.commands.output import console
from touchstone.verdicts import ExitStatus

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def two_runs_of(text: str, folder: Path) -> list[str]:
    """Runs that differ in every way that is shown, with a text in every place that takes one."""
    texts: dict[str, Any] = {"scenario": f"headers/test[{text}]", "area": text, "document": text}
    entry = {"class": text, "reason": text, "link": text}
    runs = []
    for number, verdicts in enumerate((("CONFORMS", "VIOLATES"), ("VIOLATES", "INCONCLUSIVE"))):
        lines = [
            a_line(verdict, requirement=requirement, **texts) | {"reason": f"{text}{number}"}
            for verdict, requirement in zip(verdicts, ("SLJ-HDR-001", "SLJ-HDR-002"), strict=True)
        ]
        lines.append(
            a_line("DEVIATES-AS-DOCUMENTED", requirement="SLJ-HDR-003", deviation=entry, **texts)
            | {"observables": {text: f"{text}{number}"}}
        )
        run = write_run(
            folder / f"run-{number}", lines, provider=text,
            id=f"{text}{number}", touchstone=f"{text}{number}",
            brokers=[{"family": text, "way": "embedded", "version": text, "profile": text}],
            stale=[f"{text}{number}"],
            selection={"narrowed_by": [text], "scenarios": [texts["scenario"]]},
        )  # fmt: skip
        runs.append(str(run))
    return runs


@everything
def test_the_comparison_of_runs(
    hostile: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[str] = []
    told: list[str] = []
    for text in (hostile, HARMLESS):
        runs = two_runs_of(text, tmp_path / str(len(shown)))
        assert main(["compare", *runs]) == ExitStatus.UNEXPECTED
        shown.append(capsys.readouterr().out)
        assert main(["compare", *runs, "--json"]) == ExitStatus.UNEXPECTED
        told.append(capsys.readouterr().out)

    lines, harmless = (text.split("\n") for text in shown)
    assert len(lines) == len(harmless) > 10
    kinds = re.compile(r"[\w ,]+: \d+")
    assert [*filter(kinds.fullmatch, lines)] == [*filter(kinds.fullmatch, harmless)]
    data, usual = map(json.loads, told)
    assert data["before"]["provider"] == hostile
    assert [change["kind"] for change in data["changes"]] == [
        change["kind"] for change in usual["changes"]
    ]
    assert not OBEYED.search("".join((*shown, *told)))


@everything
def test_verdicts_over_runs(
    hostile: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts: list[list[int]] = []
    for text in (hostile, HARMLESS):
        folder = tmp_path / str(len(counts))
        two_runs_of(text, folder)
        usual = ["verdicts", "--results-dir", str(folder)]
        assert main(usual) == ExitStatus.NOTHING_UNEXPECTED
        assert main([*usual, "--requirement", "SLJ-HDR-001"]) == ExitStatus.NOTHING_UNEXPECTED
        shown = capsys.readouterr().out
        assert main([*usual, "--json"]) == ExitStatus.NOTHING_UNEXPECTED
        told = capsys.readouterr().out
        assert not OBEYED.search(shown + told)
        counts.append([len(track["verdicts"]) for track in json.loads(told)["tracks"]])
    assert counts[0] == counts[1] == [2, 2]  # what deviates in both runs did not change


@everything
def test_what_is_printed_of_a_requirement(hostile: str, capsys: pytest.CaptureFixture[str]) -> None:
    facts: dict[str, object] = {
        "id": hostile, "area": hostile, "strength": hostile, "statement": hostile,
        "verify": hostile, "note": hostile, "source": [{"title": hostile, "section": hostile}],
        "rules": [{"module": hostile, "name": hostile, "statement": hostile}],
        "scenarios": [{"id": hostile, "presets": [], "shows": hostile}],
        "deviations": [
            {
                "provider": hostile, "broker": hostile, "class": hostile, "fault": hostile,
                "reason": hostile,
            },
        ],
        "mutants": [{"name": hostile, "doc": hostile}],
    }  # fmt: skip
    explain._print(facts)
    shown = capsys.readouterr().out
    assert "Known deviations" in shown
    assert not OBEYED.search(shown)


@everything
def test_a_line_of_a_command(hostile: str, capsys: pytest.CaptureFixture[str]) -> None:
    console().print(f"{hostile} :key:", markup=False)
    shown = capsys.readouterr().out
    assert shown.endswith(" :key:\n")
    assert not OBEYED.search(shown)
