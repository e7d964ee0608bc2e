"""Clients that break what the specification says of queues and topics."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch
from uuid import uuid4
from weakref import WeakKeyDictionary

from jmsapi import JMSException, Message, Queue, TextMessage, Topic
from pulsar_jms.configuration import Settings
from pulsar_jms.consuming.consumer import PulsarQueueReceiver, PulsarTopicSubscriber
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.sessions.domains import PulsarQueueSession, PulsarTopicSession
from pulsar_jms.sessions.session import PulsarSession
from touchstone.mutants.core.settlement import OTHER_SESSIONS_ACKNOWLEDGED
from touchstone.mutants.registry import Mutant
from touchstone.mutants.subscription_rows import row_changed

_create_queue, _create_text = PulsarSession.create_queue, PulsarSession.create_text_message
_send = PulsarMessageProducer.send


def _receiver_of_all(
    session: PulsarQueueSession, queue: Queue, selector: str | None = None
) -> PulsarQueueReceiver:
    return PulsarSession.create_receiver(session, queue)


def _subscriber_to_all(
    session: PulsarTopicSession, topic: Topic, selector: str | None = None, no_local: bool = False
) -> PulsarTopicSubscriber:
    return PulsarSession.create_subscriber(session, topic, None, no_local)


def _queue_of_the_connection(session: PulsarSession, name: str) -> Queue:
    return _create_queue(session, f"{name}-{session.connection.connection_id[-8:]}")


@contextmanager
def _sent_by_their_session() -> Iterator[None]:
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


QUEUES_FORGET_WHAT_NOBODY_AWAITS = Mutant(
    name="queues-forget-what-nobody-awaits",
    area="destinations",
    violates=("JMS-DEST-001",),
    doc="A queue begins with its first consumer.",
    apply=row_changed(ConsumerKind.QUEUE, earliest=False),
)
RECEIVERS_IGNORE_SELECTORS = Mutant(
    name="receivers-ignore-selectors",
    area="destinations",
    violates=("JMS-DEST-002",),
    doc="A receiver of a session for queues alone gets what its selector leaves out.",
    apply=partial(patch.object, PulsarQueueSession, "create_receiver", _receiver_of_all),
)
SUBSCRIBERS_IGNORE_SELECTORS = Mutant(
    name="subscribers-ignore-selectors",
    area="destinations",
    violates=("JMS-DEST-003",),
    doc="A subscriber of a session for topics alone gets what its selector leaves out.",
    apply=partial(patch.object, PulsarTopicSession, "create_subscriber", _subscriber_to_all),
)
QUEUES_GIVE_EVERYBODY_EVERYTHING = Mutant(
    name="queues-give-everybody-everything",
    area="destinations",
    violates=("JMS-DEST-004",),
    doc="Each consumer of a queue has a subscription of its own.",
    apply=partial(patch.object, Settings, "queue_subscription", property(lambda _: uuid4().hex)),
)
ACKNOWLEDGES_FOR_THE_CONNECTION = replace(
    OTHER_SESSIONS_ACKNOWLEDGED,
    name="acknowledges-for-the-connection",
    area="destinations",
    violates=("JMS-DEST-005",),
)
QUEUES_OF_THE_CONNECTION = Mutant(
    name="queues-of-the-connection",
    area="destinations",
    violates=("JMS-DEST-006",),
    doc="The same name is another queue for each connection.",
    apply=partial(patch.object, PulsarSession, "create_queue", _queue_of_the_connection),
)
MESSAGES_BELONG_TO_THEIR_SESSION = Mutant(
    name="messages-belong-to-their-session",
    area="destinations",
    violates=("JMS-DEST-007",),
    doc="A producer refuses texts that another session has made.",
    apply=_sent_by_their_session,
)
