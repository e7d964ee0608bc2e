"""Queues as a Broker-J sees them: its management, and a client of AMQP 1.0 of our own."""

from __future__ import annotations

from typing import Any

from jms_brokers.amqp.connection import AmqpConnection, IncomingMessage
from jms_brokers.amqp.queues import AmqpQueues
from jms_brokers.damage import Part
from jms_brokers.families.brokerj.configuration import DEAD_LETTERS, TOPICS
from jms_brokers.families.brokerj.management import Management
from jms_brokers.shared.queue_view import Subscribed
from jmsapi import Destination, Queue, TemporaryTopic, Topic

_STATISTICS = "getStatistics"
_DEADLY = "property-outside-jms"
"""On a topic a list or a map as a property ends the broker's whole process."""


class BrokerJQueues(AmqpQueues):
    """The queues of one broker; safe for threads. See `QueueView`."""

    _management: Management
    """Of the connection that is open."""

    def pending(self, queue: Queue) -> int:
        """Messages that are not acknowledged, delivered and delayed ones included."""
        return self._count(queue, "queueDepthMessages")

    def ready(self, queue: Queue) -> int:
        """Messages that are delivered to nobody and not delayed."""
        return self._count(queue, "availableMessages")

    def poisons(self, part: Part) -> tuple[str, ...]:
        """All but the one that no scenario would outlive, and none beside it."""
        return tuple(kind for kind in super().poisons(part) if kind != _DEADLY)

    def dead_letters(self, queue: Queue) -> int:
        """The dead letters that were sent to this queue."""
        letters = self._of_queue(DEAD_LETTERS, "getMessageInfo") or []
        return sum(each["initialRoutingAddress"] == queue.queue_name for each in letters)

    def consumers(self, queue: Queue) -> int | None:
        """How many consumers the queue has."""
        return self._count(queue, "consumerCount")

    def producers(self, queue: Queue) -> int | None:
        """How many producers to the queue there are that name it when they are made."""
        return self._count(queue, "producerCount")

    def users(self, queue: Queue) -> list[str]:
        """As whom the broker knows those who consume from the queue, each once for a consumer."""
        consumers = self._do(lambda _: self._management.consumers())
        return [each["createdBy"] for each in consumers if each["queue"] == queue.queue_name]

    def kept(self, topic: Topic, subscription: str) -> int | None:
        """What its durable subscriptions hold."""
        return sum(each.pending for each in self.subscriptions(topic) if each.durable)

    def subscriptions(self, topic: Topic) -> list[Subscribed]:
        """The queues that are bound to the topic: each subscription has one."""
        exchange, key = _exchange_and_key(topic)
        attributes = self._do(lambda _: self._management.exchange(exchange)) or {}
        bound = [
            each["destination"]
            for each in attributes.get("bindings", ())
            if key is None or each["bindingKey"] == key
        ]
        counted = ((name, self._of_queue(name, _STATISTICS)) for name in bound)
        return [
            Subscribed(
                _unescape(name),
                counts["queueDepthMessages"],
                counts["consumerCount"],
                name.endswith("_/durable"),
            )
            for name, counts in counted
            if counts is not None
        ]

    def exists(self, destination: Destination) -> bool | None:
        """Whether the broker has this queue or temporary topic; None for another topic."""
        if isinstance(destination, Topic):
            exchange, key = _exchange_and_key(destination)
            if key is not None:
                return None
            return self._do(lambda _: self._management.exchange(exchange)) is not None
        assert isinstance(destination, Queue)
        return self._of_queue(destination.queue_name, "READ") is not None

    def _address_of(self, topic: Topic) -> str:
        exchange, key = _exchange_and_key(topic)
        return exchange if key is None else f"{exchange}/{key}"

    def _connect(self) -> AmqpConnection:
        connection = super()._connect()
        self._management = Management(connection)
        return connection

    def _count(self, queue: Queue, name: str) -> int:
        counts = self._of_queue(queue.queue_name, _STATISTICS)
        return 0 if counts is None else int(counts[name])

    def _of_queue(self, name: str, operation: str) -> Any:
        return self._do(lambda _: self._management.of_queue(name, operation))

    def _taken(self, connection: AmqpConnection, queue: str) -> list[IncomingMessage]:
        # A link to a queue that is not there would make it.
        if self._management.of_queue(queue, "READ") is None:
            return []
        return super()._taken(connection, queue)


def _unescape(name: str) -> str:
    """The name of a subscription's queue with the client's names in it as the client gave them."""
    return name.replace("__", "_")


def _exchange_and_key(topic: Topic) -> tuple[str, str | None]:
    """The exchange of a topic, and its key there; a temporary topic has an exchange of its own."""
    if isinstance(topic, TemporaryTopic):
        return topic.topic_name, None
    return TOPICS, topic.topic_name
