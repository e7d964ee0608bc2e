"""Sessions: make everything else, and start, stop and close it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from jmsapi import (
    BytesMessage,
    Destination,
    IllegalStateException,
    InvalidDestinationException,
    JMSException,
    MapMessage,
    Message,
    MessageListener,
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
from pulsar_jms.completions import Completions
from pulsar_jms.consumer import (
    PulsarMessageConsumer,
    PulsarQueueReceiver,
    PulsarTopicSubscriber,
)
from pulsar_jms.dispatch import Dispatcher
from pulsar_jms.mapping.acknowledgement import mode_name
from pulsar_jms.mapping.destinations import (
    PulsarQueue,
    create_queue,
    create_topic,
    own_destination,
)
from pulsar_jms.mapping.subscriptions import ConsumerKind, unsubscribe_refusal
from pulsar_jms.messages import (
    PulsarBytesMessage,
    PulsarMapMessage,
    PulsarMessage,
    PulsarObjectMessage,
    PulsarStreamMessage,
    PulsarTextMessage,
)
from pulsar_jms.producer import PulsarMessageProducer
from pulsar_jms.screening import screen_for
from pulsar_jms.subscriptions import subscription_request, told_to_filter
from pulsar_jms.transactions import SessionTransaction

if TYPE_CHECKING:
    from pulsar_jms.connection import PulsarConnection
    from pulsar_jms.settlement import Settlement

_NOT_YET = "is not supported by this client"

Made = TypeVar("Made", bound=PulsarMessageConsumer)


class PulsarSession(ContextManaged):
    """One session of a connection."""

    def __init__(self, connection: PulsarConnection, mode: int, number: int) -> None:
        self.connection = connection
        self.mode = mode
        self.lock = threading.RLock()
        self.running = False
        """Whether messages may be handed out: the connection is started."""
        self._closed = False
        name = f"pulsar-jms-{connection.connection_id[-8:]}-{number}"
        self.dispatcher = Dispatcher(f"{name}-listeners")
        self.completions = Completions(f"{name}-completions")
        self.transaction = self._own_transaction() if mode == 0 else None
        self._changed = threading.Condition(self.lock)
        self._consumers: list[PulsarMessageConsumer] = []
        self._browsers: list[QueueBrowser] = []
        self.settlement: Settlement = connection.dialect.settlement(self)

    # -- what it is ----------------------------------------------------------------------------

    @property
    def closed(self) -> bool:
        """Whether the caller may use it no more: a running listener may until it returns."""
        return self._closed and not self.dispatcher.is_current()

    @property
    def transacted(self) -> bool:
        """Whether what the session does waits for commit()."""
        self.check_open()
        return self.transaction is not None

    @property
    def acknowledge_mode(self) -> int:
        """The mode that the session was made with, or what the dialect reports for it."""
        self.check_open()
        reported = self.connection.dialect.modes[self.mode].reported
        return self.mode if reported is None else reported

    @property
    def message_listener(self) -> MessageListener | None:
        """None: a listener of a whole session is for application servers only."""
        self.check_open()
        return None

    @message_listener.setter
    def message_listener(self, listener: MessageListener | None) -> None:
        raise JMSException(
            f"A listener of the whole session {_NOT_YET}; set message_listener of its consumers"
        )

    # -- messages and destinations -------------------------------------------------------------

    def create_message(self) -> Message:
        """A message without a body."""
        self.check_open()
        return PulsarMessage()

    def create_bytes_message(self) -> BytesMessage:
        """A message of bytes."""
        self.check_open()
        return PulsarBytesMessage()

    def create_map_message(self) -> MapMessage:
        """A message of named values."""
        self.check_open()
        return PulsarMapMessage()

    def create_object_message(self, value: object = None) -> ObjectMessage:
        """A message of one serialisable value."""
        self.check_open()
        return PulsarObjectMessage(value)

    def create_stream_message(self) -> StreamMessage:
        """A message of a sequence of values."""
        self.check_open()
        return PulsarStreamMessage()

    def create_text_message(self, text: str | None = None) -> TextMessage:
        """A message of a text."""
        self.check_open()
        return PulsarTextMessage(text)

    def create_queue(self, name: str) -> Queue:
        """The queue of this name; nothing is made at the broker."""
        self.check_open()
        return create_queue(name)

    def create_topic(self, name: str) -> Topic:
        """The topic of this name; nothing is made at the broker."""
        self.check_open()
        return create_topic(name)

    def create_temporary_queue(self) -> TemporaryQueue:
        """A queue of this connection, made at the broker and deleted with the connection."""
        self.check_open()
        self.connection.used()
        return self.connection.temporaries.create_queue()

    def create_temporary_topic(self) -> TemporaryTopic:
        """A topic of this connection, made at the broker and deleted with the connection."""
        self.check_open()
        self.connection.used()
        return self.connection.temporaries.create_topic()

    # -- producers, consumers, browsers --------------------------------------------------------

    def create_producer(self, destination: Destination | None = None) -> PulsarMessageProducer:
        """A producer for one destination, or for those that each send names."""
        self.check_open()
        self.connection.used()
        if destination is not None:
            destination = own_destination(destination)
            destination.topic(self.connection.settings.namespace)
        return PulsarMessageProducer(self, destination)

    def create_sender(self, queue: Queue | None = None) -> PulsarMessageProducer:
        """A producer for a queue."""
        return self.create_producer(queue)

    def create_publisher(self, topic: Topic | None = None) -> PulsarMessageProducer:
        """A producer for a topic."""
        return self.create_producer(topic)

    def create_consumer(
        self, destination: Destination, selector: str | None = None, no_local: bool = False
    ) -> PulsarMessageConsumer:
        """A consumer of a queue, or of a topic through a subscription of its own."""
        self.check_open()
        asked = (selector, no_local)
        if isinstance(own_destination(destination), PulsarQueue):
            return self._opened(PulsarQueueReceiver, ConsumerKind.QUEUE, destination, None, *asked)
        return self._opened(PulsarTopicSubscriber, ConsumerKind.SIMPLE, destination, None, *asked)

    def create_receiver(self, queue: Queue, selector: str | None = None) -> PulsarQueueReceiver:
        """A consumer of a queue."""
        if not isinstance(queue, Queue):
            raise InvalidDestinationException(f"{queue!r} is no queue")
        receiver = self.create_consumer(queue, selector)
        assert isinstance(receiver, PulsarQueueReceiver)
        return receiver

    def create_subscriber(
        self, topic: Topic, selector: str | None = None, no_local: bool = False
    ) -> PulsarTopicSubscriber:
        """A consumer of a topic through a subscription of its own."""
        self._check_topic(topic)
        subscriber = self.create_consumer(topic, selector, no_local)
        assert isinstance(subscriber, PulsarTopicSubscriber)
        return subscriber

    def create_shared_consumer(
        self, topic: Topic, name: str, selector: str | None = None
    ) -> PulsarMessageConsumer:
        """One of several consumers of a subscription that ends with the last of them."""
        self.check_open()
        self._check_topic(topic)
        return self._opened(PulsarTopicSubscriber, ConsumerKind.SHARED, topic, name, selector)

    def create_durable_consumer(
        self, topic: Topic, name: str, selector: str | None = None, no_local: bool = False
    ) -> PulsarTopicSubscriber:
        """The only consumer of a subscription that stays; needs a client id."""
        self.check_open()
        self._check_topic(topic)
        kind = ConsumerKind.DURABLE
        return self._opened(PulsarTopicSubscriber, kind, topic, name, selector, no_local)

    def create_shared_durable_consumer(
        self, topic: Topic, name: str, selector: str | None = None
    ) -> PulsarMessageConsumer:
        """One of several consumers of a subscription that stays."""
        self.check_open()
        self._check_topic(topic)
        return self._opened(
            PulsarTopicSubscriber, ConsumerKind.SHARED_DURABLE, topic, name, selector
        )

    def create_durable_subscriber(
        self, topic: Topic, name: str, selector: str | None = None, no_local: bool = False
    ) -> PulsarTopicSubscriber:
        """The same as create_durable_consumer, by its older name."""
        return self.create_durable_consumer(topic, name, selector, no_local)

    def create_browser(self, queue: Queue, selector: str | None = None) -> QueueBrowser:
        """A browser of a queue; delivery need not be started for it."""
        self.check_open()
        own = own_destination(queue)
        if not isinstance(own, PulsarQueue):
            raise InvalidDestinationException(f"{own!r} is no queue, so it cannot be browsed")
        self.connection.used()
        browser = self.connection.dialect.browser(self, own, selector)
        with self.lock:
            self._browsers.append(browser)
        return browser

    def unsubscribe(self, name: str) -> None:
        """Refused: the call names no topic, and Pulsar's subscriptions belong to one (SUB-025)."""
        self.check_open()
        raise unsubscribe_refusal(name)

    # -- delivery ------------------------------------------------------------------------------

    def wait_until_running(self, seconds: float, consumer: PulsarMessageConsumer) -> bool:
        """Wait for the connection to start; False when it did not, or something was closed."""
        with self.lock:
            if not self.running and not consumer.closed:
                self._changed.wait(min(seconds, 0.1))
            return self.running

    def forget(self, consumer: PulsarMessageConsumer) -> None:
        """Drop a consumer that closes; the broker delivers what it had to others."""
        try:
            if self.transaction is not None and not self.closed:
                self.transaction.leave(consumer)
        finally:
            with self.lock:
                self.settlement.forget(consumer)
                if consumer in self._consumers:
                    self._consumers.remove(consumer)
                self._changed.notify_all()

    def forget_browser(self, browser: QueueBrowser) -> None:
        """Drop a browser that was closed."""
        with self.lock:
            if browser in self._browsers:
                self._browsers.remove(browser)

    # -- acknowledgement -----------------------------------------------------------------------

    def acknowledge(self) -> None:
        """Acknowledge everything delivered so far, if the mode leaves that to the application."""
        self.check_open()
        self.settlement.acknowledge_call()

    def recover(self) -> None:
        """Deliver again what is unacknowledged, the oldest first (JMS 2.0, section 6.2.10)."""
        self.check_open()
        if self.transaction is not None:
            raise IllegalStateException("recover() is not for transacted sessions; use rollback()")
        self.settlement.recover()

    # -- transactions --------------------------------------------------------------------------

    def commit(self) -> None:
        """Settle what the transaction holds; begin the next."""
        self._transaction("commit").commit()

    def rollback(self) -> None:
        """Undo what the transaction can take back; deliver again what it received."""
        self._transaction("rollback").rollback()

    def _own_transaction(self) -> SessionTransaction:
        return self.connection.dialect.transaction(self)

    def _transaction(self, call: str) -> SessionTransaction:
        self.check_open()
        if self.transaction is None:
            raise IllegalStateException(f"{call}() needs a transacted session")
        self.check_no_completion(call)
        return self.transaction

    # -- life cycle ----------------------------------------------------------------------------

    def resume(self) -> None:
        """Hand out messages."""
        with self.lock:
            self.running = True
            self._changed.notify_all()
        self.dispatcher.resume()

    def pause(self) -> None:
        """Hand out nothing more; waits for the callback that runs."""
        with self.lock:
            self.running = False
        self.dispatcher.pause()

    def close(self) -> None:
        """Close all that the session made; waits for callbacks and for asynchronous sends."""
        if self._closed:
            return
        self.check_no_callback("close the session")
        with self.lock:
            if self._closed:
                return
            self._closed = True
            self.running = False
            consumers = list(self._consumers)
            browsers = list(self._browsers)
            self._changed.notify_all()
        self.dispatcher.close()
        if self.transaction is not None:
            self.transaction.drop()
        for consumer in consumers:
            consumer.close()
        for browser in browsers:
            browser.close()
        self.completions.close()
        self.connection.forget(self)

    def connected(self) -> bool:
        """Whether every consumer is connected to the broker."""
        with self.lock:
            consumers = list(self._consumers)
        return all(consumer.intake.inlet.is_connected() for consumer in consumers)

    def check_open(self) -> None:
        """`IllegalStateException` when the session is closed."""
        if self.closed:
            raise IllegalStateException("The session is closed")

    def check_no_callback(self, what: str) -> None:
        """`IllegalStateException` when a listener of this session is the caller."""
        if self.dispatcher.is_current():
            raise IllegalStateException(
                f"A message listener may not {what} that calls it: it would wait for itself"
            )
        self.check_no_completion(what)

    def check_no_completion(self, what: str) -> None:
        """`IllegalStateException` when a completion listener of this session is the caller."""
        if self.completions.is_current():
            raise IllegalStateException(f"A completion listener may not {what} (JMS 2.0, 7.3.5)")

    # -- inside --------------------------------------------------------------------------------

    def _check_topic(self, topic: object) -> None:
        if not isinstance(topic, Topic):
            raise InvalidDestinationException(f"{topic!r} is no topic")

    def _opened(
        self,
        kind: Callable[..., Made],
        consumer_kind: ConsumerKind,
        destination: Destination,
        name: str | None = None,
        selector: str | None = None,
        no_local: bool = False,
    ) -> Made:
        own = own_destination(destination)
        connection = self.connection
        settings = connection.settings.overridden(own.settings, repr(own))
        mode = mode_name(self.mode, connection.dialect.modes)
        request = subscription_request(
            consumer_kind, own, name, connection.client_id, mode, settings
        )
        for topic in request.topics:
            connection.temporaries.check_consumer(topic, consumer_kind)
        not_from = connection.connection_id if no_local else None
        screen = screen_for(consumer_kind, request.type, settings, selector, not_from)
        schemas = connection.factory.schemas(settings)
        connection.used()
        request = told_to_filter(request, own, screen, settings)
        intake = connection.factory.intake(
            request,
            settings,
            lambda plain: connection.dialect.inlet(self, plain, screen, request.prefetch),
        )
        redelivery = connection.factory.redelivery(request, settings, intake)
        consumer = kind(self, own, intake, settings, redelivery, screen, schemas)
        with self.lock:
            if not self.closed:
                self._consumers.append(consumer)
                return consumer
        intake.close()
        raise IllegalStateException("The session was closed while a consumer was made")
