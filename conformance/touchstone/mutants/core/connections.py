"""Clients that are wrong about what the core says of connections and their threads."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any
from unittest.mock import patch

from jmsapi import IllegalStateException, Message
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.consuming.dispatch import Dispatcher
from pulsar_jms.sessions.session import PulsarSession
from touchstone.mutants.registry import Mutant

_close = PulsarConnection.close
_create_session = PulsarConnection.create_session
_receive = PulsarMessageConsumer.receive
_stop = PulsarConnection.stop
_transaction = PulsarSession._transaction
_making = threading.Lock()
_BUSY = 0.05
"""Seconds."""
_MANY = 1_000
"""Messages that one consumer has taken."""


def _pause_listeners(session: PulsarSession) -> None:
    session.dispatcher.pause()


def _stop_once(connection: PulsarConnection) -> None:
    if not connection._started:
        raise IllegalStateException("The connection is not started")
    _stop(connection)


def _stop_and_drop(connection: PulsarConnection) -> None:
    _stop(connection)
    for session in connection._sessions:
        for consumer in session._consumers:
            if (delivered := consumer.receive_queue.take(0.1)) is not None:
                consumer.receive_queue.acknowledge(delivered)


def _stop_and_drop_of_many(connection: PulsarConnection) -> None:
    _stop(connection)
    for session in connection._sessions:
        for consumer in session._consumers:
            if consumer.receive_queue._taken > _MANY and (
                delivered := consumer.receive_queue.take(0.1)
            ):
                consumer.receive_queue.acknowledge(delivered)


def _receive_longer_when_stopped(
    consumer: PulsarMessageConsumer, timeout: int | None = None
) -> Message | None:
    waits = timeout * 10 if timeout and not consumer.session.running else timeout
    return _receive(consumer, waits)


def _pause_at_once(dispatcher: Dispatcher) -> None:
    with dispatcher._lock:
        dispatcher._running = False


def _end_at_once(dispatcher: Dispatcher) -> None:
    with dispatcher._lock:
        dispatcher._closed = True
        dispatcher._changed.notify_all()


def _close_without_sessions(connection: PulsarConnection) -> None:
    connection._sessions.clear()
    _close(connection)


def _told_as_well(session: PulsarSession, call: str) -> Any:
    try:
        return _transaction(session, call)
    except IllegalStateException as error:
        connection: Any = session.connection
        if (listener := connection._exception_listener) is not None:
            listener(error)
        raise


_exception_listener: Any = PulsarConnection.exception_listener


def _set_unless_null(connection: PulsarConnection, listener: Any) -> None:
    connection.check_open()
    if listener is not None:
        _exception_listener.fset(connection, listener)


def _session_for_one_at_a_time(
    connection: PulsarConnection, transacted: bool = False, mode: int = 1
) -> PulsarSession:
    if not _making.acquire(blocking=False):
        raise IllegalStateException("Another thread is using the connection")
    try:
        threading.Event().wait(_BUSY)
        return _create_session(connection, transacted, mode)
    finally:
        _making.release()


RECEIVES_WHILE_STOPPED = Mutant(
    name="receives-while-stopped",
    area="connections",
    violates=("JMS-CONN-006", "JMS-CONN-008"),
    doc="stop() holds back listeners, and receive() gives messages as before.",
    apply=partial(patch.object, PulsarSession, "pause", _pause_listeners),
)
STOPS_ONCE = Mutant(
    name="stops-once",
    area="connections",
    violates=("JMS-CONN-005",),
    doc="Stopping a connection that is not started is an error.",
    apply=partial(patch.object, PulsarConnection, "stop", _stop_once),
)
STOP_DROPS_WHAT_WAITS = Mutant(
    name="stop-drops-what-waits",
    area="connections",
    violates=("JMS-CONN-007",),
    doc="stop() settles a message that no listener got.",
    apply=partial(patch.object, PulsarConnection, "stop", _stop_and_drop),
)
STOP_DROPS_OF_MANY = Mutant(
    name="stop-drops-of-many",
    area="connections",
    violates=("JMS-CONN-007",),
    doc="stop() settles a message that no listener got, once a consumer has had a thousand.",
    apply=partial(patch.object, PulsarConnection, "stop", _stop_and_drop_of_many),
)
EXCEPTION_LISTENER_STAYS = Mutant(
    name="exception-listener-stays",
    area="connections",
    violates=("JMS-CONN-023",),
    doc="An exception listener that was set is not taken away by null.",
    apply=partial(
        patch.object,
        PulsarConnection,
        "exception_listener",
        property(_exception_listener.fget, _set_unless_null),
    ),
)
TIME_STANDS_STILL = Mutant(
    name="time-stands-still",
    area="connections",
    violates=("JMS-CONN-011",),
    doc="While the connection is stopped the time of a receive hardly runs.",
    apply=partial(patch.object, PulsarMessageConsumer, "receive", _receive_longer_when_stopped),
)
STOP_LEAVES_LISTENERS_AT_WORK = Mutant(
    name="stop-leaves-listeners-at-work",
    area="connections",
    violates=("JMS-CONN-009",),
    doc="stop() comes back while a listener is at work.",
    apply=partial(patch.object, Dispatcher, "pause", _pause_at_once),
)
LISTENERS_LOSE_WHAT_CLOSES = Mutant(
    name="listeners-lose-what-closes",
    area="connections",
    violates=("JMS-CONN-013",),
    doc="A listener at work may not use its session as soon as somebody closes.",
    apply=partial(
        patch.object,
        PulsarSession,
        "closed",
        property(lambda session: session._closed or session.connection.closing),
    ),
)
CLOSED_BUT_ANSWERS = Mutant(
    name="closed-but-answers",
    area="connections",
    violates=("JMS-CONN-016",),
    doc="A closed connection answers as before.",
    apply=partial(patch.object, PulsarConnection, "check_open", lambda connection: None),
)
CONNECTION_LEAVES_SESSIONS_BEHIND = Mutant(
    name="connection-leaves-sessions-behind",
    area="connections",
    violates=("JMS-CONN-015", "JMS-CONN-020"),
    doc="Closing a connection leaves its sessions open.",
    apply=partial(patch.object, PulsarConnection, "close", _close_without_sessions),
)
LOSS_IS_KEPT_SECRET = Mutant(
    name="loss-is-kept-secret",
    area="connections",
    violates=("JMS-CONN-022",),
    doc="The exception listener is not told of a lost connection.",
    apply=partial(patch.object, PulsarConnection, "_tell", lambda connection, listener: None),
)
TOLD_AS_WELL_AS_RAISED = Mutant(
    name="told-as-well-as-raised",
    area="connections",
    violates=("JMS-CONN-024",),
    doc="What commit() raises is told to the exception listener, too.",
    apply=partial(patch.object, PulsarSession, "_transaction", _told_as_well),
)
CONNECTION_FOR_ONE_AT_A_TIME = Mutant(
    name="connection-for-one-at-a-time",
    area="threading",
    violates=("JMS-THR-001",),
    doc="Two threads that make a session at the same time are refused.",
    apply=partial(patch.object, PulsarConnection, "create_session", _session_for_one_at_a_time),
)
CLOSE_LEAVES_LISTENERS_AT_WORK = Mutant(
    name="close-leaves-listeners-at-work",
    area="threading",
    violates=("JMS-THR-003",),
    doc="A session that is closed does not wait for the listener that is at work.",
    apply=partial(
        patch.multiple, Dispatcher, _wait=lambda dispatcher, condition: None, close=_end_at_once
    ),
)
