"""Connections: a client id, sessions, and one switch for delivery to all of them."""

from __future__ import annotations

import threading
import uuid
from functools import partial
from typing import Protocol, TypeVar

from jmsapi import ExceptionListener, IllegalStateException, JMSException
from pulsar_jms.broker_client import BrokerClient
from pulsar_jms.closing import ContextManaged
from pulsar_jms.configuration import Settings
from pulsar_jms.connections import client_ids
from pulsar_jms.connections.meta_data import PulsarConnectionMetaData
from pulsar_jms.dialects.dialect import Dialect
from pulsar_jms.implements import implements
from pulsar_jms.mapping.identity import check_client_id, connection_id
from pulsar_jms.mapping.session_modes import check_mode, check_transacted
from pulsar_jms.sessions.domains import PulsarQueueSession, PulsarTopicSession
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.settling.transactions import check_transactions
from pulsar_jms.temporary.temporary_destinations import TemporaryDestinations
from pulsar_jms.threads import ErrorReporter
from pulsar_jms.transport.wire_messages import MessagePosition

_WATCH_EVERY = 0.5
"""Seconds between two looks at the connection to the broker, while somebody listens."""

AnySession = TypeVar("AnySession", bound=PulsarSession)


class OwningFactory(Protocol):
    """What a connection needs of its factory."""

    @property
    def client(self) -> BrokerClient: ...
    @property
    def dialect(self) -> Dialect: ...

    def unacknowledged_positions(self) -> set[MessagePosition]:
        """Where the messages are that applications got through it and nobody settled."""
        ...

    def forget(self, connection: PulsarConnection) -> None:
        """Drop a connection that was closed."""
        ...


