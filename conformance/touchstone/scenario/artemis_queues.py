"""Queues as an Artemis broker sees them: its management, and a client of AMQP 1.0 of our own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from jmsapi import Destination, Queue, Topic
from touchstone.amqp import messages
from touchstone.amqp.composites import composite
from touchstone.amqp.connection import AmqpConnection
from touchstone.amqp.messages import AmqpMessage
from touchstone.amqp.values import AmqpError
from touchstone.brokers import artemis_readiness
from touchstone.brokers.artemis_management import Management
from touchstone.brokers.interface import BrokerAddress
from touchstone.errors import BrokerError

T = TypeVar("T")
_KEPT = 10.0
"""Seconds for which a connection that nobody uses is kept; brokers end those that rest."""
_ACKNOWLEDGED_WITHIN = 10.0
_POLL = 0.002
_QUEUE = "queue"
"""The capability by which a node is asked for as a queue, as AMQP clients of JMS do it."""


class ArtemisQueues:
    """The queues of one broker; safe for threads. See `QueueView`."""

    def __init__(self, address: BrokerAddress) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._open: tuple[AmqpConnection, Management] | None = None
        self._used = 0.0

    def pending(self, queue: Queue) -> int:
        """Messages that are not acknowledged, delivered and delayed ones included."""
        return self._count(queue, lambda found: int(found["messageCount"]))

    def ready(self, queue: Queue) -> int:
        """Messages that are delivered to nobody and not delayed."""
        return self._count(
            queue,
            lambda found: (
                int(found["messageCount"])
                - int(found["deliveringCount"])
                - int(found["scheduledCount"])
            ),
        )

    def send(self, queue: Queue, text: str) -> None:
        """A text message to the queue, which the broker makes if need be."""
        message = AmqpMessage(text, header=composite("header", durable=True))
        self.send_raw(queue.queue_name, messages.write(message))

    def send_raw(self, queue: str, payload: bytes) -> None:
        """A message of these sections to the queue of this name."""

        def act(connection: AmqpConnection, _: Management) -> None:
            link = connection.sender(queue, _QUEUE)
            connection.send(link, payload)
            connection.detach(link)

        self._do(act)

    def take(self, queue: Queue) -> list[str]:
        """The texts of the messages that are ready, in order; they are gone afterwards.

        Of a message that is no text the representation of its body.
        """
        taken = [messages.read(payload) for payload in self.take_raw(queue.queue_name)]
        return [repr(each.value) if each.text is None else each.text for each in taken]

    def take_raw(self, queue: str) -> list[bytes]:
        """The sections of the messages that are ready on the queue of this name."""

        def act(connection: AmqpConnection, management: Management) -> list[bytes]:
            found = management.queue(queue)
            if found is None:
                return []
            link = connection.receiver(queue, _QUEUE)
            taken = connection.drain(link)
            connection.accept(*taken)
            connection.detach(link)
            _until_acknowledged(management, queue, int(found["messagesAcked"]) + len(taken))
            return [delivery.payload for delivery in taken]

        return self._do(act)

    def purge(self, queue: Queue) -> None:
        """Remove every message that is ready."""
        self.take_raw(queue.queue_name)

    def consumers(self, queue: Queue) -> int:
        """How many consumers the queue has."""
        return self._count(queue, lambda found: int(found["consumerCount"]))

    def exists(self, destination: Destination) -> bool | None:
        """Whether the broker has this queue or topic."""
        name = destination.topic_name if isinstance(destination, Topic) else _name(destination)
        return self._do(lambda _, management: management.has_address(name))

    def round_trip(self, queue: str) -> float:
        """Seconds of a message to a fresh queue and back; raises BrokerError."""
        began = time.monotonic()

        def act(connection: AmqpConnection, _: Management) -> bytes:
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

    def _count(self, queue: Queue, count: Callable[[dict[str, str]], int]) -> int:
        found = self._do(lambda _, management: management.queue(queue.queue_name))
        return 0 if found is None else count(found)

    def _do(self, act: Callable[[AmqpConnection, Management], T]) -> T:
        with self._lock:
            if time.monotonic() - self._used > _KEPT:
                self._forget()
            try:
                if self._open is None:
                    connection = artemis_readiness.connect(self._address)
                    self._open = connection, Management(connection)
                return act(*self._open)
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
            self._open[0].close()
            self._open = None


def _name(destination: Destination) -> str:
    assert isinstance(destination, Queue)
    return destination.queue_name


def _until_acknowledged(management: Management, queue: str, count: int) -> None:
    """Return when the broker has acknowledged so many: it does so after it took the disposition."""
    deadline = time.monotonic() + _ACKNOWLEDGED_WITHIN
    while (found := management.queue(queue)) and int(found["messagesAcked"]) < count:
        if time.monotonic() > deadline:
            raise BrokerError(
                f"{queue} has not let go of the messages that the independent client took",
                hint="Is the broker at its limits? Its log may say more.",
            )
        time.sleep(_POLL)
