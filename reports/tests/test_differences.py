"""Observed values side by side, and their table in a page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from touchstone_reports import matrix
from touchstone_reports.differences import Observation, observations
from touchstone_reports.grid import columns_of
from touchstone_reports.results import read_all

Record = dict[str, Any]


@pytest.fixture
def two_runs(
    tmp_path: Path,
    verdict: Callable[..., Record],
    write_run: Callable[..., Path],
    nasty: str,
) -> list[Path]:
    """A judged client, and one that its document does not speak of."""
    other = [{"name": "other", "version": "2", "documents": ["RMQ"]}]
    seen = {"order": [2, 1], "the same": {"b": 1, "a": 2}, "first only": 1, nasty: nasty}
    silent = {"order": [1, 2], "the same": {"a": 2, "b": 1}, "SLJ-PROP-002 holds": "no", nasty: "x"}
    return [
        write_run(tmp_path / "1", [verdict(observables=seen | {"SLJ-PROP-002 holds": "yes"})]),
        write_run(
            tmp_path / "2",
            [verdict(provider="other", verdict="NOT-APPLICABLE", observables=silent)],
            id="two",
            providers=other,
        ),
    ]


def test_values_are_compared_as_values(two_runs: list[Path], nasty: str) -> None:
    by_name = {
        observation.name: observation
        for observation in observations(columns_of(read_all(two_runs)))
    }
    scenario = "properties/test_int_property_is_decimal_text"
    assert by_name["order"] == Observation(scenario, "properties", "order", ("[2, 1]", "[1, 2]"))
    assert {name for name, observation in by_name.items() if observation.differs} == {
        "order",
        "SLJ-PROP-002 holds",
        nasty,
    }
    assert by_name["first only"].values == ("1", None)
    assert not by_name["first only"].differs


def test_the_page_has_the_table_of_differences(two_runs: list[Path], tmp_path: Path) -> None:
    matrix.write(two_runs, [], tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "3 differences" in page
    assert page.count('class="observation differs"') == 3
    assert page.count('class="observation" hidden') == 2
    assert "<script>window.hurt" not in page


def test_one_client_differs_from_nobody(two_runs: list[Path], tmp_path: Path) -> None:
    matrix.write(two_runs[0], [], tmp_path / "page.html")
    assert 'id="differences"' not in (tmp_path / "page.html").read_text()
