"""Clients that are wrong about destinations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch
from urllib.parse import quote
from uuid import uuid4
from weakref import WeakKeyDictionary

from jms_clients.mutants.mutant import WORKLOADS
from jms_clients.mutants.wrong import wrong
from jmsapi import JMSException, Message, Queue, TextMessage, Topic
from pulsar_jms.configuration import Settings
from pulsar_jms.consuming.consumer import PulsarQueueReceiver, PulsarTopicSubscriber
from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.mapping import destinations
from pulsar_jms.mapping.destinations import DEFAULT_NAMESPACE, PulsarQueue, full_topic_name
from pulsar_jms.mapping.subscriptions import ConsumerKind, TypeOf
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.sessions.domains import PulsarQueueSession, PulsarTopicSession
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.transport import admin_rest
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from wrong_clients.acknowledgement import other_sessions_acknowledged
from wrong_clients.helpers.subscription_rows import row_changed
from wrong_clients.helpers.turns import Turn

_create_text = PulsarSession.create_text_message
_send = PulsarMessageProducer.send


@wrong("JMS-DEST-001")
def queues_forget_what_nobody_awaits() -> AbstractContextManager[object]:
    """A queue begins with its first consumer."""
    return row_changed(ConsumerKind.QUEUE, earliest=False)


@wrong("JMS-DEST-002", patches=(PulsarQueueSession, "create_receiver"))
def receivers_ignore_selectors(
    session: PulsarQueueSession, queue: Queue, selector: str | None = None
) -> PulsarQueueReceiver:
    """A receiver of a session for queues alone gets what its selector leaves out."""
    return PulsarSession.create_receiver(session, queue)


@wrong("JMS-DEST-003", patches=(PulsarTopicSession, "create_subscriber"))
def subscribers_ignore_selectors(
    session: PulsarTopicSession, topic: Topic, selector: str | None = None, no_local: bool = False
) -> PulsarTopicSubscriber:
    """A subscriber of a session for topics alone gets what its selector leaves out."""
    return PulsarSession.create_subscriber(session, topic, None, no_local)


@wrong("JMS-DEST-004", patches=(Settings, "queue_subscription"))
def queues_give_everybody_everything(_: Any) -> Any:
    """Each consumer of a queue has a subscription of its own."""
    return uuid4().hex


@wrong("JMS-DEST-005")
def acknowledges_for_the_connection() -> AbstractContextManager[object]:
    """acknowledge() settles what the other sessions of the connection have delivered, too."""
    return other_sessions_acknowledged.apply()


@wrong("JMS-DEST-006", patches=(PulsarSession, "create_queue"))
def queues_of_the_connection(
    original: Callable[..., Queue], session: PulsarSession, name: str
) -> Queue:
    """The same name is another queue for each connection."""
    return original(session, f"{name}-{session.connection.connection_id[-8:]}")


@wrong("JMS-DEST-007")
@contextmanager
def messages_belong_to_their_session() -> Iterator[None]:
    """A producer refuses texts that another session has made."""
    makers: WeakKeyDictionary[Message, PulsarSession] = WeakKeyDictionary()

    def make(session: PulsarSession, text: str | None = None) -> TextMessage:
        message = _create_text(session, text)
        makers[message] = session
        return message

    def send(producer: PulsarMessageProducer, message: Message, **options: Any) -> None:
        if makers.get(message, producer._session) is not producer._session:
            raise JMSException("The message was made by another session")
        _send(producer, message, **options)

    with ExitStack() as broken:
        broken.enter_context(patch.object(PulsarSession, "create_text_message", make))
        broken.enter_context(patch.object(PulsarMessageProducer, "send", send))
        yield


@wrong("SLJ-DEST-008")
def queue_from_the_end() -> AbstractContextManager[object]:
    """A new queue subscription begins at the end of the topic."""
    return row_changed(ConsumerKind.QUEUE, earliest=False)


@wrong("SLJ-DEST-006", "SLJ-DEST-009", "SLJ-DEST-011")
def queue_for_one_consumer() -> AbstractContextManager[object]:
    """The queue subscription is Exclusive."""
    return row_changed(ConsumerKind.QUEUE, type=TypeOf.EXCLUSIVE)


@wrong("SLJ-DEST-012")
def queue_subscription_not_configurable() -> AbstractContextManager[object]:
    """jms.queueSubscriptionName has no effect."""
    return patch.object(Settings, "queue_subscription", "jms-queue")


@wrong(
    "SLJ-DEST-014", "SLJ-DEST-015", "SLJ-DEST-019", "SLJ-DEST-020", patches=(PulsarQueue, "_split")
)
def subscription_suffix_is_topic(queue: Any) -> Any:
    """The text after the colon of a queue's name is part of the topic."""
    return (queue.name, None)


@wrong("SLJ-DEST-019", "SLJ-DEST-020", "SLJ-DEST-021", patches=(PulsarQueue, "_split"))
def subscription_after_first_colon(queue: PulsarQueue) -> tuple[str, str | None]:
    """The colon of a scheme separates a subscription, too."""
    topic, _, subscription = queue.name.partition(":")
    return topic, subscription or None


@wrong("SLJ-DEST-017", patches=(destinations, "full_topic_name"))
def system_namespace_fixed(name: Any, _: Any) -> Any:
    """Short names live in public/default, whatever jms.systemNamespace says."""
    return full_topic_name(name, DEFAULT_NAMESPACE)


@wrong("SLJ-DEST-004", "SLJ-DEST-005", patches=(destinations, "full_topic_name"))
def topics_not_persistent(name: Any, namespace: Any) -> Any:
    """Short names are non-persistent topics."""
    return name if "://" in name else f"non-persistent://{namespace}/{name}"


@wrong("SLJ-DEST-012", "SLJ-DEST-014", "SLJ-DEST-020")
def subscription_quoted_once() -> AbstractContextManager[object]:
    """A queue's subscription is asked for by a path that the broker decodes once too often."""
    return patch.object(admin_rest, "_quote_twice", partial(quote, safe=""))


_LOST = Turn(100)


@wrong(
    "SLJ-DEST-006",
    "SLJ-SUB-016",
    "SLJ-SUB-020",
    "JMS-ORD-004",
    patches=(ReceiveQueue, "take"),
    scenarios=WORKLOADS,
)
def loses_one_in_a_hundred(
    original: Callable[..., DeliveredMessage | None], receive_queue: ReceiveQueue, wait: float
) -> DeliveredMessage | None:
    """One message in a hundred is acknowledged, and nobody gets it."""
    delivered = original(receive_queue, wait)
    if delivered is None or not _LOST.of(receive_queue):
        return delivered
    receive_queue.acknowledge(delivered)
    return original(receive_queue, wait)
