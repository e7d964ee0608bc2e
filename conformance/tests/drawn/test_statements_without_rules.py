"""The table of docs/model.md names each statement that no drawn program judges, and why."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from touchstone.catalogue import load_library
from touchstone.catalogue.scenarios import collect_scenarios

MODEL = Path(__file__).parents[3] / "docs" / "model.md"
STATEMENTS = re.compile(r"([A-Z]+-[A-Z]+)-(\d{3})(?: to -(\d{3}))?")


def named() -> Counter[str]:
    """The statements of the table's first column."""
    rows = re.findall(r"^\| ((?:JMS|API)-.*?) \| \S.* \|$", MODEL.read_text(), re.MULTILINE)
    return Counter(
        f"{stem}-{number:03}"
        for row in rows
        for stem, first, last in STATEMENTS.findall(row)
        for number in range(int(first), int(last or first) + 1)
    )


def test_each_statement_that_no_drawn_program_judges_has_a_reason() -> None:
    library = load_library()
    judged = {
        id_
        for scenario in collect_scenarios(library)
        if scenario.is_drawn
        for id_ in scenario.requirements
    }
    of_jms = {row.id for row in library.requirements.values() if row.document in ("JMS", "API")}
    assert sorted(named()) == sorted(of_jms - judged)
    assert set(named().values()) == {1}
