"""The client under test as a scenario handles it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import TypeVar

from jms_brokers.machine.spending import Purpose, spent_on
from jms_clients.errors import ClientError, NotInThisVersion, ProviderError
from jms_clients.interface import Client, TellsVersion, VendorConstants
from jms_clients.memory import Memory
from jms_clients.origins import CATALOGUES
from jms_clients.other_process import OtherProcess
from jms_clients.recorded import RecordedClient, unrecorded
from jms_clients.remote_objects import OtherProcessGone
from jms_clients.trace import Trace
from jmsapi import (
    Connection,
    ConnectionFactory,
    Destination,
    JMSContext,
    JMSException,
    JMSRuntimeException,
    Message,
    MessageConsumer,
    MessageProducer,
    Queue,
    Session,
    SessionMode,
    TextMessage,
    Topic,
    Value,
)
from touchstone.errors import HarnessError
from touchstone.outcomes.endings import Hung, not_applicable
from touchstone.scenario.deadline import within

T = TypeVar("T")
_OPENED_WITHIN = 90.0
"""Seconds: the first session of a worker starts a client in Java, beside those of other workers."""
_CLOSED_WITHIN = 15.0
_COUNT = "JMSXDeliveryCount"


class UnderTest:
    """A provider opened on one broker; everything that is made here is closed with the scenario.

    `defaults` are the settings of each factory, None for what the provider shall not set by itself;
    a setting given as None takes a default away, and also what the provider sets by itself, such
    as the address of the broker.
    """

    def __init__(self, client: Client, defaults: Mapping[str, object], trace: Trace) -> None:
        self._client = RecordedClient(client, trace)
        self._defaults = dict(defaults)
        self._trace = trace
        self._factories: list[ConnectionFactory] = []

    @property
    def constants(self) -> VendorConstants:
        """The vendor's numbers."""
        return self._client.constants

    @cached_property
    def has_jms_2(self) -> bool:
        """Whether the client has what came with JMS 2.0: contexts, shared subscriptions, delays."""
        factory = unrecorded(self._default_factory)
        return not isinstance(factory, TellsVersion) or factory.has_jms_2

    @property
    def oldest_version(self) -> tuple[int, int]:
        """The oldest version of JMS that has what the client was found to have."""
        return (2, 0) if self.has_jms_2 else (1, 1)

    def needs_count(self, message: Message) -> None:
        """NOT-APPLICABLE for a client of JMS 1.1, which left it free to count deliveries."""
        if not self.has_jms_2 and not message.property_exists(_COUNT):
            raise NotInThisVersion(_COUNT)

    def named_by_2(self, kind: type[JMSException]) -> type[JMSException]:
        """The exception of a refusal that JMS 2.0 was the first to name; before it any will do."""
        return kind if self.has_jms_2 else JMSException

    @cached_property
    def connected(self) -> Connection:
        """The default connection, started."""
        return self._set_up(self.connection, "The default connection")

    @cached_property
    def _session(self) -> Session:
        return self._set_up(self.session, "The default session")

    def factory(self, settings: Mapping[str, object] | None = None) -> ConnectionFactory:
        """A new factory with the defaults and, above them, `settings`."""
        factory = self._client.connection_factory(self._merged(settings or {}))
        self._factories.append(factory)
        return factory

    def untraced_factory(self) -> ConnectionFactory:
        """A new factory of whose calls there is no trace, which names each message by its id.

        So nobody but the scenario reads anything of what it receives.
        """
        return unrecorded(self.factory())

    def looked_up_factory(self, settings: Mapping[str, object]) -> ConnectionFactory:
        """A factory that was put into a directory and looked up, as JNDI does.

        NOT-APPLICABLE for a client that has no directory.
        """
        factory = self._client.looked_up_factory(self._merged(settings))
        if factory is None:
            not_applicable("The client's factories cannot be kept in a directory such as JNDI")
        self._factories.append(factory)
        return factory

    def process_property(self, name: str, value: str | None) -> AbstractContextManager[None]:
        """A property of the client's process, as Java's system properties, for a while.

        None for one that is absent. NOT-APPLICABLE for a client without such properties.
        """
        context = self._client.process_property(name, value)
        if context is None:
            not_applicable("The client takes no properties from its process")
        return context

    def _merged(self, settings: Mapping[str, object]) -> dict[str, object]:
        merged = {**self._defaults, **settings}
        return {
            key: value
            for key, value in merged.items()
            if value is not None or self._defaults.get(key) is None
        }

    @cached_property
    def _default_factory(self) -> ConnectionFactory:
        return self.factory()

    def connection(
        self,
        settings: Mapping[str, object] | None = None,
        *,
        client_id: str | None = None,
        start: bool = True,
        user_name: str | None = None,
        password: str | None = None,
    ) -> Connection:
        """A new connection, from a factory of its own where there are `settings`."""
        factory = self.factory(settings) if settings else self._default_factory
        if user_name is None and password is None:
            connection = factory.create_connection()
        else:
            connection = factory.create_connection(user_name, password)
        if client_id is not None:
            connection.client_id = client_id
        if start:
            connection.start()
        return connection

    def session(self, mode: int = SessionMode.AUTO_ACKNOWLEDGE) -> Session:
        """A new session of the default connection."""
        return self.connected.create_session(mode == SessionMode.SESSION_TRANSACTED, mode)

    def context(
        self,
        mode: int = SessionMode.AUTO_ACKNOWLEDGE,
        settings: Mapping[str, object] | None = None,
    ) -> JMSContext:
        """A new context, from a factory of its own where there are `settings`."""
        factory = self.factory(settings) if settings else self._default_factory
        return factory.create_context(mode=mode)

    def producer(self, destination: Destination | None) -> MessageProducer:
        """A producer of the default session."""
        return self._session.create_producer(destination)

    def consumer(self, destination: Destination, session: Session | None = None) -> MessageConsumer:
        """A consumer of `session`, by default of the default session."""
        return (session or self._session).create_consumer(destination)

    def memory(self) -> AbstractContextManager[Memory]:
        """What the client holds in memory; the scenario is NOT-APPLICABLE where nobody can see."""
        memory = self._client.memory
        if memory is None:
            not_applicable("what this client holds in memory cannot be seen")
        return memory()

    def array_of(self, content: bytes) -> MutableSequence[int]:
        """An array of bytes of the application, which may change it."""
        own = self._client.own_objects
        return bytearray(content) if own is None else own.own_array(content)

    def list_of(self, items: Sequence[Value]) -> MutableSequence[Value]:
        """A list of the application, which may change it."""
        own = self._client.own_objects
        return list(items) if own is None else own.own_list(items)

    def as_they_are(self) -> AbstractContextManager[None]:
        """For a while what messages give is the object that an application would get.

        Elsewhere it is a copy of Python's own.
        """
        own = self._client.own_objects
        return nullcontext() if own is None else own.as_they_are()

    def text(self, text: str | None = "hello") -> TextMessage:
        """A text message of the default session."""
        return self._session.create_text_message(text)

    def queue(self, name: str) -> Queue:
        """The queue of this name."""
        return self._session.create_queue(name)

    def topic(self, name: str) -> Topic:
        """The topic of this name."""
        return self._session.create_topic(name)

    def close(self) -> None:
        """Close all factories with what they made; `Hung` when that takes too long.

        How a close fails is not judged here: a scenario may have broken the connection on purpose.
        One factory that hangs keeps no other from being closed.
        """
        hung: Hung | None = None
        while self._factories:
            try:
                within(
                    _CLOSED_WITHIN,
                    self._factories.pop().close,
                    "closing the client's connections",
                    judged=CATALOGUES,
                )
            except (JMSException, JMSRuntimeException, ClientError) as error:
                self._trace.add("note", "client", "closing failed", None, repr(error))
            except Hung as error:
                hung = hung or error
        if hung is not None:
            raise hung

    def _set_up(self, make: Callable[[], T], what: str) -> T:
        try:
            with spent_on(Purpose.CONNECTING):
                return within(_OPENED_WITHIN, make, what)
        except (JMSException, JMSRuntimeException, ClientError) as error:
            raise ProviderError(
                f"{what} could not be made: {error!r}", hint=_hint_for(error)
            ) from error
        except Hung as error:
            raise ProviderError(str(error), hint="See the threads in the evidence.") from error


