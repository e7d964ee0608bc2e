"""The checks against a provider that does right, against one offence of each kind, and defined."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histories.history_changes import changed
from histories.injections import OFFENCES, injected
from histories.small_histories import legal_table
from jms_histories.checks import FUNCTIONS, judge
from jms_histories.checks.small_history import SmallHistory
from jms_histories.checks.words import WORDS
from jms_histories.definitions import CHECKS, Check, FindingStrength
from jms_histories.verification.explained import definition_of
from tiny_provider import legal

randoms = st.randoms(use_true_random=False)


def test_there_is_a_function_of_each_check_and_an_offence_against_all_but_the_last() -> None:
    assert list(FUNCTIONS) == list(CHECKS)
    assert [*OFFENCES, "D33"] == list(CHECKS)


@given(randoms)
@settings(max_examples=60, deadline=None)
def test_nothing_is_found_in_a_legal_history(random: Random) -> None:
    assert judge(legal(random))[0] == []


@given(randoms)
@settings(max_examples=60, deadline=None)
def test_faults_excuse_what_a_broker_repeats(random: Random) -> None:
    findings, _ = judge(legal(random, faults=True))
    assert [finding for finding in findings if not finding.should] == []


def test_many_legal_histories_are_one_without_findings() -> None:
    table = legal_table(50, 2)
    findings, power = judge(table)
    assert findings == []
    assert table == legal_table(50, 2)
    without_power = {check for check, number in power.items() if not number}
    assert without_power == {"D31"}  # some subscription is never drained
    uids = [send.uid for send in table.sends]
    assert len(set(uids)) == len(uids) > 300


@pytest.mark.parametrize("check", OFFENCES)
@given(randoms, st.booleans())
@settings(max_examples=10, deadline=None)
def test_an_offence_is_found_in_any_history(check: str, random: Random, faults: bool) -> None:
    history = legal(random, faults=faults, steps=20)
    before, _ = judge(history)
    findings, power = judge(injected(history, check))
    assert power[check] > 0
    assert [finding for finding in findings if finding.check == check and finding not in before]


@pytest.mark.parametrize("check", OFFENCES)
def test_an_offence_is_found_where_nothing_else_is(check: str) -> None:
    findings, _ = judge(injected(SmallHistory(), check))
    assert check in {finding.check for finding in findings}
    assert len({(finding.uid, finding.sub) for finding in findings}) <= 4


def test_random_changes_offend_against_every_check() -> None:
    offended = set()
    for seed in range(1000):
        random = Random(seed)
        history = changed(legal(random, faults=seed % 2 == 0), random, 12)
        offended |= {finding.check for finding in judge(history)[0]}
    assert offended == set(OFFENCES)


VOLUME = Path(__file__).resolve().parents[3] / "docs" / "volume.md"


@pytest.mark.parametrize("check", FUNCTIONS)
def test_the_document_defines_a_check_as_its_function_does(check: str) -> None:
    """Docstring and row of the table have the same words."""
    said = definition_of(check)
    strength = CHECKS[check].strength
    binding = "" if strength is FindingStrength.MUST else f" ({strength.value})"
    assert said.title == f"{check} {CHECKS[check].name}{binding}"
    cells = (said.title, said.finding, said.evidence, said.power)
    assert f"\n| {' | '.join(cells)} |\n" in VOLUME.read_text(encoding="utf-8")


def test_the_document_has_the_words_of_the_definitions_and_no_others() -> None:
    section = VOLUME.read_text(encoding="utf-8").partition("## Words\n")[2].partition("\n## ")[0]
    told = re.findall(r"^- \*(.+?)\*: (.+?)$(?=\n-|\n?\Z)", section, re.DOTALL | re.MULTILINE)
    assert {word: " ".join(meaning.split()) for word, meaning in told} == WORDS


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_a_check_names_as_many_numbers_as_its_definition(check: Check) -> None:
    columns = re.sub(r"\(.*?\)", "", definition_of(check.id).evidence)
    assert len(check.evidence) == (len(columns.split(", ")) if columns else 0)


def test_each_check_says_in_its_own_words_what_was_found() -> None:
    """Where nothing was found, where one thing was, and where several were."""
    for sentences in (
        [check.nothing for check in CHECKS.values()],
        [check.found.of(1) for check in CHECKS.values()],
        [check.found.of(1200) for check in CHECKS.values()],
    ):
        assert len(set(sentences)) == len(CHECKS)
        assert not [said for said in sentences if re.search(r"_|[.]$|  ", said)]
    assert CHECKS["D01"].found.of(1) == "1 message lost"
    assert CHECKS["D05"].found.of(1200) == ("1,200 deliveries of what had been acknowledged before")
