"""What the connections of one factory share: the client of the broker, and what goes through it."""

from __future__ import annotations

from collections.abc import Callable

from jmsapi import JMSException, JMSSecurityException
from pulsar_jms.configuration import Settings
from pulsar_jms.deliveries.dead_letters import DeadLetters, DeadLetterTopics
from pulsar_jms.deliveries.priority_consumer import open_by_priority
from pulsar_jms.deliveries.punctual_consumer import PunctualConsumer
from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.deliveries.redelivery import Redelivery
from pulsar_jms.deliveries.redelivery_times import DEFAULT_TIMES
from pulsar_jms.deliveries.redelivery_tracker import RedeliveryTracker
from pulsar_jms.implements import implements
from pulsar_jms.mapping.destinations import PulsarQueue, PulsarTopic
from pulsar_jms.mapping.priority import PriorityRouter
from pulsar_jms.mapping.temporary import is_temporary
from pulsar_jms.messages.schemas import Schemas
from pulsar_jms.shared_producers import BOUND, IDLE, SharedProducer, SharedProducers
from pulsar_jms.temporary.temporary_producers import TemporaryProducers
from pulsar_jms.threads import FailureHandler
from pulsar_jms.timer import Timer
from pulsar_jms.transport.administration import Administration
from pulsar_jms.transport.credentials import Credentials
from pulsar_jms.transport.reachability import check_reachable
from pulsar_jms.transport.topics import create_subscriptions
from pulsar_jms.transport.transaction_marks import transaction_partition
from pulsar_jms.transport.transport_protocol import (
    SubscriptionRequest,
    Transport,
    TransportConsumer,
    TransportProducer,
)


class BrokerClient:
    """One client of the broker; it is there from a factory's first connection to its close."""

    def __init__(
        self,
        settings: Settings,
        credentials: Credentials,
        transport: Transport,
        administration: Administration | None,
        on_failure: FailureHandler,
    ) -> None:
        """`on_failure` is called should one of its threads end by an error."""
        self._settings = settings
        """Those of the first connection."""
        self._credentials = credentials
        self.transport = transport
        self.administration = administration
        """What the broker's administration does; None where jms.usePulsarAdmin is false."""
        self.redelivery_times = DEFAULT_TIMES
        """How long consumers that are opened from now on wait around a redelivery."""
        self.timer = Timer("pulsar-jms-timer", on_failure)
        self._inquiries = Timer("pulsar-jms-inquiries", on_failure)
        self.temporary_producers = TemporaryProducers(transport, administration, self.timer)
        self._producers = SharedProducers(
            transport,
            self._inquiries,
            settings.number("jms.maxNumOfProducers", BOUND),
            settings.number("jms.producerAutoCloseTimeoutSec", IDLE),
        )
        mapping = settings.priority_mapping
        self._sticky_partitions = settings.sticky_partitions
        self._router = None if mapping is None else PriorityRouter(mapping)
        self._schemas = None if administration is None else Schemas(administration)
        self._dead_letter_topics = DeadLetterTopics(transport, administration, on_failure)

    def producer(
        self, user: object, destination: PulsarQueue | PulsarTopic, namespace: str, transacted: bool
    ) -> TransportProducer:
        """The producer of a destination, shared by all users of the factory until they leave.

        Where transactions keep to one partition, those of transacted sessions share another.
        """
        topic = destination.topic(namespace)
        if is_temporary(topic):
            return self.temporary_producers.producer(topic)
        sticky = transacted and self._sticky_partitions
        return self._producers.producer(
            user, topic, transaction_partition if sticky else self._router
        )

    def hold(self, user: object, producer: TransportProducer) -> None:
        """Keep a producer open: the application has one that is bound to its destination."""
        if isinstance(producer, SharedProducer):
            self._producers.hold(user, producer.key)

    def release(self, user: object, producer: TransportProducer) -> None:
        """End one `hold` of `user`."""
        if isinstance(producer, SharedProducer):
            self._producers.release(user, producer.key)

    def leave(self, user: object) -> None:
        """Close the producers that nobody but `user` has used, in a moment."""
        self._producers.leave(user)

    @implements("SLJ-SUB-029", "SLJ-SUB-032..034", "SLJ-SUB-036")
    def receive_queue(
        self,
        request: SubscriptionRequest,
        configured: Settings,
        in_dialect: Callable[[TransportConsumer], TransportConsumer],
    ) -> ReceiveQueue:
        """The source of a new consumer; a queue's subscription is made first, where asked for.

        `in_dialect` is what the dialect makes of the transport's.
        """
        if (
            request.earliest
            and self.administration is not None
            and configured.flag("jms.precreateQueueSubscription", True)
        ):
            create_subscriptions(request, self.administration, earliest=True)
        by_priority = configured.priority_mapping is not None
        consumer: TransportConsumer = (
            open_by_priority(self.transport, request)
            if by_priority
            else self.transport.subscribe(request)
        )
        if request.type.heeds_delays:
            consumer = PunctualConsumer(consumer)
        return ReceiveQueue(
            in_dialect(consumer),
            self.timer,
            in_order=not by_priority,
            single_returns=request.type.redelivers_single_messages,
            redelivery_floor=self.transport.redelivery_floor / 1000,
            prefetch=request.prefetch,
            brisk=configured.ack_timeout > 0,
            redelivery_tracker=self._redelivery_tracker(request),
            times=self.redelivery_times,
        )

    def _redelivery_tracker(self, request: SubscriptionRequest) -> RedeliveryTracker | None:
        """What knows where a consumer's messages went, if they can go elsewhere."""
        if self.administration is None or not request.type.redelivers_single_messages:
            return None
        return RedeliveryTracker(self.administration, request.name, self._inquiries)

    @implements("SLJ-SCH-001")
    def schemas(self, configured: Settings) -> Schemas | None:
        """Where a new consumer finds the schemas of its topics; None where it is to use none.

        `JMSException` where the administration, which has them, is switched off.
        """
        if not configured.flag("consumerConfig.useSchema", False):
            return None
        if self._schemas is None:
            raise JMSException(
                "consumerConfig.useSchema=true needs the administration, which tells the schemas; "
                "leave jms.usePulsarAdmin at true"
            )
        return self._schemas

    def redelivery(
        self, request: SubscriptionRequest, configured: Settings, receive_queue: ReceiveQueue
    ) -> Redelivery:
        """The way back for the deliveries of a new consumer."""
        policy = configured.dead_letter_policy
        if policy is None:
            return Redelivery(receive_queue, configured, None)
        dead_letters = DeadLetters(policy, request.name, receive_queue, self._dead_letter_topics)
        return Redelivery(receive_queue, configured, dead_letters)

    def loss(self) -> JMSException:
        """A text on a connection to the broker that is gone: whether it lets us in again."""
        try:
            check_reachable(self._settings, self._credentials)
        except JMSSecurityException as refusal:
            return refusal
        except JMSException:
            pass
        return JMSException(
            f"The connection to the broker at {self._settings.service_url} is lost; the client "
            "keeps trying to come back"
        )

    def is_connected(self) -> bool:
        """Whether everything that sends is connected to the broker."""
        return self._producers.is_connected()

    def close(self) -> None:
        """Give back every connection to the broker, and end the threads."""
        self.timer.close()
        self._inquiries.close()
        self.transport.close()
        self._dead_letter_topics.close()
        if self.administration is not None:
            self.administration.close()
