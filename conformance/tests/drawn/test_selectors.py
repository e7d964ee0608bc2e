"""Drawn selectors notice wrong clients, by the statement that they break."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final
from unittest.mock import patch

import pytest

from drawn.listed_programs import listed
from drawn.sessions_in_memory import declared_by
from jms_clients.mutants.mutant import Mutant
from jms_clients.mutants.registry import all_mutants, broken_by
from jms_scenarios.core.selectors import test_drawn_programs as test_selectors
from jmsapi.errors import JMSException
from pulsar_jms import selectors
from pulsar_jms.consuming import message_filter
from pulsar_jms.selectors import evaluator
from pulsar_jms.selectors.evaluator import Condition
from pulsar_jms.selectors.like import like
from pulsar_jms.selectors.syntax import And, Expression, Like, Or
from touchstone.drawn import driving
from touchstone.drawn.driving import Disagreement
from touchstone.drawn.selectors import judging
from touchstone.drawn.selectors.drawing import (
    grouped_programs,
    programs,
    programs_on_patterns,
    rare_programs,
)
from touchstone.drawn.selectors.driving import SelectorDriver
from touchstone.drawn.selectors.program import Program

DECLARED: Final = declared_by(test_selectors.test_drawn_selectors)
PROGRAMS: Final = 40
"""Of each seed."""
SEEDS: Final = range(20)


class InMemory:
    """A queue, and the reference's selectors."""

    def __init__(self) -> None:
        self._messages: list[Mapping[str, object]] = []

    def send(self, number: int, message: Mapping[str, object]) -> None:
        """Keep it."""
        self._messages.append({key: value for key, value in message.items() if value is not None})

    def browse(self, selector: str | None) -> list[int]:
        """By the reference."""
        asked = vars(message_filter)["selector_of"](selector)  # where a wrong client has its own
        every = enumerate(self._messages)
        return [number for number, each in every if asked is None or asked.matches(each)]

    def close(self) -> None:
        """Nothing is open."""


