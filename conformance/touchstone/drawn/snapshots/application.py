"""The application that such a program is: its objects of the client under test, by name."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from jms_brokers.errors import NotAsExpected
from jms_brokers.machine.polling import until
from jms_clients.calls import unheard_calls
from jms_model.delivery.choosing import NUMBER, fields_of
from jms_model.snapshots.rules import LATE, PAST, PROGRAM
from jms_model.snapshots.things import TOPIC
from jmsapi import ConnectionFactory, Message, SessionMode
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.driving import DidNotCome
from touchstone.drawn.sessions.sending import set_fields
from touchstone.drawn.snapshots.program import Step

LIMIT: Final = "queueBrowserReadMax"
LIFE: Final = 300
"""Milliseconds of a message that is to expire."""
_SOON: Final = 5.0
"""Seconds in which a queue has what was sent to it, and what browsers gave back."""


@dataclass
class Application:
    """Makes the calls of one program."""

    factory: Callable[[], ConnectionFactory]
    """Makes a factory of its own."""
    simplified: bool
    fresh: Callable[[str], str]
    """A name that nobody else has, for what a program calls so."""
    ready: Callable[[Any], int]
    """How many messages of a queue are there for everybody, as the broker has it."""
    arrivals: Arrivals
    own: Any
    """Another connection, which sends and consumes."""
    objects: dict[str, Any] = field(default_factory=dict)
    _contexts: dict[str, list[Any]] = field(default_factory=dict)
    """By connection, where they have one in common."""
    _browsed: dict[str, str] = field(default_factory=dict)
    """By browser, its queue."""
    _destinations: dict[str, Any] = field(default_factory=dict)
    _sent: int = 0
    _expires: dict[str, float] = field(default_factory=dict)
    """By queue, when what is to expire does so, by the clock of the process."""
    _holding: dict[str, Any] = field(default_factory=dict)
    """By queue, a session with messages that it has not settled."""

    def __post_init__(self) -> None:
        self._session = self.own.create_session()
        self._producers: dict[str, Any] = {}

    def call(self, step: Step) -> object:
        """Make a call. Of messages it gives the number."""
        if step.on == PROGRAM:
            self._of_program(step)
            return None
        target = self.objects[step.on]
        match step.method:
            case "change":
                target.change(LIMIT, *step.args)
            case "limit":
                return target.setting(LIMIT)
            case "create_connection":
                self.objects[step.makes] = self._connection(step)
            case "create_session":
                self.objects[step.makes] = self._new_session(step.on, target)
            case "create_browser":
                name, selector = step.args
                made = target.create_browser(self._destination(name), selector)
                self.objects[step.makes], self._browsed[step.makes] = made, name
            case "enumeration":
                self.objects[step.makes] = target.enumeration
                is_late = 0 < self._expires.get(self._browsed[step.on], 0) < time.monotonic()
                return LATE if is_late else None
            case "hold":
                self._holding[step.args[0]] = self._gets(target, *step.args, settles=False)
            case "more":
                return target.has_more_elements()
            case "next":
                message = next(target, None)
                return PAST if message is None else _number(message)
            case "close":
                self._close(step.on, target)
        return None

    def waits(self, queue: str, count: int) -> None:
        """Until so many messages are there for everybody: not each client waits for its broker."""
        destination = self._destination(queue)
        with suppress(NotAsExpected), unheard_calls():  # what is amiss the browser itself shows
            until(lambda: self.ready(destination) == count, _SOON)

    def close(self) -> None:
        """Close what is still open; what that raises is no matter."""
        connections = [
            each
            for name, each in self.objects.items()
            if name in self._contexts or hasattr(each, "create_session")
        ]
        for each in [
            *(context for every in self._contexts.values() for context in every),
            *connections,
        ]:
            if each is not None:
                with suppress(Exception):
                    each.close()
        with suppress(Exception):
            self._session.close()

    # What the program does besides

    def _of_program(self, step: Step) -> None:
        match step.method:
            case "factory":
                self.objects[step.makes] = self.factory()
            case "send":
                self._send(*step.args, time_to_live=0)
            case "send_brief":
                self._expires[step.args[0]] = time.monotonic() + LIFE / 1000
                self._send(*step.args, time_to_live=LIFE)
            case "expire":
                end = self._expires[step.args[0]]
                until(lambda: time.monotonic() > end, LIFE / 1000 + 1)
            case "consume":
                self._gets(self.own, *step.args).close()
            case "put_back":
                self._holding.pop(step.args[0]).close()

    def _send(self, queue: str, kinds: Sequence[int], *, time_to_live: int) -> None:
        if queue not in self._producers:
            self._producers[queue] = self._session.create_producer(self._destination(queue))
        for kind in kinds:
            self._sent += 1
            message = self._session.create_text_message(f"text {self._sent}")
            set_fields(message, fields_of(self._sent, kind))
            self._producers[queue].send(message, time_to_live=time_to_live)

    def _gets(self, connection: Any, queue: str, count: int, *, settles: bool = True) -> Any:
        """A session that has received so many messages; it settles them or not."""
        mode = SessionMode.CLIENT_ACKNOWLEDGE
        if self.simplified and connection is not self.own:
            session: Any = connection.create_context(mode)
        else:
            session = connection.create_session(False, mode)
        consumer = session.create_consumer(self._destination(queue))
        message = None
        for _ in range(count):
            message = self.arrivals.next(consumer)
            if message is None:
                raise DidNotCome
        if settles and message is not None:
            message.acknowledge()
        return session

    # Objects of the client

    def _connection(self, step: Step) -> Any:
        factory = self.objects[step.on]
        if self.simplified:
            context = factory.create_context()
            self._contexts[step.makes] = [context]
            return context
        connection = factory.create_connection()
        connection.start()
        return connection

    def _new_session(self, name: str, connection: Any) -> Any:
        if not self.simplified:
            return connection.create_session()
        context = connection.create_context(SessionMode.AUTO_ACKNOWLEDGE)
        self._contexts[name].append(context)
        return context

    def _close(self, name: str, target: Any) -> None:
        for each in self._contexts.get(name, [target]):
            each.close()

    def _destination(self, name: str) -> Any:
        if name not in self._destinations:
            is_topic = name.startswith(TOPIC)
            create = self._session.create_topic if is_topic else self._session.create_queue
            self._destinations[name] = create(self.fresh(name))
        return self._destinations[name]


def _number(message: Message) -> int | None:
    return int(message.get_int_property(NUMBER)) if message.property_exists(NUMBER) else None
