"""Small exchanges of text messages that scenarios of several areas use."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress

from jmsapi import (
    Connection,
    Destination,
    Message,
    MessageConsumer,
    MessageProducer,
    Queue,
    Session,
)
from touchstone.api import (
    SENDS_ONLY_SYNCHRONOUSLY,
    QueueView,
    body_of,
    checks,
    eventually,
    nothing_before,
    observe,
    receive_all,
    until,
)


def send(connection: Connection, destination: Destination, texts: Iterable[str]) -> list[str]:
    """Send one text message for each of `texts`, in order; returns the texts."""
    with connection.create_session() as session:
        producer = session.create_producer(destination)
        sent = list(texts)
        for text in sent:
            producer.send(session.create_text_message(text))
    return sent


def producing(session: Session, queue: Queue, queues: QueueView) -> MessageProducer:
    """A producer that has sent a message, and that the broker has, where it tells its producers."""
    producer = session.create_producer(queue)
    producer.send(session.create_text_message("hello"))
    eventually(lambda: queues.producers(queue) != 0)
    observe("producers that the broker has while one is open", queues.producers(queue))
    return producer


def no_producer(queue: Queue, queues: QueueView, patience: float) -> None:
    """Check that within `patience` seconds the broker, where it tells its producers, has none."""
    __tracebackhide__ = True
    with suppress(AssertionError):
        until(lambda: not queues.producers(queue), patience)
    assert queues.producers(queue) in (0, None)


class Confirmations:
    """A completion listener that counts: what was confirmed, and what failed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.confirmed = 0
        self.failures: list[Exception] = []

    def on_completion(self, message: Message) -> None:
        """Count a confirmation."""
        with self._lock:
            self.confirmed += 1

    def on_exception(self, message: Message, exception: Exception) -> None:
        """Keep a failure."""
        self.failures.append(exception)


def send_many(
    connection: Connection, destination: Destination, texts: Iterable[str], within: float = 60.0
) -> list[str]:
    """Send one text message for each of many `texts`, in order; returns the texts.

    Asynchronously, where the client can. Returns when all are confirmed; AssertionError when one
    is not within `within` seconds.
    """
    confirmations = Confirmations()
    asynchronous = 0
    sent = list(texts)
    with connection.create_session() as session:
        producer = session.create_producer(destination)
        for text in sent:
            message = session.create_text_message(text)
            try:
                producer.send(message, completion_listener=confirmations)
                asynchronous += 1
            except SENDS_ONLY_SYNCHRONOUSLY:
                producer.send(message)
        until(lambda: confirmations.failures or confirmations.confirmed == asynchronous, within)
    assert confirmations.failures == []
    return sent


def texts_by_priority(priorities: Iterable[int]) -> list[str]:
    """A text for each priority: it and the number of the message, as in `9-17`."""
    return [f"{priority}-{number}" for number, priority in enumerate(priorities)]


def send_by_priority(
    session: Session, destination: Destination, priorities: Iterable[int], within: float = 20.0
) -> list[str]:
    """Send texts_by_priority, asynchronously and in order; returns them.

    Returns when all are confirmed; AssertionError when one is not within `within` seconds.
    """
    confirmations = Confirmations()
    sent = texts_by_priority(priorities)
    with session.create_producer(destination) as producer:
        for text in sent:
            message = session.create_text_message(text)
            producer.send(message, priority=priority_in(text), completion_listener=confirmations)
        eventually(lambda: confirmations.failures or confirmations.confirmed == len(sent), within)
    assert confirmations.failures == []
    return sent


def priority_in(text: str | bytes) -> int:
    """The priority that a text of texts_by_priority, or such a payload, names."""
    return int(text[:1])


def numbered(count: int, prefix: str = "message") -> list[str]:
    """`count` different texts: message-1, message-2 and so on."""
    return [f"{prefix}-{number}" for number in range(1, count + 1)]


def texts(messages: Iterable[Message]) -> list[str]:
    """The texts of text messages, in order."""
    return [str(body_of(message, str)) for message in messages]


def only_the_marker_comes(
    connection: Connection, destination: Destination, consumer: MessageConsumer
) -> None:
    """A message that is sent now is the next that the consumer gets."""
    __tracebackhide__ = True
    nothing_before(
        consumer,
        lambda: send(connection, destination, ["marker"]),
        lambda message: texts([message]) == ["marker"],
    )


def take(consumer: MessageConsumer, sent: Sequence[str]) -> list[Message]:
    """The next messages of a consumer, in the order they came in: each of these texts once."""
    __tracebackhide__ = True
    messages = receive_all(consumer, len(sent))
    assert checks.exactly_once(sent, texts(messages)) == []
    return messages


def shared_out(
    consumers: Sequence[MessageConsumer], count: int, within: float = 20.0
) -> list[list[str]]:
    """What each consumer got once `count` messages have come to all of them together.

    Seconds; AssertionError when fewer came in time.
    """
    shares: list[list[str]] = [[] for _ in consumers]

    def all_came() -> bool:
        for consumer, share in zip(consumers, shares, strict=True):
            while (message := consumer.receive_no_wait()) is not None:
                share.extend(texts([message]))
        return sum(map(len, shares)) >= count

    eventually(all_came, within)
    return shares
