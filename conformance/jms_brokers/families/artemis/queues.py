"""Queues as an Artemis broker sees them: its management, and a client of AMQP 1.0 of our own."""

from __future__ import annotations

import time

from jms_brokers.amqp.connection import AmqpConnection, IncomingMessage
from jms_brokers.amqp.queues import AmqpQueues
from jms_brokers.errors import BrokerError
from jms_brokers.families.artemis.configuration import DEAD_LETTERS
from jms_brokers.families.artemis.management import Management
from jms_brokers.shared.queue_view import Subscribed
from jmsapi import Destination, Queue, Topic

_ACKNOWLEDGED_WITHIN = 10.0
_POLL = 0.002


class ArtemisQueues(AmqpQueues):
    """The queues of one broker; safe for threads. See `QueueView`."""

    _management: Management
    """Of the connection that is open."""

    def pending(self, queue: Queue) -> int:
        """Messages that are not acknowledged, delivered and delayed ones included."""
        return self._counts(queue, "messageCount")[0]

    def ready(self, queue: Queue) -> int:
        """Messages that are delivered to nobody and not delayed."""
        total, delivered, delayed = self._counts(
            queue, "messageCount", "deliveringCount", "scheduledCount"
        )
        return total - delivered - delayed

    def dead_letters(self, queue: Queue) -> int:
        """The dead letters that say that they were in this queue."""
        resource, of_queue = f"queue.{DEAD_LETTERS}", f"_AMQ_ORIG_QUEUE = '{queue.queue_name}'"
        return int(
            self._do(lambda _: self._management.operation(resource, "countMessages", of_queue))
        )

    def consumers(self, queue: Queue) -> int | None:
        """How many consumers the queue has."""
        return self._counts(queue, "consumerCount")[0]

    def producers(self, queue: Queue) -> int | None:
        """How many producers to the queue's address there are that name it when they are made."""
        return len(self._do(lambda _: self._management.producers_of(queue.queue_name)))

    def users(self, queue: Queue) -> list[str]:
        """As whom the broker knows those who consume from the queue, each once for a consumer."""
        consumers = self._do(lambda _: self._management.consumers_of(queue.queue_name))
        return [each["validatedUser"] for each in consumers]

    def kept(self, topic: Topic, subscription: str) -> int | None:
        """What its durable subscriptions hold."""
        return sum(each.pending for each in self.subscriptions(topic) if each.durable)

    def subscriptions(self, topic: Topic) -> list[Subscribed]:
        """The queues at the topic's address: each subscription has one."""
        queues = self._do(lambda _: self._management.queues_of(topic.topic_name))
        return [
            Subscribed(
                each["name"],
                int(each["messageCount"]),
                int(each["consumerCount"]),
                each["durable"] == "true",
            )
            for each in queues
        ]

    def exists(self, destination: Destination) -> bool | None:
        """Whether the broker has this queue or topic."""
        name = destination.topic_name if isinstance(destination, Topic) else _name(destination)
        return self._do(lambda _: self._management.has_address(name))

    def _connect(self) -> AmqpConnection:
        connection = super()._connect()
        self._management = Management(connection)
        return connection

    def _counts(self, queue: Queue, *names: str) -> list[int]:
        statistics = self._do(lambda _: self._management.queue(queue.queue_name))
        return [0 if statistics is None else int(statistics[name]) for name in names]

    def _taken(self, connection: AmqpConnection, queue: str) -> list[IncomingMessage]:
        before = self._management.queue(queue)
        if before is None:
            return []
        taken = super()._taken(connection, queue)
        self._wait_until_acknowledged(queue, int(before["messagesAcked"]) + len(taken))
        return taken

    def _wait_until_acknowledged(self, queue: str, count: int) -> None:
        """Return when the broker has acknowledged so many: it does so after the disposition."""
        deadline = time.monotonic() + _ACKNOWLEDGED_WITHIN
        while (statistics := self._management.queue(queue)) and int(
            statistics["messagesAcked"]
        ) < count:
            if time.monotonic() > deadline:
                raise BrokerError(
                    f"{queue} has not let go of the messages that the independent client took",
                    hint="Is the broker at its limits? Its log may say more.",
                )
            time.sleep(_POLL)


def _name(destination: Destination) -> str:
    assert isinstance(destination, Queue)
    return destination.queue_name
