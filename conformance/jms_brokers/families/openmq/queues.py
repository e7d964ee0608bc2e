"""Queues as an OpenMQ broker sees them: its beans, and a client of STOMP of our own to send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.damage import Part, Poison
from jms_brokers.families.openmq import stomp
from jms_brokers.families.openmq.beans import QUEUE, TOPIC, Beans, DestinationCounts
from jms_brokers.shared.queue_view import Carried, NativeBody, Subscribed, as_text
from jmsapi import Destination, Queue, Topic

_PERSISTENT = 2
_GROUP = "JMSXGroupID"


class OpenMqQueues:
    """See `QueueView`; safe for threads."""

    def __init__(self, address: BrokerAddress) -> None:
        self._address = address
        self._beans = Beans(address)

    def pending(self, queue: Queue) -> int:
        """Messages that are not acknowledged, delivered and delayed ones included."""
        return self._counts(queue).messages

    def ready(self, queue: Queue) -> int:
        """Messages that are delivered to nobody, and not delayed."""
        return self._counts(queue).ready

    def kept(self, topic: Topic, subscription: str) -> int | None:
        """What the durable subscription of this name holds."""
        return sum(each.pending for each in self.subscriptions(topic) if each.name == subscription)

    def subscriptions(self, topic: Topic) -> list[Subscribed]:
        """The consumers of a topic, those of a shared subscription as one; durables always."""
        return [
            Subscribed(
                each["DurableName"] or "",
                each["NumMsgsPending"],
                int(not each["Durable"] or each["DurableActive"]),
                each["Durable"],
            )
            for each in self._beans.consumers(TOPIC, topic.topic_name)
        ]

    def send(self, queue: Queue, text: str) -> None:
        """A text message to the queue, which the broker makes if need be."""
        stomp.send(self._address, self._beans.stomp_port(), queue.queue_name, text)

    def send_native(self, queue: Queue, body: NativeBody) -> bool:
        """Texts and bytes, of which STOMP has no others."""
        if not isinstance(body, str | bytes):
            return False
        stomp.send(self._address, self._beans.stomp_port(), queue.queue_name, body)
        return True

    def poisons(self, part: Part) -> tuple[str, ...]:
        """None: the bridge for STOMP writes messages anew."""
        return ()

    def send_poisoned(
        self, destination: Destination, messages: Sequence[str | Poison]
    ) -> list[Poison]:
        """Nothing, as there are no kinds."""
        return []

    def dead_letters(self, queue: Queue) -> int:
        """None: it is the clients that count deliveries and send dead letters."""
        return 0

    def take(self, queue: Queue) -> list[str]:
        """The texts of the messages that are ready; of another one the representation of its body.

        They are in order, and gone afterwards.
        """
        bodies = [message.get("MessageBody") for message in self._taken(queue)]
        return [body if isinstance(body, str) else repr(body) for body in bodies]

    def carried(self, queue: Queue) -> list[Carried]:
        """The messages that are ready, in order; they are gone afterwards."""
        return [_carried_message(message) for message in self._taken(queue)]

    def purge(self, queue: Queue) -> None:
        """Remove every message that is ready."""
        self._taken(queue)

    def consumers(self, queue: Queue) -> int | None:
        """How many consumers the queue has."""
        return self._counts(queue).consumers

    def producers(self, queue: Queue) -> int | None:
        """How many producers to the queue there are that name it when they are made."""
        return self._counts(queue).producers

    def users(self, queue: Queue) -> list[str]:
        """As whom the broker knows those who consume from the queue, each once for a consumer."""
        return [each["User"] for each in self._beans.consumers(QUEUE, queue.queue_name)]

    def exists(self, destination: Destination) -> bool | None:
        """Whether the broker has this queue or topic."""
        return self._found(destination) is not None

    def close(self) -> None:
        """Give the connections back."""
        self._beans.close()

    def _counts(self, queue: Queue) -> DestinationCounts:
        return self._found(queue) or DestinationCounts()

    def _found(self, destination: Destination) -> DestinationCounts | None:
        if isinstance(destination, Topic):
            return self._beans.counts(TOPIC, destination.topic_name)
        assert isinstance(destination, Queue)
        return self._beans.counts(QUEUE, destination.queue_name)

    def _taken(self, queue: Queue) -> list[Mapping[str, Any]]:
        if not self.ready(queue):
            return []
        name = queue.queue_name
        return [
            message
            for message in self._beans.messages(name)
            if self._beans.delete(name, message["MessageID"])
        ]


def _carried_message(message: Mapping[str, Any]) -> Carried:
    properties = message["MessageProperties"] or {}
    body = message.get("MessageBody")
    return Carried(
        body if isinstance(body, str) else None,
        {name: as_text(value) for name, value in properties.items()},
        message["Type"],
        message["CorrelationID"],
        properties.get(_GROUP),
        message["DeliveryMode"] == _PERSISTENT,
    )
