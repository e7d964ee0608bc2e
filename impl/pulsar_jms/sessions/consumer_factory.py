"""Consumers by the calls of JMS: each call is a request for one kind of consumer."""

from __future__ import annotations

from collections.abc import Callable

from jmsapi import Destination, InvalidDestinationException, Queue, Topic
from pulsar_jms.consuming.consumer import (
    PulsarMessageConsumer,
    PulsarQueueReceiver,
    PulsarTopicSubscriber,
)
from pulsar_jms.implements import implements
from pulsar_jms.mapping.destinations import PulsarQueue, own_destination
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.sessions.consumer_opening import AnyConsumer, ConsumerRequest
from pulsar_jms.sessions.message_factory import MessageFactory


class ConsumerFactory(MessageFactory):
    """The part of a session that makes consumers, queues, topics and messages."""

    def _open_consumer(
        self, consumer_class: Callable[..., AnyConsumer], request: ConsumerRequest
    ) -> AnyConsumer:
        """A consumer with its subscription made at the broker; `JMSException` where that fails."""
        raise NotImplementedError

    @implements("JMS-DEST-002", "JMS-DEST-003", "JMS-SUB-016")
    def create_consumer(
        self, destination: Destination, selector: str | None = None, no_local: bool = False
    ) -> PulsarMessageConsumer:
        """A consumer of a queue, or of a topic through a subscription of its own."""
        self.check_open()
        if isinstance(own_destination(destination), PulsarQueue):
            return self._open_consumer(
                PulsarQueueReceiver,
                ConsumerRequest(ConsumerKind.QUEUE, destination, None, selector, no_local),
            )
        return self._open_consumer(
            PulsarTopicSubscriber,
            ConsumerRequest(ConsumerKind.SIMPLE, destination, None, selector, no_local),
        )

    @implements("JMS-DEST-002")
    def create_receiver(self, queue: Queue, selector: str | None = None) -> PulsarQueueReceiver:
        """A consumer of a queue."""
        if not isinstance(queue, Queue):
            raise InvalidDestinationException(f"{queue!r} is no queue")
        receiver = self.create_consumer(queue, selector)
        assert isinstance(receiver, PulsarQueueReceiver)
        return receiver

    @implements("JMS-DEST-003")
    def create_subscriber(
        self, topic: Topic, selector: str | None = None, no_local: bool = False
    ) -> PulsarTopicSubscriber:
        """A consumer of a topic through a subscription of its own."""
        _check_topic(topic)
        subscriber = self.create_consumer(topic, selector, no_local)
        assert isinstance(subscriber, PulsarTopicSubscriber)
        return subscriber

    def create_shared_consumer(
        self, topic: Topic, name: str, selector: str | None = None
    ) -> PulsarMessageConsumer:
        """One of several consumers of a subscription that ends with the last of them."""
        return self._subscribe(ConsumerKind.SHARED, topic, name, selector)

    def create_durable_consumer(
        self, topic: Topic, name: str, selector: str | None = None, no_local: bool = False
    ) -> PulsarTopicSubscriber:
        """The only consumer of a subscription that stays; needs a client id."""
        return self._subscribe(ConsumerKind.DURABLE, topic, name, selector, no_local)

    def create_shared_durable_consumer(
        self, topic: Topic, name: str, selector: str | None = None
    ) -> PulsarMessageConsumer:
        """One of several consumers of a subscription that stays."""
        return self._subscribe(ConsumerKind.SHARED_DURABLE, topic, name, selector)

    def create_durable_subscriber(
        self, topic: Topic, name: str, selector: str | None = None, no_local: bool = False
    ) -> PulsarTopicSubscriber:
        """The same as create_durable_consumer, by its older name."""
        return self.create_durable_consumer(topic, name, selector, no_local)

    def _subscribe(
        self,
        kind: ConsumerKind,
        topic: Topic,
        name: str,
        selector: str | None,
        no_local: bool = False,
    ) -> PulsarTopicSubscriber:
        self.check_open()
        _check_topic(topic)
        request = ConsumerRequest(kind, topic, name, selector, no_local)
        return self._open_consumer(PulsarTopicSubscriber, request)


def _check_topic(topic: object) -> None:
    if not isinstance(topic, Topic):
        raise InvalidDestinationException(f"{topic!r} is no topic")
