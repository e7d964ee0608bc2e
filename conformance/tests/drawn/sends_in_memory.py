"""The reference's producers and callbacks over a broker in memory, and what drawn programs find."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

from drawn.listed_programs import ListedHunt
from jmsapi import IllegalStateException, JMSException, Message, SessionMode
from jmsapi.errors import JMSRuntimeException, UnsupportedOperationException
from pulsar_jms.contexts.context_producer import PulsarJMSProducer
from pulsar_jms.contexts.unchecked import unchecked
from pulsar_jms.mapping.destinations import create_queue
from pulsar_jms.messages import convert, decode
from pulsar_jms.producing.completions import Completions
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.sessions.message_factory import MessageFactory
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition, OutgoingMessage
from touchstone.drawn import driving
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.async_sends.application import Application
from touchstone.drawn.async_sends.drawing import programs
from touchstone.drawn.async_sends.driving import AsyncDriver
from touchstone.drawn.async_sends.outside import Outside
from touchstone.drawn.async_sends.program import without

CLIENTS: Final = (JMSException, JMSRuntimeException, UnsupportedOperationException)
PROGRAMS: Final = 30
"""Of each seed."""
SEEDS: Final = range(3)
_MOST: Final = 5 * 2**20
"""Bytes of a message that the broker takes."""


class Factory:
    """A broker in memory, and its clients."""

    def __init__(self) -> None:
        self.queues: dict[str, list[IncomingMessage]] = {}
        self.entries: Iterator[int] = itertools.count()

    def create_connection(self) -> Connection:
        """A connection."""
        return Connection(self)

    create_queue_connection = create_connection

    def create_context(self, *, mode: int) -> Context:
        """A context."""
        return Context(Connection(self), mode)


class Connection:
    """A connection."""

    def __init__(self, factory: Factory) -> None:
        self.factory = factory
        self.sessions: list[AloneSession] = []

    def start(self) -> None:
        """It is."""

    def create_session(self, transacted: bool = False, mode: int = 1) -> AloneSession:
        """A session."""
        self.sessions.append(AloneSession(self, mode))
        return self.sessions[-1]

    create_queue_session = create_session

    def close(self) -> None:
        """With its sessions."""
        for session in self.sessions:
            session.check_no_completion("close the connection")
        for session in self.sessions:
            session.close()


class AloneSession(MessageFactory):
    """A session whose producers are those of the reference."""

    failure = transaction = None
    connection_id = "connection"
    settings = SimpleNamespace(namespace="public/default")

    def __init__(self, connection: Connection, mode: int) -> None:
        self.factory = connection.factory
        self.transacted = mode == SessionMode.SESSION_TRANSACTED
        self.pending: list[tuple[str, IncomingMessage]] = []
        self.closed = False
        self.completions = Completions("completions", lambda *_: None)
        self.client = SimpleNamespace(hold=lambda *_: None, release=lambda *_: None)

    def check_open(self) -> None:
        """`IllegalStateException` when it is closed."""
        if self.closed:
            raise IllegalStateException("closed")

    def create_queue(self, name: str) -> Any:
        """A queue."""
        return create_queue(name)

    def create_producer(self, destination: Any = None) -> Any:
        """A producer of the reference."""
        self.check_open()
        session: Any = self
        return PulsarMessageProducer(session, destination)

    def create_consumer(self, queue: Any) -> Taking:
        """A consumer."""
        self.check_open()
        return Taking(self.factory, queue)

    create_sender, create_receiver, create_browser = (
        create_producer, create_consumer, create_consumer,
    )  # fmt: skip

    def convert_message(self, message: Message) -> Any:
        """All are its own."""
        return convert(message)

    def check_no_completion(self, what: str) -> None:
        """`IllegalStateException` in a callback."""
        if self.completions.is_current():
            raise IllegalStateException(what)

    def transport_producer(self, destination: Any) -> Transport:
        """The way to a queue."""
        return Transport(self, destination.queue_name)

    def commit(self) -> None:
        """What was sent is there."""
        self._ends()
        for name, message in self.pending:
            self.factory.queues.setdefault(name, []).append(message)
        self.pending.clear()

    def rollback(self) -> None:
        """What was sent is nowhere."""
        self._ends()
        self.pending.clear()

    def _ends(self) -> None:
        self.check_no_completion("end the transaction")
        if not self.transacted:
            raise IllegalStateException("not transacted")
        self.completions.wait()

    def close(self) -> None:
        """Close, behind all callbacks."""
        self.check_no_completion("close the session")
        self.closed = True
        self.completions.close()


class Transport:
    """Sends to one queue."""

    def __init__(self, session: AloneSession, name: str) -> None:
        self._session = session
        self._name = name

    def send(self, message: OutgoingMessage) -> MessagePosition:
        """It is on the queue, or in the transaction."""
        payload = message.payload or b""
        if len(payload) > _MOST:
            raise JMSException("too large")
        factory = self._session.factory
        at = MessagePosition(1, next(factory.entries))
        sent = IncomingMessage(
            payload, message.null_value, message.properties, at, message.partition_key,
            message.event_time,
        )  # fmt: skip
        if self._session.transacted:
            self._session.pending.append((self._name, sent))
        else:
            factory.queues.setdefault(self._name, []).append(sent)
        return at

    def send_async(self, message: OutgoingMessage, done: Any, transaction: object) -> None:
        """The outcome is told."""
        try:
            done(self.send(message))
        except JMSException as error:
            done(error)

    def read_outcome(self, outcome: Any) -> MessagePosition:
        """Where it is, or why not."""
        if isinstance(outcome, JMSException):
            raise outcome
        assert isinstance(outcome, MessagePosition)
        return outcome


class Taking:
    """A consumer, or a browser, of one queue."""

    def __init__(self, factory: Factory, queue: Any) -> None:
        self._messages = factory.queues.setdefault(queue.queue_name, [])
        self._queue = queue

    def receive(self, timeout: int | None = None) -> Message | None:
        """The next message that is there."""
        return decode(self._messages.pop(0), self._queue) if self._messages else None

    @property
    def enumeration(self) -> list[Message]:
        """All that are there."""
        return [decode(each, self._queue) for each in self._messages]

    def close(self) -> None:
        """It needs nothing."""


class Context:
    """A context."""

    def __init__(self, connection: Connection, mode: int) -> None:
        self.session = connection.create_session(mode=mode)
        self.connection = connection

    def __getattr__(self, name: str) -> Any:
        return unchecked(getattr(self.session, name))

    def create_context(self, mode: int) -> Context:
        """Another one."""
        return Context(self.connection, mode)

    @unchecked
    def create_producer(self) -> Any:
        """A producer for no queue."""
        return PulsarJMSProducer(self.session.create_producer())


class Brief(Arrivals):
    """Waits for callbacks for less long than those of a broker."""

    def next(self, consumer: Any) -> Any:
        """What comes within a second."""
        return consumer.receive(1000)


_PROGRAMS = programs()


def hunted(*until: str) -> ListedHunt:
    """What programs find until these statements are broken."""
    arrivals = Brief()
    names = itertools.count()
    with patch.object(driving, "is_raised_by_client", lambda error: isinstance(error, CLIENTS)):

        def opened(program: Any) -> Application:
            factory: Any = Factory()
            return Application(
                factory, program.simplified, program.domain,
                lambda name: f"{name}-{next(names)}", arrivals, Outside(factory, arrivals),
            )  # fmt: skip

        runs = AsyncDriver(opened, arrivals)
        judged = frozenset(until)
        hunt = ListedHunt(runs, judged, without=without, slips=True, trips=math.inf, shrinks=False)
        for seed in SEEDS:
            hunt.draw(_PROGRAMS, PROGRAMS, seed)
            if any(hunt.against(id_) for id_ in until):
                break
    return hunt