def _hint_for(error: Exception) -> str:
    """What to do where set-up failed: a client may leave more behind than its JVM has room for."""
    if "Java heap space" in repr(error):
        return (
            "Earlier scenarios have filled the memory of its JVM: judge fewer of them at a time"
            " (--area), or by more workers (-n 4)."
        )
    return "The scenario had not begun yet; is the broker reachable for this client?"


class OtherUnderTest(UnderTest):
    """The same provider in a child process, which can be killed."""

    def __init__(self, process: OtherProcess, defaults: Mapping[str, object], trace: Trace) -> None:
        super().__init__(process.client, defaults, trace)
        self._process = process

    @property
    def pid(self) -> int:
        """The process number of the child."""
        return self._process.pid

    def kill(self) -> None:
        """End the child at once; whatever it had open is gone."""
        self._process.kill()

    def last_act(self, function: str, *args: object) -> None:
        """Call `function`, as `module:attribute`, in the child, which kills its process in there.

        Between the function's last steps and the end there is no pipe and no other process.
        `HarnessError` when the child outlives it.
        """
        self._trace.add("call", "other process", function, [repr(arg) for arg in args])
        try:
            self._process.run(function, *map(unrecorded, args))
        except OtherProcessGone:
            return
        raise HarnessError(
            f"{function} has returned, and its process lives", hint="It has to end its process."
        )

    def pause(self) -> None:
        """Freeze the child."""
        self._process.process.pause()

    def resume(self) -> None:
        """Let the child go on."""
        self._process.process.resume()

    def close(self) -> None:
        """Close what was made here, unless the child is gone."""
        if self._process.process.alive and not self._process.process.paused:
            super().close()
