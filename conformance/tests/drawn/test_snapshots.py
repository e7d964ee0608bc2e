"""Drawn programs with snapshots notice wrong clients, by the statement that they break."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final
from unittest.mock import patch

import pytest

from drawn.listed_programs import listed
from drawn.sessions_in_memory import declared_by
from drawn.snapshots_in_memory import Browser, Connection, Enumeration, Factory, InMemory, Session
from jms_model.snapshots.things import TOPIC
from jms_scenarios.rabbitmq.browser import test_drawn_programs as test_browser
from jmsapi import JMSException
from touchstone.drawn import driving
from touchstone.drawn.snapshots.drawing import programs
from touchstone.drawn.snapshots.driving import SnapshotDriver
from touchstone.drawn.snapshots.judging import PROGRAMS
from touchstone.drawn.snapshots.program import Program

pytestmark = pytest.mark.thorough

DECLARED: Final = declared_by(test_browser.test_drawn_programs_on_what_snapshots_show)
Made = Callable[[Program], InMemory]


@cache
def drawn() -> Sequence[Program]:
    """The programs of every run."""
    return listed(programs(), PROGRAMS, 0)


def shown_by(made: Made) -> tuple[list[frozenset[str]], SnapshotDriver]:
    """The statements that each disagreement of a client is held against, and what ran it."""
    driver = SnapshotDriver(made)
    with patch.object(
        driving, "is_raised_by_client", lambda error: isinstance(error, JMSException)
    ):
        disagreements = [each.ids for program in drawn() for each in driver.disagreements(program)]
    return disagreements, driver


class BrowsesTopics(InMemory):
    def session_create_browser(self, session: Session, queue: str, selector: str | None) -> Browser:
        return super().session_create_browser(session, queue.replace(TOPIC, "q"), selector)


class ReadsWhenMade(InMemory):
    def read(self, browser: Browser) -> list[int]:
        limit = self.limit_of(browser)
        return browser.created[:limit] if limit > 0 else browser.created


class SnapshotIsKept(InMemory):
    def read(self, browser: Browser) -> list[int]:
        if browser.first is None:
            browser.first = super().read(browser)
        return [*browser.first]


def losing(is_lost: Callable[[InMemory, Enumeration, int], bool]) -> type[InMemory]:
    """Shows no more what is lost."""

    class Losing(InMemory):
        def looks(self, of: Enumeration) -> None:
            of.left = [each for each in of.left if not is_lost(self, of, each)]

    return Losing


def is_gone(app: InMemory, of: Enumeration, number: int) -> bool:
    return number not in app.ready.get(of.browser.queue, []) and number not in app.expired


class ShowsMore(InMemory):
    """Shows besides what is in the queue since."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.back: set[int] = set()

    def program_put_back(self, _: Any, queue: str) -> None:
        self.back |= {*self.held[queue]}
        super().program_put_back(self, queue)

    def is_shown(self, of: Enumeration, number: int) -> bool:
        raise NotImplementedError

    def looks(self, of: Enumeration) -> None:
        there = self.chosen(self.ready.get(of.browser.queue, []), of.browser.selector)
        of.left += [
            each
            for each in there
            if each not in of.left and each not in of.shown and self.is_shown(of, each)
        ]

    def browser_enumeration(self, browser: Browser) -> Enumeration:
        made = super().browser_enumeration(browser)
        made.browser.created = [*self.ready.get(browser.queue, [])]
        made.at = len(self.kinds)
        return made


class ShowsLater(ShowsMore):
    def is_shown(self, of: Enumeration, number: int) -> bool:
        return number > of.at and not of.ended


class GoesOn(ShowsMore):
    def is_shown(self, of: Enumeration, number: int) -> bool:
        return number > of.at and of.ended


class ShowsPutBack(ShowsMore):
    def is_shown(self, of: Enumeration, number: int) -> bool:
        return number in self.back and number not in of.browser.created


class Rewinds(InMemory):
    def looks(self, of: Enumeration) -> None:
        if of.ended:
            of.left, of.shown = [*of.shown], []


class GoesOnBehindItsSession(InMemory):
    def browser_enumeration(self, browser: Browser) -> Enumeration:
        return Enumeration(browser, self.chosen(self.read(browser), browser.selector))


class ClosesBrowsers(InMemory):
    def browser_enumeration(self, browser: Browser) -> Enumeration:
        if browser.is_closed:
            raise JMSException("it is closed")
        return super().browser_enumeration(browser)


def limited(limit: Callable[[InMemory, Browser], int]) -> type[InMemory]:
    """Reads another number of messages."""

    class Limited(InMemory):
        def limit_of(self, browser: Browser) -> int:
            return limit(self, browser)

    return Limited


class LimitForAll(InMemory):
    """The limit of the latest connection is that of all."""

    last = 0

    def factory_create_connection(self, factory: Factory) -> Connection:
        self.last = factory.limit
        return super().factory_create_connection(factory)

    def limit_of(self, browser: Browser) -> int:
        return self.last


