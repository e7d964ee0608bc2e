"""Connections, and what contexts have of them: made, started, stopped, closed (JMS 2.0, 6.1)."""

from __future__ import annotations

from functools import partial
from typing import Final

from jms_model.answers import Expectation, anything, gives, raises, succeeds
from jms_model.resources.refusals import RefusalReason, refuse, twin
from jms_model.resources.things import (
    AUTO,
    MODES,
    QUEUES,
    TRANSACTED,
    Connection,
    MetaData,
    Session,
    World,
)
from jmsapi.errors import IllegalStateException, InvalidClientIDException, JMSException


def create(world: World, domain: str, makes: str) -> Expectation | None:
    """A connection; where the factory gives it an id there is one at a time."""
    if world.administered and any(not each.closed for each in world.connections):
        return None

    def made() -> None:
        connection = Connection(simplified=False, domain=domain)
        world.connections.append(connection)
        world.objects[makes] = connection

    return Expectation([succeeds(made)], [])


def create_context(world: World, makes: str, mode: int = AUTO) -> Expectation | None:
    """A context of a connection of its own."""
    if mode not in MODES:
        fault = RefusalReason(JMSException, ["API-CF-001"], "of a mode that there is not")
        return refuse(fault, simplified=True)
    if world.administered and any(not each.closed for each in world.connections):
        return None

    def made() -> None:
        connection = Connection(simplified=True)
        world.connections.append(connection)
        world.objects[makes] = Session(connection, mode)

    return Expectation([succeeds(made)], ["API-CF-001"] if mode != AUTO else [])


def behind_close(world: World, connection: Connection) -> Expectation:
    """What a closed connection does not do any more."""
    fault = RefusalReason(IllegalStateException, ["JMS-CONN-016"], "behind close of the connection")
    return refuse(fault, simplified=False)


def when_used(connection: Connection, expectation: Expectation) -> Expectation:
    """A first use, by which a provider may report that the client id is taken."""
    if not connection.is_doubtful:
        return expectation
    taken = raises(twin(InvalidClientIDException, simplified=connection.simplified))
    return Expectation([taken], ["JMS-IDN-006"], "of a client id that another has")


def create_session(
    world: World, connection: Connection, makes: str, transacted: bool = False, mode: int = AUTO
) -> Expectation | None:
    """A session; of a transacted one the mode is ignored."""
    if connection.closed:
        return behind_close(world, connection)
    if not transacted and mode not in (AUTO, 2, 3):
        return None

    def made() -> None:
        connection.used("create_session")
        session = Session(connection, TRANSACTED if transacted else mode, connection.domain)
        world.objects[makes] = session

    return when_used(connection, Expectation([succeeds(made)], []))


def create_common_session(world: World, connection: Connection, makes: str) -> Expectation | None:
    """A session of the common interfaces, of any connection."""
    if connection.closed:
        return behind_close(world, connection)

    def made() -> None:
        connection.used("create_session")
        world.objects[makes] = Session(connection, AUTO)

    return when_used(connection, Expectation([succeeds(made)], []))


def start(world: World, connection: Connection) -> Expectation:
    """An action."""
    if connection.closed:
        return behind_close(world, connection)
    return when_used(connection, Expectation([succeeds(partial(connection.used, "start"))], []))


def stop(world: World, connection: Connection) -> Expectation:
    """Perhaps an action."""
    if connection.closed:
        return behind_close(world, connection)
    return when_used(connection, Expectation([succeeds(connection.touched)], []))


def close(world: World, connection: Connection) -> Expectation:
    """With all that belongs to it."""
    if connection.closed:
        return Expectation([succeeds()], ["JMS-CONN-019"], "again")
    return Expectation([succeeds(partial(ends, world, connection))], [])


def ends(world: World, connection: Connection) -> None:
    """All that belongs to a connection ends with it."""
    for session in world.sessions_of(connection):
        session.closed_by = "connection"
    connection.closed = True
    connection.is_doubtful = False
    world.release()


def set_exception_listener(
    world: World, connection: Connection, *, registers: bool
) -> Expectation | None:
    """One is registered, or none any more."""

    def done() -> None:
        connection.has_listener = registers
        connection.touched()

    if connection.is_doubtful:
        return None
    return Expectation([succeeds(done)], [])


def get_exception_listener(world: World, connection: Connection) -> Expectation:
    """Null while there is none."""
    if connection.has_listener:
        return Expectation([anything(connection.touched)], [])
    return Expectation([gives(None, connection.touched)], ["JMS-CONN-023"])


def meta_data(world: World, connection: Connection, makes: str) -> Expectation | None:
    """What the connection says of its provider."""
    if connection.is_doubtful:
        return None

    def made() -> None:
        connection.touched()
        world.objects[makes] = MetaData(connection)

    return Expectation([succeeds(made)], [])


_CONNECTION_CONSUMERS: Final = {
    "create_durable_connection_consumer": "JMS-ERR-013",
    "create_shared_connection_consumer": "JMS-ERR-014",
    "create_shared_durable_connection_consumer": "JMS-ERR-015",
}
"""What a connection for queues alone refuses, and the statement on each."""
CONNECTION_CONSUMERS: Final = tuple(_CONNECTION_CONSUMERS)


def create_connection_consumer(
    method: str, world: World, connection: Connection, *_: object
) -> Expectation | None:
    """A consumer of a subscription, of a connection for queues alone."""
    if connection.domain != QUEUES or connection.is_doubtful:
        return None
    if connection.closed:
        return behind_close(world, connection)
    ids = [_CONNECTION_CONSUMERS[method]]
    fault = RefusalReason(IllegalStateException, ids, "of a connection for queues alone")
    expectation = refuse(fault, simplified=False)
    used = partial(connection.used, "create_connection_consumer")
    expectation.permitted = [raises(IllegalStateException, effect=used)]
    return expectation
