"""Queues as a Pulsar broker sees them: a JMS queue is the subscription `jms-queue` of a topic."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import cycle

import pulsar

from jms_brokers.damage import Part, Poison
from jms_brokers.families.pulsar import damage as poisons
from jms_brokers.families.pulsar.admin import PulsarAdmin
from jms_brokers.families.pulsar.client import IndependentClient
from jms_brokers.families.pulsar.protocol.raw_producer import raw_producer
from jms_brokers.shared.queue_view import Carried, NativeBody, Subscribed
from jmsapi import Destination, Queue, Topic

_SUBSCRIPTION = "jms-queue"
_TEXT = {"JMSPulsarMessageType": "text"}


class PulsarQueues:
    """See `QueueView`; a queue that nobody has used yet is due from its first message on."""

    def __init__(self, admin: PulsarAdmin, client: IndependentClient) -> None:
        self._admin = admin
        self._client = client

    def pending(self, queue: Queue) -> int:
        """The backlog of the subscription; before there is one, what the topic was sent."""
        statistics = self._admin.subscriptions(queue).get(_SUBSCRIPTION)
        return statistics.backlog if statistics is not None else self._sent(queue)

    def ready(self, queue: Queue) -> int:
        """The backlog less what is with consumers."""
        statistics = self._admin.subscriptions(queue).get(_SUBSCRIPTION)
        return (
            statistics.backlog - statistics.unacked if statistics is not None else self._sent(queue)
        )

    def kept(self, topic: Topic, subscription: str) -> int:
        """The backlog of the topic's only durable subscription, whatever the client calls it."""
        return sum(each.pending for each in self.subscriptions(topic) if each.durable)

    def subscriptions(self, topic: Topic) -> list[Subscribed]:
        """Those of the topic; of a partitioned one there is a consumer for each partition."""
        return [
            Subscribed(name, statistics.backlog, statistics.consumers, statistics.durable)
            for name, statistics in self._admin.subscriptions(topic).items()
        ]

    def send(self, queue: Queue, text: str) -> None:
        """A text message by the plain client."""
        self._client.send(str(self._admin.topic(queue)), text.encode(), dict(_TEXT))

    def send_native(self, queue: Queue, body: NativeBody) -> bool:
        """A payload without properties; there are texts and bytes alone."""
        if not isinstance(body, str | bytes):
            return False
        payload = body.encode() if isinstance(body, str) else body
        self._client.send(str(self._admin.topic(queue)), payload, {})
        return True

    def poisons(self, part: Part) -> tuple[str, ...]:
        """See `jms_brokers.families.pulsar.damage`."""
        return poisons.kinds(part)

    def send_poisoned(
        self, destination: Destination, messages: Sequence[str | Poison]
    ) -> list[Poison]:
        """By the protocol itself; the broker refuses none."""
        rest = self._admin.rest
        with ExitStack() as stack:
            producers = cycle(
                [
                    stack.enter_context(raw_producer(rest.address, str(topic)))
                    for topic in rest.parts(self._admin.topic(destination))
                ]
            )
            for each, producer in zip(messages, producers, strict=False):
                poison = poisons.good(each) if isinstance(each, str) else poisons.poisoned(each)
                producer.send(poison.metadata, poison.payload)
        return [each for each in messages if isinstance(each, Poison)]

    def dead_letters(self, queue: Queue) -> int:
        """0: on Pulsar clients move dead letters, not the broker."""
        return 0

    def take(self, queue: Queue) -> list[str]:
        """The texts of the messages that are ready, consumed by the plain client."""
        return [message.data().decode() for message in self._taken(queue)]

    def carried(self, queue: Queue) -> list[Carried]:
        """The messages that are ready, consumed by the plain client."""
        return [_carried_message(message) for message in self._taken(queue)]

    def purge(self, queue: Queue) -> None:
        """Skip every message of the subscription, also what is with consumers.

        Where there is none yet, one is made behind the last message.
        """
        if _SUBSCRIPTION not in self._admin.subscriptions(queue):
            self._admin.create_subscription(queue, _SUBSCRIPTION, "latest")
            return
        path = f"{self._admin.topic(queue).path}/subscription/{_SUBSCRIPTION}/skip_all"
        self._admin.rest.request("POST", path)

    def consumers(self, queue: Queue) -> int:
        """Those of the subscription; of a partitioned topic one for each partition."""
        statistics = self._admin.subscriptions(queue).get(_SUBSCRIPTION)
        return statistics.consumers if statistics is not None else 0

    def producers(self, queue: Queue) -> int:
        """Those of the topic; of a partitioned one each counts once for a partition."""
        return len(self._admin.producers(queue))

    def users(self, queue: Queue) -> list[str]:
        """As whom the broker knows the consumers of the subscription."""
        if not self._admin.exists(queue):
            return []
        return self._admin.users(queue, _SUBSCRIPTION)

    def exists(self, destination: Destination) -> bool:
        """Whether there is a topic of its name."""
        return self._admin.exists(destination)

    def _taken(self, queue: Queue) -> list[pulsar.Message]:
        count = self.ready(queue)
        if not count:
            return []
        topic = str(self._admin.topic(queue))
        return self._client.received(topic, _SUBSCRIPTION, count, shared=True)

    def _sent(self, queue: Queue) -> int:
        if not self._admin.exists(queue):
            return 0
        return int(self._admin.stats(queue)["msgInCounter"])


def _carried_message(message: pulsar.Message) -> Carried:
    properties = dict(message.properties())
    correlation = properties.get("JMSCorrelationID")
    return Carried(
        message.data().decode() if _TEXT.items() <= properties.items() else None,
        properties,
        properties.get("JMSType"),
        None if correlation is None else base64.b64decode(correlation).decode(),
        message.partition_key() or None,
    )
