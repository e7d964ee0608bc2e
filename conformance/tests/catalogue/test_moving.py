"""A move from one client to another loses what the new one breaks worse, and gains the rest."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pytest

from touchstone.catalogue.deviations import Deviation
from touchstone.catalogue.effects import Effect
from touchstone.catalogue.findings import DEFECT
from touchstone.catalogue.moving import compare
from touchstone.cli import main
from touchstone.verdicts import ExitStatus

DAY = datetime.date(2026, 1, 1)


def entry(id_: str, effect: Effect | None = Effect.LOSS, reason: str = "r") -> Deviation:
    return Deviation("f", "p", id_, "m", DEFECT, reason, "", DAY, "a/test_b", effect=effect)


def test_what_only_one_breaks_is_lost_or_gained() -> None:
    move = compare([entry("JMS-A-001")], [entry("API-B-001")])
    assert [each.requirements for each in move.lost] == [["API-B-001"]]
    assert [each.requirements for each in move.gained] == [["JMS-A-001"]]
    assert move.as_before == []


@pytest.mark.parametrize(
    ("old", "new", "lost", "gained", "alike"),
    [
        (Effect.WORDING, Effect.LOSS, 1, 0, 0),
        (Effect.LOSS, None, 0, 1, 0),
        (Effect.HANG, Effect.HANG, 0, 0, 1),
        (None, None, 0, 0, 1),
    ],
)
def test_what_both_break_counts_by_what_a_user_suffers(
    old: Effect | None, new: Effect | None, lost: int, gained: int, alike: int
) -> None:
    move = compare([entry("JMS-A-001", old)], [entry("JMS-A-001", new)])
    assert (len(move.lost), len(move.gained), len(move.as_before)) == (lost, gained, alike)


def test_the_worst_of_an_old_client_is_what_a_new_one_is_held_against() -> None:
    old = [entry("JMS-A-001", Effect.WORDING, "one"), entry("JMS-A-001", Effect.LOSS, "two")]
    assert compare(old, [entry("JMS-A-001", Effect.HANG)]).lost == []


def test_reasons_are_told_once_and_the_worst_first() -> None:
    there = [
        entry("JMS-A-001", None, "by design"),
        entry("JMS-B-001", Effect.WORDING, "wording"),
        entry("JMS-C-001", Effect.DUPLICATES, "twice"),
        entry("JMS-D-001", Effect.DUPLICATES, "twice"),
    ]
    lost = compare([], there).lost
    assert [each.reason for each in lost] == ["twice", "wording", "by design"]
    assert lost[0].requirements == ["JMS-C-001", "JMS-D-001"]


def test_documents_of_vendors_are_not_compared() -> None:
    move = compare([entry("SLJ-A-001")], [entry("RMQ-A-001")])
    assert (move.lost, move.gained, move.as_before) == ([], [], [])


def test_a_move_there_loses_what_the_way_back_gains(capsys: pytest.CaptureFixture[str]) -> None:
    def move(old: str, new: str) -> dict[str, Any]:
        status = main(["moving", "--from", old, "--to", new, "--json"])
        assert status == ExitStatus.NOTHING_UNEXPECTED
        told: dict[str, Any] = json.loads(capsys.readouterr().out)
        return told

    there, back = move("activemq", "starlight"), move("starlight", "activemq")
    assert there["lost"][0]["effect"] == "loss"
    assert (there["lost"], there["gained"]) == (back["gained"], back["lost"])
    assert there["as_before"] == back["as_before"] != []


def test_a_client_that_there_is_not_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["moving", "--from", "activemq", "--to", "nobody"]) == ExitStatus.FAULT
    assert "nobody" in capsys.readouterr().err
