"""The connection factory: one configuration, one client of the broker, all connections."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping

from jmsapi import IllegalStateException, JMSException, runtime_exception
from pulsar_jms.broker_client import BrokerClient
from pulsar_jms.closing import ContextManaged
from pulsar_jms.configuration import Settings, settings
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.contexts.context import PulsarJMSContext
from pulsar_jms.dialects import Dialect, dialect_named
from pulsar_jms.factories import open_factories
from pulsar_jms.factories.client_opening import (
    TRANSPORTS,
    check_user,
    configuration_of,
    open_client,
)
from pulsar_jms.implements import implements
from pulsar_jms.mapping.security import LOGIN_FLAG, Login, check_repeated
from pulsar_jms.transport.wire_messages import MessagePosition


@implements("SLJ-CFG-001")
class PulsarConnectionFactory(ContextManaged):
    """Makes connections with Starlight's configuration keys (a mapping, or JSON text).

    Nothing is read or connected before the first connection. `close()`, or the end of a with block,
    closes all connections and ends every thread; a factory that is left open is closed when the
    interpreter ends.
    """

    def __init__(
        self,
        configuration: Mapping[str, object] | str | None = None,
        *,
        transport: str = "native",
        dialect: str = "starlight",
    ) -> None:
        """`transport` is `native` (pulsar-client) or `java` (the Java client, through JPype).

        `dialect` is the document that decides where they differ: `starlight`, `rabbitmq`, `amq`.
        `JMSException` for an unknown transport or dialect.
        """
        if transport not in TRANSPORTS:
            raise JMSException(f"transport={transport!r}: native and java are the transports")
        self.dialect: Dialect = dialect_named(dialect)
        self._configuration = configuration or {}
        self._initial = self.dialect.initial(os.environ)
        self._changes: dict[str, object] = {}
        """Settings of connections to come, where they differ from the configuration."""
        self._make_transport = TRANSPORTS[transport]
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._settings: Settings | None = None
        self._login = Login()
        """Of the first connection."""
        self._client: BrokerClient | None = None
        self._connections: list[PulsarConnection] = []
        self._closed = False

    def __repr__(self) -> str:
        where = self._settings.service_url if self._settings else "not connected yet"
        return f"PulsarConnectionFactory({where})"

    @implements("RMQ-CFG-001", "RMQ-CFG-003", "RMQ-CFG-004", "JMS-THR-005")
    def create_connection(
        self, user_name: str | None = None, password: str | None = None
    ) -> PulsarConnection:
        """A connection, stopped. The first one reads the configuration and looks for the broker.

        Raises `JMSException` naming the key or the address that is wrong, and
        `JMSSecurityException` when the broker does not accept the credentials.
        """
        with self._lock:
            configured = self._open_client(Login(user_name, password))
            connection = PulsarConnection(self, configured.changed(self._changes))
            self._connections.append(connection)
            return connection

    create_queue_connection = create_connection
    create_topic_connection = create_connection

    def create_context(
        self, user_name: str | None = None, password: str | None = None, mode: int = 1
    ) -> PulsarJMSContext:
        """A connection and a session in one; throws the unchecked exceptions."""
        try:
            connection = self.create_connection(user_name, password)
            try:
                return PulsarJMSContext(connection, mode)
            except JMSException:
                connection.close()
                raise
        except JMSException as error:
            raise runtime_exception(error) from error

    @implements("SLJ-TEMP-004", "SLJ-CFG-006")
    def close(self) -> None:
        """Close all connections and the client of the broker; closing twice does nothing."""
        with self._lock:
            if self._closed:
                return
            connections = list(self._connections)
            for connection in connections:
                connection.check_no_callback("close the factory")
            self._closed = True
        open_factories.forget(self)
        for connection in connections:
            connection.close()
        if self._client is not None:
            self._client.close()

    def abandon(self) -> None:
        """Count as closed in a forked child, with all connections; the parent goes on with them."""
        self._closed = True
        for connection in self._connections:
            connection.abandon()

    def setting(self, key: str) -> object:
        """What a setting of the dialect is for connections made from now on; None without one.

        `JMSException` for any other key, and for a configuration that cannot be accepted.
        """
        self.dialect.check_own(key)
        with self._lock:
            return self._read_configuration().changed(self._changes).values.get(key)

    @implements("RMQ-CFG-002")
    def change(self, key: str, value: object) -> None:
        """Change a setting of the dialect for connections made from now on.

        `JMSException` for any other key, and for a value that cannot be accepted.
        """
        self.dialect.check_own(key)
        with self._lock:
            self._changes[key] = settings({key: value}, self.dialect.keys).values[key]

    @property
    def client(self) -> BrokerClient:
        """What its connections share; exists as soon as there is one."""
        assert self._client is not None
        return self._client

    def unacknowledged_positions(self) -> set[MessagePosition]:
        """Where the messages are that applications got through it and nobody settled."""
        with self._lock:
            connections = list(self._connections)
        return {
            position
            for connection in connections
            for position in connection.unacknowledged_positions()
        }

    def forget(self, connection: PulsarConnection) -> None:
        """Drop a connection that was closed."""
        with self._lock:
            if connection in self._connections:
                self._connections.remove(connection)

    # -- opening -------------------------------------------------------------------------------

    def _read_configuration(self) -> Settings:
        given = {**self._initial, **configuration_of(self._configuration)}
        return settings(given, self.dialect.keys)

    def _open_client(self, login: Login) -> Settings:
        if self._process != os.getpid():
            raise IllegalStateException(
                "The connection factory was made before a fork; make a new one in this process"
            )
        if self._closed:
            raise IllegalStateException("The connection factory is closed; make a new one")
        configured = self._settings or self._read_configuration()
        check_user(configured, login)
        if self._client is None:
            self._client = open_client(
                configured, login, self._make_transport, self._fail_connections
            )
            self._settings = configured
            self._login = login
            open_factories.close_at_exit(self)
        elif configured.flag(LOGIN_FLAG, False):
            check_repeated(self._login, login)
        return configured

    def _fail_connections(self, name: str, error: BaseException) -> None:
        """A thread of the client is gone: nothing can go on as it should."""
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            connection.fail(name, error)
