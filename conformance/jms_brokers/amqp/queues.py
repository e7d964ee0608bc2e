"""Queues of a broker of AMQP 1.0, seen by a client of our own."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from jms_brokers.amqp import damage as poisons
from jms_brokers.amqp import messages
from jms_brokers.amqp import readiness as amqp_readiness
from jms_brokers.amqp.composites import composite
from jms_brokers.amqp.connection import AmqpConnection, IncomingMessage
from jms_brokers.amqp.messages import AmqpMessage
from jms_brokers.amqp.values import AmqpError, Long, Value
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.damage import Part, Poison
from jms_brokers.errors import BrokerError
from jms_brokers.shared.queue_view import Carried, NativeBody, Subscribed, as_text
from jmsapi import Destination, Queue, Topic

T = TypeVar("T")
_KEPT = 10.0
"""Seconds for which a connection that nobody uses is kept; brokers end those that rest."""
_QUEUE, _TOPIC = "queue", "topic"
"""The capabilities by which a node is asked for as AMQP clients of JMS do it."""


class AmqpQueues(ABC):
    """The queues of one broker; safe for threads. See `QueueView`.

    AMQP 1.0 has no counts: a product's own are asked for in a subclass.
    """

    def __init__(self, address: BrokerAddress) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._open: AmqpConnection | None = None
        self._used = 0.0

    @abstractmethod
    def pending(self, queue: Queue) -> int:
        """Messages that are not acknowledged, delivered ones included."""

    @abstractmethod
    def ready(self, queue: Queue) -> int:
        """Messages that are delivered to nobody at the moment."""

    @abstractmethod
    def consumers(self, queue: Queue) -> int | None:
        """How many consumers the queue has; None where it cannot be known."""

    def producers(self, queue: Queue) -> int | None:
        """None: AMQP does not say."""
        return None

    @abstractmethod
    def users(self, queue: Queue) -> list[str]:
        """As whom the broker knows those who consume from the queue, each once for a consumer."""

    def kept(self, topic: Topic, subscription: str) -> int | None:
        """None: AMQP does not say."""
        return None

    def subscriptions(self, topic: Topic) -> list[Subscribed] | None:
        """None: AMQP does not say."""
        return None

    @abstractmethod
    def exists(self, destination: Destination) -> bool | None:
        """Whether the broker has this queue or topic; None where it cannot be known."""

    def send(self, queue: Queue, text: str) -> None:
        """A text message to the queue, which the broker makes if need be."""
        self._send(queue, AmqpMessage(text))

    def send_native(self, queue: Queue, body: NativeBody) -> bool:
        """Bytes as data, anything else as an AMQP value, without the marks of JMS."""
        message = AmqpMessage(data=body) if isinstance(body, bytes) else AmqpMessage(_value(body))
        self._send(queue, message)
        return True

    def _send(self, queue: Queue, message: AmqpMessage) -> None:
        message = replace(message, header=composite("header", durable=True))

        def act(connection: AmqpConnection) -> None:
            link = connection.sender(queue.queue_name, _QUEUE)
            connection.send(link, messages.write(message))
            connection.detach(link)

        self._do(act)

    def poisons(self, part: Part) -> tuple[str, ...]:
        """See `jms_brokers.amqp.damage`."""
        return poisons.kinds(part)

    def send_poisoned(
        self, destination: Destination, messages: Sequence[str | Poison]
    ) -> list[Poison]:
        """Over a link of their own, and another one behind each that the broker refuses."""
        if isinstance(destination, Topic):
            address, capability = self._address_of(destination), _TOPIC
        else:
            assert isinstance(destination, Queue)
            address, capability = destination.queue_name, _QUEUE
        left = deque(messages)
        came: list[Poison] = []

        def act(connection: AmqpConnection) -> None:
            link = connection.sender(address, capability)
            while left:
                connection.send(link, _payload(left[0]))
                if isinstance(sent := left.popleft(), Poison):
                    came.append(sent)
            connection.detach(link)

        while left:
            try:
                self._do(act)
            except BrokerError:
                if not left or isinstance(left.popleft(), str):
                    raise
        return came

    def _address_of(self, topic: Topic) -> str:
        """The address of a topic: its name, where the capability of the link says what it is."""
        return topic.topic_name

    @abstractmethod
    def dead_letters(self, queue: Queue) -> int:
        """Messages of the queue that the broker has put among its dead letters by itself."""

    def take(self, queue: Queue) -> list[str]:
        """The texts of the messages that are ready, in order; they are gone afterwards.

        Of a message that is no text the representation of its body.
        """
        taken = self._messages(queue)
        return [repr(each.value) if each.text is None else each.text for each in taken]

    def carried(self, queue: Queue) -> list[Carried]:
        """The messages that are ready, in order; they are gone afterwards."""
        return [carried_message(message) for message in self._messages(queue)]

    def purge(self, queue: Queue) -> None:
        """Remove every message that is ready."""
        self._do(lambda connection: self._taken(connection, queue.queue_name))

    def round_trip(self, queue: str) -> float:
        """Seconds of a message to a fresh queue and back; raises BrokerError."""
        began = time.monotonic()

        def act(connection: AmqpConnection) -> bytes:
            sender, receiver = connection.sender(queue, _QUEUE), connection.receiver(queue, _QUEUE)
            connection.send(sender, messages.write(AmqpMessage(queue)))
            delivery = connection.receive(receiver)
            connection.accept(delivery)
            connection.detach(sender)
            connection.detach(receiver)
            return delivery.payload

        payload = self._do(act)
        if messages.read(payload).text != queue:
            raise BrokerError(
                f"The broker {self._address.service_url} gave back another message than was sent",
                hint="Is somebody else at work on this broker?",
            )
        return time.monotonic() - began

    def close(self) -> None:
        """Give the connection back."""
        with self._lock:
            self._forget()

    def _messages(self, queue: Queue) -> list[AmqpMessage]:
        deliveries = self._do(lambda connection: self._taken(connection, queue.queue_name))
        return [messages.read(delivery.payload) for delivery in deliveries]

    def _taken(self, connection: AmqpConnection, queue: str) -> list[IncomingMessage]:
        link = connection.receiver(queue, _QUEUE)
        taken = connection.drain(link)
        connection.accept(*taken)
        connection.detach(link)
        return taken

    def _connect(self) -> AmqpConnection:
        return amqp_readiness.connect(self._address)

    def _do(self, act: Callable[[AmqpConnection], T]) -> T:
        with self._lock:
            if time.monotonic() - self._used > _KEPT:
                self._forget()
            try:
                if self._open is None:
                    self._open = self._connect()
                return act(self._open)
            except (AmqpError, OSError) as error:
                self._forget()
                raise BrokerError(
                    f"The broker {self._address.service_url} did not do what the independent "
                    f"client asked for ({error})",
                    hint="Is it running? Its log may say more.",
                ) from error
            finally:
                self._used = time.monotonic()

    def _forget(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None


def _payload(message: str | Poison) -> bytes:
    return poisons.good(message) if isinstance(message, str) else poisons.poisoned(message)


def carried_message(message: AmqpMessage) -> Carried:
    """The message in the terms of JMS."""
    told = message.properties.fields
    return Carried(
        message.text,
        {str(name): as_text(value) for name, value in message.application.items()},
        _text(told.get("subject")),
        _text(told.get("correlation-id")),
        _text(told.get("group-id")),
        bool(message.header.fields.get("durable")),
    )


def _value(body: NativeBody) -> Value:
    match body:
        case dict():
            return {name: Long(number) for name, number in body.items()}
        case list():
            return [Long(number) for number in body]
    return body


def _text(value: object) -> str | None:
    return None if value is None else str(value)
