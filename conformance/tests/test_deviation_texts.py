"""The text with which a known deviation fails: `*` is any text, and a long one is no burden."""

from __future__ import annotations

import datetime
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.catalogue.deviations import FAULTS, Deviation, read_deviations
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


def test_what_a_newer_document_overtakes_is_the_documents_fault(tmp_path: Path) -> None:
    file = tmp_path / "some.toml"
    file.write_text(_entry("").replace("known-defect", "document-outdated"))
    assert [entry.fault for entry in read_deviations(file, load_library())] == ["document"]


def test_a_fault_of_nobody_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "some.toml"
    file.write_text(_entry('fault = "weather"'))
    with pytest.raises(HarnessError, match="unknown fault 'weather'"):
        read_deviations(file, load_library())
