"""Clients that are wrong about connections."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.wrong import wrong
from jmsapi import IllegalStateException, Message
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.consuming.dispatch import Dispatcher
from pulsar_jms.sessions.session import PulsarSession
from wrong_clients.helpers.kept_producers import keep_producers

_MANY = 1_000
"""Messages that one consumer has taken."""
_exception_listener: Any = PulsarConnection.exception_listener


@wrong("JMS-CONN-006", "JMS-CONN-008", patches=(PulsarSession, "pause"))
def receives_while_stopped(session: PulsarSession) -> None:
    """stop() holds back listeners, and receive() gives messages as before."""
    session.dispatcher.pause()


@wrong("JMS-CONN-005", patches=(PulsarConnection, "stop"))
def stops_once(original: Callable[..., None], connection: PulsarConnection) -> None:
    """Stopping a connection that is not started is an error."""
    if not connection._started:
        raise IllegalStateException("The connection is not started")
    original(connection)


@wrong("JMS-CONN-007", patches=(PulsarConnection, "stop"))
def stop_drops_what_waits(original: Callable[..., None], connection: PulsarConnection) -> None:
    """stop() settles a message that no listener got."""
    original(connection)
    for session in connection._sessions:
        for consumer in session._consumers:
            if (delivered := consumer.receive_queue.take(0.1)) is not None:
                consumer.receive_queue.acknowledge(delivered)


@wrong("JMS-CONN-007", patches=(PulsarConnection, "stop"))
def stop_drops_of_many(original: Callable[..., None], connection: PulsarConnection) -> None:
    """stop() settles a message that no listener got, once a consumer has had a thousand."""
    original(connection)
    for session in connection._sessions:
        for consumer in session._consumers:
            if consumer.receive_queue._taken > _MANY and (
                delivered := consumer.receive_queue.take(0.1)
            ):
                consumer.receive_queue.acknowledge(delivered)


def _set_unless_null(connection: PulsarConnection, listener: Any) -> None:
    connection.check_open()
    if listener is not None:
        _exception_listener.fset(connection, listener)


@wrong("JMS-CONN-023")
def exception_listener_stays() -> AbstractContextManager[object]:
    """An exception listener that was set is not taken away by null."""
    return patch.object(
        PulsarConnection, "exception_listener", property(_exception_listener.fget, _set_unless_null)
    )


@wrong("JMS-CONN-011", patches=(PulsarMessageConsumer, "receive"))
def time_stands_still(
    original: Callable[..., Message | None],
    consumer: PulsarMessageConsumer,
    timeout: int | None = None,
) -> Message | None:
    """While the connection is stopped the time of a receive hardly runs."""
    waits = timeout * 10 if timeout and not consumer.session.running else timeout
    return original(consumer, waits)


@wrong("JMS-CONN-009", patches=(Dispatcher, "pause"))
def stop_leaves_listeners_at_work(dispatcher: Dispatcher) -> None:
    """stop() comes back while a listener is at work."""
    with dispatcher._lock:
        dispatcher._running = False


@wrong("JMS-CONN-013", patches=(PulsarSession, "closed"))
def listeners_lose_what_closes(session: Any) -> Any:
    """A listener at work may not use its session as soon as somebody closes."""
    return session._closed or session.connection.closing


@wrong("JMS-CONN-016", patches=(PulsarConnection, "check_open"))
def closed_but_answers(connection: Any) -> None:
    """A closed connection answers as before."""


@wrong("JMS-CONN-015", "JMS-CONN-020", patches=(PulsarConnection, "close"))
def connection_leaves_sessions_behind(
    original: Callable[..., None], connection: PulsarConnection
) -> None:
    """Closing a connection leaves its sessions open."""
    connection._sessions.clear()
    original(connection)


@wrong("JMS-CONN-022", patches=(PulsarConnection, "_tell"))
def loss_is_kept_secret(connection: Any, listener: Any) -> None:
    """The exception listener is not told of a lost connection."""


@wrong("JMS-CONN-024", patches=(PulsarSession, "_transaction"))
def told_as_well_as_raised(original: Callable[..., Any], session: PulsarSession, call: str) -> Any:
    """What commit() raises is told to the exception listener, too."""
    try:
        return original(session, call)
    except IllegalStateException as error:
        connection: Any = session.connection
        if (listener := connection._exception_listener) is not None:
            listener(error)
        raise


@wrong("JMS-CONN-020", patches=(PulsarConnection, "close"))
def producers_outlive_connections(
    original: Callable[..., None], connection: PulsarConnection
) -> None:
    """The broker has the producers of a closed connection until the factory is closed."""
    keep_producers(connection)
    original(connection)
