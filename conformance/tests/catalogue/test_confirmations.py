"""What plain Java has shown of known deviations, and what becomes of it when an entry changes."""

from __future__ import annotations

import datetime
import re
from dataclasses import replace
from pathlib import Path

import pytest

from touchstone.catalogue.confirmations import (
    Confirmation,
    ConfirmationOutcome,
    confirmations_text,
    digest,
    load_confirmations,
    merged,
    read_confirmations,
)
from touchstone.catalogue.deviation_files import load_deviations
from touchstone.catalogue.deviations import Deviation, Occurs
from touchstone.catalogue.findings import BY_HAND, NOT_TRIED, findings
from touchstone.catalogue.registry import load_library
from touchstone.catalogue.versions import VersionRange
from touchstone.errors import HarnessError

ROOT = Path(__file__).parents[3]
ENTRY = Deviation(
    "f.toml",
    "p",
    "JMS-X-001",
    "assert *",
    "known-defect",
    "It is lost.",
    "",
    datetime.date(2026, 1, 1),
    scenario="area/test_it",
    broker="a or b",
)
SHOWN = Confirmation(
    "JMS-X-001",
    "area/test_it[one, two]",
    "a",
    ConfirmationOutcome.CONFIRMED,
    client="1.0",
    broker="2.0",
    java="25",
    date="2026-01-02",
    messages=digest("assert *"),
    program="0123456789ab",
)
BEYOND = replace(
    SHOWN, outcome=ConfirmationOutcome.NOT_EXPRESSIBLE, program="", why='a "proxy", so'
)


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    table = tmp_path / "f.csv"
    assert read_confirmations(table) == ()
    rows = (replace(BEYOND, scenario="area/test_a"), SHOWN)
    table.write_text(confirmations_text(reversed(rows)), encoding="utf-8")
    assert read_confirmations(table) == rows


@pytest.mark.parametrize("text", ["a,b\n1,2\n", f"{confirmations_text([])}1,2,3\n"])
def test_a_table_that_is_none_is_refused_by_its_name(text: str, tmp_path: Path) -> None:
    table = tmp_path / "odd.csv"
    table.write_text(text)
    with pytest.raises(HarnessError, match=r"odd\.csv"):
        read_confirmations(table)


@pytest.mark.parametrize(
    "entry",
    [
        replace(ENTRY, message="assert ''"),
        replace(ENTRY, also=("JMSException",)),
        replace(ENTRY, scenario="area/test_another"),
        replace(ENTRY, requirement="JMS-X-002"),
        replace(ENTRY, broker="b"),
        replace(ENTRY, version=VersionRange("<1")),
        replace(ENTRY, java=VersionRange("<25")),
    ],
)
def test_what_an_entry_said_before_it_changed_confirms_it_no_more(entry: Deviation) -> None:
    assert SHOWN.is_of(ENTRY)
    assert not SHOWN.is_of(entry)
    assert merged([SHOWN], [], [entry]) == []
    [finding] = findings([entry], {"f.toml": [SHOWN]})
    assert finding.state == NOT_TRIED


def test_a_new_row_takes_the_place_of_the_old_and_the_day_stays_if_nothing_else_is_new() -> None:
    later = replace(SHOWN, date="2026-02-02")
    newer = replace(later, client="1.1")
    assert merged([SHOWN], [later], [ENTRY]) == [SHOWN]
    assert merged([SHOWN], [newer], [ENTRY]) == [newer]
    elsewhere = replace(SHOWN, family="b")
    assert merged([SHOWN], [elsewhere], [ENTRY]) == [SHOWN, elsewhere]


def test_releases_that_fail_in_other_words_have_a_row_each() -> None:
    older = replace(ENTRY, message="assert 1 == 2", version=VersionRange("<1"))
    of_older = replace(SHOWN, client="0.9", messages=digest("assert 1 == 2"))
    assert merged([SHOWN], [of_older], [ENTRY, older]) == [SHOWN, of_older]


def test_what_is_written_of_a_program_that_does_not_show_it_stays() -> None:
    failed = replace(SHOWN, outcome=ConfirmationOutcome.NOT_CONFIRMED)
    explained = replace(failed, why="Which of two gets it is chance.")
    assert merged([explained], [failed], [ENTRY]) == [explained]
    assert merged([explained], [SHOWN], [ENTRY]) == [SHOWN]


def test_what_comes_by_chance_was_confirmed_though_it_did_not_come_again() -> None:
    by_chance = replace(ENTRY, occurs=Occurs.SOMETIMES)
    failed = replace(SHOWN, outcome=ConfirmationOutcome.NOT_CONFIRMED)
    of_the_control_too = replace(failed, control="other 1.0")
    assert merged([SHOWN], [failed], [by_chance]) == [SHOWN]
    assert merged([SHOWN], [failed], [ENTRY]) == [failed]
    assert merged([SHOWN], [of_the_control_too], [by_chance]) == [of_the_control_too]


def test_a_finding_has_the_best_that_came_of_its_cases_and_reads_why_none_did() -> None:
    other = replace(ENTRY, requirement="JMS-X-002")
    beyond = replace(BEYOND, requirement="JMS-X-002")
    by_design = replace(ENTRY, kind="by-design", reason="It is so.")
    [finding] = findings([ENTRY, other, by_design], {"f.toml": [beyond]})
    assert (finding.state, finding.why) == ("not expressible", 'a "proxy", so')
    assert finding.requirements == ["JMS-X-001", "JMS-X-002"]
    [finding] = findings([ENTRY, other], {"f.toml": [beyond, SHOWN]})
    assert (finding.state, finding.why) == ("confirmed", "")
    [finding] = findings([ENTRY], {"another.toml": [SHOWN]})
    assert finding.state == NOT_TRIED


def test_a_program_written_by_hand_confirms_where_none_that_was_made_does() -> None:
    named = replace(ENTRY, reason="It is lost (docs/evidence/artemis/Sends.java: 1 of 20).")
    states = [findings([named], {"f.toml": rows})[0].state for rows in ([], [BEYOND], [SHOWN])]
    assert states == [BY_HAND, BY_HAND, "confirmed"]


def test_programs_written_by_hand_are_there_and_named() -> None:
    texts = "\n".join(entry.reason for entry in load_deviations(load_library()))
    named = {ROOT / each for each in re.findall(r"\bdocs/(?:evidence|control)/[\w/]+\.java", texts)}
    assert all(program.is_file() for program in named)
    started_by_others = ROOT / "docs" / "evidence" / "api" / "Api.java"
    assert set((ROOT / "docs" / "evidence").rglob("*.java")) - named == {started_by_others}


def test_every_row_is_of_an_entry_as_it_stands_and_says_why_it_does_not_show_it() -> None:
    library = load_library()
    entries = load_deviations(library)
    tables = load_confirmations(library)
    assert tables
    for file, rows in tables.items():
        of_file = [entry for entry in entries if entry.file == file]
        assert [row for row in rows if not any(map(row.is_of, of_file))] == []
        shown = ConfirmationOutcome.CONFIRMED
        assert [row for row in rows if not row.why and row.outcome is not shown] == []
