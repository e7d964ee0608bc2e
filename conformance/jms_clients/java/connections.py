"""A JMS client in Java as jmsapi has it, over JPype: connection factories and connections.

No client's name is in here. The namespace is a parameter; the JVM runs already, with the client's
jars. Errors of JPype itself are raised as they are: they are faults of the caller, not verdicts.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, partial
from typing import Any, Literal, TypeVar

from jms_clients.errors import ClientError
from jms_clients.java.destinations import DESTINATION
from jms_clients.java.listeners import Excepting
from jms_clients.java.objects import (
    BOOLEAN,
    NOTHING,
    NUMBER,
    TEXT,
    JavaObject,
    JavaResource,
    Jms,
    attribute,
    call,
)
from jms_clients.java.sessions import (
    JavaConnectionMetaData,
    JavaJMSContext,
    JavaQueueSession,
    JavaSession,
    JavaTopicSession,
)
from jmsapi import JMSException, JMSRuntimeException, NullPointerException

R = TypeVar("R", bound=JavaResource)

__all__ = ["Domain", "JavaConnection", "JavaConnectionFactory", "Jms"]

_OF_A_POOL = (DESTINATION, TEXT, TEXT, NOTHING, NUMBER)
"""What consumers of an application server are made with: topic, name of the subscription, selector,
pool of sessions, and how many messages at once."""


class JavaConnection(Excepting, JavaResource):
    """A connection, created stopped."""

    declared = "Connection"

    client_id = attribute("ClientID", TEXT)
    start = call("start")
    stop = call("stop")
    create_durable_connection_consumer = call("createDurableConnectionConsumer", *_OF_A_POOL)
    create_shared_connection_consumer = call("createSharedConnectionConsumer", *_OF_A_POOL)
    create_shared_durable_connection_consumer = call(
        "createSharedDurableConnectionConsumer", *_OF_A_POOL
    )

    @property
    def meta_data(self) -> JavaConnectionMetaData:
        """What the provider is."""
        return JavaConnectionMetaData(self.jms, self.call("getMetaData"))

    def create_session(self, transacted: bool = False, mode: int = 1) -> JavaSession:
        """A session; `mode` is ignored when transacted."""
        return JavaSession(self.jms, self._session("createSession", transacted, mode))

    def _session(self, method: str, transacted: bool, mode: int) -> Any:
        args = BOOLEAN.to_java(self.jms, transacted), NUMBER.to_java(self.jms, mode)
        return self.call(method, *args)


class JavaQueueConnection(JavaConnection):
    """A connection of the older queue-only API."""

    declared = "QueueConnection"

    def create_queue_session(self, transacted: bool = False, mode: int = 1) -> JavaQueueSession:
        """A session of the older queue-only API."""
        return JavaQueueSession(self.jms, self._session("createQueueSession", transacted, mode))


class JavaTopicConnection(JavaConnection):
    """A connection of the older topic-only API."""

    declared = "TopicConnection"

    def create_topic_session(self, transacted: bool = False, mode: int = 1) -> JavaTopicSession:
        """A session of the older topic-only API."""
        return JavaTopicSession(self.jms, self._session("createTopicSession", transacted, mode))


Domain = Literal["Queue", "Topic"]
"""What one of the two older APIs is for, as the names of its interfaces begin."""
_FAILURES = (JMSException, JMSRuntimeException, NullPointerException, ClientError)
"""How an object may fail to close, which nobody judges then."""


class JavaConnectionFactory(JavaObject):
    """Makes connections and contexts, and closes them with itself."""

    declared = "ConnectionFactory"

    def __init__(
        self,
        jms: Jms,
        java: Any,
        give_back: Callable[[Any], None] = lambda _: None,
        of_domain: Callable[[Domain], Any] | None = None,
    ) -> None:
        """`give_back` closes what a Java factory itself holds, after its connections.

        `of_domain` makes the factory of an older API, of queues or of topics alone, where it is no
        interface of the plain one.
        """
        super().__init__(jms, java)
        self.own: Any = java
        """The factory as the client's own class."""
        self._give_back = give_back
        self._of_domain = of_domain
        self._factories: dict[Domain | None, Any] = {None: java}
        self._made: dict[int, JavaResource] = {}
        """What is still open: clients keep a lot for what was closed, while somebody has it."""
        self.closed = False

    @cached_property
    def has_jms_2(self) -> bool:
        """See `TellsVersion`: found from the client's own class."""
        return self.jms.has_jms_2 and self.jms.implements(self.java, "createContext")

    def create_connection(
        self, user_name: str | None = None, password: str | None = None
    ) -> JavaConnection:
        """A connection, stopped."""
        java = self.call("createConnection", *self._login(user_name, password))
        return self._kept(JavaConnection(self.jms, java))

    def create_queue_connection(
        self, user_name: str | None = None, password: str | None = None
    ) -> JavaQueueConnection:
        """A connection of the older queue-only API."""
        made = self._older("Queue", user_name, password)
        return self._kept(JavaQueueConnection(self.jms, made))

    def create_topic_connection(
        self, user_name: str | None = None, password: str | None = None
    ) -> JavaTopicConnection:
        """A connection of the older topic-only API."""
        made = self._older("Topic", user_name, password)
        return self._kept(JavaTopicConnection(self.jms, made))

    def _older(self, domain: Domain, user_name: str | None, password: str | None) -> Any:
        """A connection in Java of an older API, from the factory as that API declares it."""
        if domain not in self._factories:
            make = self._of_domain
            self._factories[domain] = self.own if make is None else make(domain)
        factory = self.jms.declared(self._factories[domain], f"{domain}ConnectionFactory")
        method = self.jms.method(factory, f"create{domain}Connection")
        return self.jms.run(method, *self._login(user_name, password))

    def _kept(self, made: R) -> R:
        self._made[id(made)] = made
        made.when_closed = partial(self._made.pop, id(made), None)
        return made

    def create_context(
        self, user_name: str | None = None, password: str | None = None, mode: int = 1
    ) -> JavaJMSContext:
        """A connection and a session in one."""
        login = self._login(user_name, password)
        java = self.call("createContext", *login, NUMBER.to_java(self.jms, mode))
        return self._kept(JavaJMSContext(self.jms, java))

    def close(self) -> None:
        """Close its connections and contexts, and give back the rest."""
        if self.closed:
            return
        self.closed = True
        try:
            while self._made:
                with suppress(*_FAILURES):
                    self._made.popitem()[1].close()
        finally:
            for each in {id(factory): factory for factory in self._factories.values()}.values():
                self._give_back(each)

    def _login(self, user_name: str | None, password: str | None) -> tuple[Any, ...]:
        if user_name is None and password is None:
            return ()
        return (TEXT.to_java(self.jms, user_name), TEXT.to_java(self.jms, password))
