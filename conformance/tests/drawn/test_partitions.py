"""Drawn messages in topics with partitions notice wrong clients, by what they break."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import pytest

from drawn.listed_programs import listed
from drawn.sessions_in_memory import declared_by
from jms_model.pulsar_wire.partitions import LINEAR, NON_LINEAR
from jms_scenarios.starlight.priority import test_drawn_programs as test_priority
from jmsapi.errors import JMSException
from pulsar_jms.mapping.priority import linear, non_linear
from touchstone.drawn import driving
from touchstone.drawn.driving import Disagreement
from touchstone.drawn.pulsar_wire import judging
from touchstone.drawn.pulsar_wire.placing import (
    GROUPS,
    Group,
    Level,
    PlacingProgram,
    Word,
    placing_programs,
)
from touchstone.drawn.pulsar_wire.placing_driving import PlacingDriver

DECLARED: Final = declared_by(test_priority.test_drawn_messages_go_to_partitions)
Place = Callable[[str | None, int, Any, int], int]
"""The partition: by mapping, number of partitions, level or group, and how many went before."""


def right(mapping: str | None, partitions: int, what: Any, turn: int) -> int:
    """As the documents have it."""
    if mapping == GROUPS:
        return len(str(what)) % partitions
    place = non_linear if mapping == NON_LINEAR else linear
    return place(int(what), partitions, lambda: turn * 0.618 % 1)


@dataclass
class PlacingInMemory(PlacingDriver):
    """Places messages without a broker."""

    place: Place = right
    words: Sequence[str] = ()
    """Mappings that are taken besides the two."""

    def _placed(
        self, program: PlacingProgram, sends: Sequence[Level | Group]
    ) -> Mapping[object, Mapping[int, int]]:
        counts: dict[object, Counter[int]] = {}
        for step in sends:
            what = step.level if isinstance(step, Level) else step.name
            turns = range(step.count)
            counts[what] = Counter(
                self.place(program.mapping, program.partitions, what, turn) for turn in turns
            )
        return counts

    def _open(self, step: Word) -> object:
        if step.word in self.words:
            return "opened"
        raise JMSException(step.word)


@cache
def drawn() -> Sequence[Any]:
    """The programs of every run."""
    return listed(placing_programs(), judging.PLACING, 0)


def new_driver(place: Place = right, words: Sequence[str] = ()) -> PlacingInMemory:
    broker: Any = None
    return PlacingInMemory(lambda _: None, broker, str, place=place, words=words)


def shown(driver: PlacingInMemory, monkeypatch: pytest.MonkeyPatch) -> list[Disagreement]:
    monkeypatch.setattr(driving, "is_raised_by_client", lambda error: True)
    return [each for program in drawn() for each in driver.disagreements(program)]


def test_a_right_client_is_accused_of_nothing_and_all_is_decided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    driver = new_driver()
    assert [str(each) for each in shown(driver, monkeypatch)] == []
    assert sorted(id_ for id_ in DECLARED if not driver.decided[id_]) == []
    assert sorted(driver.decided.keys() - DECLARED) == []


def only(mapping: str | None, change: Callable[[int, Any, int, int], int]) -> Place:
    """Wrong by one mapping alone: by the partitions, the level, the turn and what is right."""

    def place(of: str | None, partitions: int, what: Any, turn: int) -> int:
        partition = right(of, partitions, what, turn)
        return change(partitions, what, turn, partition) if of == mapping else partition

    return place


WRONG: Final[Mapping[str, tuple[Place, set[str]]]] = {
    **{
        f"level {level} of ten goes elsewhere": (
            only(
                LINEAR,
                lambda of, what, turn, at, level=level: (  # type: ignore[misc]
                    (at + 1) % 10 if of == 10 and what == level else at
                ),
            ),
            {f"SLJ-PRIO-{17 + level:03}", "SLJ-PRIO-016"},
        )
        for level in range(10)
    },
    "one of a pair": (
        only(LINEAR, lambda of, what, turn, at: at - at % 2 if of == 20 else at),
        {"SLJ-PRIO-027", "SLJ-PRIO-028", "SLJ-PRIO-029"},
    ),
    "all in one": (only(LINEAR, lambda of, what, turn, at: 0), {"SLJ-PRIO-030", "SLJ-PRIO-016"}),
    "into idle ones": (
        only(LINEAR, lambda of, what, turn, at: turn % of),
        {"SLJ-PRIO-031", "SLJ-PRIO-030"},
    ),
    "by turns where nothing is set": (
        only(None, lambda of, what, turn, at: turn % of),
        {"SLJ-PRIO-007", "SLJ-PRIO-015"},
    ),
    "non-linear is linear": (
        only(NON_LINEAR, lambda of, what, turn, at: what * of // 10),
        {"SLJ-PRIO-032", "SLJ-PRIO-034", "SLJ-PRIO-035", "SLJ-PRIO-036", "SLJ-PRIO-037"},
    ),
    "the other way round": (
        only(NON_LINEAR, lambda of, what, turn, at: of - 1 - at),
        {"SLJ-PRIO-033", "SLJ-PRIO-034", "SLJ-PRIO-036", "SLJ-PRIO-038", "SLJ-PRIO-039"},
    ),
    "non-linear is linear on ten": (
        only(NON_LINEAR, lambda of, what, turn, at: what if of == 10 else at),
        {"SLJ-PRIO-032", "SLJ-PRIO-033", "SLJ-PRIO-037"},
    ),
    "non-linear is linear where there is no quarter": (
        only(NON_LINEAR, lambda of, what, turn, at: what * of // 10 if of % 4 else at),
        {"SLJ-PRIO-032", "SLJ-PRIO-033", "SLJ-PRIO-037"},
    ),
    "the other way round where there is no quarter": (
        only(NON_LINEAR, lambda of, what, turn, at: of - 1 - at if of % 4 else at),
        {"SLJ-PRIO-038", "SLJ-PRIO-039"},
    ),
    "by turns where ten do not divide": (
        only(LINEAR, lambda of, what, turn, at: turn % of if of % 10 else at),
        {"SLJ-PRIO-016"},
    ),
    "groups by turns": (only(GROUPS, lambda of, what, turn, at: turn % of), {"SLJ-PROP-022"}),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_partition_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, ids = WRONG[name]
    assert ids <= {id_ for each in shown(new_driver(place), monkeypatch) for id_ in each.ids}


def test_another_mapping_that_is_taken_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    (signature,) = {each.signature for each in shown(new_driver(words=["cubic"]), monkeypatch)}
    assert signature == "open with another mapping gave a String"
