"""Consumers: receiving by call or by listener, and acknowledging what was received."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Protocol

from jmsapi import (
    Destination,
    IllegalStateException,
    JMSException,
    Message,
    MessageListener,
    Queue,
    Topic,
)
from jmsapi.messages import Body
from pulsar_jms.closing import ContextManaged
from pulsar_jms.configuration import Settings
from pulsar_jms.consuming.dispatch import Dispatcher
from pulsar_jms.consuming.message_filter import ACCEPT_ALL, MessageFilter
from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.deliveries.redelivery import Redelivery
from pulsar_jms.implements import implements
from pulsar_jms.messages import PulsarMessage
from pulsar_jms.messages.decoding import decode_received, delivery_failure, exception_with_cause
from pulsar_jms.messages.schemas import Schemas
from pulsar_jms.transport.transport_protocol import DeliveredMessage

_LOG = logging.getLogger(__name__)

_UNDECODED = (
    "It is not acknowledged and comes again by the redelivery rules, until it is a dead letter "
    "where there is a policy; look at its JMSPulsarMessageType and payload, or skip it by the "
    "administration"
)
_FOR_EVER = 3600.0
"""Seconds; one turn of a wait without end."""


class Deliverer(Protocol):
    """What hands the messages of a session's consumers to the application, and counts them."""

    def deliver(
        self, consumer: PulsarMessageConsumer, delivered: DeliveredMessage, kind: type | None
    ) -> PulsarMessage | None:
        """The message for the caller of receive(), None when it is not for the application."""
        ...

    def deliver_to_listener(
        self,
        consumer: PulsarMessageConsumer,
        delivered: DeliveredMessage,
        listener: MessageListener,
    ) -> None:
        """Call a listener with a message; what that raises is logged and reported."""
        ...

    def redeliver_failed(
        self, consumer: PulsarMessageConsumer, delivered: DeliveredMessage, error: BaseException
    ) -> None:
        """Log what a message met with, and have it delivered again."""
        ...

    def unacknowledged_of(self, consumer: PulsarMessageConsumer) -> Sequence[DeliveredMessage]:
        """What the application got from this consumer and nobody settled, oldest first."""
        ...


class ConsumerSession(Protocol):
    """What a consumer needs of its session."""

    @property
    def settlement(self) -> Deliverer: ...
    @property
    def dispatcher(self) -> Dispatcher: ...
    @property
    def lock(self) -> AbstractContextManager[object]:
        """Held while a message is handed out."""
        ...

    @property
    def running(self) -> bool:
        """Whether messages may be handed out."""
        ...

    @property
    def ending(self) -> bool:
        """Whether a receive() that waits is to end, although callbacks may still run."""
        ...

    @property
    def closed(self) -> bool:
        """Whether the caller may use it no more."""
        ...

    @property
    def failure(self) -> IllegalStateException | None:
        """Why it cannot go on, if one of its threads ended by an error."""
        ...

    def report(self, error: JMSException) -> None:
        """Report to the connection's exception listener what no call can raise."""
        ...

    def wait_until_running(self, seconds: float, consumer: PulsarMessageConsumer) -> bool:
        """Wait for the connection to start; False when it did not, or something was closed."""
        ...

    def forget(self, consumer: PulsarMessageConsumer) -> None:
        """Drop a consumer that closes."""
        ...


