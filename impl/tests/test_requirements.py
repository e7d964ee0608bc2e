"""From requirement to code: each requirement has a mark in the reference, or a reason for none."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pulsar_jms.implements import implementations_by_requirement, requirement_ids

CATALOGUE = Path(__file__).parents[2] / "scenarios/jms_scenarios"
DEPARTS = "the reference departs from it, and a deviation says why"
WITHOUT_CODE: Mapping[str, tuple[str, ...]] = {
    DEPARTS: (
        "JMS-PROP-001",
        "JMS-PROP-054",
        "JMS-HDR-023",
        "JMS-SUB-005",
        "JMS-SUB-011..013",
        "JMS-SUB-015",
        "JMS-SUB-022..025",
        "JMS-SUB-027..028",
        "JMS-REDL-010..011",
        "JMS-NLOC-002",
        "JMS-MODE-001",
        "JMS-MODE-003",
        "JMS-CONS-006",
        "API-SESS-003",
        "API-CTX-006",
        "SLJ-ACK-012",
        "SLJ-PRIO-004",
        "SLJ-PRIO-009",
    ),
    "the broker alone does it": (
        "JMS-SUB-002",
        "JMS-MODE-004",
        "JMS-ORD-004..005",
        "SLJ-DEST-022",
        "SLJ-SUB-031",
        "SLJ-SUB-035",
        "SLJ-SUB-037..038",
        "SLJ-PRIO-013",
        "SLJ-TX-004",
    ),
    "Pulsar's own client does it, below the reference": ("AMQ-FAIL-002..005",),
    "it says what does not happen or may happen, so there is nothing to do": (
        "JMS-ASY-014",
        "AMQ-FAIL-001",
        "AMQ-FAIL-017",
        "AMQ-FAIL-022",
        "AMQ-FAIL-026",
        "RMQ-BRW-024..025",
        "RMQ-BRW-027",
        "SLJ-DEST-003",
        "SLJ-IDN-005",
        "SLJ-SUB-026..028",
        "SLJ-TEMP-005",
    ),
    "it is for the application to do": ("AMQ-FAIL-011", "AMQ-FAIL-014", "JMS-THR-002"),
    "it is about an option that the reference does not offer": (
        "JMS-PROP-046",
        "JMS-PROP-048..052",
        "JMS-TX-009",
        "JMS-ERR-009",
        "JMS-ERR-013..015",
        "RMQ-CFG-012",
    ),
    "it tells of a limit or the resources of the vendor's product": (
        "RMQ-BRW-031..033",
        "SLJ-SUB-039",
        "SLJ-TX-005",
        "SLJ-ASY-002",
    ),
}
"""Why requirements have no code that a mark could stand on."""


def rows(folder: str, pattern: str, table: str) -> list[dict[str, Any]]:
    """The rows of a table in the catalogue's files."""
    files = (CATALOGUE / folder).glob(pattern)
    return [row for file in files for row in tomllib.loads(file.read_text("utf-8"))[table]]


REQUIREMENTS = {row["id"] for row in rows("requirements", "*.toml", "requirement")}


def test_marks_name_requirements_that_exist_and_say_what_the_code_does() -> None:
    marks = implementations_by_requirement()
    assert set(marks) <= REQUIREMENTS
    assert all(
        implementation.statement
        for implementations in marks.values()
        for implementation in implementations
    )


def test_each_requirement_has_code_or_one_reason_for_none() -> None:
    reasons = [
        id_ for ids in WITHOUT_CODE.values() for text in ids for id_ in requirement_ids(text)
    ]
    assert len(reasons) == len(set(reasons))
    assert set(reasons) == REQUIREMENTS - set(implementations_by_requirement())


def test_what_the_reference_departs_from_has_a_deviation() -> None:
    departures = {id_ for text in WITHOUT_CODE[DEPARTS] for id_ in requirement_ids(text)}
    known = {
        id_
        for deviation in rows("deviations", "reference*.toml", "deviation")
        for case in (deviation, *deviation.get("cases", ()))
        for id_ in (case.get("requirement"), *case.get("requirements", ()))
    }
    assert departures <= known


def test_a_mark_may_name_several_ids_in_a_row() -> None:
    assert [*requirement_ids("SLJ-TX-009..011")] == ["SLJ-TX-009", "SLJ-TX-010", "SLJ-TX-011"]
    assert [*requirement_ids("SLJ-TX-009")] == ["SLJ-TX-009"]
