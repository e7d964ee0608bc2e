"""Clients that break what the specification says of client ids, consumers and sessions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any
from unittest.mock import patch

from jmsapi import IllegalStateException, Message
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.connections.meta_data import PulsarConnectionMetaData
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.consuming.dispatch import Dispatcher
from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.mapping.destinations import PulsarQueue, PulsarTopic
from pulsar_jms.mapping.subscriptions import ConsumerKind, NameOf
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.sessions.session import PulsarSession
from touchstone.mutants.registry import Mutant
from touchstone.mutants.subscription_rows import row_changed

_receive = PulsarMessageConsumer.receive
_close = ReceiveQueue.close
_close_session = PulsarSession.close
_send = PulsarMessageProducer.send
_target = PulsarMessageProducer._target
_LATE = 0.3
"""Seconds."""


def _zero_is_no_wait(consumer: PulsarMessageConsumer, timeout: int | None = None) -> Message | None:
    return consumer.receive_no_wait() if timeout == 0 else _receive(consumer, timeout)


def _receive_longer(consumer: PulsarMessageConsumer, timeout: int | None = None) -> Message | None:
    return _receive(consumer, timeout + 2000 if timeout else timeout)


def _close_with_all_that_was_fetched(receive_queue: ReceiveQueue) -> None:
    while (delivered := receive_queue.transport_consumer.receive(100)) is not None:
        receive_queue.transport_consumer.acknowledge(delivered)
    _close(receive_queue)


def _send_later(producer: PulsarMessageProducer, message: Message, **options: Any) -> None:
    threading.Timer(_LATE, partial(_send, producer, message, **options)).start()


def _send_and_keep(producer: PulsarMessageProducer, message: Message, **options: Any) -> None:
    for name in ("delivery_mode", "priority", "time_to_live"):
        if options.get(name) is not None:
            setattr(producer, name, options[name])
    _send(producer, message, **options)


def _own_or_told(producer: PulsarMessageProducer, destination: Any) -> PulsarQueue | PulsarTopic:
    return _target(producer, None if producer.destination is not None else destination)


def _close_once(session: PulsarSession) -> None:
    if session.closed:
        raise IllegalStateException("The session is closed already")
    _close_session(session)


def _close_without_consumers(session: PulsarSession) -> None:
    session._consumers.clear()
    _close_session(session)


def _lists(*names: str) -> Callable[[], AbstractContextManager[object]]:
    """getJMSXPropertyNames gives these names."""
    return partial(
        patch.object,
        PulsarConnectionMetaData,
        "jmsx_property_names",
        property(lambda meta_data: iter(names)),
    )


CLIENT_ID_AT_ANY_TIME = Mutant(
    name="client-id-at-any-time",
    area="identity",
    violates=("JMS-IDN-002",),
    doc="A client id may be set after the connection was used.",
    apply=partial(patch.object, PulsarConnection, "note_used", lambda connection: None),
)
DURABLE_WITHOUT_A_CLIENT_ID = Mutant(
    name="durable-without-a-client-id",
    area="identity",
    violates=("JMS-IDN-005",),
    doc="An unshared durable subscription is made without a client id, too.",
    apply=row_changed(ConsumerKind.DURABLE, name=NameOf.GIVEN),
)
RECEIVE_OF_ZERO_DOES_NOT_WAIT = Mutant(
    name="receive-of-zero-does-not-wait",
    area="consumers",
    violates=("JMS-CONS-001",),
    doc="receive(0) gives what is there, or nothing.",
    apply=partial(patch.object, PulsarMessageConsumer, "receive", _zero_is_no_wait),
)
RECEIVE_OVERSTAYS = Mutant(
    name="receive-overstays",
    area="consumers",
    violates=("JMS-CONS-002",),
    doc="receive(timeout) waits two seconds more than it was told.",
    apply=partial(patch.object, PulsarMessageConsumer, "receive", _receive_longer),
)
CONSUMER_LEAVES_ITS_LISTENER_BEHIND = Mutant(
    name="consumer-leaves-its-listener-behind",
    area="consumers",
    violates=("JMS-CONS-004",),
    doc="close() does not wait for the listener that is at work.",
    apply=partial(patch.object, Dispatcher, "_wait", lambda dispatcher, condition: None),
)
CONSUMER_KEEPS_WHAT_IT_FETCHED = Mutant(
    name="consumer-keeps-what-it-fetched",
    area="consumers",
    violates=("JMS-CONS-008",),
    doc="What a consumer fetched ahead is gone with it.",
    apply=partial(patch.object, ReceiveQueue, "close", _close_with_all_that_was_fetched),
)
ANOTHER_DESTINATION_IS_IGNORED = Mutant(
    name="another-destination-is-ignored",
    area="producers",
    violates=("JMS-PROD-002",),
    doc="A producer with a destination sends there, whatever the send names.",
    apply=partial(patch.object, PulsarMessageProducer, "_target", _own_or_told),
)
OPTIONS_OF_A_SEND_STAY = Mutant(
    name="options-of-a-send-stay",
    area="producers",
    violates=("JMS-PROD-004",),
    doc="Options given with a send become the producer's own.",
    apply=partial(patch.object, PulsarMessageProducer, "send", _send_and_keep),
)
SENDS_ARE_NOT_AWAITED = Mutant(
    name="sends-are-not-awaited",
    area="producers",
    violates=("JMS-PROD-005",),
    doc="A synchronous send returns before the message is at the broker.",
    apply=partial(patch.object, PulsarMessageProducer, "send", _send_later),
)
PRODUCERS_OUTLIVE_THEIR_SESSION = Mutant(
    name="producers-outlive-their-session",
    area="sessions",
    violates=("JMS-SESS-004",),
    doc="A producer goes on when its session is closed.",
    apply=partial(patch.object, PulsarMessageProducer, "_check_open", lambda producer: None),
)
SESSION_CLOSES_ONCE = Mutant(
    name="session-closes-once",
    area="sessions",
    violates=("JMS-SESS-006",),
    doc="Closing a closed session is an error.",
    apply=partial(patch.object, PulsarSession, "close", _close_once),
)
SESSION_LEAVES_CONSUMERS_BEHIND = Mutant(
    name="session-leaves-consumers-behind",
    area="sessions",
    violates=("JMS-SESS-007",),
    doc="Closing a session leaves its consumers with the broker.",
    apply=partial(patch.object, PulsarSession, "close", _close_without_consumers),
)
PROPERTIES_THAT_ARE_NOT_THERE = Mutant(
    name="lists-properties-that-are-not-there",
    area="metadata",
    violates=("JMS-META-001",),
    doc="getJMSXPropertyNames lists JMSXUserID, which no message has.",
    apply=_lists("JMSXGroupID", "JMSXGroupSeq", "JMSXDeliveryCount", "JMSXUserID"),
)
PROPERTIES_THAT_ARE_NOT_LISTED = Mutant(
    name="lists-no-delivery-count",
    area="metadata",
    violates=("JMS-META-001",),
    doc="getJMSXPropertyNames leaves JMSXDeliveryCount out.",
    apply=_lists("JMSXGroupID", "JMSXGroupSeq"),
)
NUMBERS_OF_ANOTHER_VERSION = Mutant(
    name="numbers-of-another-version",
    area="metadata",
    violates=("JMS-META-002",),
    doc="The numbers of the provider's version are not those of its text.",
    apply=partial(
        patch.object, PulsarConnectionMetaData, "provider_major_version", property(lambda _: 9)
    ),
)
