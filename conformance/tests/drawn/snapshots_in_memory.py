"""A client in memory whose browsers take snapshots, right or wrong in one way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from jms_model.delivery.choosing import chooses
from jms_model.snapshots.rules import PAST, PROGRAM
from jms_model.snapshots.things import TOPIC
from jmsapi import JMSException
from touchstone.drawn.snapshots.program import Program, Step


@dataclass(eq=False)
class Factory:
    limit: int = 0


@dataclass(eq=False)
class Connection:
    factory: Factory
    limit: int
    is_closed: bool = False


@dataclass(eq=False)
class Session:
    connection: Connection
    is_closed: bool = False

    @property
    def is_open(self) -> bool:
        return not (self.is_closed or self.connection.is_closed)


@dataclass(eq=False)
class Browser:
    session: Session
    queue: str
    selector: str | None
    created: list[int] = field(default_factory=list)
    is_closed: bool = False
    first: list[int] | None = None


@dataclass(eq=False)
class Enumeration:
    browser: Browser
    left: list[int]
    shown: list[int] = field(default_factory=list)
    ended: bool = False
    at: int = 0


class InMemory:
    """The right one; others override what they do wrongly."""

    def __init__(self, _: Program) -> None:
        self.objects: dict[str, Any] = {}
        self.kinds: dict[int, int] = {}
        self.ready: dict[str, list[int]] = {}
        self.held: dict[str, list[int]] = {}
        self.brief: set[int] = set()
        self.expired: set[int] = set()

    def waits(self, queue: str, count: int) -> None:
        """Nothing has to be waited for."""

    def close(self) -> None:
        """Nothing is open."""

    def call(self, step: Step) -> object:
        """Make a call."""
        on: Any = self if step.on == PROGRAM else self.objects[step.on]
        kind = "program" if step.on == PROGRAM else type(on).__name__.lower()
        made = getattr(self, f"{kind}_{step.method}")(on, *step.args)
        if step.makes:
            self.objects[step.makes] = made
            return None
        return made

    def chosen(self, numbers: list[int], selector: str | None) -> list[int]:
        """Those that a selector chooses."""
        return [each for each in numbers if chooses(selector, self.kinds[each])]

    # The program

    def program_factory(self, _: Any) -> Factory:
        return Factory()

    def program_send(self, _: Any, queue: str, kinds: tuple[int, ...]) -> None:
        for kind in kinds:
            number = len(self.kinds) + 1
            self.kinds[number] = kind
            self.ready.setdefault(queue, []).append(number)

    def program_send_brief(self, _: Any, queue: str, kinds: tuple[int, ...]) -> None:
        self.program_send(self, queue, kinds)
        self.brief |= {*self.ready[queue]}

    def program_expire(self, _: Any, queue: str) -> None:
        self.expired |= self.brief & {*self.ready[queue]}
        self.ready[queue] = [each for each in self.ready[queue] if each not in self.brief]

    def program_consume(self, _: Any, queue: str, count: int) -> None:
        self.ready[queue] = self.ready[queue][count:]

    def connection_hold(self, _: Connection, queue: str, count: int) -> None:
        self.held[queue] = self.ready[queue][:count]
        self.ready[queue] = self.ready[queue][count:]

    def program_put_back(self, _: Any, queue: str) -> None:
        self.ready[queue] = sorted([*self.held.pop(queue), *self.ready[queue]])

    # Factories, connections, sessions

    def factory_limit(self, factory: Factory) -> int:
        return factory.limit

    def factory_change(self, factory: Factory, limit: int) -> None:
        factory.limit = limit

    def factory_create_connection(self, factory: Factory) -> Connection:
        return Connection(factory, factory.limit)

    def connection_create_session(self, connection: Connection) -> Session:
        return Session(connection)

    def connection_close(self, connection: Connection) -> None:
        connection.is_closed = True

    def session_close(self, session: Session) -> None:
        session.is_closed = True

    # Browsers

    def session_create_browser(self, session: Session, queue: str, selector: str | None) -> Browser:
        if queue.startswith(TOPIC):
            raise JMSException("no queue")
        return Browser(session, queue, selector, [*self.ready.get(queue, [])])

    def browser_close(self, browser: Browser) -> None:
        browser.is_closed = True

    def limit_of(self, browser: Browser) -> int:
        """How much it reads."""
        return browser.session.connection.limit

    def read(self, browser: Browser) -> list[int]:
        """What it reads of its queue now, before it chooses."""
        limit = self.limit_of(browser)
        numbers = self.ready.get(browser.queue, [])
        return numbers[:limit] if limit > 0 else [*numbers]

    def browser_enumeration(self, browser: Browser) -> Enumeration:
        if not browser.session.is_open:
            raise JMSException("it is closed")
        return Enumeration(browser, self.chosen(self.read(browser), browser.selector))

    def looks(self, of: Enumeration) -> None:
        """Before something is read of it."""

    def enumeration_more(self, of: Enumeration) -> bool:
        self.looks(of)
        of.ended = not of.left
        return bool(of.left)

    def enumeration_next(self, of: Enumeration) -> object:
        self.looks(of)
        if not of.left:
            of.ended = True
            return PAST
        of.shown.append(of.left.pop(0))
        return of.shown[-1]
