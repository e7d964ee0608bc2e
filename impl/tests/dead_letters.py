"""A queue, its dead letters, and what tests do with both."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx

from jmsapi import Message, SessionMode, TextMessage
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.sessions.session import PulsarSession

if TYPE_CHECKING:
    pass

PATIENCE = 20_000
"""Milliseconds for something that has to happen on a loaded machine."""


def limited(limit: int = 1, **policy: str) -> dict[str, object]:
    """Settings that allow so many redeliveries, and redeliver at once."""
    return {
        "consumerConfig": {
            "deadLetterPolicy": {"maxRedeliverCount": limit, **policy},
            "negativeAckRedeliveryDelayMicros": 0,
        }
    }


class Place(NamedTuple):
    """A queue and the topic that its dead letters go to by default."""

    queue: str
    admin_url: str

    @property
    def letters(self) -> str:
        return f"{self.queue}-jms-queue-DLQ"

    def stats(self, topic: str) -> dict[str, Any]:
        """The broker's statistics of a topic; none when there is no such topic."""
        url = f"{self.admin_url}/admin/v2/persistent/public/default/{topic}/stats"
        answer = httpx.get(url, params={"getPreciseBacklog": "true"})
        return dict(answer.json()) if answer.is_success else {}

    def backlog(self) -> int:
        """What the queue's subscription has not acknowledged."""
        return int(self.stats(self.queue)["subscriptions"]["jms-queue"]["msgBacklog"])


def sent(session: PulsarSession, place: Place, *texts: str) -> None:
    with session.create_producer(session.create_queue(place.queue)) as producer:
        for text in texts:
            producer.send(session.create_text_message(text))


def opened(session: PulsarSession, queue: str) -> PulsarMessageConsumer:
    return session.create_consumer(session.create_queue(queue))


def text(message: Message | None) -> str | None:
    assert isinstance(message, TextMessage)
    return message.text


def waited_for(condition: Callable[[], object]) -> bool:
    until = time.monotonic() + PATIENCE / 1000
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def letter(connection: PulsarConnection, place: Place) -> Message:
    """The first message of the default dead letter topic, which has to come."""
    consumer = opened(connection.create_session(), place.letters)
    message = consumer.receive(PATIENCE)
    assert message is not None
    return message


def client_session(connection: PulsarConnection) -> PulsarSession:
    return connection.create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE)
