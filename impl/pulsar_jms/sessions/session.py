"""Sessions: they make everything else, and start, stop and close it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Protocol

from jmsapi import (
    Destination,
    IllegalStateException,
    InvalidDestinationException,
    JMSException,
    Message,
    MessageListener,
    Queue,
    TemporaryQueue,
    TemporaryTopic,
    Topic,
)
from pulsar_jms.broker_client import BrokerClient
from pulsar_jms.closing import ContextManaged
from pulsar_jms.configuration import Settings
from pulsar_jms.consuming.browser import PulsarQueueBrowser
from pulsar_jms.consuming.consumer import (
    PulsarMessageConsumer,
)
from pulsar_jms.consuming.dispatch import Dispatcher
from pulsar_jms.implements import implements
from pulsar_jms.mapping.destinations import PulsarQueue, PulsarTopic, own_destination
from pulsar_jms.mapping.session_modes import ModeRow
from pulsar_jms.mapping.subscriptions import unsubscribe_refusal
from pulsar_jms.mapping.temporary import is_temporary
from pulsar_jms.messages import PulsarMessage
from pulsar_jms.producing.completions import Completions
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.sessions.consumer_factory import ConsumerFactory
from pulsar_jms.sessions.consumer_opening import (
    AnyConsumer,
    ConsumerRequest,
    ConsumingConnection,
    open_consumer,
)
from pulsar_jms.settling.settlement import Settlement
from pulsar_jms.settling.transactions import SessionTransaction
from pulsar_jms.temporary.temporary_destinations import PulsarTemporaryQueue
from pulsar_jms.transport.transport_protocol import TransportProducer
from pulsar_jms.transport.wire_messages import MessagePosition

_NOT_YET = "is not supported by this client"

_REMEMBERED = 1000
"""Destinations whose way is found quickly."""


class SessionConnection(ConsumingConnection, Protocol):
    """What a session needs of its connection."""

    @property
    def closing(self) -> bool:
        """Whether close() was called, although callbacks may still run."""
        ...

    def all_unacknowledged_positions(self) -> set[MessagePosition]:
        """Where the messages are that any session of the factory got and nobody settled."""
        ...

    def report(self, error: JMSException) -> None:
        """Report an error to the exception listener, if there is one."""
        ...

    def forget(self, session: PulsarSession) -> None:
        """Drop a session that was closed."""
        ...


@implements("JMS-SESS-001", "JMS-THR-003", "API-SESS-001..002", "API-SESS-004..008")
class PulsarSession(ConsumerFactory, ContextManaged):
    """One session of a connection."""

    def __init__(self, connection: SessionConnection, mode: int, number: int) -> None:
        self.connection = connection
        self.client: BrokerClient = connection.client
        self.settings: Settings = connection.settings
        self.connection_id: str = connection.connection_id
        self.mode = mode
        self.mode_row: ModeRow = connection.dialect.modes[mode]
        self.lock = threading.RLock()
        self.running = False
        """Whether messages may be handed out: the connection is started."""
        self._closed = False
        self.failure: IllegalStateException | None = None
        """Why it cannot go on, once a thread that it needs has ended by an error."""
        name = f"pulsar-jms-{self.connection_id[-8:]}-{number}"
        self.dispatcher = Dispatcher(f"{name}-listeners", self.fail)
        self.completions = Completions(f"{name}-completions", self.fail)
        self.transaction = self._new_transaction() if mode == 0 else None
        self._changed = threading.Condition(self.lock)
        self._consumers: list[PulsarMessageConsumer] = []
        self._browsers: list[PulsarQueueBrowser] = []
        self._transport_producers: dict[PulsarQueue | PulsarTopic, TransportProducer] = {}
        """The ways to where it has sent lately, but for temporary destinations."""
        self.settlement: Settlement = connection.dialect.settlement(self)

    # -- what it is ----------------------------------------------------------------------------

    @property
    def closed(self) -> bool:
        """Whether the caller may use it no more: a running listener may until it returns."""
        if self.failure is not None:
            return True
        return self._closed and not self.dispatcher.is_current()

    @property
    def ending(self) -> bool:
        """Whether its connection closes, although callbacks may still run."""
        return self.connection.closing

    @property
    @implements("SLJ-TX-009")
    def transacted(self) -> bool:
        """Whether what the session does waits for commit()."""
        self.check_open()
        return self.transaction is not None

    @property
    def acknowledge_mode(self) -> int:
        """The mode that the session was made with, or what the dialect reports for it."""
        self.check_open()
        reported = self.mode_row.reported
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

    # -- temporary destinations ----------------------------------------------------------------

    def create_temporary_queue(self) -> TemporaryQueue:
        """A queue of this connection, made at the broker and deleted with the connection."""
        self.check_open()
        self.connection.note_used()
        return self.connection.temporaries.create_queue()

    def create_temporary_topic(self) -> TemporaryTopic:
        """A topic of this connection, made at the broker and deleted with the connection."""
        self.check_open()
        self.connection.note_used()
        return self.connection.temporaries.create_topic()

    # -- producers, consumers, browsers --------------------------------------------------------

    def create_producer(self, destination: Destination | None = None) -> PulsarMessageProducer:
        """A producer for one destination, or for those that each send names."""
        self.check_open()
        self.connection.note_used()
        if destination is not None:
            destination = own_destination(destination)
            destination.topic(self.settings.namespace)
        return PulsarMessageProducer(self, destination)

    def transport_producer(self, destination: PulsarQueue | PulsarTopic) -> TransportProducer:
        """The way to a destination, which the session uses until it closes."""
        transport_producer = self._transport_producers.get(destination)
        if transport_producer is None:
            transacted = self.transaction is not None
            namespace = self.settings.namespace
            transport_producer = self.client.producer(self, destination, namespace, transacted)
            if not is_temporary(destination.topic(namespace)):
                if len(self._transport_producers) >= _REMEMBERED:
                    self._transport_producers.clear()
                self._transport_producers[destination] = transport_producer
        return transport_producer

    def convert_message(self, message: Message) -> PulsarMessage:
        """Convert a message of another JMS provider to an own one (JMS 2.0, section 3.12)."""
        return self.connection.dialect.convert(message)

    def create_sender(self, queue: Queue | None = None) -> PulsarMessageProducer:
        """A producer for a queue."""
        return self.create_producer(queue)

    @implements("JMS-PROD-006")
    def create_publisher(self, topic: Topic | None = None) -> PulsarMessageProducer:
        """A producer for a topic."""
        return self.create_producer(topic)

    def create_browser(self, queue: Queue, selector: str | None = None) -> PulsarQueueBrowser:
        """A browser of a queue; delivery need not be started for it."""
        self.check_open()
        own = own_destination(queue)
        if not isinstance(own, PulsarQueue):
            raise InvalidDestinationException(f"{own!r} is no queue, so it cannot be browsed")
        if isinstance(own, PulsarTemporaryQueue) and own.is_gone:
            raise InvalidDestinationException(f"{own!r} was deleted, so it cannot be browsed")
        self.connection.note_used()
        browser = self.connection.dialect.browser(self, own, selector)
        with self.lock:
            self._browsers.append(browser)
        return browser

    def unsubscribe(self, name: str) -> None:
        """Refused: the call names no topic, and Pulsar's subscriptions belong to one (SUB-025)."""
        self.check_open()
        raise unsubscribe_refusal(name)

    # -- delivery ------------------------------------------------------------------------------

    @implements("JMS-CONN-001", "JMS-CONN-011")
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

    def all_unacknowledged_positions(self) -> set[MessagePosition]:
        """Where the messages are that any session of the factory got and nobody settled."""
        return self.connection.all_unacknowledged_positions()

    def forget_browser(self, browser: PulsarQueueBrowser) -> None:
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

    def _new_transaction(self) -> SessionTransaction:
        return self.connection.dialect.transaction(self)

    @implements("JMS-ERR-001")
    def _transaction(self, call: str) -> SessionTransaction:
        """The open transaction; `IllegalStateException` where the session is not transacted."""
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

    @implements(
        "JMS-SESS-002",
        "JMS-SESS-003",
        "JMS-SESS-006",
        "JMS-SESS-007",
        "JMS-CONN-017",
        "JMS-ASY-007",
        "JMS-TX-008",
        "SLJ-LSN-006",
    )
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
        with ExitStack() as ending:  # all of it happens, whatever fails; the last is done first
            ending.callback(self.connection.forget, self)
            ending.callback(self.client.leave, self)
            ending.callback(self.completions.close)
            for made in (*reversed(browsers), *reversed(consumers)):
                ending.callback(made.close)
            if self.transaction is not None:
                ending.callback(self.transaction.drop)
            self.dispatcher.close()

    def fail(self, name: str, error: BaseException) -> None:
        """Refuse everything but close(): a thread that the session needs has ended by an error."""
        failure = IllegalStateException(
            f"The session has failed: its thread {name} ended by {error!r}; close it, which has "
            "what was not acknowledged delivered again"
        )
        failure.__cause__ = error
        with self.lock:
            if self._closed or self.failure is not None:
                return
            self.failure = failure
            self._changed.notify_all()
        self.report(failure)

    def report(self, error: JMSException) -> None:
        """Report to the connection's exception listener what no call can raise."""
        self.connection.report(error)

    def abandon(self) -> None:
        """Count as closed in a forked child, with all that it made; the parent goes on with it."""
        self._closed = True
        for consumer in self._consumers:
            consumer.abandon()
        for browser in self._browsers:
            browser.abandon()

    def is_connected(self) -> bool:
        """Whether every consumer is connected to the broker."""
        with self.lock:
            consumers = list(self._consumers)
        return all(
            consumer.receive_queue.transport_consumer.is_connected() for consumer in consumers
        )

    @implements("JMS-SESS-004")
    def check_open(self) -> None:
        """`IllegalStateException` when the session is closed."""
        if self.closed:
            raise self.failure or IllegalStateException("The session is closed")

    @implements("JMS-SESS-008")
    def check_no_callback(self, what: str) -> None:
        """`IllegalStateException` when a listener of this session is the caller."""
        if self.dispatcher.is_current():
            raise IllegalStateException(
                f"A message listener may not {what} that calls it: it would wait for itself"
            )
        self.check_no_completion(what)

    @implements("JMS-ASY-008")
    def check_no_completion(self, what: str) -> None:
        """`IllegalStateException` when a completion listener of this session is the caller."""
        if self.completions.is_current():
            raise IllegalStateException(f"A completion listener may not {what} (JMS 2.0, 7.3.5)")

    # -- inside --------------------------------------------------------------------------------

    def _open_consumer(
        self, consumer_class: Callable[..., AnyConsumer], request: ConsumerRequest
    ) -> AnyConsumer:
        consumer = open_consumer(self, self.connection, self.mode, consumer_class, request)
        with self.lock:
            if not self.closed:
                self._consumers.append(consumer)
                return consumer
        consumer.receive_queue.close()
        raise self.failure or IllegalStateException(
            "The session was closed while a consumer was made"
        )
