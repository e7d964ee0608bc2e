"""Temporary queues and topics: made for one connection, consumed by it alone, deleted with it."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress

from jmsapi import (
    IllegalStateException,
    InvalidDestinationException,
    JMSException,
    JMSSecurityException,
    TemporaryQueue,
    TemporaryTopic,
)
from pulsar_jms.configuration import Settings
from pulsar_jms.implements import implements
from pulsar_jms.mapping.destinations import PulsarQueue, PulsarTopic
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.mapping.temporary import is_temporary, temporary_queue_name, temporary_topic_name
from pulsar_jms.temporary.temporary_producers import TemporaryProducers
from pulsar_jms.transport.administration import Administration

_LOG = logging.getLogger(__name__)

_IN_USE_FOR = 1.5
"""Seconds for which a topic that is in use is tried again: who answered to it is about to leave."""
_EVERY = 0.1
"""Seconds between two tries."""
_DELETE_WITHIN = 30.0
"""Seconds that delete() waits for the administration."""
_CLOSE_WITHIN = 5.0
"""Seconds that a closing connection waits for it, for all its destinations together."""
_LEAST_PATIENCE = 0.1
"""Seconds that one request waits for it at least."""
_DURABLE = (ConsumerKind.DURABLE, ConsumerKind.SHARED_DURABLE)
_WITNESS = "jms-temp"
"""The subscription by which a topic is made; it is deleted at once."""


class PulsarTemporaryQueue(PulsarQueue, TemporaryQueue):
    """A queue of one connection."""

    __slots__ = ("_owner",)

    def __init__(self, name: str, owner: TemporaryDestinations) -> None:
        super().__init__(name)
        self._owner = owner

    def delete(self) -> None:
        """Delete the queue with its messages; `JMSException` while it has consumers."""
        self._owner.delete(self.name)

    @property
    def is_gone(self) -> bool:
        """Whether it was deleted, or went with its connection."""
        return not self._owner.has(self.name)


class PulsarTemporaryTopic(PulsarTopic, TemporaryTopic):
    """A topic of one connection."""

    __slots__ = ("_owner",)

    def __init__(self, name: str, owner: TemporaryDestinations) -> None:
        super().__init__(name)
        self._owner = owner

    def delete(self) -> None:
        """Delete the topic; `JMSException` while it has consumers."""
        self._owner.delete(self.name)


class TemporaryDestinations:
    """Those of one connection; usable from several threads."""

    def __init__(
        self,
        administration: Administration | None,
        producers: TemporaryProducers,
        settings: Settings,
    ) -> None:
        self._administration = administration
        self._producers = producers
        self._settings = settings
        self._lock = threading.Lock()
        self._topics: set[str] = set()
        self._closed = False

    @implements("JMS-TEMP-003", "SLJ-TEMP-007", "SLJ-TEMP-008")
    def create_queue(self) -> PulsarTemporaryQueue:
        """A new queue, there at the broker together with its subscription.

        So an answer that comes before its consumer is kept. `JMSException` when the broker makes
        no topics by their use, or not for this client.
        """
        queue = PulsarTemporaryQueue(temporary_queue_name(self._settings.namespace), self)
        administration = self._require_administration()
        if administration is not None:
            administration.create_subscription(
                queue.name, self._settings.queue_subscription, earliest=True, patient=False
            )
        self._keep(queue.name)
        return queue

    @implements("JMS-TEMP-005", "SLJ-TEMP-007", "SLJ-TEMP-008")
    def create_topic(self) -> PulsarTemporaryTopic:
        """A new topic, there at the broker; errors as for a queue."""
        topic = PulsarTemporaryTopic(temporary_topic_name(self._settings.namespace), self)
        administration = self._require_administration()
        if administration is not None:
            administration.create_subscription(topic.name, _WITNESS, earliest=False, patient=False)
            administration.delete_subscription(topic.name, _WITNESS)
        self._keep(topic.name)
        return topic

    def has(self, topic: str) -> bool:
        """Whether it was made here, and is not deleted."""
        return topic in self._topics

    @implements("JMS-TEMP-001", "JMS-TEMP-004", "JMS-TEMP-006", "JMS-TEMP-007")
    def check_consumer(self, topic: str, kind: ConsumerKind) -> None:
        """`InvalidDestinationException` for a temporary topic of others, or one that is deleted.

        The same for a durable subscription, which could not outlive its topic.
        """
        if not is_temporary(topic):
            return
        if topic not in self._topics:
            raise InvalidDestinationException(
                f"{topic} is a temporary destination of another connection, or it is deleted: "
                "only the connection that made it consumes from it"
            )
        if kind in _DURABLE:
            raise InvalidDestinationException(
                f"{topic} is temporary, so no durable subscription can outlive it; consume it "
                "by create_consumer or create_shared_consumer"
            )

    @implements("JMS-TEMP-008")
    def delete(self, topic: str) -> None:
        """Delete one destination; a second time does nothing.

        `JMSException` while it has consumers, and when the broker does not delete it: then it
        stays as it was and may be deleted later.
        """
        if topic not in self._topics:
            return
        administration = self._administration
        if administration is None:
            _LOG.warning("%s stays at the broker: there is no administration to delete it", topic)
        else:
            if administration.has_consumers(topic):
                raise JMSException(
                    f"{topic} has consumers; close them before the temporary destination is deleted"
                )
            now = time.monotonic()
            self._delete(administration, topic, now + _IN_USE_FOR, now + _DELETE_WITHIN)
        self._producers.end(topic, deleted=True)
        with self._lock:
            self._topics.discard(topic)

    @implements("JMS-TEMP-003", "JMS-TEMP-005", "SLJ-TEMP-003", "SLJ-TEMP-006")
    def close(self) -> None:
        """Try to delete all; what fails or takes too long is left behind and logged."""
        with self._lock:
            self._closed = True
            topics, self._topics = self._topics, set()
        now = time.monotonic()
        until, end = now + _IN_USE_FOR, now + _CLOSE_WITHIN
        administration = self._administration
        for topic in sorted(topics):
            try:
                if administration is not None:
                    self._delete(administration, topic, until, end)
            except JMSException as error:
                _LOG.warning("The temporary destination %s is left behind: %s", topic, error)
                if administration is not None and isinstance(error, JMSSecurityException):
                    self._leave_to_the_broker(administration, topic)
            self._producers.end(topic, deleted=True)

    def _delete(self, administration: Administration, topic: str, until: float, end: float) -> None:
        """Delete a topic; what may mend itself is tried until `until`, and at last by force.

        After `end` the administration is not waited for.
        """
        force = self._settings.flag("jms.forceDeleteTemporaryDestinations", False)
        self._producers.end(topic, deleted=False)
        while True:
            late = time.monotonic() >= until
            try:
                within = max(_LEAST_PATIENCE, end - time.monotonic())
                if administration.delete_topic(topic, force=force and late, within=within):
                    return
            except JMSSecurityException:
                raise
            except JMSException:
                if late:
                    raise
            else:
                if late:
                    raise JMSException(
                        f"The broker does not delete {topic}: somebody else still uses it; with "
                        "jms.forceDeleteTemporaryDestinations=true it is deleted all the same"
                    )
            time.sleep(_EVERY)

    def _leave_to_the_broker(self, administration: Administration, topic: str) -> None:
        """Drop what keeps messages, so that the broker itself deletes the topic as inactive."""
        with suppress(JMSException):
            administration.delete_subscription(topic, self._settings.queue_subscription)

    def _require_administration(self) -> Administration | None:
        """The administration; None where temporary destinations come into being by their use."""
        administration = self._administration
        if administration is None and not self._settings.flag(
            "jms.allowTemporaryTopicWithoutAdmin", False
        ):
            raise IllegalStateException(
                "A temporary destination is made and deleted by the administration: set "
                "jms.usePulsarAdmin=true, or jms.allowTemporaryTopicWithoutAdmin=true to have it "
                "made by its use and never deleted"
            )
        return administration

    def _keep(self, topic: str) -> None:
        with self._lock:
            if not self._closed:
                self._topics.add(topic)
                return
        administration = self._administration
        if administration is not None:
            administration.delete_topic(topic, force=False, within=_CLOSE_WITHIN)
        raise IllegalStateException(
            "The connection was closed while a temporary destination was made"
        )
