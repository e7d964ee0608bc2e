"""Connections: made, started, stopped and closed (JMS 2.0, section 6.1)."""

from __future__ import annotations

from functools import partial

from jms_model.answers import Expectation, succeeds
from jms_model.delivery.listener_rules import is_called_besides
from jms_model.delivery.provider import ModelProvider
from jms_model.delivery.session import Connection, Session


def create(provider: ModelProvider, client_id: str | None, makes: str) -> Expectation | None:
    """A client id is not given to two at a time."""
    others = provider.of_kind(Connection).values()
    if client_id and any(not each.closed and each.client_id == client_id for each in others):
        return None
    made = Connection(client_id)
    return Expectation([succeeds(provider.makes(makes, made))], [])


def start(provider: ModelProvider, connection: Connection) -> Expectation | None:
    """Messages come now."""
    if connection.closed:
        return _refuse(provider)

    def begin() -> None:
        if connection.was_stopped and not connection.started:
            for session in provider.sessions_of(connection):
                for consumer in provider.consumers_of(session):
                    for copy in consumer.backlog.waiting(consumer.selector):
                        if not copy.deliveries:
                            copy.ids, copy.words = ["JMS-CONN-007"], "that waited for start"
        connection.started = True

    if connection.started:
        return Expectation([succeeds(begin)], ["JMS-CONN-004"], "again")
    ids = ["JMS-CONN-006", "JMS-CONN-008"] if connection.was_stopped else ["JMS-CONN-001"]
    listening = any(each.listeners for each in provider.sessions_of(connection))
    return is_called_besides(provider, Expectation([succeeds(begin)], ids if listening else []))


def stop(provider: ModelProvider, connection: Connection) -> Expectation | None:
    """No message comes any more."""
    if connection.closed:
        return _refuse(provider)

    def end() -> None:
        connection.started, connection.was_stopped = False, True

    if not connection.started:
        return Expectation([succeeds(end)], ["JMS-CONN-005"], "again")
    return is_called_besides(provider, Expectation([succeeds(end)], []))


def close(provider: ModelProvider, connection: Connection) -> Expectation | None:
    """With all that belongs to it."""
    if connection.closed:
        if provider.simplified:
            return None
        return Expectation([succeeds()], ["JMS-CONN-019"], "again")

    def end() -> None:
        connection.closed = True
        for session in provider.sessions_of(connection):
            provider.ends(session, "connection")

    return is_called_besides(provider, Expectation([succeeds(end)], ["JMS-CONN-020"]))


def create_session(
    provider: ModelProvider, connection: Connection, mode: int, makes: str
) -> Expectation | None:
    """A session, or a context."""
    if connection.closed:
        return _refuse(provider)
    made = provider.makes(makes, Session(makes, connection, mode))
    return Expectation([succeeds(made)], ["API-CTX-004"] if provider.simplified else [])


def close_session(provider: ModelProvider, session: Session) -> Expectation:
    """With the last context its connection is closed."""
    if session.closed_by:
        again = partial(setattr, session.connection, "closed_twice", True)
        return provider.closed_again(session.closed_by, again)

    def end() -> None:
        provider.ends(session, "session")
        connection = session.connection
        if provider.simplified and not provider.sessions_of(connection):
            connection.closed = True

    return is_called_besides(provider, Expectation([succeeds(end)], ["JMS-SESS-007"]))


def _refuse(provider: ModelProvider) -> Expectation | None:
    """Contexts have no connection that could be called."""
    return None if provider.simplified else provider.refused("connection")
