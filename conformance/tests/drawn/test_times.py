"""Drawn programs on delays and times to live notice wrong clients, by the statement they break."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final, cast

import pytest

from drawn.listed_programs import listed
from drawn.sessions_in_memory import declared_by
from drawn.times_in_memory import Given, InMemory, InOneThread, Rules, Text, VirtualClock, alone
from jms_model.times.statements import JMS, STARLIGHT, Statements
from jms_scenarios.core.delay import test_drawn_programs as of_jms
from jms_scenarios.starlight.delay import test_drawn_programs as of_starlight
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.driving import Disagreement
from touchstone.drawn.times.application import Application
from touchstone.drawn.times.drawing import JMS_OUTLETS, STARLIGHT_OUTLETS, programs
from touchstone.drawn.times.driving import TimeDriver
from touchstone.drawn.times.judging import PROGRAMS
from touchstone.drawn.times.program import Program

DECLARED: Final = declared_by(of_jms.test_drawn_programs_on_time)
DECLARED_BY_STARLIGHT: Final = declared_by(
    of_starlight.test_drawn_programs_on_delays_of_subscriptions
)
PULSAR: Final = Rules(heeds_delays=False)
"""Unshared subscriptions of topics ignore delays."""


@cache
def drawn(*, is_jms: bool) -> Sequence[Program]:
    """The programs of every run."""
    outlets = JMS_OUTLETS if is_jms else STARLIGHT_OUTLETS
    return listed(programs(outlets, transacted=is_jms), PROGRAMS, 0)


def driven(rules: Rules, document: Statements = JMS) -> TimeDriver:
    """Runs programs on a client that follows these rules."""

    def opened(program: Program) -> Application:
        clock = VirtualClock()
        return Application(
            InMemory(clock, rules),
            lambda: InMemory(clock, rules, sharing=True),
            lambda: InMemory(clock, rules),
            lambda stem: stem,
            program,
            clock,
            cast(Arrivals, InOneThread(clock)),
        )

    return TimeDriver(opened, document, alone)


def disagreements(driver: TimeDriver) -> Iterator[Disagreement]:
    """What the programs of every run show."""
    for program in drawn(is_jms=driver.document is JMS):
        yield from driver.disagreements(program)


def accused(rules: Rules, document: Statements = JMS) -> set[str]:
    """The statements by which a client is accused."""
    return {id_ for each in disagreements(driven(rules, document)) for id_ in each.ids}


@pytest.mark.parametrize(
    ("document", "rules", "declared"),
    [(JMS, Rules(), DECLARED), (STARLIGHT, PULSAR, DECLARED_BY_STARLIGHT)],
    ids=["JMS", "Starlight"],
)
def test_the_right_client_is_accused_of_nothing_and_all_is_decided(
    document: Statements, rules: Rules, declared: frozenset[str]
) -> None:
    driver = driven(rules, document)
    assert [str(each) for each in disagreements(driver)] == []
    assert sorted(driver.decided) == sorted(declared)


def _previous(given: Given) -> int:
    """A delay that was set before is kept where it is set back to 0."""
    return max(given.earlier, default=0) if not given.delay else given.delay


def _rounded(due: int) -> int:
    return due // 1000 * 1000


def _copy(message: Text, **changes: int) -> Text:
    return replace(message, **changes)  # type: ignore[arg-type]


EARLY, APPLIES, TOLD = "JMS-DLY-003", "JMS-DLY-006", "JMS-DLY-001"
IGNORED = {EARLY, APPLIES, TOLD}
"""What a client breaks whose messages show that it does not use the delay."""
BROKEN: Final[dict[str, tuple[Rules, set[str]]]] = {
    "delay ignored": (Rules(due=lambda given, due, now: min(due, now)), {EARLY}),
    "delay ignored by sends with arguments": (
        Rules(delay=lambda given: 0 if given.arguments else given.delay),
        IGNORED,
    ),
    "delay ignored by sends with arguments, though it is told": (
        Rules(due=lambda given, due, now: min(due, now) if given.arguments else due),
        {EARLY},
    ),
    "delay ignored by asynchronous sends": (
        Rules(delay=lambda given: 0 if given.asynchronous else given.delay),
        IGNORED,
    ),
    "delay ignored by JMSProducers": (
        Rules(due=lambda given, due, now: min(due, now) if given.simplified else due),
        {EARLY},
    ),
    "delay ignored beside a time to live": (
        Rules(due=lambda given, due, now: min(due, now) if given.lives else due),
        {EARLY},
    ),
    "delay ignored by topics": (Rules(heeds_delays=False, sharing_heeds=False), {EARLY}),
    "delay of 32 bits": (
        Rules(due=lambda given, due, now: due - 2**31 if given.delay >= 2**31 else due),
        {EARLY},
    ),
    "delay in whole seconds": (
        Rules(due=lambda given, due, now: _rounded(due) if given.delay else due),
        {EARLY},
    ),
    "delay counted twice": (
        Rules(due=lambda given, due, now: due + given.delay),
        {APPLIES, "JMS-DLY-004"},
    ),
    "delay counts from the commit": (
        Rules(due=lambda given, due, now: now + given.delay),
        {"JMS-DLY-004"},
    ),
    "delay kept though it was set back": (Rules(delay=_previous), {APPLIES, TOLD}),
    "delay is told, not used where it was set twice": (
        Rules(due=lambda given, due, now: now if len(given.earlier) > 2 else due),
        {EARLY},
    ),
    "the time of a delivery is told to the receiver": (
        Rules(received=lambda message, now: _copy(message, jms_delivery_time=now)),
        {"JMS-DLY-002"},
    ),
    "later subscriptions get what is delayed": (Rules(subscribes_late=True), {"JMS-DLY-005"}),
    "a browser shows all": (Rules(browses=lambda due, now: True), {"JMS-BRW-004"}),
    "a browser shows nothing": (Rules(browses=lambda due, now: False), {"JMS-BRW-004"}),
    "what is due waits behind what is not": (Rules(in_order=True), {"JMS-ORD-006"}),
    "time to live ignored": (
        Rules(expires=lambda given, end, now: 0),
        {"JMS-EXP-001", "JMS-EXP-002", "JMS-EXP-006"},
    ),
    "time to live ignored on topics": (
        Rules(expires=lambda given, end, now: end if given.is_queue else 0),
        {"JMS-EXP-001", "JMS-EXP-002", "JMS-EXP-006"},
    ),
    "time to live ignored by asynchronous sends": (
        Rules(expires=lambda given, end, now: 0 if given.asynchronous else end),
        {"JMS-EXP-001", "JMS-EXP-002", "JMS-EXP-006"},
    ),
    "time to live counts from the delivery": (
        Rules(expires=lambda given, end, now: end + given.delay),
        {"JMS-EXP-001"},
    ),
    "time to live counts from the commit": (
        Rules(expires=lambda given, end, now: now + given.lives),
        {"JMS-EXP-006"},
    ),
    "expiration is off by the delay": (
        Rules(told_expiration=lambda given, told: told + given.delay if told else 0),
        {"JMS-EXP-003"},
    ),
    "a receiver reads no expiration": (
        Rules(received=lambda message, now: _copy(message, jms_expiration=0)),
        {"JMS-EXP-004"},
    ),
    "what lives for ever has an expiration": (
        Rules(told_expiration=lambda given, told: told or 1),
        {"JMS-EXP-005"},
    ),
    "what lives for ever is gone with its neighbours": (
        Rules(
            expires=lambda given, end, now: end,
            lives=lambda given: given.lives or (0 if given.delay else 500),
            told_expiration=lambda given, told: told if given.lives else 0,
        ),
        {"JMS-EXP-005"},
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_wrong_client_is_accused(name: str) -> None:
    rules, ids = BROKEN[name]
    assert accused(rules) == ids


@pytest.mark.parametrize(
    ("rules", "ids"),
    [
        (Rules(), {"SLJ-DLY-001"}),
        (replace(PULSAR, sharing_heeds=False), {"SLJ-DLY-004", "SLJ-DLY-006"}),
        (
            replace(PULSAR, due=lambda given, due, now: now if given.is_queue else due),
            {"SLJ-DLY-006"},
        ),
        (replace(PULSAR, expires=lambda given, end, now: 0), {"SLJ-EXP-002"}),
    ],
    ids=["unshared heed", "none heeds", "queues do not heed", "nothing expires"],
)
def test_a_wrong_client_of_pulsar_is_accused(rules: Rules, ids: set[str]) -> None:
    assert accused(rules, STARLIGHT) == ids


def test_a_disagreement_is_shown_by_what_it_needs() -> None:
    rules, _ = BROKEN["delay ignored by sends with arguments"]
    driver = driven(rules)
    first = next(each for each in disagreements(driver) if EARLY in each.ids)
    again: list[Any] = [*driver.disagreements(first.program)]
    assert first.signature in {each.signature for each in again}
    assert isinstance(first.program, Program)
    assert len(first.program.makers) == 1 < len(drawn(is_jms=True)[1].makers)
