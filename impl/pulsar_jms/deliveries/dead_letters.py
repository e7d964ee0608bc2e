"""Dead letters: messages delivered too often are moved to a topic of their own.

Done above the transport, so that every transport acts alike. A message is sent to the dead letter
topic, and acknowledged once the broker has it there; when that fails it stays where it is, comes
again later, and is then moved without being delivered. So it is never lost, and in the dead letter
topic at most once too often.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from functools import partial

from jmsapi import JMSException
from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.implements import implements
from pulsar_jms.mapping.dead_letter import DeadLetterPolicy, dead_letter_properties
from pulsar_jms.mapping.headers import message_id_text
from pulsar_jms.threads import FailureHandler
from pulsar_jms.timer import Timer
from pulsar_jms.transport.administration import Administration
from pulsar_jms.transport.transport_protocol import (
    DeliveredMessage,
    SubscriptionRequest,
    SubscriptionType,
    Transport,
)
from pulsar_jms.transport.wire_messages import Incoming, OutgoingMessage

_LOG = logging.getLogger(__name__)

_AGAIN = 1.0
"""Seconds after which a message comes again that could not be moved."""
_CLOSE_WITHIN = 5.0
"""Seconds that a closing consumer waits for what it is moving."""


class DeadLetterTopics:
    """The dead letter topics of a factory's consumers, and the one thread that writes to them."""

    def __init__(
        self,
        transport: Transport,
        administration: Administration | None,
        on_failure: FailureHandler,
    ) -> None:
        """`on_failure` as that of the thread's timer."""
        self._transport = transport
        self._administration = administration
        self._subscribed: set[tuple[str, str]] = set()
        self._timer = Timer("pulsar-jms-dead-letters", on_failure)

    @implements("SLJ-DLQ-006")
    def run_later(self, action: Callable[[], None]) -> None:
        """Do `action` on the thread, after those that it was given before."""
        self._timer.after(0.0, action)

    def store(self, topic: str, initial_subscription: str | None, message: OutgoingMessage) -> None:
        """Send to a dead letter topic, which gets its subscription first; blocks.

        One over the broker's limit, which came in chunks, goes in chunks, as in the real client.
        """
        if initial_subscription is not None:
            self._subscribe(topic, initial_subscription)
        self._transport.producer(topic, chunked=True).send(message)

    def close(self) -> None:
        """Drop what waits, and end the thread."""
        self._timer.close()

    @implements("SLJ-DLQ-004")
    def _subscribe(self, topic: str, name: str) -> None:
        """Have a durable subscription from the first message on; one that exists is left alone."""
        if (topic, name) in self._subscribed or not topic.startswith("persistent://"):
            return
        if self._administration is not None:
            self._administration.create_subscription(topic, name, earliest=True, patient=False)
        else:
            self._subscribe_and_close(topic, name)
        self._subscribed.add((topic, name))

    def _subscribe_and_close(self, topic: str, name: str) -> None:
        request = SubscriptionRequest(
            (topic,),
            name,
            SubscriptionType.SHARED,
            durable=True,
            earliest=True,
            properties={},
            prefetch=1,
        )
        try:
            self._transport.subscribe(request).close()
        except JMSException as error:
            if "ConsumerBusy" not in (error.error_code or ""):  # then it exists, and is in use
                raise


class DeadLetters:
    """What one consumer sets aside under its policy."""

    def __init__(
        self,
        policy: DeadLetterPolicy,
        subscription: str,
        receive_queue: ReceiveQueue,
        topics: DeadLetterTopics,
    ) -> None:
        self._policy = policy
        self._subscription = subscription
        self._receive_queue = receive_queue
        self._topics = topics
        self._changed = threading.Condition()
        self._moving = 0
        self._closed = False

    def move_if_exceeded(self, delivered: DeliveredMessage) -> bool:
        """Whether a message came beyond the limit, as after a crash; it is moved then."""
        exceeded = self._policy.exceeded_by(delivered.message.redelivery_count)
        if exceeded:
            self._move(delivered)
        return exceeded

    @implements("SLJ-DLQ-011")
    def move_exhausted(self, items: Sequence[DeliveredMessage]) -> list[DeliveredMessage]:
        """Those of the messages to nack that may be delivered again; the rest is moved."""
        again = []
        for item in items:
            if self._policy.exhausted_after(item.message.redelivery_count):
                self._move(item)
            else:
                again.append(item)
        return again

    def close(self) -> None:
        """Wait a while for what is being moved; the broker keeps what is not moved by then."""
        with self._changed:
            self._changed.wait_for(lambda: not self._moving, _CLOSE_WITHIN)
            self._closed = True

    def _move(self, delivered: DeliveredMessage) -> None:
        with self._changed:
            self._moving += 1
        self._topics.run_later(partial(self._move_now, delivered))

    def _move_now(self, delivered: DeliveredMessage) -> None:
        try:
            if not self._closed:
                self._store_and_acknowledge(delivered)
        finally:
            with self._changed:
                self._moving -= 1
                self._changed.notify_all()

    def _store_and_acknowledge(self, delivered: DeliveredMessage) -> None:
        incoming = delivered.message
        topic = self._policy.topic_for(incoming.topic, self._subscription)
        try:
            letter = _dead_letter(incoming, self._subscription)
            self._topics.store(topic, self._policy.initial_subscription, letter)
        except Exception as error:
            _LOG.error(
                "The message %s of %s was delivered too often and cannot be moved to %s: %s; it "
                "stays in the subscription %r and is tried again",
                message_id_text(incoming.position),
                incoming.topic,
                topic,
                error,
                self._subscription,
                exc_info=None if isinstance(error, JMSException) else error,
            )
            self._receive_queue.nack([delivered], _AGAIN, halt=False)
            self._receive_queue.failed(error)
        else:
            self._settle(delivered, topic)

    @implements("SLJ-DLQ-007")
    def _settle(self, delivered: DeliveredMessage, topic: str) -> None:
        """Acknowledge a message that was moved, so that its subscription has it no longer."""
        incoming = delivered.message
        try:
            self._receive_queue.acknowledge(delivered)
        except Exception as error:
            _LOG.error(
                "The message %s of %s was moved to %s, but %s; it may be moved once more",
                message_id_text(incoming.position),
                incoming.topic,
                topic,
                error,
            )
            self._receive_queue.failed(error)


def _dead_letter(incoming: Incoming, subscription: str) -> OutgoingMessage:
    """The message as it goes to the dead letter topic: payload, key and time are its own."""
    return OutgoingMessage(
        None if incoming.null_value else incoming.payload,
        dead_letter_properties(
            incoming.properties,
            incoming.topic,
            subscription,
            incoming.position,
            incoming.first_part,
        ),
        incoming.partition_key,
        incoming.event_time,
    )