@implements("API-CONS-001..003")
class PulsarMessageConsumer(ContextManaged):
    """One consumer of a session; the session counts and acknowledges what it delivers."""

    def __init__(
        self,
        session: ConsumerSession,
        destination: Destination,
        receive_queue: ReceiveQueue,
        settings: Settings,
        redelivery: Redelivery,
        message_filter: MessageFilter = ACCEPT_ALL,
        schemas: Schemas | None = None,
    ) -> None:
        self.session = session
        self.destination = destination
        self.settings = settings
        """The factory's settings with those that the destination's name overrides."""
        self.receive_queue = receive_queue
        self.message_filter = message_filter
        """Which of its messages the application gets."""
        self.redelivery = redelivery
        """The way back for every delivery that is not acknowledged."""
        redelivery.unacknowledged = partial(session.settlement.unacknowledged_of, self)
        receive_queue.on_failure = partial(self.handle_failure, None)
        self._schemas = schemas
        """Where bodies are read by the schema of their topic."""
        self._listener: MessageListener | None = None
        self._closed = False
        self._closing = False
        self._failing = False
        """Whether the last look for a message failed."""

    def __repr__(self) -> str:
        return f"consumer of {self.destination!r}"

    @property
    def closed(self) -> bool:
        """Whether the consumer hands out no more messages."""
        return self._closed

    @property
    def message_selector(self) -> str | None:
        """The selector as it was given; None where there is none."""
        self._check_open()
        selector = self.message_filter.selector
        return None if selector is None else selector.text

    @property
    def message_listener(self) -> MessageListener | None:
        """Called with each message on the session's thread; None to receive by call."""
        self._check_open()
        return self._listener

    @message_listener.setter
    def message_listener(self, listener: MessageListener | None) -> None:
        self._check_open()
        if listener is not None and not callable(listener):
            raise JMSException(f"{listener!r} cannot be a listener: a function of one message is")
        self._listener = listener
        if listener is None:
            self.session.dispatcher.leave(self)
        else:
            self.session.dispatcher.serve(self)

    @implements("JMS-CONS-001", "JMS-CONS-002", "JMS-CONN-011")
    def receive(self, timeout: int | None = None) -> Message | None:
        """The next message; waits `timeout` ms, for ever when None or 0.

        None when none came in time or the consumer was closed meanwhile. A message that cannot be
        decoded raises `JMSException`, is not acknowledged, and comes again by the redelivery rules;
        the next call gives the next message.
        """
        if timeout is not None and timeout < 0:
            raise JMSException(f"receive({timeout}): milliseconds of 0 or more are allowed")
        until = None if not timeout else time.monotonic() + timeout / 1000
        return self._receive(until)

    @implements("JMS-CONS-003")
    def receive_no_wait(self) -> Message | None:
        """A message that has arrived, else None."""
        return self._receive(time.monotonic())

    @implements("JMS-CTX-010")
    def receive_body(
        self, kind: type[Body], timeout: int | None = None, *, wait: bool = True
    ) -> Body | None:
        """The body of the next message as `kind`; None when none came in time.

        `MessageFormatException` when it cannot be given so; where the mode acknowledges by
        itself, the message is then not acknowledged and comes again (JMS 2.0, JMSConsumer).
        """
        if not wait:
            until: float | None = time.monotonic()
        else:
            until = None if not timeout else time.monotonic() + timeout / 1000
        message = self._receive(until, kind)
        return None if message is None else message.get_body(kind)

    def _receive(self, until: float | None, kind: type | None = None) -> PulsarMessage | None:
        session = self.session
        if self._closed or session.closed:
            raise self._closed_error()
        if self._listener is not None:
            raise IllegalStateException(
                f"The {self!r} has a listener; set message_listener to None to receive by call"
            )
        receive_queue = self.receive_queue
        # Where one message after another is not for the application, as many as may have arrived
        # in time are looked at, although it is over.
        late = self.settings.receiver_queue_size
        while True:
            wait = _FOR_EVER if until is None else until - time.monotonic()
            if wait < 0.0:
                wait = 0.0
            if not session.running:
                if not session.wait_until_running(wait, self) and (
                    self._ends or (until is not None and time.monotonic() >= until)
                ):
                    return None
                continue
            try:
                delivered = receive_queue.take(wait)
            except Exception as error:
                if isinstance(error, JMSException):
                    raise
                raise exception_with_cause(f"The {self!r} cannot receive", error) from error
            if delivered is not None:
                with session.lock:
                    if session.running and not self._closed:
                        message = session.settlement.deliver(self, delivered, kind)
                        if message is not None:
                            return message
                        if until is not None and time.monotonic() >= until:
                            late -= 1
                            if late < 0:
                                return None
                        continue
                    if self._closed:
                        return None
                    receive_queue.put_back(delivered)
            elif self._ends or (until is not None and time.monotonic() >= until):
                if session.failure is not None:
                    raise self._closed_error()
                return None

    @property
    @implements("JMS-CONN-015", "JMS-SESS-003", "JMS-CONS-004")
    def _ends(self) -> bool:
        """Whether a receive() that waits is to end: a listener that closing awaits may be in it."""
        session = self.session
        return self._closed or session.ending or session.failure is not None

    def poll(self, wait: float) -> DeliveredMessage | None:
        """A message for the listener; None when none came within `wait` seconds."""
        delivered = self.receive_queue.take(wait)
        self._failing = False
        return delivered

    def put_back(self, delivered: DeliveredMessage) -> None:
        """Keep a message that must not be handed out now."""
        self.receive_queue.put_back(delivered)

    @implements("JMS-LSN-001")
    def call_listener(self, delivered: DeliveredMessage) -> None:
        """Decode a message and call the listener with it, whose errors are logged and reported."""
        listener = self._listener
        if listener is None:
            self.receive_queue.put_back(delivered)
            return
        try:
            self.session.settlement.deliver_to_listener(self, delivered, listener)
        finally:
            if self._closing:
                self._close_now()

    def handle_failure(self, delivered: DeliveredMessage | None, error: BaseException) -> None:
        """Have a message redelivered that cannot get to the listener; log and report the error.

        Without a message only the first of several errors in a row is reported.
        """
        if delivered is not None:
            self.session.settlement.redeliver_failed(self, delivered, error)
            self.session.report(delivery_failure(delivered, error))
        elif not (self._closed or self._failing):
            self._failing = True
            told = (
                error
                if isinstance(error, JMSException)
                else exception_with_cause(f"The {self!r} fails", error)
            )
            _LOG.error("%s", told, exc_info=error)
            self.session.report(told)

    @implements("JMS-REDL-014")
    def decode(self, delivered: DeliveredMessage) -> PulsarMessage:
        """The message as JMS has it; errors as those of `decoding.decode`."""
        limits = self.settings.limits
        return decode_received(
            delivered.message, self.destination, self._schemas, limits, _UNDECODED
        )

    @implements("JMS-CONS-004", "JMS-CONS-005", "JMS-CONS-008")
    def close(self) -> None:
        """Close; waits for the listener, or closes after it when the listener itself asks."""
        if self._closed:
            return
        dispatcher = self.session.dispatcher
        self._closed = True
        dispatcher.leave(self)
        if dispatcher.calls(self):
            self._closing = True
        else:
            self._close_now()

    def abandon(self) -> None:
        """Count as closed in a forked child; the parent goes on with it."""
        self._closed = True

    def _close_now(self) -> None:
        self._closing = False
        try:
            self.session.forget(self)
            self.redelivery.close()
        finally:
            self.receive_queue.close()

    def _check_open(self) -> None:
        if self._closed or self.session.closed:
            raise self._closed_error()

    def _closed_error(self) -> IllegalStateException:
        return self.session.failure or IllegalStateException(f"The {self!r} is closed")


class PulsarTopicSubscriber(PulsarMessageConsumer):
    """A consumer of an unshared topic subscription."""

    @property
    def topic(self) -> Topic:
        """The topic that was subscribed to."""
        self._check_open()
        assert isinstance(self.destination, Topic)
        return self.destination

    @property
    def no_local(self) -> bool:
        """Whether messages sent through the subscriber's own connection are left out."""
        self._check_open()
        return self.message_filter.not_from is not None


class PulsarQueueReceiver(PulsarMessageConsumer):
    """A consumer of a queue."""

    @property
    def queue(self) -> Queue:
        """The queue that is consumed."""
        self._check_open()
        assert isinstance(self.destination, Queue)
        return self.destination
