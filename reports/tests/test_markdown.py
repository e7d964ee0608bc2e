"""The summary in Markdown says the same as the verdicts, whatever texts hold."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from touchstone_reports import markdown
from touchstone_reports.results import read
from touchstone_reports.verdicts import Verdict


@pytest.fixture
def written(mixed_run: Path, tmp_path: Path) -> str:
    markdown.write([mixed_run], tmp_path / "summary.md")
    return (tmp_path / "summary.md").read_text("utf-8")


def cells(line: str) -> list[str]:
    """The cells of a table's row; a bar behind a backslash is text."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_each_table_has_as_many_cells_in_every_row(written: str) -> None:
    tables = re.findall(r"(?:^\|.*\n)+", written, re.MULTILINE)

    assert len(tables) == 2
    for table in tables:
        assert len({len(cells(line)) for line in table.splitlines()}) == 1


def test_the_counts_are_those_of_the_run(mixed_run: Path, written: str) -> None:
    run = read(mixed_run)
    head, _, *rows = [cells(line) for line in written.splitlines() if line.startswith("|")]

    [provider] = [each.name for each in run.run.providers]
    expected = Counter(dict.fromkeys(Verdict, 0))
    expected.update(run.worst_by_requirement(provider).values())
    shown = dict(zip(head[3:], rows[0][3:], strict=True))
    assert {name.split(" ", 1)[1]: int(count) for name, count in shown.items()} == {
        str(verdict): expected[verdict] for verdict in Verdict
    }


def test_every_unexpected_judgement_has_a_row(mixed_run: Path, written: str) -> None:
    unexpected = [
        judgement
        for judgement in read(mixed_run).judgements
        if judgement.verdict in (Verdict.VIOLATES, Verdict.INCONCLUSIVE)
    ]

    assert unexpected
    assert f"### {len(unexpected)} unexpected" in written
    for judgement in unexpected:
        assert written.count(f"| {judgement.requirement} |") >= 1


def test_no_text_of_a_client_becomes_markup(written: str) -> None:
    assert not re.search(r"(?<!\\)<", written)
