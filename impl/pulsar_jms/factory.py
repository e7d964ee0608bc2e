"""The connection factory: one configuration, one client of the broker, all connections."""

from __future__ import annotations

import atexit
import json
import os
import threading
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import Final

from jmsapi import (
    IllegalStateException,
    JMSException,
    JMSRuntimeException,
    JMSSecurityException,
    runtime_exception,
)
from pulsar_jms.configuration import Settings, settings
from pulsar_jms.connection import PulsarConnection
from pulsar_jms.context import PulsarJMSContext
from pulsar_jms.dead_letters import DeadLetters, DeadLetterTopics
from pulsar_jms.dialects import Dialect, dialect_named
from pulsar_jms.intake import Intake
from pulsar_jms.mapping.destinations import PulsarQueue, PulsarTopic
from pulsar_jms.mapping.priority import PriorityRouter
from pulsar_jms.mapping.security import (
    LOGIN_FLAG,
    TOKEN_PLUGIN,
    Login,
    check_repeated,
    login_params,
)
from pulsar_jms.mapping.temporary import is_temporary
from pulsar_jms.priority_inlet import open_by_priority
from pulsar_jms.punctual_inlet import PunctualInlet
from pulsar_jms.reachability import check_reachable
from pulsar_jms.redelivery import Redelivery
from pulsar_jms.schemas import Schemas
from pulsar_jms.temporary_outlets import TemporaryOutlets
from pulsar_jms.timer import Timer
from pulsar_jms.transaction_marks import by_transaction
from pulsar_jms.transport.admin_rest import AdminRest
from pulsar_jms.transport.credentials import Credentials
from pulsar_jms.transport.interface import (
    Administration,
    Inlet,
    MessagePosition,
    Outlet,
    Router,
    SubscriptionRequest,
    Transport,
)
from pulsar_jms.transport.java_pulsar import JavaPulsarTransport
from pulsar_jms.transport.pulsar_client import PulsarClientTransport
from pulsar_jms.transport.topics import topics_of


