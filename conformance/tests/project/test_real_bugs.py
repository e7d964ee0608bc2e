"""The table of real bugs names what there is, and a bug counts as noticed only where it shows."""

from __future__ import annotations

import pytest

from bench.real_bugs import TABLE, Bug, Verdicts, bugs, result_of
from touchstone.catalogue.registry import load_library
from touchstone.verdicts import Verdict

BUG = Bug("mine", "X-1", "It forgets.", ("JMS-BODY-001",), broken="1.0", mended="1.1")
WRONG = {("bodies/test_a", "JMS-BODY-001"): (Verdict.VIOLATES, "assert 1 == 2")}
RIGHT = {("bodies/test_a", "JMS-BODY-001"): (Verdict.CONFORMS, "")}


def test_each_bug_is_there_once_with_statements_that_there_are() -> None:
    known = load_library().requirements
    rows = bugs()
    assert rows, TABLE
    assert len({(bug.client, bug.tracker, bug.fault) for bug in rows}) == len(rows)
    for bug in rows:
        assert bug.statements, bug
        assert [id_ for id_ in bug.statements if id_ not in known] == [], bug
        assert bug.broken != bug.mended, bug
        assert bug.mended or bug.shown_by, bug


def test_it_is_noticed_by_what_the_next_release_passes() -> None:
    assert result_of(BUG, WRONG, RIGHT).scenarios == (
        ("bodies/test_a", "JMS-BODY-001", "assert 1 == 2"),
    )


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        (WRONG, WRONG),
        (RIGHT, RIGHT),
        (WRONG, {}),
        ({("bodies/test_a", "JMS-BODY-002"): (Verdict.VIOLATES, "assert 1 == 2")}, RIGHT),
        ({("bodies/test_a", "JMS-BODY-001"): (Verdict.INCONCLUSIVE, "no broker")}, RIGHT),
    ],
    ids=["both wrong", "both right", "not judged", "another statement", "inconclusive"],
)
def test_it_is_not_noticed_by_anything_else(broken: Verdicts, mended: Verdicts) -> None:
    assert result_of(BUG, broken, mended).scenarios == ()


def test_without_a_mended_release_its_reason_has_to_show() -> None:
    bug = Bug("mine", "X-2", "It forgets.", ("JMS-BODY-001",), broken="1.0", shown_by="1 == 2")
    assert result_of(bug, WRONG, None).scenarios
    other = {("bodies/test_a", "JMS-BODY-001"): (Verdict.VIOLATES, "assert 3 == 4")}
    assert result_of(bug, other, None).scenarios == ()


def test_what_nothing_judged_is_named() -> None:
    assert result_of(BUG, {}, {}).unjudged == ("JMS-BODY-001",)
