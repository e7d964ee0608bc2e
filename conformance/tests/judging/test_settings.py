"""What a run changes in the settings of its client, and which presets a scenario asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jms_brokers.machine.secrecy import HIDDEN
from touchstone_reports.results import read

pytestmark = pytest.mark.thorough

SCENARIOS = """
from touchstone.scenario.fixtures import at_work

@pytest.fixture
def at_hand(request):
    return at_work(request)
@requirement("TRY-ONE-001")
def test_one(at_hand):
    at_hand.prefer("fair-shares", "priorities")
    assert at_hand.with_run_settings({"kept": 1}) == {given}
"""
ENTRY = """
[[deviation]]
provider = "memory"
requirement = "TRY-ONE-001"
scenario = "ones/test_one"
message = "assert *"
class = "by-design"
fault = "settings"
option = "strict=true"
reason = "Memory is not strict by itself."
date = 2026-01-31
"""
ADDED = """    added = {'wait': 20}
    presets = {'fair-shares': {'window': 1}}

    @contextmanager"""


@pytest.fixture
def adding(catalogue: Any) -> Any:
    """A client that is given a setting besides, and has a preset."""
    file = catalogue.pytester.path / "try_memory.py"
    file.write_text(file.read_text().replace("    @contextmanager", ADDED))
    return catalogue


@pytest.mark.parametrize(
    ("options", "given", "added"),
    [
        ([], {"kept": 1}, {"wait": 20}),
        (["--as-shipped"], {"kept": 1, "wait": None}, {}),
        (["--setting", "strict=true"], {"kept": 1, "strict": True}, {"wait": 20, "strict": True}),
        (
            ["--as-shipped", "--setting", "kept=two"],
            {"kept": "two", "wait": None},
            {"kept": "two"},
        ),
    ],
    ids=["as the harness has it", "as shipped", "with a setting", "both"],
)
def test_scenarios_run_with_what_was_asked_for_and_the_run_says_so(
    adding: Any, options: list[str], given: dict[str, object], added: dict[str, object]
) -> None:
    judged = adding.scenarios(SCENARIOS.replace("{given}", repr(given))).judge(*options)
    assert judged.verdicts == {"TRY-ONE-001": "CONFORMS"}, judged.output
    (client,) = judged.run["providers"]
    assert client["settings"] == added
    assert client["as_shipped"] is ("--as-shipped" in options)
    assert client["presets"] == {"fair-shares": {"window": 1}}
    for option in options:
        assert f" {option}" in judged.line["rerun"]


def test_a_verdict_names_the_presets_that_change_something(adding: Any) -> None:
    judged = adding.scenarios(SCENARIOS.replace("{given}", "{}")).judge()
    assert judged.line["presets"] == ["fair-shares"]
    assert judged.folder is not None
    results = read(judged.folder)
    assert results.judgements[0].presets == ("fair-shares",)
    assert "with the presets" in _report(judged.folder)


def _report(folder: Path) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


def test_a_deviation_does_not_concern_a_run_with_the_option_that_mends_it(adding: Any) -> None:
    scenarios = SCENARIOS.replace("{given}", "{'kept': 1, 'strict': True}")
    catalogue = adding.scenarios(scenarios).deviations(ENTRY)
    known = catalogue.judge()
    assert known.verdicts == {"TRY-ONE-001": "DEVIATES-AS-DOCUMENTED"}
    assert known.line["deviation"]["option"] == "strict=true"
    assert "Which defaults depart" in _report(known.folder)

    mended = catalogue.judge("--setting", "strict=true")
    assert (mended.verdicts, mended.exit_status) == ({"TRY-ONE-001": "CONFORMS"}, 0)
    assert "Which defaults depart" not in _report(mended.folder)

    other = catalogue.judge("--setting", "strict=false")
    assert other.verdicts == {"TRY-ONE-001": "DEVIATES-AS-DOCUMENTED"}


def test_a_setting_that_does_not_mend_what_its_entry_says_violates(adding: Any) -> None:
    catalogue = adding.scenarios(SCENARIOS.replace("{given}", "{}")).deviations(ENTRY)
    judged = catalogue.judge("--setting", "strict=true")
    assert (judged.verdicts, judged.exit_status) == ({"TRY-ONE-001": "VIOLATES"}, 1)


def test_what_is_no_setting_ends_the_run(adding: Any) -> None:
    judged = adding.scenarios(SCENARIOS).judge("--setting", "strict")
    assert "'strict' is no setting" in judged.output
    assert judged.folder is None


def test_a_setting_that_says_secret_is_hidden(adding: Any) -> None:
    judged = adding.scenarios(SCENARIOS.replace("{given}", "{}")).judge(
        "--setting", "password=quite-a-long-one"
    )
    (client,) = judged.run["providers"]
    assert client["settings"]["password"] == HIDDEN
    assert "quite-a-long-one" not in judged.line["rerun"]
