"""Queues as an ActiveMQ broker sees them: its statistics, and a client of AMQP 1.0 of our own.

Subscriptions of topics are read from its beans.
"""

from __future__ import annotations

import time

from jms_brokers.amqp.connection import AmqpConnection, IncomingMessage
from jms_brokers.amqp.queues import AmqpQueues
from jms_brokers.amqp.values import AmqpError
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.damage import Part
from jms_brokers.families.activemq.beans import Beans
from jms_brokers.families.activemq.statistics import BrokerStatistics, DestinationCounts, Kind
from jms_brokers.machine.patience import patience
from jms_brokers.shared.queue_view import Subscribed
from jmsapi import Destination, Queue, TemporaryQueue, TemporaryTopic, Topic

_AT_HAND = 5.0
"""Seconds within which a message that is ready can be taken."""


class ActiveMqQueues(AmqpQueues):
    """The queues of one broker; safe for threads. See `QueueView`."""

    _statistics: BrokerStatistics
    """Of the connection that is open."""

    def __init__(self, address: BrokerAddress) -> None:
        super().__init__(address)
        self._beans = Beans(address)

    def close(self) -> None:
        """Give the connections back."""
        super().close()
        self._beans.close()

    def pending(self, queue: Queue) -> int:
        """Messages that are not acknowledged, delivered ones included."""
        return self._counts(queue).messages

    def ready(self, queue: Queue) -> int:
        """Messages that are delivered to nobody."""
        return _ready(self._counts(queue))

    def poisons(self, part: Part) -> tuple[str, ...]:
        """None of headers: what the broker makes of them for OpenWire is its own doing."""
        return () if part == "headers" else super().poisons(part)

    def dead_letters(self, queue: Queue) -> int:
        """0: clients count deliveries and send dead letters, not the broker."""
        return 0

    def consumers(self, queue: Queue) -> int | None:
        """How many consumers the queue has."""
        return self._counts(queue).consumers

    def producers(self, queue: Queue) -> int | None:
        """How many producers to the queue there are that name it when they are made."""
        return self._counts(queue).producers

    def users(self, queue: Queue) -> list[str]:
        """As whom the broker knows those who consume from the queue, each once for a consumer."""
        return self._beans.users(queue.queue_name)

    def kept(self, topic: Topic, subscription: str) -> int | None:
        """What the durable subscription of this name holds."""
        subscriptions = self._beans.subscriptions(topic.topic_name)
        return sum(each.pending for each in subscriptions if each.name == subscription)

    def subscriptions(self, topic: Topic) -> list[Subscribed]:
        """The subscriptions of a topic, each of which has one consumer at most."""
        return [
            Subscribed(each.name, each.pending, int(each.active), bool(each.name))
            for each in self._beans.subscriptions(topic.topic_name)
        ]

    def exists(self, destination: Destination) -> bool | None:
        """Whether the broker has this queue or topic."""
        return self._found(destination) is not None

    def _address_of(self, topic: Topic) -> str:
        return f"topic://{topic.topic_name}"

    def _connect(self) -> AmqpConnection:
        connection = super()._connect()
        self._statistics = BrokerStatistics(connection)
        return connection

    def _counts(self, queue: Queue) -> DestinationCounts:
        return self._found(queue) or DestinationCounts()

    def _found(self, destination: Destination) -> DestinationCounts | None:
        kind, name = _kind_and_name(destination)
        return self._do(lambda _: self._statistics.of(kind, name))

    def _taken(self, connection: AmqpConnection, queue: str) -> list[IncomingMessage]:
        """What the broker counts as ready, whatever it says at the end of a drain.

        It may say that nothing is left while its search for expired messages has them in hand. Of
        a queue that is not there nothing is asked: a link would make it.
        """
        taken: list[IncomingMessage] = []
        for seconds in patience(_AT_HAND):
            end = time.monotonic() + seconds
            while _ready(self._statistics.of("queue", queue)):
                taken += super()._taken(connection, queue)
                if time.monotonic() > end:
                    break
            else:
                return taken
        raise AmqpError(f"{queue} has messages that no consumer has and none gets")


def _ready(counts: DestinationCounts | None) -> int:
    return counts.messages - counts.delivered if counts else 0


def _kind_and_name(destination: Destination) -> tuple[Kind, str]:
    if isinstance(destination, Topic):
        temporary = isinstance(destination, TemporaryTopic)
        return "temp-topic" if temporary else "topic", destination.topic_name
    assert isinstance(destination, Queue)
    temporary = isinstance(destination, TemporaryQueue)
    return "temp-queue" if temporary else "queue", destination.queue_name
