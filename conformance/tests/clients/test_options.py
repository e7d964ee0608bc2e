"""The options that entries of deviations name: each mends what it says, and documents list them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from jms_clients.readiness import obstacle
from jms_clients.registry import load_provider
from touchstone.catalogue.deviation_files import load_deviations
from touchstone.catalogue.deviations import Deviation
from touchstone.catalogue.registry import load_library
from touchstone.cli import main
from touchstone_reports.results import read
from touchstone_reports.verdicts import Verdict

TABLE = Path(__file__).parents[3] / "docs" / "judging.md"


def by_option() -> Mapping[tuple[str, str], Sequence[Deviation]]:
    """The entries that name an option, by provider and option."""
    found: dict[tuple[str, str], list[Deviation]] = {}
    for entry in load_deviations(load_library()):
        if entry.option:
            found.setdefault((entry.provider, entry.option), []).append(entry)
    return found


def test_the_document_lists_each_option_with_what_it_mends() -> None:
    rows = {
        f"| `{provider}` | {', '.join(sorted({each.requirement for each in entries}))} "
        f"| `{option}` |"
        for (provider, option), entries in by_option().items()
    }
    heading = "| client | as shipped it does not keep | with this it does |"
    _, _, table = TABLE.read_text(encoding="utf-8").partition(f"{heading}\n|---|---|---|\n")
    assert set(table.partition("\n\n")[0].splitlines()) == rows


def test_an_entry_with_an_option_names_its_scenario() -> None:
    """By which it is proved; what a default of the broker brings about no client mends."""
    for entries in by_option().values():
        assert {entry.fault for entry in entries} <= {"settings", "client"}
        assert all(entry.scenario for entry in entries)


@pytest.mark.thorough
@pytest.mark.parametrize(("provider", "option"), sorted(by_option()), ids="=".join)
def test_the_statements_are_kept_with_the_option(
    provider: str, option: str, tmp_path: Path
) -> None:
    if why := obstacle(load_provider(provider)):
        pytest.skip(why)
    entries = by_option()[provider, option]
    chosen = [part for entry in entries for part in ("--scenario", entry.scenario)]
    main(
        [
            "run",
            "--provider",
            provider,
            "--results-dir",
            str(tmp_path),
            "--setting",
            option,
            *chosen,
        ]
    )
    [run] = tmp_path.iterdir()
    seen = {(line.scenario, line.requirement): line.verdict for line in read(run).judgements}
    for entry in entries:
        mine = {verdict for key, verdict in seen.items() if entry.speaks_of(*key)}
        assert mine == {Verdict.CONFORMS}, entry
