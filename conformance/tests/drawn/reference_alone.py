"""The messages of the reference without a broker: what is sent is encoded, and decoded again."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from jmsapi import Message, Queue
from pulsar_jms.contexts.context_producer import PulsarJMSProducer
from pulsar_jms.mapping.destinations import create_queue
from pulsar_jms.messages import convert, decode
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.sessions.message_factory import MessageFactory
from pulsar_jms.transport.wire_messages import (
    IncomingMessage,
    MessagePosition,
    OutgoingMessage,
)
from sample_messages import received
from touchstone.drawn.driving import Disagreement, Driver
from touchstone.drawn.producer_driving import ProducerDriver
from touchstone.drawn.program import FOR_A_QUEUE, OF_A_CONTEXT


class _Session(MessageFactory):
    """It makes messages, and is always open."""

    def __init__(self) -> None:
        """Without a connection."""

    def check_open(self) -> None:
        """It is."""


def driver() -> Driver:
    """Runs programs on such messages."""
    return Driver(_Session(), received)  # type: ignore[arg-type]


class _Sending(_Session):
    """A session of producers, too, which keeps what they send until it is received."""

    closed = False
    failure = transaction = None
    connection_id = "connection"
    settings = SimpleNamespace(namespace="public/default")

    def __init__(self) -> None:
        self.completions = SimpleNamespace(wait=lambda: None)
        self.client = SimpleNamespace(hold=lambda *_: None, release=lambda *_: None)
        self.entries: Iterator[int] = itertools.count()
        self.sent: list[IncomingMessage] = []

    def convert_message(self, message: Message) -> Any:
        """All are its own."""
        return convert(message)

    def check_no_completion(self, what: str) -> None:
        """No completion listener is the caller."""

    def transport_producer(self, destination: object) -> _Sending:
        """All destinations are one."""
        return self

    def send(self, message: OutgoingMessage) -> MessagePosition:
        """It can be received."""
        at = MessagePosition(1, next(self.entries))
        self.sent.append(
            IncomingMessage(
                message.payload or b"",
                message.null_value,
                message.properties,
                at,
                message.partition_key,
                message.event_time,
            )
        )
        return at


class OutletAlone:
    """Where producers of the reference send without a broker."""

    def __init__(self) -> None:
        self.session = _Sending()
        self.own: Queue = create_queue("own")
        self.other: Queue = create_queue("other")

    def producer(self, kind: str) -> Any:
        """A new producer, such as programs name it."""
        session: Any = self.session
        if kind == OF_A_CONTEXT:
            return PulsarJMSProducer(PulsarMessageProducer(session, None))
        return PulsarMessageProducer(session, create_queue("own") if kind == FOR_A_QUEUE else None)

    def received(self) -> Message | None:
        """The next message."""
        return decode(self.session.sent.pop(0), create_queue("own")) if self.session.sent else None

    def renew(self) -> None:
        """Forget what was sent."""
        self.session.sent.clear()


def driver_of_producers() -> ProducerDriver:
    """Runs programs with producers."""
    outlet = OutletAlone()
    return ProducerDriver(outlet.session, received, outlet=outlet)  # type: ignore[arg-type]


def is_known(each: Disagreement) -> bool:
    """What the documents of the reference have otherwise: rows of impl/DECISIONS.md.

    Names that are no identifiers are taken; an id and an expiration of the application travel; a
    property of the provider is listed that is named for nobody.
    """
    return each.ids in ({"JMS-PROP-001"}, {"JMS-HDR-003"}, {"JMS-PROP-054"})
