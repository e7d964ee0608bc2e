"""What a run records of what it was asked for, and runs that judge nothing."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

pytestmark = pytest.mark.thorough

SCENARIOS = """
@requirement("TRY-ONE-001")
def test_one():
    assert [1] == [1]

@requirement("TRY-ONE-002")
def test_two():
    assert [1] == [1]

@requirement("OTH-ONE-001")
def test_other():
    assert [1] == [1]
"""
ALL = ["ones/test_one", "ones/test_other", "ones/test_two"]


def selection(judged: Any) -> tuple[list[str], list[str]]:
    """What narrowed the run, but that this is one catalogue of several; what it was asked for."""
    told = judged.run["selection"]
    others = [why for why in told["narrowed_by"] if not why.startswith("leaving out")]
    assert len(told["narrowed_by"]) == len(others) + 1
    return others, told["scenarios"]


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
def test_a_run_of_all_is_narrowed_by_nothing(catalogue: Any, workers: tuple[str, ...]) -> None:
    judged = catalogue.scenarios(SCENARIOS).judge(*workers, subprocess=bool(workers))
    assert selection(judged) == ([], ALL)
    assert (judged.run["strict_should"], judged.run["allow_inconclusive"]) == (False, None)
    assert judged.run["stale"] == []


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        (["--area=ones"], ALL),
        (["--document=TRY"], ["ones/test_one", "ones/test_two"]),
        (["--requirement=TRY-ONE-002"], ["ones/test_two"]),
        (["--scenario=ones/test_two"], ["ones/test_two"]),
        (["--sample=3"], ALL),
        (["--draw=2"], ["ones/test_one", "ones/test_two"]),
        (["-k", "one and not two"], ["ones/test_one", "ones/test_other"]),
        (["-m", "not slow"], ALL),
        (
            ["--deselect", "try_scenarios/test_ones.py::test_two"],
            ["ones/test_one", "ones/test_other"],
        ),
        (["--ignore", "elsewhere"], ALL),
        (["--ignore-glob", "elsewhere"], ALL),
    ],
)
def test_what_narrows_a_run_is_recorded(
    catalogue: Any, options: list[str], asked: list[str]
) -> None:
    judged = catalogue.scenarios(SCENARIOS).judge(*options)
    given = " ".join(options).replace("=", " ")
    assert selection(judged) == ([given], asked)
    assert f"narrowed by {given}" in judged.output


def test_what_a_worker_deselects_is_recorded_by_its_controller(catalogue: Any) -> None:
    judged = catalogue.scenarios(SCENARIOS).judge(
        "-k", "one and not two", "-n", "1", subprocess=True
    )
    assert selection(judged) == (["-k one and not two"], ["ones/test_one", "ones/test_other"])


def test_what_a_plug_in_takes_away_is_noticed(catalogue: Any) -> None:
    hook = """
