"""Every requirement stands in the matrix, and what was not judged never looks judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from touchstone_reports.grid import Standing, grid
from touchstone_reports.results import read, read_all

Record = dict[str, Any]


def test_judged_areas_come_first_then_those_to_come_then_other_documents(
    mixed_run: Path, catalogue: list[Record]
) -> None:
    laid_out = grid([read(mixed_run)], catalogue)

    assert [(section.area, section.standing) for section in laid_out.sections] == [
        ("properties", Standing.JUDGED),
        ("headers", Standing.JUDGED),
        ("priority", Standing.NOT_YET),
        ("browser", Standing.OTHER_DOCUMENT),
    ]
    assert laid_out.tally(0) == {
        "conforms": 1,
        "violates": 2,
        "deviates": 1,
        "inconclusive": 1,
        "not-applicable": 2,
        "not-yet": 2,
    }


def test_the_worst_scenario_stands_first(mixed_run: Path, catalogue: list[Record]) -> None:
    laid_out = grid([read(mixed_run)], catalogue)
    row = next(row for row in laid_out.sections[0].rows if row.id == "SLJ-PROP-002")

    assert [judgement.verdict.value for judgement in row.cells[0].judgements] == [
        "VIOLATES",
        "CONFORMS",
    ]


def test_a_requirement_that_the_catalogue_does_not_know_is_shown(mixed_run: Path) -> None:
    laid_out = grid([read(mixed_run)], [])

    assert sum(len(section.rows) for section in laid_out.sections) == 6
    assert "Not in the catalogue" in str(laid_out.sections[0].rows[0].requirement["statement"])


def test_runs_stand_side_by_side_and_the_same_client_twice_is_told_apart(
    tmp_path: Path,
    verdict: Callable[..., Record],
    write_run: Callable[..., Path],
    requirement: Callable[..., Record],
) -> None:
    before = write_run(tmp_path / "1", [verdict(verdict="VIOLATES")], id="before")
    after = write_run(
        tmp_path / "2",
        [verdict(), verdict(provider="starlight", verdict="INCONCLUSIVE")],
        id="after",
        providers=[
            {"name": "reference", "version": "2", "documents": ["SLJ"]},
            {"name": "starlight", "version": "9", "documents": ["SLJ"]},
        ],
    )

    laid_out = grid(read_all([before, after]), [requirement("SLJ-PROP-002", "properties")])

    assert [column.title for column in laid_out.columns] == [
        "reference · before",
        "reference · after",
        "starlight",
    ]
    (row,) = laid_out.sections[0].rows
    assert [cell.key for cell in row.cells] == ["violates", "conforms", "inconclusive"]


def test_a_client_on_brokers_of_another_family_has_a_column_of_its_own(
    tmp_path: Path,
    verdict: Callable[..., Record],
    write_run: Callable[..., Path],
    requirement: Callable[..., Record],
) -> None:
    names = ("qpid", "qpid@2.10.0+on:rabbitmq")
    runs = [
        write_run(
            tmp_path / name,
            [verdict(provider=name)],
            providers=[{"name": name, "version": "2.10.0", "documents": ["AMQ"]}],
        )
        for name in names
    ]

    laid_out = grid(read_all(runs), [requirement("SLJ-PROP-002", "properties")])

    assert [column.title for column in laid_out.columns] == ["qpid", "qpid@2.10.0 on rabbitmq"]
    (row,) = laid_out.sections[0].rows
    assert [cell.key for cell in row.cells] == ["conforms", "conforms"]


def test_a_document_that_speaks_of_one_of_two_clients_is_to_come_for_that_one(
    tmp_path: Path, write_run: Callable[..., Path], requirement: Callable[..., Record]
) -> None:
    providers = [
        {"name": "reference", "version": "1", "documents": ["SLJ"]},
        {"name": "rabbitmq", "version": "3", "documents": ["RMQ"]},
    ]
    directory = write_run(
        tmp_path / "run", [], providers=providers, not_applicable_documents=["SLJ", "RMQ"]
    )

    laid_out = grid([read(directory)], [requirement("RMQ-BRW-001", "browser")])

    (section,) = laid_out.sections
    assert section.standing is Standing.NOT_YET
    assert [cell.key for cell in section.rows[0].cells] == ["not-applicable", "not-yet"]
