"""Every known deviation of the reference has its row in the decisions, where its link leads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from touchstone.catalogue import load_library
from touchstone.deviations import Deviation, load_deviations

ROOT = Path(__file__).parents[2]
DECISIONS = "impl/DECISIONS.md"
_ROW = re.compile(r'^\| <a id="([^"]+)"></a>(\S+) \|.*\| (\S+) \|$', re.MULTILINE)
DEVIATIONS = [entry for entry in load_deviations(load_library()) if entry.provider == "reference"]


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
    """Rows of the document that is judged; those of documents to come have no entry yet."""
    written = {id_ for _, id_, _ in _ROW.findall(decisions) if id_.startswith("SLJ-")}
    assert written == {entry.requirement for entry in DEVIATIONS}


def test_no_anchor_stands_twice(decisions: str) -> None:
    anchors = re.findall(r'<a id="([^"]+)">', decisions)
    assert len(set(anchors)) == len(anchors)