class PulsarConnectionFactory:
    """Makes connections with Starlight's configuration keys (a mapping, or JSON text).

    Nothing is read or connected before the first connection. `close()` closes all connections and
    ends every thread; a factory that is left open is closed when the interpreter ends.
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
        if transport not in _TRANSPORTS:
            raise JMSException(f"transport={transport!r}: native and java are the transports")
        self.dialect: Dialect = dialect_named(dialect)
        self._configuration = configuration or {}
        self._initial = self.dialect.initial(os.environ)
        self._changes: dict[str, object] = {}
        """Settings of connections to come, where they differ from the configuration."""
        self._make_transport = _TRANSPORTS[transport]
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._settings: Settings | None = None
        self._login = Login()
        """Of the first connection."""
        self._transport: Transport | None = None
        self._administration: Administration | None = None
        self._schemas: Schemas | None = None
        self._connections: list[PulsarConnection] = []
        self._outlets: dict[tuple[PulsarQueue | PulsarTopic, str, bool], Outlet] = {}
        self._router: Router | None = None
        self._sticky_partitions = False
        self._dead_letter_topics: DeadLetterTopics | None = None
        self._closed = False
        self.timer = Timer("pulsar-jms-timer")
        self.temporary_outlets = TemporaryOutlets(self)

    def __repr__(self) -> str:
        where = self._settings.service_url if self._settings else "not connected yet"
        return f"PulsarConnectionFactory({where})"

    def create_connection(
        self, user_name: str | None = None, password: str | None = None
    ) -> PulsarConnection:
        """A connection, stopped. The first one reads the configuration and looks for the broker.

        Raises `JMSException` naming the key or the address that is wrong, and
        `JMSSecurityException` when the broker does not accept the credentials.
        """
        with self._lock:
            configured = self._opened(Login(user_name, password))
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

    def close(self) -> None:
        """Close all connections and the client of the broker; closing twice does nothing."""
        with self._lock:
            if self._closed:
                return
            connections = list(self._connections)
            if self._process == os.getpid():
                for connection in connections:
                    connection.check_no_callback("close the factory")
            self._closed = True
        _open_factories.discard(self)
        if self._process != os.getpid():
            return
        for connection in connections:
            connection.close()
        self.timer.close()
        if self._transport is not None:
            self._transport.close()
        if self._dead_letter_topics is not None:
            self._dead_letter_topics.close()
        if self._administration is not None:
            self._administration.close()

    def setting(self, key: str) -> object:
        """What a setting of the dialect is for connections made from now on; None without one.

        `JMSException` for any other key, and for a configuration that cannot be accepted.
        """
        self.dialect.check_own(key)
        with self._lock:
            return self._configured().changed(self._changes).values.get(key)

    def change(self, key: str, value: object) -> None:
        """Change a setting of the dialect for connections made from now on.

        `JMSException` for any other key, and for a value that cannot be accepted.
        """
        self.dialect.check_own(key)
        with self._lock:
            self._changes[key] = settings({key: value}, self.dialect.keys).values[key]

    def held(self) -> set[MessagePosition]:
        """Where the messages are that applications got through it and nobody settled."""
        with self._lock:
            connections = list(self._connections)
        return {position for connection in connections for position in connection.held()}

    def forget(self, connection: PulsarConnection) -> None:
        """Drop a connection that was closed."""
        with self._lock:
            if connection in self._connections:
                self._connections.remove(connection)

    # -- what connections share ----------------------------------------------------------------

    @property
    def transport(self) -> Transport:
        """The client of the broker; exists as soon as there is a connection."""
        assert self._transport is not None
        return self._transport

    @property
    def administration(self) -> Administration | None:
        """What the broker's administration does; None where jms.usePulsarAdmin is false."""
        return self._administration

    def outlet(
        self, destination: PulsarQueue | PulsarTopic, namespace: str, transacted: bool
    ) -> Outlet:
        """The outlet of a destination, shared by all producers of the factory.

        Where transactions keep to one partition, those of transacted sessions share another.
        """
        sticky = transacted and self._sticky_partitions
        key = (destination, namespace, sticky)
        outlet = self._outlets.get(key)
        if outlet is None:
            topic = destination.topic(namespace)
            if is_temporary(topic):
                return self.temporary_outlets.outlet(topic)
            outlet = self._outlets[key] = self.transport.outlet(
                topic, by_transaction if sticky else self._router
            )
        return outlet

    def intake(
        self,
        request: SubscriptionRequest,
        configured: Settings,
        in_dialect: Callable[[Inlet], Inlet],
    ) -> Intake:
        """The source of a new consumer; a queue's subscription is made first, where asked for.

        `in_dialect` is what the dialect makes of the transport's.
        """
        if (
            request.earliest
            and self._administration is not None
            and configured.flag("jms.precreateQueueSubscription", True)
        ):
            for topic in topics_of(request, self._administration):
                self._administration.create_subscription(topic, request.name, earliest=True)
        by_priority = configured.priority_mapping is not None
        inlet: Inlet = (
            open_by_priority(self.transport, request)
            if by_priority
            else self.transport.subscribe(request)
        )
        if request.type.heeds_delays:
            inlet = PunctualInlet(inlet)
        return Intake(
            in_dialect(inlet),
            self.timer,
            in_order=not by_priority,
            single_returns=request.type.redelivers_single_messages,
            redelivery_floor=self.transport.redelivery_floor / 1000,
            prefetch=request.prefetch,
            brisk=configured.ack_timeout > 0,
        )

    def schemas(self, configured: Settings) -> Schemas | None:
        """Where a new consumer finds the schemas of its topics; None where it is to use none.

        `JMSException` where the administration, which has them, is switched off.
        """
        if not configured.flag("consumerConfig.useSchema", False):
            return None
        if self._schemas is None:
            raise JMSException(
                "consumerConfig.useSchema=true needs the administration, which tells the schemas; "
                "leave jms.usePulsarAdmin at true"
            )
        return self._schemas

    def redelivery(
        self, request: SubscriptionRequest, configured: Settings, intake: Intake
    ) -> Redelivery:
        """The way back for the deliveries of a new consumer."""
        policy = configured.dead_letter_policy
        if policy is None:
            return Redelivery(intake, configured, None)
        assert self._dead_letter_topics is not None
        dead_letters = DeadLetters(policy, request.name, intake, self._dead_letter_topics)
        return Redelivery(intake, configured, dead_letters)

    def loss_of_broker(self) -> JMSException:
        """What to tell of a connection to the broker that is gone: whether it lets us in again."""
        configured = self._settings
        assert configured is not None
        try:
            check_reachable(configured, _credentials(configured, self._login))
        except JMSSecurityException as refusal:
            return refusal
        except JMSException:
            pass
        return JMSException(
            f"The connection to the broker at {configured.service_url} is lost; the client keeps "
            "trying to come back"
        )

    def connected(self) -> bool:
        """Whether everything that sends is connected to the broker."""
        return all(outlet.is_connected() for outlet in list(self._outlets.values()))

    # -- opening -------------------------------------------------------------------------------

    def _configured(self) -> Settings:
        given = {**self._initial, **_mapping(self._configuration)}
        return settings(given, self.dialect.keys)

    def _opened(self, login: Login) -> Settings:
        if self._closed:
            raise IllegalStateException("The connection factory is closed; make a new one")
        if self._process != os.getpid():
            raise IllegalStateException(
                "The connection factory was made before a fork; make a new one in this process"
            )
        configured = self._settings or self._configured()
        _check_user(configured, login)
        if self._transport is None:
            self._transport = self._connected_transport(configured, login)
            self._dead_letter_topics = DeadLetterTopics(self._transport, self._administration)
            self._settings = configured
            self._login = login
            if configured.priority_mapping is not None:
                self._router = PriorityRouter(configured.priority_mapping)
            self._sticky_partitions = configured.sticky_partitions
            _open_factories.add(self)
        elif configured.flag(LOGIN_FLAG, False):
            check_repeated(self._login, login)
        return configured

    def _connected_transport(self, configured: Settings, login: Login) -> Transport:
        credentials = _credentials(configured, login)
        check_reachable(configured, credentials)
        administration = None
        if configured.flag("jms.usePulsarAdmin", True):
            administration = AdminRest(
                configured.web_url,
                credentials,
                request_timeout=configured.number("operationTimeoutMs", 30_000) / 1000,
                startup_timeout=configured.number("jms.waitForServerStartupTimeout", 60_000) / 1000,
            )
        try:
            if administration is not None:
                administration.check_access(configured.namespace)
            transport = self._make_transport(configured, credentials, administration)
        except JMSException:
            if administration is not None:
                administration.close()
            raise
        self._administration = administration
        self._schemas = None if administration is None else Schemas(administration)
        return transport


