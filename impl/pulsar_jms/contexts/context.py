"""The simplified API: JMSContext, JMSProducer and JMSConsumer (JMS 2.0, section 6.3)."""

from __future__ import annotations

import threading

from jmsapi import (
    BytesMessage,
    Destination,
    ExceptionListener,
    MapMessage,
    Message,
    ObjectMessage,
    Queue,
    QueueBrowser,
    StreamMessage,
    TemporaryQueue,
    TemporaryTopic,
    TextMessage,
    Topic,
)
from pulsar_jms.closing import ContextManaged
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.connections.meta_data import PulsarConnectionMetaData
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.contexts.context_consumer import PulsarJMSConsumer
from pulsar_jms.contexts.context_producer import PulsarJMSProducer
from pulsar_jms.contexts.unchecked import unchecked
from pulsar_jms.implements import implements


@implements("JMS-CTX-003")
class _SharedConnection:
    """A connection and how many contexts still use it."""

    def __init__(self, connection: PulsarConnection) -> None:
        self.connection = connection
        self._lock = threading.Lock()
        self._users = 0

    def enter(self) -> None:
        """One more context uses the connection."""
        with self._lock:
            self._users += 1

    def leave(self) -> None:
        """One context less; the last one closes the connection."""
        with self._lock:
            self._users -= 1
            last = self._users == 0
        if last:
            self.connection.close()