class LimitOnce(InMemory):
    """The second connection since a limit was set has none."""

    def factory_create_connection(self, factory: Factory) -> Connection:
        every = (each for each in self.objects.values() if isinstance(each, Connection))
        is_first = not any(each.factory is factory for each in every)
        return Connection(factory, factory.limit if is_first else 0)


class ForgetsLimits(InMemory):
    def factory_limit(self, factory: Factory) -> int:
        return 0


class InitialLimit(InMemory):
    def program_factory(self, _: Any) -> Factory:
        return Factory(5)


class CountsMatches(InMemory):
    def browser_enumeration(self, browser: Browser) -> Enumeration:
        made = super().browser_enumeration(browser)
        limit = self.limit_of(browser)
        if limit > 0 and browser.selector:
            every = self.chosen(self.ready.get(browser.queue, []), browser.selector)
            made.left = every[:limit]
        return made


def its(browser: Browser) -> int:
    return browser.session.connection.limit


WRONG: Final[Sequence[tuple[str, Made]]] = (
    ("RMQ-BRW-002", BrowsesTopics),
    ("RMQ-BRW-006", losing(lambda app, of, each: each % 2 == 0 and not of.browser.selector)),
    ("RMQ-BRW-007", losing(lambda app, of, each: each % 2 == 0 and bool(of.browser.selector))),
    ("RMQ-BRW-008", ReadsWhenMade),
    ("RMQ-BRW-009", losing(lambda *of: bool(of[1].browser.selector) and is_gone(*of))),
    ("RMQ-BRW-014", Rewinds),
    ("RMQ-BRW-014", GoesOn),
    ("RMQ-BRW-015", SnapshotIsKept),
    ("RMQ-BRW-016", losing(lambda app, of, each: of.browser.session.is_closed)),
    ("RMQ-BRW-017", losing(lambda app, of, each: of.browser.session.connection.is_closed)),
    ("RMQ-BRW-018", GoesOnBehindItsSession),
    ("RMQ-BRW-019", ClosesBrowsers),
    ("RMQ-BRW-019", losing(lambda app, of, each: of.browser.is_closed)),
    ("RMQ-BRW-020", ShowsLater),
    ("RMQ-BRW-021", losing(lambda app, of, each: each in app.expired)),
    ("RMQ-BRW-022", ShowsPutBack),
    ("RMQ-BRW-023", losing(is_gone)),
    ("RMQ-BRW-026", losing(lambda app, of, each: each in app.expired)),
    ("RMQ-CFG-001", LimitForAll),
    ("RMQ-CFG-002", ForgetsLimits),
    ("RMQ-CFG-003", LimitOnce),
    ("RMQ-CFG-004", limited(lambda app, browser: browser.session.connection.factory.limit)),
    ("RMQ-CFG-005", limited(lambda app, browser: 0)),
    ("RMQ-CFG-005", limited(lambda app, browser: max(0, its(browser) - 1))),
    ("RMQ-CFG-006", CountsMatches),
    ("RMQ-CFG-007", limited(lambda app, browser: its(browser) or 1)),
    ("RMQ-CFG-008", limited(lambda app, browser: 1 if its(browser) < 0 else its(browser))),
    ("RMQ-CFG-010", InitialLimit),
)


def test_the_right_one_is_accused_of_nothing_and_all_is_decided() -> None:
    accused, driver = shown_by(InMemory)
    assert accused == []
    assert sorted(id_ for id_ in DECLARED if not driver.decided[id_]) == []
    assert sorted(driver.decided.keys() - DECLARED) == []


LIMITS: Final = frozenset(f"RMQ-CFG-{number:03}" for number in range(1, 9))
MAY_BE_ACCUSED: Final[dict[str, frozenset[str]]] = {
    "RMQ-BRW-006": DECLARED,
    "RMQ-BRW-007": DECLARED,
    "RMQ-BRW-009": frozenset({"RMQ-BRW-023"}),
    "RMQ-BRW-021": frozenset({"RMQ-BRW-026"}),
    "RMQ-BRW-022": frozenset({"RMQ-BRW-014"}),
    "RMQ-BRW-023": frozenset({"RMQ-BRW-009"}),
    "RMQ-BRW-026": frozenset({"RMQ-BRW-021"}),
    "RMQ-BRW-008": frozenset({"RMQ-BRW-015", "RMQ-BRW-022"}),
    **dict.fromkeys([f"RMQ-CFG-{number:03}" for number in (1, 4, 7, 10)], DECLARED),
    **dict.fromkeys([f"RMQ-CFG-{number:03}" for number in (3, 5, 8)], LIMITS),
}
"""What a wrong client breaks besides."""


@pytest.mark.parametrize(
    ("id_", "made"), WRONG, ids=[f"{id_}-{number}" for number, (id_, _) in enumerate(WRONG)]
)
def test_it_is_noticed(id_: str, made: Made) -> None:
    accused, _ = shown_by(made)
    assert id_ in {each for ids in accused for each in ids}
    assert {each for ids in accused for each in ids} <= {id_, *MAY_BE_ACCUSED.get(id_, ())}
