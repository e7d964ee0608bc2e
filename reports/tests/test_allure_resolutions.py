"""Known deviations become rules of Allure: one for each reason, for those results alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from touchstone_reports import allure_resolutions

Record = dict[str, Any]
OTHER = [{"name": "starlight", "version": "9.0.0", "documents": ["SLJ"]}]


def test_a_rule_has_the_reason_and_allures_name_of_the_result(
    tmp_path: Path, verdict: Callable[..., Record], write_run: Callable[..., Path]
) -> None:
    deviates = verdict(scenario="properties/test_type", verdict="DEVIATES-AS-DOCUMENTED")
    run = write_run(tmp_path / "run", [verdict(), deviates])

    assert allure_resolutions.rules(run) == [
        {
            "resolution": "accepted",
            "comment": "wire-compatibility: the real client writes it so "
            "(https://example.org/decisions#1)",
            # md5 of "CASE:PARAMETERS:default", by hand with md5sum
            "retryHash": ["39065586bf00741fbef5107b0aa0c7b9"],
            "messageRegexp": "^DEVIATES-AS-DOCUMENTED",
        }
    ]


def test_clients_that_deviate_for_one_reason_share_a_rule_and_others_have_their_own(
    tmp_path: Path, verdict: Callable[..., Record], write_run: Callable[..., Path]
) -> None:
    deviates = verdict(verdict="DEVIATES-AS-DOCUMENTED")
    own = {"class": "known-defect", "reason": "it is a defect", "link": ""}
    runs = [
        write_run(tmp_path / "1", [deviates], id="one"),
        write_run(
            tmp_path / "2", [deviates | {"provider": "starlight"}], id="two", providers=OTHER
        ),
        write_run(
            tmp_path / "3",
            [deviates | {"provider": "starlight", "scenario": "a/test_b", "deviation": own}],
            id="three",
            providers=OTHER,
        ),
    ]
    shared, single = allure_resolutions.rules(runs)

    assert (len(shared["retryHash"]), len(single["retryHash"])) == (2, 1)  # type: ignore[arg-type]
    assert single["comment"] == "known-defect: it is a defect"


def test_a_scenario_that_also_violates_is_not_accepted(
    tmp_path: Path, verdict: Callable[..., Record], write_run: Callable[..., Path]
) -> None:
    deviates = verdict(verdict="DEVIATES-AS-DOCUMENTED")
    violates = verdict(requirement="SLJ-PROP-003", verdict="VIOLATES")

    assert allure_resolutions.rules(write_run(tmp_path / "run", [deviates, violates])) == []