@implements("API-CTX-001..005", "API-CTX-007..015", "API-CF-001")
class PulsarJMSContext(ContextManaged):
    """A connection and a session in one."""

    def __init__(
        self, connection: PulsarConnection, mode: int, shared: _SharedConnection | None = None
    ) -> None:
        """A context with a session of its own; `JMSException` for an unknown mode."""
        self._session = connection.add_session(transacted=False, mode=mode)
        self._connection = connection
        self._shared = shared or _SharedConnection(connection)
        self._shared.enter()
        self._auto_start = True
        self._closed = False

    # -- connection ----------------------------------------------------------------------------

    @property
    @unchecked
    def client_id(self) -> str | None:
        """The client identifier; may be set once, before the context is used."""
        self._session.check_open()
        return self._connection.client_id

    @client_id.setter
    @unchecked
    def client_id(self, value: str | None) -> None:
        self._session.check_open()
        self._connection.client_id = value

    @property
    @unchecked
    def exception_listener(self) -> ExceptionListener | None:
        """Called when the broker is lost."""
        self._session.check_open()
        return self._connection.exception_listener

    @exception_listener.setter
    @unchecked
    def exception_listener(self, listener: ExceptionListener | None) -> None:
        self._session.check_open()
        self._connection.exception_listener = listener

    @property
    @unchecked
    def meta_data(self) -> PulsarConnectionMetaData:
        """What the provider is."""
        self._session.check_open()
        return self._connection.meta_data

    @property
    @implements("JMS-CTX-002")
    def auto_start(self) -> bool:
        """Whether making a consumer starts delivery."""
        return self._auto_start

    @auto_start.setter
    @unchecked
    def auto_start(self, value: bool) -> None:
        self._session.check_open()
        self._auto_start = bool(value)

    @unchecked
    def start(self) -> None:
        """Begin or resume delivery."""
        self._session.check_open()
        self._connection.start()

    @unchecked
    def stop(self) -> None:
        """Hold delivery; wait for running callbacks."""
        self._session.check_open()
        self._connection.stop()

    @unchecked
    def close(self) -> None:
        """Close the session, and the connection with its last context."""
        if not self._closed:
            self._session.close()
            self._closed = True
            self._shared.leave()

    @unchecked
    @implements("JMS-CTX-003", "JMS-CTX-004")
    def create_context(self, mode: int) -> PulsarJMSContext:
        """Another session of the same connection."""
        self._session.check_open()
        return PulsarJMSContext(self._connection, mode, self._shared)

    # -- session -------------------------------------------------------------------------------

    @property
    @unchecked
    def session_mode(self) -> int:
        """The mode that the context was made with."""
        return self._session.acknowledge_mode

    @property
    @unchecked
    def transacted(self) -> bool:
        """Whether sends and acknowledgements wait for commit()."""
        return self._session.transacted

    @unchecked
    def acknowledge(self) -> None:
        """Acknowledge everything delivered so far, where that is the application's part."""
        self._session.acknowledge()

    @unchecked
    def commit(self) -> None:
        """Send and acknowledge what the transaction holds."""
        self._session.commit()

    @unchecked
    def rollback(self) -> None:
        """Drop what the transaction would send; deliver again what it received."""
        self._session.rollback()

    @unchecked
    def recover(self) -> None:
        """Deliver again what is unacknowledged, the oldest first."""
        self._session.recover()

    @unchecked
    def unsubscribe(self, name: str) -> None:
        """Refused, as that of a session."""
        self._session.unsubscribe(name)

    @unchecked
    def create_message(self) -> Message:
        """As that of a session."""
        return self._session.create_message()

    @unchecked
    def create_bytes_message(self) -> BytesMessage:
        """As that of a session."""
        return self._session.create_bytes_message()

    @unchecked
    def create_map_message(self) -> MapMessage:
        """As that of a session."""
        return self._session.create_map_message()

    @unchecked
    def create_object_message(self, value: object = None) -> ObjectMessage:
        """As that of a session."""
        return self._session.create_object_message(value)

    @unchecked
    def create_stream_message(self) -> StreamMessage:
        """As that of a session."""
        return self._session.create_stream_message()

    @unchecked
    def create_text_message(self, text: str | None = None) -> TextMessage:
        """As that of a session."""
        return self._session.create_text_message(text)

    @unchecked
    def create_queue(self, name: str) -> Queue:
        """As that of a session."""
        return self._session.create_queue(name)

    @unchecked
    def create_topic(self, name: str) -> Topic:
        """As that of a session."""
        return self._session.create_topic(name)

    @unchecked
    def create_temporary_queue(self) -> TemporaryQueue:
        """As that of a session."""
        return self._session.create_temporary_queue()

    @unchecked
    def create_temporary_topic(self) -> TemporaryTopic:
        """As that of a session."""
        return self._session.create_temporary_topic()

    @unchecked
    def create_browser(self, queue: Queue, selector: str | None = None) -> QueueBrowser:
        """As that of a session."""
        return self._session.create_browser(queue, selector)

    # -- producing and consuming ---------------------------------------------------------------

    @unchecked
    def create_producer(self) -> PulsarJMSProducer:
        """A producer for destinations that each send names."""
        return PulsarJMSProducer(self._session.create_producer())

    @unchecked
    def create_consumer(
        self, destination: Destination, selector: str | None = None, no_local: bool = False
    ) -> PulsarJMSConsumer:
        """A consumer of a queue, or of a topic through a subscription of its own."""
        return self._start_delivery(self._session.create_consumer(destination, selector, no_local))

    @unchecked
    def create_shared_consumer(
        self, topic: Topic, name: str, selector: str | None = None
    ) -> PulsarJMSConsumer:
        """One of several consumers of a subscription that ends with the last of them."""
        return self._start_delivery(self._session.create_shared_consumer(topic, name, selector))

    @unchecked
    def create_durable_consumer(
        self, topic: Topic, name: str, selector: str | None = None, no_local: bool = False
    ) -> PulsarJMSConsumer:
        """The only consumer of a subscription that stays; needs a client id."""
        return self._start_delivery(
            self._session.create_durable_consumer(topic, name, selector, no_local)
        )

    @unchecked
    def create_shared_durable_consumer(
        self, topic: Topic, name: str, selector: str | None = None
    ) -> PulsarJMSConsumer:
        """One of several consumers of a subscription that stays."""
        return self._start_delivery(
            self._session.create_shared_durable_consumer(topic, name, selector)
        )

    @implements("JMS-CTX-001")
    def _start_delivery(self, consumer: PulsarMessageConsumer) -> PulsarJMSConsumer:
        """The consumer, once delivery is started unless auto_start is false."""
        if self._auto_start:
            self._connection.start()
        return PulsarJMSConsumer(consumer)
