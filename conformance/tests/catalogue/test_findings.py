"""Findings stand the worst first, and say who knows of them and which release mends them."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

import pytest

from touchstone.catalogue.confirmations import (
    Confirmation,
    ConfirmationOutcome,
    messages_digest,
)
from touchstone.catalogue.deviation_files import load_deviations, read_deviations
from touchstone.catalogue.deviations import Deviation
from touchstone.catalogue.effects import WORST_FIRST, Effect
from touchstone.catalogue.findings import DEFECT, Finding, count_by_file, findings
from touchstone.catalogue.registry import load_library
from touchstone.catalogue.versions import VersionRange
from touchstone.errors import HarnessError

DAY = datetime.date(2026, 1, 1)
ENTRY = Deviation("f.toml", "p", "JMS-X-001", "m", DEFECT, "r", "", DAY, scenario="a/test_b")
ISSUE = "https://example.org/issues/1"


def _found(*entries: Deviation) -> list[Finding]:
    releases = {"p": ("7.0", "8.1", "9.0")}
    return list(findings(entries, {}, releases.__getitem__))


def test_every_defect_of_the_catalogue_says_what_a_user_suffers() -> None:
    entries = [each for each in load_deviations(load_library()) if each.kind == DEFECT]
    assert entries
    assert [str(each) for each in entries if each.effect is None] == []


def test_no_entry_of_the_catalogue_is_known_upstream_and_searched_in_vain() -> None:
    entries = load_deviations(load_library())
    searched = [each for each in entries if each.searched]
    assert searched
    assert [str(each) for each in searched if each.link.startswith("https:")] == []


def test_the_worst_comes_first_and_else_the_order_of_the_files_holds() -> None:
    effects = [Effect.WORDING, None, Effect.HANG, Effect.LOSS, Effect.HANG]
    entries = [replace(ENTRY, reason=str(n), effect=each) for n, each in enumerate(effects)]
    assert [one.reason for one in _found(*entries)] == ["3", "2", "4", "0", "1"]
    assert WORST_FIRST[0] is Effect.LOSS


def test_of_several_effects_a_finding_has_the_worst() -> None:
    other = replace(ENTRY, requirement="JMS-X-002", effect=Effect.DUPLICATES)
    found = _found(replace(ENTRY, effect=Effect.MISSING), other)
    assert [one.effect for one in found] == [Effect.DUPLICATES]
    assert count_by_file(found, "effect") == {"f.toml": {Effect.DUPLICATES: 1}}


@pytest.mark.parametrize(
    ("entry", "searched", "told"),
    [
        (ENTRY, None, "not searched"),
        (replace(ENTRY, searched=DAY), DAY, "unknown upstream, 2026-01-01"),
        (replace(ENTRY, link="impl/X.md", searched=DAY), DAY, "unknown upstream, 2026-01-01"),
        (replace(ENTRY, link=ISSUE), None, ISSUE),
    ],
)
def test_it_is_unknown_upstream_where_it_was_searched_in_vain(
    entry: Deviation, searched: datetime.date | None, told: str
) -> None:
    [one] = _found(entry)
    assert (one.searched, one.upstream) == (searched, told)


def test_what_one_case_is_known_for_is_known() -> None:
    case = replace(ENTRY, requirement="JMS-X-002", link=ISSUE)
    [one] = _found(replace(ENTRY, searched=DAY), case)
    assert (one.searched, one.upstream) == (None, ISSUE)


@pytest.mark.parametrize(
    ("versions", "other", "mended"),
    [
        ("", "<7", ""),
        (">=8", "<7", ""),
        ("<9", "<7", "9.0"),
        ("<8", "<7", "8.1"),
        ("<8", ">=8", ""),
    ],
)
def test_a_release_mends_it_that_was_judged_and_does_not_fail_for_another_reason(
    versions: str, other: str, mended: str
) -> None:
    beside = replace(ENTRY, reason="another", version=VersionRange(other))
    one, _ = _found(replace(ENTRY, version=VersionRange(versions)), beside)
    assert one.mended_in == mended


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ('effect = "sorrow"', "unknown effect 'sorrow'"),
        ('searched = "yesterday"', "searched = 'yesterday' is no date"),
        (f'link = "{ISSUE}"\nsearched = 2026-01-31', "both a link upstream and searched"),
    ],
)
def test_what_an_entry_says_wrong_of_effect_and_search_is_refused(
    more: str, error: str, tmp_path: Path
) -> None:
    text = (
        '[[deviation]]\nprovider = "p"\nrequirement = "JMS-ACK-001"\nmessage = "m"\n'
        f'class = "known-defect"\nreason = "r"\ndate = 2026-01-31\n{more}\n'
    )
    file = tmp_path / "some.toml"
    file.write_text(text)
    with pytest.raises(HarnessError, match=error):
        read_deviations(file, load_library())


@pytest.mark.parametrize(
    ("control", "mended"), [("p 2.0", "2.0"), ("p 0.9", ""), ("other 2.0", ""), ("", "")]
)
def test_a_later_release_that_does_not_show_it_has_mended_it(control: str, mended: str) -> None:
    entry = replace(ENTRY, version=VersionRange(">=1,<1.1"))
    row = Confirmation(
        entry.requirement, entry.scenario, "a", ConfirmationOutcome.CONFIRMED,
        client="1.0", broker="1", java="25", date="2026-01-01",
        messages=messages_digest(entry.messages), control=control,
    )  # fmt: skip
    [finding] = findings([entry], {"f.toml": [row]})
    assert finding.mended_in == mended
