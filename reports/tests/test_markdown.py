"""The summary in Markdown and the badge say the same as the verdicts, whatever texts hold."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from touchstone_reports import markdown
from touchstone_reports.results import read
from touchstone_reports.verdicts import Verdict


@pytest.fixture
def written(mixed_run: Path, tmp_path: Path) -> tuple[str, dict[str, object]]:
    markdown.write([mixed_run], tmp_path / "summary.md", tmp_path / "badge.json")
    badge: dict[str, object] = json.loads((tmp_path / "badge.json").read_text("utf-8"))
    return (tmp_path / "summary.md").read_text("utf-8"), badge


def cells(line: str) -> list[str]:
    """The cells of a table's row; a bar behind a backslash is text."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_each_table_has_as_many_cells_in_every_row(written: tuple[str, dict[str, object]]) -> None:
    tables = re.findall(r"(?:^\|.*\n)+", written[0], re.MULTILINE)

    assert len(tables) == 2
    for table in tables:
        assert len({len(cells(line)) for line in table.splitlines()}) == 1


def test_the_counts_are_those_of_the_run(
    mixed_run: Path, written: tuple[str, dict[str, object]]
) -> None:
    run = read(mixed_run)
    head, _, *rows = [cells(line) for line in written[0].splitlines() if line.startswith("|")]

    [provider] = [each.name for each in run.run.providers]
    expected = Counter(dict.fromkeys(Verdict, 0))
    expected.update(run.worst_by_requirement(provider).values())
    shown = dict(zip(head[3:], rows[0][3:], strict=True))
    assert {name.split(" ", 1)[1]: int(count) for name, count in shown.items()} == {
        str(verdict): expected[verdict] for verdict in Verdict
    }


def test_every_unexpected_judgement_has_a_row(
    mixed_run: Path, written: tuple[str, dict[str, object]]
) -> None:
    unexpected = [
        judgement
        for judgement in read(mixed_run).judgements
        if judgement.verdict in (Verdict.VIOLATES, Verdict.INCONCLUSIVE)
    ]

    assert unexpected
    assert f"### {len(unexpected)} unexpected" in written[0]
    for judgement in unexpected:
        assert written[0].count(f"| {judgement.requirement} |") >= 1


def test_no_text_of_a_client_becomes_markup(written: tuple[str, dict[str, object]]) -> None:
    assert not re.search(r"(?<!\\)<", written[0])


def test_the_badge_is_red_where_something_is_violated(
    mixed_run: Path, written: tuple[str, dict[str, object]]
) -> None:
    counts = read(mixed_run).counts(read(mixed_run).run.providers[0].name)

    assert written[1]["color"] == "red"
    assert str(written[1]["message"]).startswith(f"{counts[Verdict.VIOLATES]} of ")
