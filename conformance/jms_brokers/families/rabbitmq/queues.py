"""Queues as a RabbitMQ broker sees them, by pika and by the node's own counts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.damage import Part, Poison
from jms_brokers.errors import BrokerError
from jms_brokers.families.rabbitmq import damage as poisons
from jms_brokers.families.rabbitmq import envelope
from jms_brokers.families.rabbitmq import readiness as rabbitmq_readiness
from jms_brokers.families.rabbitmq.node import NodeView
from jms_brokers.shared.queue_view import Carried, NativeBody, Subscribed, as_text
from jmsapi import Destination, Queue, Topic

if TYPE_CHECKING:
    from pika import BlockingConnection

T = TypeVar("T")
_EXCHANGE, _TOPICS = "jms.durable.queues", "jms.durable.topic"
_NOT_FOUND = 404
PERSISTENT = 2
_LOCKED = 405
"""The queue belongs to a connection alone, as a temporary one does."""


class RabbitQueues:
    """See `QueueView`; a queue that does not exist yet counts as empty. Safe for threads."""

    def __init__(self, address: BrokerAddress) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._connection: BlockingConnection | None = None

    @cached_property
    def _node(self) -> NodeView:
        return NodeView(self._address)

    def pending(self, queue: Queue) -> int:
        """What is ready, and what is delivered but not acknowledged, at one moment.

        `BrokerError` on a broker that is not our own: AMQP 0-9-1 does not report it.
        """
        counts = self._node.counts(queue.queue_name)
        return counts.ready + counts.unacknowledged if counts is not None else 0

    def ready(self, queue: Queue) -> int:
        """What a passive declaration reports; of a temporary queue, what the node does."""
        ready, locked = self._declared(queue.queue_name)
        if not locked:
            return ready or 0
        counts = self._node.counts(queue.queue_name)
        return counts.ready if counts is not None else 0

    def kept(self, topic: Topic, subscription: str) -> int | None:
        """What is ready in the queue of the subscription, which the client names like it."""
        return self._declared(subscription)[0]

    def subscriptions(self, topic: Topic) -> list[Subscribed]:
        """The queues that are bound by the topic's name; `BrokerError` as of `pending`."""
        return [
            Subscribed(name, counts.ready + counts.unacknowledged, counts.consumers, counts.durable)
            for name, counts in self._node.bound(topic.topic_name).items()
        ]

    def send(self, queue: Queue, text: str) -> None:
        """A text message as RabbitMQ JMS has them, confirmed by the broker."""
        self._send(queue, envelope.text_envelope(text), content_type=envelope.CONTENT_TYPE)

    def send_native(self, queue: Queue, body: NativeBody) -> bool:
        """A bare body with its media type; there are texts and bytes alone."""
        match body:
            case str():
                self._send(queue, body.encode(), content_type="text/plain")
            case bytes():
                self._send(queue, body, content_type="application/octet-stream")
            case _:
                return False
        return True

    def poisons(self, part: Part) -> tuple[str, ...]:
        """See `jms_brokers.families.rabbitmq.damage`."""
        return poisons.kinds(part)

    def send_poisoned(
        self, destination: Destination, messages: Sequence[str | Poison]
    ) -> list[Poison]:
        """On one channel, confirmed one by one; the broker refuses none.

        A queue is there already: its consumer has made it.
        """
        import pika

        if isinstance(destination, Topic):
            exchange, key = _TOPICS, destination.topic_name
        else:
            assert isinstance(destination, Queue)
            exchange, key = "", destination.queue_name

        def publish(channel: Any) -> None:
            channel.confirm_delivery()
            for each in messages:
                poison = poisons.good(each) if isinstance(each, str) else poisons.poisoned(each)
                properties = pika.BasicProperties(
                    content_type=poison.content_type,
                    headers=dict(poison.headers),
                    delivery_mode=PERSISTENT,
                )
                channel.basic_publish(exchange, key, poison.body, properties, mandatory=True)

        self._with_channel(publish)
        return [each for each in messages if isinstance(each, Poison)]

    def dead_letters(self, queue: Queue) -> int:
        """None: queues of RabbitMQ JMS have no limit of deliveries."""
        return 0

    def _send(self, queue: Queue, body: bytes, **told: str) -> None:
        import pika

        name, exists = queue.queue_name, self.exists(queue)
        properties = pika.BasicProperties(delivery_mode=PERSISTENT, **told)

        def publish(channel: Any) -> None:
            if not exists:  # made as the client makes it
                channel.exchange_declare(_EXCHANGE, "direct", durable=True)
                channel.queue_declare(name, durable=True)
                channel.queue_bind(name, _EXCHANGE, name)
            channel.confirm_delivery()
            channel.basic_publish("", name, body, properties, mandatory=True)

        self._with_channel(publish)

    def take(self, queue: Queue) -> list[str]:
        """The texts of the messages that are ready; `BrokerError` for one that has none."""
        taken = self._taken(queue)
        try:
            return [envelope.parse(body).text or "" for _, body in taken]
        except envelope.EnvelopeError as error:
            raise BrokerError(
                f"The queue {queue.queue_name} holds what is no text of RabbitMQ JMS ({error})",
                hint="Scenarios that send other messages receive them by the client.",
            ) from error

    def carried(self, queue: Queue) -> list[Carried]:
        """The messages that are ready; `BrokerError` for one that RabbitMQ JMS did not send."""
        taken = self._taken(queue)
        try:
            return [
                _carried_message(properties, envelope.parse(body)) for properties, body in taken
            ]
        except envelope.EnvelopeError as error:
            raise BrokerError(
                f"The queue {queue.queue_name} holds what is no message of RabbitMQ JMS ({error})",
                hint="Was it sent to a destination of AMQP?",
            ) from error

    def purge(self, queue: Queue) -> None:
        """Remove every message that is ready."""
        if self.ready(queue):
            self._with_channel(lambda channel: channel.queue_purge(queue.queue_name))

    def consumers(self, queue: Queue) -> int | None:
        """What a passive declaration reports; None for a temporary queue, which is locked."""
        import pika

        def count(channel: Any) -> int | None:
            try:
                declared = channel.queue_declare(queue.queue_name, passive=True)
            except pika.exceptions.ChannelClosedByBroker as error:
                if error.reply_code not in (_NOT_FOUND, _LOCKED):
                    raise
                return None if error.reply_code == _LOCKED else 0
            return int(declared.method.consumer_count)

        return self._with_channel(count)

    def producers(self, queue: Queue) -> int | None:
        """None: a producer of JMS is a channel, which names no queue before it sends."""
        return None

    def users(self, queue: Queue) -> list[str]:
        """Who the node says has made the consumers of the queue; `BrokerError` as of `pending`."""
        return self._node.users(queue.queue_name)

    def exists(self, destination: Destination) -> bool | None:
        """Whether there is a queue of this name; None for topics, which are routing keys only."""
        if not isinstance(destination, Queue):
            return None
        ready, locked = self._declared(destination.queue_name)
        return locked or ready is not None

    def close(self) -> None:
        """Give the connections back."""
        with self._lock:
            if self._connection is not None and self._is_alive(self._connection):
                self._connection.close()
            self._connection = None
        if "_node" in self.__dict__:
            self._node.close()

    def _taken(self, queue: Queue) -> list[tuple[Any, bytes]]:
        """The messages that are ready: what AMQP says of each, and its body."""
        messages: list[tuple[Any, bytes]] = []

        def get(channel: Any) -> None:
            while (got := channel.basic_get(queue.queue_name, auto_ack=True))[0] is not None:
                messages.append((got[1], got[2]))

        if self.ready(queue):
            self._with_channel(get)
        return messages

    def _declared(self, name: str) -> tuple[int | None, bool]:
        """The ready messages of a queue, None where they are not reported; whether it is locked."""
        import pika

        def count(channel: Any) -> tuple[int | None, bool]:
            try:
                declared = channel.queue_declare(name, passive=True)
            except pika.exceptions.ChannelClosedByBroker as error:
                if error.reply_code not in (_NOT_FOUND, _LOCKED):
                    raise
                return None, error.reply_code == _LOCKED
            return int(declared.method.message_count), False

        return self._with_channel(count)

    def _with_channel(self, use: Callable[[Any], T]) -> T:
        """What `use` gives for a fresh channel, on a new connection if the last one broke."""
        import pika

        with self._lock:
            try:
                if self._connection is None or not self._is_alive(self._connection):
                    self._connection = rabbitmq_readiness.connect(self._address)
                channel = self._connection.channel()
                result = use(channel)
                if channel.is_open:
                    channel.close()
            except pika.exceptions.AMQPError as error:
                raise BrokerError(
                    f"The broker {self._address.service_url} refused or broke off ({error!r})",
                    hint="Look at its log",
                ) from error
            return result

    @staticmethod
    def _is_alive(connection: BlockingConnection) -> bool:
        """Whether the broker still holds the other end, after what it has reported meanwhile."""
        import pika

        try:
            if connection.is_open:
                connection.process_data_events(0)
        except pika.exceptions.AMQPError:
            return False
        return bool(connection.is_open)


def _carried_message(told: Any, message: envelope.Envelope) -> Carried:
    return Carried(
        message.text if message.kind == envelope.TEXT else None,
        {name: as_text(value) for name, value in message.properties.items()},
        message.headers.get("rmq.jms.message.type"),
        message.headers.get("rmq.jms.message.correlation.id"),
        message.properties.get("JMSXGroupID"),
        told.delivery_mode == PERSISTENT,
    )
