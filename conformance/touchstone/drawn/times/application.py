"""The application that a program is: what it sends with, and what receives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from jms_clients.errors import NotInThisVersion
from jms_model.answers import Gave
from jms_model.times.sent import QUEUE, SIMPLE_SHARED
from jmsapi import Destination, SessionMode
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.driving import answer_of
from touchstone.drawn.times.clock import Clock
from touchstone.drawn.times.inbox import Inbox, open_consumer
from touchstone.drawn.times.outbox import Outbox
from touchstone.drawn.times.program import CONTEXT, RECEIVE, RECOVER, Program, Route


@dataclass
class Application:
    """The client at work on one program."""

    factory: Any
    sharing: Callable[[], Any]
    """Makes a factory whose simple consumers of topics have Shared subscriptions."""
    quick: Callable[[], Any]
    """Makes one of which what is given back comes again at once."""
    name: Callable[[str], str]
    """A name that nobody else has."""
    program: Program
    clock: Clock
    arrivals: Arrivals
    delays: bool = True
    inboxes: dict[str, Inbox] = field(default_factory=dict)
    """By lane; what the client cannot open is not there."""
    later: list[tuple[str, int, Inbox]] = field(default_factory=list)
    """Subscriptions that were made later: of which lane, when, and what they get."""

    def __post_init__(self) -> None:
        self._opened: list[Any] = []
        self._connections: dict[str, Any] = {}
        session = self._connection().create_session()
        destinations = {}
        for lane in self.program.lanes:
            make = session.create_queue if lane.outlet == QUEUE else session.create_topic
            destinations[lane.name] = make(self.name("queue" if lane.outlet == QUEUE else "topic"))
        self.outbox = Outbox(
            self.factory,
            destinations,
            {lane.name: lane.outlet for lane in self.program.lanes},
            self.clock,
            self.delays,
        )
        for lane in self.program.lanes:
            answer = answer_of(
                partial(self._inbox, lane, destinations[lane.name]), NotInThisVersion
            )
            if isinstance(answer, Gave) and isinstance(answer.value, Inbox):
                self.inboxes[lane.name] = answer.value
        for maker in self.program.makers:
            if maker.lane in self.inboxes:
                self.outbox.open(maker)

    def subscribe(self, lane: str, outlet: str) -> None:
        """Another subscription of a topic is made now."""
        destination = self.outbox.destinations[lane]
        session = self._connection().create_session()
        before = self.clock.now()
        answer = answer_of(
            partial(self._reader, session, outlet, destination, RECEIVE), NotInThisVersion
        )
        if isinstance(answer, Gave) and isinstance(answer.value, Inbox):
            self.later.append((lane, before, answer.value))

    @property
    def readers(self) -> Sequence[Inbox]:
        """All that receive."""
        return [*self.inboxes.values(), *(inbox for _, _, inbox in self.later)]

    def close(self) -> None:
        """Close what was opened."""
        for each in self._opened:
            answer_of(each.close)
        self.outbox.close()

    def _connection(self, outlet: str = "", way: str = "") -> Any:
        """The connection of those that need the same settings."""
        kind = SIMPLE_SHARED if outlet == SIMPLE_SHARED else RECOVER if way == RECOVER else ""
        if kind not in self._connections:
            makers = {SIMPLE_SHARED: self.sharing, RECOVER: self.quick}
            made = (makers[kind]() if kind else self.factory).create_connection()
            self._opened.append(made)
            made.client_id = self.name("client")
            made.start()
            self._connections[kind] = made
        return self._connections[kind]

    def _inbox(self, lane: Route, destination: Destination) -> Inbox:
        if lane.way == CONTEXT:
            factory = self.sharing() if lane.outlet == SIMPLE_SHARED else self.factory
            session = factory.create_context()
            self._opened.append(session)
        else:
            mode = SessionMode.AUTO_ACKNOWLEDGE
            if lane.way == RECOVER:
                mode = SessionMode.CLIENT_ACKNOWLEDGE
            session = self._connection(lane.outlet, lane.way).create_session(False, mode)
        return self._reader(session, lane.outlet, destination, lane.way)

    def _reader(self, session: Any, outlet: str, destination: Destination, way: str) -> Inbox:
        open_ = partial(open_consumer, session, outlet, destination, self.name("subscription"), way)
        return Inbox(way, session, open_, destination, self.clock, self.arrivals)