def _native(
    configured: Settings, credentials: Credentials, administration: Administration | None
) -> Transport:
    if configured.flag("consumerConfig.ackReceiptEnabled", False):
        raise JMSException(
            "Configuration key 'consumerConfig.ackReceiptEnabled' = True is not supported: "
            "pulsar-client does not ask for receipts of acknowledgements; the java transport does"
        )
    return PulsarClientTransport(configured, credentials, administration)


def _java(
    configured: Settings, credentials: Credentials, administration: Administration | None
) -> Transport:
    transport = JavaPulsarTransport(configured, credentials, administration)
    _close_before_java()
    return transport


_TRANSPORTS: Final = {"native": _native, "java": _java}

_open_factories: weakref.WeakSet[PulsarConnectionFactory] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """End all threads before the interpreter goes: inside the native client one would crash."""
    for factory in list(_open_factories):
        with suppress(JMSException, JMSRuntimeException):
            factory.close()


@cache
def _close_before_java() -> None:
    """Close the factories while Java can still be called: what is registered last runs first."""
    atexit.register(_close_all)


def _mapping(configuration: Mapping[str, object] | str) -> Mapping[str, object]:
    if isinstance(configuration, str):
        try:
            configuration = json.loads(configuration)
        except ValueError as error:
            raise JMSException(f"The configuration is not valid JSON: {error}") from error
    if not isinstance(configuration, Mapping):
        raise JMSException(
            f"The configuration is a {type(configuration).__name__}; a mapping of keys is needed"
        )
    return configuration


def _credentials(configured: Settings, login: Login) -> Credentials:
    """What the broker is shown: the factory's own, or those of the login where a flag says so."""
    plugin, params = configured.text("authPlugin", ""), configured.text("authParams", "")
    if configured.flag(LOGIN_FLAG, False) and login.is_given:
        plugin, params = TOKEN_PLUGIN, login_params(plugin, login)
    return Credentials(
        plugin,
        params,
        configured.text("tlsTrustCertsFilePath", ""),
        configured.flag("tlsAllowInsecureConnection", False),
        configured.flag("tlsEnableHostnameVerification", True),
    )


def _check_user(configured: Settings, login: Login) -> None:
    expected = configured.text("jms.tckUsername", "")
    if expected and login.user_name is not None:
        wanted = (expected, configured.text("jms.tckPassword", ""))
        if (login.user_name, login.password) != wanted:
            raise JMSSecurityException(
                f"The user {login.user_name!r} or the password is not accepted"
            )
