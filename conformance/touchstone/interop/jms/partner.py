"""A JMS client as a partner; it lives in a process of its own, as do its JVM and its jars."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from jms_brokers.brokers.interface import BrokerAddress
from jms_clients.registry import load_provider
from jmsapi import MessageConsumer, Session
from touchstone.interop.jms import consuming, producing
from touchstone.interop.jms.access import JmsAccess
from touchstone.interop.jms.messages import message_of, name_of, thrown, view_of
from touchstone.interop.parts import Reading, SendRecord, View, Waiting
from touchstone.interop.samples import LAST, SampleMessage

PATIENCE = 15_000
"""Milliseconds that a message may take that has to come."""
_AFTER_THE_LAST = 2_000
"""Milliseconds that the missing ones may take behind the last message."""
_ERRORS = 20
"""So many errors of receive() are enough."""


class JmsPartner(JmsAccess):
    """The parts that it plays."""

    def send(self, queue: str, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Send the samples of these names, and the last one."""
        with self.connection().create_session() as session:
            producer = session.create_producer(session.create_queue(self.full_name(queue)))
            told = {name: self._send(session, producer, self.samples[name]) for name in names}
            self._send(session, producer, LAST)
        return told

    def _send(self, session: Session, producer: Any, sample: SampleMessage) -> dict[str, Any]:
        since = time.time_ns() // 1_000_000
        try:
            message = message_of(session, sample)
            producer.send(message, **sample.options)
        except Exception as error:  # it is what the client shows of this sample
            return SendRecord(since, since, error=thrown(error)).as_dict()
        until = -(-time.time_ns() // 1_000_000)
        return SendRecord(since, until, message.jms_message_id).as_dict()

    def read(self, queue: str, subscription: str, names: Sequence[str]) -> dict[str, Any]:
        """A `Reading` of the queue by a subscription of its own, up to the last sample."""
        connection = self.connection({"jms.queueSubscriptionName": subscription})
        with connection.create_session() as session:
            consumer = session.create_consumer(session.create_queue(self.full_name(queue)))
            return _read(consumer, names).as_dict()

    def prepare(self, behaviour: str, name: str) -> Waiting | None:
        """A consumer for a behaviour."""
        return consuming.CONSUMERS[behaviour](self, name)

    def act(self, behaviour: str, name: str) -> dict[str, Any] | None:
        """The producer's part of a behaviour."""
        return producing.act(self, behaviour, name)

    def after(self, behaviour: str, name: str) -> View:
        """What the producer sees when the consumer has done its part."""
        return producing.after(self, behaviour, name)


def _read(consumer: MessageConsumer, names: Sequence[str]) -> Reading:
    views: dict[str, list[View]] = {}
    errors: list[str] = []
    unknown: list[View] = []
    whole = False
    patience = PATIENCE
    while len(errors) < _ERRORS:
        try:
            message = consumer.receive(patience)
            if message is None:
                break
            name, view = name_of(message), view_of(message)
        except Exception as error:  # it stands for one of the messages
            errors.append(thrown(error))
            continue
        if name == LAST.name:
            whole, patience = True, _AFTER_THE_LAST
        elif name is not None and name in names:
            views.setdefault(name, []).append(view)
        else:
            unknown.append(view)
        if whole and len(views) + len(errors) >= len(names):
            break
    return Reading(views, errors, unknown, whole)


class _Opened:
    def __init__(self, spelling: str, namespace: str) -> None:
        self._provider = load_provider(spelling)
        self._namespace = namespace

    @contextmanager
    def open(self, broker: BrokerAddress) -> Iterator[JmsPartner]:
        with self._provider.open(broker) as client:
            yield JmsPartner(client, self._namespace)


def partner(spec: str) -> _Opened:
    """What `OtherProcess` opens: `spec` is the namespace, a blank and the provider's spelling."""
    namespace, _, spelling = spec.partition(" ")
    return _Opened(spelling, namespace)