def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if "two" not in item.name]
"""
    (catalogue.pytester.path / "takes_away.py").write_text(hook)
    judged = catalogue.scenarios(SCENARIOS).judge("-p", "takes_away")
    assert selection(judged) == (["a plug-in of pytest"], ["ones/test_one", "ones/test_other"])


def test_one_module_of_a_catalogue_is_no_whole_one(catalogue: Any) -> None:
    judged = catalogue.scenarios(SCENARIOS).judge("--pyargs", "try_scenarios/test_ones.py")
    assert "leaving out some or all of the catalogue try" in judged.run["selection"]["narrowed_by"]


def test_what_was_allowed_and_what_was_stale_is_recorded(catalogue: Any) -> None:
    catalogue.scenarios(SCENARIOS).deviations("""
        [[deviation]]
        provider = "memory"
        requirement = "TRY-ONE-001"
        message = "so"
        class = "transport-limit"
        reason = "So."
        date = 2026-01-31
        """)
    judged = catalogue.judge("--strict-should", "--allow-inconclusive", "no rights")
    assert (judged.run["strict_should"], judged.run["allow_inconclusive"]) == (True, "no rights")
    assert judged.run["stale"] == ["memory.toml: TRY-ONE-001 in any scenario"]
    assert judged.output.count("stale deviation, it did not happen: memory.toml: TRY-ONE-001") == 1


OTHER = '@requirement("OTH-ONE-001")\ndef test_other(): assert [1] == [1]'
LACKING = '@needs("user-id")\n@requirement("TRY-ONE-001")\ndef test_one(): assert [1] == [1]'
BROKEN = '@requirement("TRY-ONE-001")\ndef test_one(): pass'


@pytest.mark.parametrize("options", [(), ("--allow-inconclusive", "so")], ids=["", "allowed"])
@pytest.mark.parametrize(
    ("scenarios", "told"),
    [
        (OTHER, "1 not applicable: The other document does not speak of memory"),
        (LACKING, "1 not applicable: memory does not offer user-id"),
        (BROKEN, "nothing was checked"),
    ],
    ids=["other document", "lacking", "broken"],
)
def test_a_run_that_judged_nothing_is_no_success_and_says_why(
    catalogue: Any, scenarios: str, told: str, options: tuple[str, ...]
) -> None:
    judged = catalogue.scenarios(scenarios).judge(*options)
    assert judged.exit_status == 2
    assert told in judged.output
    assert judged.output.count("nothing was judged, so there is no success") == 1
    assert (
        "memory names these documents as its own: TRY; the catalogues also have AMQ, OTH, RMQ, SLJ"
        in judged.output
    )
    page = (judged.folder / "summary.md").read_text()
    assert "nothing was judged" in page
    assert "Nothing unexpected" not in page


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
def test_a_catalogue_without_scenarios_is_a_fault_in_words(
    catalogue: Any, workers: tuple[str, ...]
) -> None:
    judged = catalogue.judge(*workers, subprocess=bool(workers))
    assert judged.exit_status == 3
    assert "touchstone: no scenario was collected" in judged.output


def test_a_document_that_no_catalogue_has_is_refused(catalogue: Any) -> None:
    provider = catalogue.pytester.path / "try_memory.py"
    provider.write_text(provider.read_text().replace('{"TRY"}', '{"TRY", "TYR"}'))
    judged = catalogue.scenarios(SCENARIOS).judge(subprocess=True)
    assert judged.exit_status == 3
    assert "memory names the document 'TYR', which no catalogue has" in judged.output
    assert "There are the prefixes AMQ (Red Hat AMQ JMS), API" in judged.output


CASES = """
@requirement("TRY-ONE-001")
@pytest.mark.parametrize("number", [1, 2])
def test_case(number):
    assert number in [1]
"""


@pytest.mark.parametrize(
    ("asked", "judged"),
    [
        ("ones/test_case", ["ones/test_case[1]", "ones/test_case[2]"]),
        ("ones/test_case[1]", ["ones/test_case[1]"]),
    ],
)
def test_a_scenario_is_asked_for_with_one_case_or_all(
    catalogue: Any, asked: str, judged: list[str]
) -> None:
    run = catalogue.scenarios("import pytest" + CASES).judge("--scenario", asked)
    assert sorted(line["scenario"] for line in run.lines) == judged


def test_the_rerun_line_of_a_case_is_one_for_a_shell(catalogue: Any) -> None:
    judged = catalogue.scenarios("import pytest" + CASES).judge("--scenario", "ones/test_case[2]")
    words = shlex.split(judged.line["rerun"])
    assert words[words.index("--scenario") + 1] == "ones/test_case[2]"


def test_a_scenario_that_is_not_there_is_refused_with_those_that_are_close(catalogue: Any) -> None:
    judged = catalogue.scenarios(SCENARIOS).judge("--scenario", "ones/test_tow")
    assert judged.exit_status == 3
    assert "There is no scenario 'ones/test_tow'" in judged.output
    assert "ones/test_two" in judged.output
