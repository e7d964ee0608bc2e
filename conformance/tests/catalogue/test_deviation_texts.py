"""The text with which a known deviation fails: `*` is any text, and a long one is no burden."""

from __future__ import annotations

import datetime
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.catalogue.deviation_files import FAULTS, read_deviations
from touchstone.catalogue.deviations import Deviation
from touchstone.catalogue.registry import load_library
from touchstone.errors import HarnessError

ENTRY = Deviation("f.toml", "p", "JMS-X-001", "", "c", "r", "", datetime.date(2026, 1, 1))


@given(st.text("ab *", max_size=8).filter(str.strip), st.text("ab \t", max_size=10))
def test_a_star_is_any_text_and_white_space_one_blank(pattern: str, text: str) -> None:
    parts = (re.escape(" ".join(part.split())) for part in pattern.split("*"))
    slow = re.fullmatch(".*".join(parts), " ".join(text.split()))
    assert replace(ENTRY, message=pattern).expects(text) == (slow is not None)


def test_many_stars_and_a_long_text_take_no_longer_than_to_read_it() -> None:
    """A regular expression tries every division of the text among the stars."""
    assert not replace(ENTRY, message="*a" * 12 + "*b").expects("a" * 20_000)


@pytest.mark.parametrize(
    "text", ["deviation = 3", 'deviation = ["a"]', "deviation = " + "[" * 9999]
)
def test_a_file_without_entries_is_refused_by_its_name(text: str, tmp_path: Path) -> None:
    file = tmp_path / "odd.toml"
    file.write_text(text)
    with pytest.raises(HarnessError, match=r"odd\.toml"):
        read_deviations(file, load_library())


def _entry(more: str) -> str:
    return (
        '[[deviation]]\nprovider = "p"\nrequirement = "JMS-ACK-001"\nmessage = "m"\n'
        f'class = "known-defect"\nreason = "r"\ndate = 2026-01-31\n{more}\n'
    )


@pytest.mark.parametrize("who", FAULTS)
def test_an_entry_tells_who_is_at_fault(who: str, tmp_path: Path) -> None:
    file = tmp_path / "some.toml"
    file.write_text(_entry(f'fault = "{who}"'))
    (entry,) = read_deviations(file, load_library())
    assert entry.fault == who
    assert entry.as_dict().get("fault", "client") == who


def test_an_option_is_kept_as_it_is_typed(tmp_path: Path) -> None:
    file = tmp_path / "some.toml"
    file.write_text(_entry('option = "jms.strictCompliance= true"'))
    (entry,) = read_deviations(file, load_library())
    assert entry.option == entry.as_dict()["option"] == "jms.strictCompliance=true"
    file.write_text(_entry('option = "jms.strictCompliance"'))
    with pytest.raises(HarnessError, match="is no setting"):
        read_deviations(file, load_library())


@pytest.mark.parametrize(
    "kind", ["document-outdated", "document-contradiction", "overridden-by:JMS-ACK-002"]
)
def test_what_another_document_says_is_the_documents_fault(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "some.toml"
    for more, fault in (("", "document"), ('fault = "broker"', "broker")):
        file.write_text(_entry(more).replace("known-defect", kind))
        assert [entry.fault for entry in read_deviations(file, load_library())] == [fault]


_GROUPED = """
[defaults]
provider = "p"
class = "by-design"
date = 2026-01-31

[[deviation]]
reason = "one reason"
message = "shared"
cases = [
    { requirement = "JMS-ACK-001", scenario = "a/test_b" },
    { requirements = ["JMS-ACK-002", "JMS-ACK-003"], scenarios = ["a/test_c", "a/test_d"] },
    { requirement = "JMS-ACK-004", message = "own", class = "known-defect", date = 2026-02-01 },
]

[[deviation]]
reason = "another"
requirement = "JMS-ACK-005"
message = "m"
provider = "q"
"""


def test_cases_share_what_the_deviation_says_and_deviations_what_the_file_says(
    tmp_path: Path,
) -> None:
    file = tmp_path / "some.toml"
    file.write_text(_GROUPED)
    entries = read_deviations(file, load_library())
    assert [(each.requirement, each.scenario, each.message) for each in entries] == [
        ("JMS-ACK-001", "a/test_b", "shared"),
        ("JMS-ACK-002", "a/test_c", "shared"),
        ("JMS-ACK-002", "a/test_d", "shared"),
        ("JMS-ACK-003", "a/test_c", "shared"),
        ("JMS-ACK-003", "a/test_d", "shared"),
        ("JMS-ACK-004", "", "own"),
        ("JMS-ACK-005", "", "m"),
    ]
    assert [each.reason for each in entries] == ["one reason"] * 6 + ["another"]
    assert [each.provider for each in entries] == ["p"] * 6 + ["q"]
    assert [each.kind for each in entries] == ["by-design"] * 5 + ["known-defect", "by-design"]
    assert {each.date for each in entries[:5]} == {datetime.date(2026, 1, 31)}
    assert entries[5].date == datetime.date(2026, 2, 1)


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("requirements =", "requirement = 'JMS-ACK-001', requirements =", "key 'requirements'"),
        ('["JMS-ACK-002", "JMS-ACK-003"]', "[]", "unknown key 'requirements'"),
        ('requirement = "JMS-ACK-004", ', "", "requirement is missing or empty"),
        ("cases = [", "cases = [3, ", "deviation 1: cases is no array of tables"),
        ('requirement = "JMS-ACK-005"', "cases = []", "deviation 2: there are no cases"),
        ("[defaults]", "[[defaults]]", "defaults is no table"),
        ("[defaults]", "[shared]", "unknown table 'shared'"),
        ('provider = "p"', 'providers = "p"', "unknown key 'providers'"),
    ],
)
def test_what_is_wrong_in_a_group_is_said(old: str, new: str, error: str, tmp_path: Path) -> None:
    file = tmp_path / "some.toml"
    assert old in _GROUPED
    file.write_text(_GROUPED.replace(old, new, 1))
    with pytest.raises(HarnessError, match=error):
        read_deviations(file, load_library())


def test_a_fault_of_nobody_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "some.toml"
    file.write_text(_entry('fault = "weather"'))
    with pytest.raises(HarnessError, match="unknown fault 'weather'"):
        read_deviations(file, load_library())
