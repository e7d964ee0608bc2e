"""Every known deviation of the reference has its row in the decisions, where its link leads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from touchstone.catalogue import load_library
from touchstone.catalogue.deviation_files import load_deviations
from touchstone.catalogue.deviations import Deviation

ROOT = Path(__file__).parents[3]
DECISIONS = "impl/DECISIONS.md"
_ROW = re.compile(r'^\| <a id="([^"]+)"></a>(\S+) \|.*\| (\S+) \|$', re.MULTILINE)
LIBRARY = load_library()
DEVIATIONS = [
    entry for entry in load_deviations(LIBRARY) if entry.provider.partition("/")[0] == "reference"
]


CONTRADICTIONS = [f"C{number}" for number in range(1, 32)]
"""Those of the documents, with themselves and with each other."""
DIFFERENCES = [f"D{number}" for number in range(1, 54)]
"""Those between the documents and the real client that its source showed; others follow."""


@pytest.fixture(scope="module")
def decisions() -> str:
    """The text of the decisions."""
    return (ROOT / DECISIONS).read_text(encoding="utf-8")


@pytest.mark.parametrize("entry", DEVIATIONS, ids=str)
def test_link_leads_to_the_row_of_the_requirement(entry: Deviation, decisions: str) -> None:
    rows = {anchor: (id_, kind) for anchor, id_, kind in _ROW.findall(decisions)}
    page, _, anchor = entry.link.partition("#")
    assert page == DECISIONS
    assert rows.get(anchor) == (entry.requirement, entry.kind)


def test_every_row_of_a_deviation_is_known(decisions: str) -> None:
    """Rows of the document that is judged; those of core areas to come have no entry yet."""
    known = {entry.requirement for entry in DEVIATIONS}
    written = {id_ for _, id_, _ in _ROW.findall(decisions)}
    assert known <= written
    assert {id_ for id_ in written - known if not id_.startswith("JMS-")} == set()


def test_no_anchor_stands_twice(decisions: str) -> None:
    anchors = re.findall(r'<a id="([^"]+)">', decisions)
    assert len(set(anchors)) == len(anchors)


@pytest.fixture(scope="module")
def rows(decisions: str) -> dict[str, list[str]]:
    """The cells of each numbered row by its number; a row may have several numbers."""
    by_number: dict[str, list[str]] = {}
    for line in re.findall(r"^\| [CD]\d.*\|$", decisions, re.MULTILINE):
        numbers, *cells = (cell.strip() for cell in line.strip("|").split(" | "))
        for number in numbers.split(", "):
            assert number not in by_number, f"{number} stands twice"
            by_number[number] = cells
    return by_number


@pytest.mark.parametrize("number", CONTRADICTIONS + DIFFERENCES)
def test_each_contradiction_and_difference_is_decided(
    number: str, rows: dict[str, list[str]]
) -> None:
    """What the documents say, what the real client does, what the reference does and why."""
    said, real, ours, _ = rows[number]
    assert said
    assert real
    assert ours
    assert "to come" not in ours, "what is not built is refused, and the row says so"


def test_the_requirements_of_a_decision_exist(rows: dict[str, list[str]]) -> None:
    named = {
        id_ for cells in rows.values() for id_ in re.findall(r"\b[A-Z]{3}-[A-Z]+-\d{3}", cells[-1])
    }
    assert named - LIBRARY.requirements.keys() == set()
