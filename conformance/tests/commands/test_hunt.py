"""`touchstone hunt`: what it asks pytest for, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from touchstone.catalogue.items import Scenario
from touchstone.cli import main
from touchstone.commands import hunt
from touchstone.judging.options import ScenarioSelection
from touchstone.verdicts import ExitStatus

DRAWN = "/test_drawn_"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """The options of each run that would have begun."""
    runs: list[Sequence[str]] = []

    def judge(_: Sequence[str], options: Sequence[str]) -> ExitStatus:
        runs.append(options)
        return ExitStatus.NOTHING_UNEXPECTED

    monkeypatch.setattr(hunt, "judge", judge)
    return runs


def test_scenarios_that_draw_share_the_time(asked: list[Sequence[str]]) -> None:
    assert main(["hunt", "--minutes", "7", "-n", "2"]) == ExitStatus.NOTHING_UNEXPECTED
    [options] = asked
    drawn = [word for word in options if DRAWN in word]
    assert len(drawn) == len(set(drawn)) > 5
    seconds = float(options[options.index("--touchstone-hunt") + 1])
    assert seconds * len(drawn) == pytest.approx(7 * 60)
    assert options[-2:] == ["-n", "2"]


def test_a_statement_chooses_the_programs_on_it(asked: list[Sequence[str]]) -> None:
    assert (
        main(["hunt", "--requirement", "API-MAP-027", "--minutes", "1"])
        == ExitStatus.NOTHING_UNEXPECTED
    )
    [options] = asked
    assert [word for word in options if DRAWN in word] == [
        "bodies/test_drawn_programs_on_map_messages"
    ]
    assert "API-MAP-027" in options


def test_it_draws_from_a_seed_on(asked: list[Sequence[str]]) -> None:
    main(["hunt", "--requirement", "API-MAP-027", "--seed", "7"])
    [options] = asked
    assert options[options.index("--touchstone-seed") + 1] == "7"


def test_it_draws_other_programs_than_every_run(tmp_path: Path) -> None:
    status = main(
        ["hunt", "--requirement", "API-MAP-027", "--minutes", "0.02", "--seed", "7", "-n", "0",
         "--results-dir", str(tmp_path)]
    )  # fmt: skip
    assert status == ExitStatus.NOTHING_UNEXPECTED
    [run] = tmp_path.iterdir()
    told = [json.loads(line) for line in (run / "verdicts.jsonl").read_text().splitlines()]
    of_map = [each for each in told if each["requirement"] == "API-MAP-027"]
    assert [each["verdict"] for each in of_map] == ["CONFORMS"]
    assert json.loads((run / "run.json").read_text())["stale"] == []


def test_a_seed_is_replayed_alone(asked: list[Sequence[str]]) -> None:
    main(["hunt", "--requirement", "API-MAP-027", "--replay", "1234"])
    [options] = asked
    assert options[options.index("--touchstone-hunt") + 1] == "0.0"
    assert options[options.index("--touchstone-replay") + 1] == "1234"


@pytest.mark.parametrize(
    ("shows", "minutes", "verdict", "reason", "ends"),
    [
        ("read_bytes of a * is left gave null", "9", "DEVIATES-AS-DOCUMENTED", "read_bytes of", 0),
        ("close of * gave null", "0.1", "NOT-APPLICABLE", "no program of this hunt has decided", 2),
    ],
)
def test_what_is_sought_alone_is_told(
    tmp_path: Path, shows: str, minutes: str, verdict: str, reason: str, ends: int
) -> None:
    status = main(
        ["hunt", "--provider", "activemq", "--requirement", "API-BYTES-031", "--minutes", minutes,
         "--shows", shows, "-n", "0", "-k", "bytes_messages", "--no-reports",
         "--results-dir", str(tmp_path)]
    )  # fmt: skip
    assert status == ends
    [run] = tmp_path.iterdir()
    told = map(json.loads, (run / "verdicts.jsonl").read_text().splitlines())
    [each] = [each for each in told if each["requirement"] == "API-BYTES-031"]
    assert each["verdict"] == verdict
    assert each["reason"].startswith(reason)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--minutes", "0"], "leaves no time"),
        (["--minutes", "nan"], "leaves no time"),
        (["--requirement", "API-MAP-999"], "There is no requirement 'API-MAP-999'"),
        (["--requirement", "JMS-PRIO-002"], "No drawn program judges JMS-PRIO-002"),
    ],
)
def test_nonsense_is_refused_in_a_line(
    asked: list[Sequence[str]],
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    what: str,
) -> None:
    assert main(["hunt", *options]) == ExitStatus.FAULT
    assert what in capsys.readouterr().err
    assert asked == []


@pytest.mark.parametrize(
    ("selection", "taken"),
    [
        (ScenarioSelection(), False),
        (ScenarioSelection(areas=frozenset(["bodies"])), False),
        (ScenarioSelection(requirements=frozenset(["API-MAP-001"])), False),
        (ScenarioSelection(drawn=True), True),
        (ScenarioSelection(drawn=True, areas=frozenset(["headers"])), False),
        (ScenarioSelection(scenarios=frozenset([f"bodies{DRAWN}programs_on_maps"])), True),
    ],
)
def test_a_run_takes_them_where_it_is_told_to(selection: ScenarioSelection, taken: bool) -> None:
    id_ = f"bodies{DRAWN}programs_on_maps"
    scenario = Scenario(id_, "node", ("API-MAP-001",), "bodies", "Drawn.")
    assert selection.takes(scenario) is taken