@implements("JMS-THR-001")
class PulsarConnection(ContextManaged):
    """One connection, created stopped; it shares the factory's client of the broker."""

    def __init__(self, factory: OwningFactory, settings: Settings) -> None:
        self.factory = factory
        self.client: BrokerClient = factory.client
        self.dialect: Dialect = factory.dialect
        self.settings: Settings = settings
        self.connection_id: str = connection_id(str(uuid.uuid4()), settings.client_id)
        """What JMSConnectionID of the messages says."""
        self.temporaries = TemporaryDestinations(
            self.client.administration, self.client.temporary_producers, settings
        )
        self._lock = threading.RLock()
        self._sessions: list[PulsarSession] = []
        self._sessions_made = 0
        self._started = False
        self._closed = False
        self._used = False
        self._broken = 0
        self._watching = False
        """Whether a look at the connection to the broker is due."""
        self._exception_listener: ExceptionListener | None = None
        self._errors = ErrorReporter("pulsar-jms-exception-listener")
        self._client_id = client_ids.claim(settings.client_id) if settings.client_id else None

    def __repr__(self) -> str:
        return f"connection {self.connection_id}"

    # -- identity ------------------------------------------------------------------------------

    @property
    def client_id(self) -> str | None:
        """The client identifier; may be set once, before the connection is used."""
        self.check_open()
        return self._client_id

    @client_id.setter
    @implements("JMS-IDN-001", "JMS-IDN-002")
    def client_id(self, value: str | None) -> None:
        """Set it once and first; `IllegalStateException` otherwise."""
        self.check_open()
        with self._lock:
            if self.settings.client_id is not None:
                raise IllegalStateException(
                    f"The client id is {self.settings.client_id!r} by jms.clientId; leave it alone"
                )
            if self._used:
                raise IllegalStateException(
                    "The client id is set once and first: this connection has one or is in use"
                )
            self._client_id = client_ids.claim(check_client_id(value))
            self._used = True

    def note_used(self) -> None:
        """Note that the client id can no longer be set."""
        self._used = True

    @property
    def meta_data(self) -> PulsarConnectionMetaData:
        """What the provider is."""
        self.check_open()
        return PulsarConnectionMetaData()

    # -- sessions ------------------------------------------------------------------------------

    def create_session(self, transacted: bool = False, mode: int = 1) -> PulsarSession:
        """A session; `mode` is ignored when transacted. `JMSException` for an unknown mode."""
        return self._create_used_session(PulsarSession, transacted, mode)

    def create_queue_session(self, transacted: bool = False, mode: int = 1) -> PulsarQueueSession:
        """A session of the older queue-only API."""
        return self._create_used_session(PulsarQueueSession, transacted, mode)

    @implements("JMS-PROD-007")
    def create_topic_session(self, transacted: bool = False, mode: int = 1) -> PulsarTopicSession:
        """A session of the older topic-only API."""
        return self._create_used_session(PulsarTopicSession, transacted, mode)

    def _create_used_session(
        self, kind: type[AnySession], transacted: bool, mode: int
    ) -> AnySession:
        session = self._add_session(kind, transacted, mode)
        self.note_used()
        return session

    def add_session(self, transacted: bool, mode: int) -> PulsarSession:
        """A session that leaves the client id free to be set, as a JMSContext needs."""
        return self._add_session(PulsarSession, transacted, mode)

    @implements("JMS-CONN-002")
    def _add_session(self, kind: type[AnySession], transacted: bool, mode: int) -> AnySession:
        """A new session, which delivers at once where the connection is started."""
        self.check_open()
        mode = 0 if check_transacted(transacted) else check_mode(mode, self.dialect.modes)
        if mode == 0:
            check_transactions(self.settings, self.client.transport)
        with self._lock:
            self.check_open()
            self._sessions_made += 1
            session = kind(self, mode, self._sessions_made)
            self._sessions.append(session)
            if self._started:
                session.resume()
        return session

    def forget(self, session: PulsarSession) -> None:
        """Drop a session that was closed."""
        with self._lock:
            if session in self._sessions:
                self._sessions.remove(session)

    def unacknowledged_positions(self) -> set[MessagePosition]:
        """Where the messages are that its sessions got and nobody settled."""
        with self._lock:
            sessions = list(self._sessions)
        return {
            position
            for session in sessions
            for position in session.settlement.unacknowledged_positions()
        }

    def all_unacknowledged_positions(self) -> set[MessagePosition]:
        """Where the messages are that any session of the factory got and nobody settled."""
        return self.factory.unacknowledged_positions()

    # -- life cycle ----------------------------------------------------------------------------

    @implements("JMS-CONN-001", "JMS-CONN-004", "JMS-CONN-007", "SLJ-LSN-004")
    def start(self) -> None:
        """Begin or resume delivery."""
        self.check_open()
        self.check_no_callback("start the connection")
        self.note_used()
        with self._lock:
            self._started = True
            for session in self._sessions:
                session.resume()

    @implements("JMS-CONN-005", "JMS-CONN-006", "JMS-CONN-008..010", "SLJ-LSN-005")
    def stop(self) -> None:
        """Hold delivery; wait for running callbacks, and none begins afterwards."""
        self.check_open()
        self.check_no_callback("stop the connection")
        self.note_used()
        with self._lock:
            self._started = False
            sessions = list(self._sessions)
        for session in sessions:
            session.pause()

    @implements(
        "JMS-CONN-013..015",
        "JMS-CONN-019",
        "JMS-CONN-020",
        "JMS-SESS-009",
        "JMS-TX-007",
        "JMS-ASY-007",
        "SLJ-LSN-007",
    )
    def close(self) -> None:
        """Close all sessions; waits for running callbacks and asynchronous sends.

        Until they return, callbacks have the connection and all its sessions (JMS 2.0, 6.1.8).
        """
        if self._closed:
            return
        self.check_no_callback("close the connection")
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._started = False
        for end in (PulsarSession.pause, PulsarSession.close):
            with self._lock:
                sessions = list(self._sessions)
            for session in sessions:
                end(session)
        self.temporaries.close()
        if self._client_id is not None:
            client_ids.release(self._client_id)
        self.factory.forget(self)

    def abandon(self) -> None:
        """Count as closed in a forked child, with all sessions; the parent goes on with them."""
        self._closed = True
        for session in self._sessions:
            session.abandon()

    @property
    def closing(self) -> bool:
        """Whether close() was called, although callbacks may still run."""
        return self._closed

    @implements("JMS-CONN-013", "JMS-CONN-016")
    def check_open(self) -> None:
        """`IllegalStateException` when it is closed, unless a callback that still runs asks."""
        if self._closed and not self._is_listener_calling():
            raise IllegalStateException("The connection is closed")

    @implements("JMS-CONN-012", "JMS-CONN-021")
    def check_no_callback(self, what: str) -> None:
        """`IllegalStateException` when a listener of one of its sessions is the caller."""
        for session in list(self._sessions):
            session.check_no_callback(what)

    def _is_listener_calling(self) -> bool:
        """Whether a listener of one of its sessions is the caller."""
        return any(session.dispatcher.is_current() for session in list(self._sessions))

    def fail(self, name: str, error: BaseException) -> None:
        """Note that a thread of all of them has ended by an error: its sessions have failed."""
        with self._lock:
            sessions = list(self._sessions)
        for session in sessions:
            session.fail(name, error)

    # -- errors that no call can raise ---------------------------------------------------------

    @property
    @implements("JMS-CONN-022..024")
    def exception_listener(self) -> ExceptionListener | None:
        """Called with what no call can raise, one error after another, on a thread of its own.

        A loss of the broker is reported once; a message each time that it fails.
        """
        self.check_open()
        return self._exception_listener

    @exception_listener.setter
    def exception_listener(self, listener: ExceptionListener | None) -> None:
        self.check_open()
        with self._lock:
            self._exception_listener = listener
            if listener is None or self._watching:
                return
            self._watching = True
        self.client.timer.after(_WATCH_EVERY, self._watch)

    def _watch(self) -> None:
        with self._lock:
            if self._closed or self._exception_listener is None:
                self._watching = False
                return
        self.client.timer.after(_WATCH_EVERY, self._watch)
        if self._is_connected():
            self._broken = 0
            return
        self._broken += 1
        if self._broken == 2:  # a reconnection of less than one look is no loss
            self._errors.report_later(lambda: self._tell(self.client.loss()))

    def report(self, error: JMSException) -> None:
        """Report an error to the exception listener, if there is one."""
        if self._exception_listener is not None:
            self._errors.report_later(partial(self._tell, error))

    def _tell(self, error: JMSException) -> None:
        listener = self._exception_listener
        if listener is not None and not self._closed:
            listener(error)

    def _is_connected(self) -> bool:
        with self._lock:
            sessions = list(self._sessions)
        return self.client.is_connected() and all(session.is_connected() for session in sessions)