@cache
def drawn(seed: int, count: int) -> Sequence[Program]:
    """So many programs of a seed: all wrong clients meet the same, so they are drawn once."""
    rare = [rare_programs(), grouped_programs(), programs_on_patterns()]
    return [
        *listed(programs(), count, seed),
        *(each for kind in rare for each in listed(kind, count // 4, seed)),
    ]


def disagreements(
    driver: SelectorDriver, seeds: Sequence[int] = SEEDS, count: int = PROGRAMS
) -> Iterator[Disagreement]:
    """What drawn selectors show of the reference as it is now."""
    with patch.object(
        driving, "is_raised_by_client", lambda error: isinstance(error, JMSException)
    ):
        for seed in seeds:
            for program in drawn(seed, count):
                yield from driver.disagreements(program)


def new_driver() -> SelectorDriver:
    return SelectorDriver(lambda simplified: InMemory())


def test_a_right_client_is_accused_of_nothing_and_all_is_decided() -> None:
    driver = new_driver()
    assert [str(each) for each in disagreements(driver)] == []
    assert sorted(id_ for id_ in DECLARED if not driver.decided[id_]) == []
    assert sorted(driver.decided.keys() - DECLARED) == []


def test_the_programs_of_every_run_decide_all() -> None:
    driver = new_driver()
    assert [*disagreements(driver, [0], judging.PROGRAMS)] == []
    assert sorted(id_ for id_ in DECLARED if not driver.decided[id_]) == []


OUT_OF_REACH: Final = {
    "malformed-is-none": "what is malformed is not drawn",
    "empty-brackets-skipped": "what is malformed is not drawn",
    "long-escape-taken": "what is malformed is not drawn",
    "comments-skipped": "what is malformed is not drawn",
    "words-of-the-language-are-identifiers": "what is malformed is not drawn",
    "expiration-can-be-selected": "of header fields only those that a selector may name are drawn",
    "delivery-mode-is-a-number": "it is in the mapping of header fields, which is not in memory",
    "rejected-of-a-queue-lost": "nobody consumes",
    "rejected-of-a-topic-kept": "nobody consumes",
    "division-is-approximate": "whole numbers are not divided, which has two readings",
}
WRONG = [
    each
    for each in all_mutants().values()
    if each.area == "selectors" and any(id_.startswith("JMS-") for id_ in each.violates)
]
IN_REACH = [each for each in WRONG if each.name not in OUT_OF_REACH]


@pytest.mark.thorough
@pytest.mark.parametrize("wrong", IN_REACH, ids=lambda wrong: wrong.name)
def test_it_is_noticed(wrong: Mutant) -> None:
    with broken_by(wrong):
        refuted = disagreements(new_driver())
        assert any(each.ids.intersection(wrong.violates) for each in refuted)


def test_what_is_out_of_reach_is_there() -> None:
    assert {each.name for each in WRONG} >= OUT_OF_REACH.keys()


def patterns_side_by_side_are_one(expression: Expression) -> Condition:
    """LIKE beside LIKE, under one AND or OR, has the pattern of the first."""
    if isinstance(expression, And | Or):
        likes = [part for part in expression.conditions if isinstance(part, Like)]
        changed = (
            replace(part, pattern=likes[0].pattern, escape=likes[0].escape)
            if isinstance(part, Like)
            else part
            for part in expression.conditions
        )
        expression = replace(expression, conditions=tuple(changed))
    return evaluator.condition(expression)


def test_a_condition_that_is_wrong_beside_another_of_its_kind_is_noticed() -> None:
    with patch.object(selectors, "condition", patterns_side_by_side_are_one):
        refuted = [*disagreements(new_driver(), [0])]
    assert any(each.ids & {"JMS-SEL-041", "JMS-SEL-051"} for each in refuted)


class FoldsNames(InMemory):
    """Takes a JMSX property by any spelling."""

    def send(self, number: int, message: Mapping[str, object]) -> None:
        folded = {"jmsxgroupid": "JMSXGroupID"}
        super().send(number, {folded.get(name, name): value for name, value in message.items()})


class GroupIsNeverNull(InMemory):
    """A message of no group is in that of an empty name."""

    def send(self, number: int, message: Mapping[str, object]) -> None:
        super().send(number, {"JMSXGroupID": "", **message})


class HidesGroups(InMemory):
    """Shows selectors no JMSX property."""

    def send(self, number: int, message: Mapping[str, object]) -> None:
        shown = {name: value for name, value in message.items() if not name.startswith("JMSX")}
        super().send(number, shown)


@pytest.mark.parametrize(
    ("wrong", "id_"),
    [
        (FoldsNames, "JMS-PROP-041"),
        (GroupIsNeverNull, "JMS-PROP-042"),
        (HidesGroups, "JMS-PROP-042"),
    ],
)
def test_jmsx_properties_are_asked_for(wrong: type[InMemory], id_: str) -> None:
    wrong_driver = SelectorDriver(lambda simplified: wrong())
    assert any(id_ in each.ids for each in disagreements(wrong_driver, [0], judging.PROGRAMS))


def ends_of_patterns_overlap(pattern: str, escape: str | None = None) -> Callable[[str], bool]:
    """A text that begins and ends as a pattern does may be shorter than both together."""
    first, percent, last = pattern.partition("%")
    if not percent or escape or {"%", "_"} & {*first, *last}:
        return like(pattern, escape)
    return lambda text: text.startswith(first) and text.endswith(last)


def test_patterns_whose_ends_overlap_in_a_text_are_noticed() -> None:
    with patch.object(evaluator, "like", ends_of_patterns_overlap):
        refuted = [*disagreements(new_driver(), [0], judging.PROGRAMS)]
    assert any("JMS-SEL-034" in each.ids for each in refuted)
