"""What scenarios of the core do with any client: what is left, and what deliveries say."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from jms_scenarios.traffic import numbered, send, take, texts
from jmsapi import (
    Connection,
    Destination,
    Message,
    MessageConsumer,
    Queue,
    Session,
    SessionMode,
    Topic,
)
from touchstone.api import QueueView, UnderTest, body_of, checks, eventually, receive

TRANSACTED = SessionMode.SESSION_TRANSACTED
AUTO = SessionMode.AUTO_ACKNOWLEDGE
CLIENT = SessionMode.CLIENT_ACKNOWLEDGE
DUPS_OK = SessionMode.DUPS_OK_ACKNOWLEDGE
MARKER = "marker"


def delivery(message: Message) -> checks.CountedDelivery:
    """What a delivery of a text message says of itself."""
    count = int(message.get_int_property("JMSXDeliveryCount"))
    return checks.CountedDelivery(str(body_of(message, str)), message.jms_redelivered, count)


def unflagged(messages: Iterable[Message]) -> list[str]:
    """The texts of those messages that do not say that they are delivered again."""
    return [str(body_of(message, str)) for message in messages if not message.jms_redelivered]


def send_in(session: Session, destination: Destination, sent: list[str]) -> list[str]:
    """Send text messages by a producer of this session; returns the texts."""
    with session.create_producer(destination) as producer:
        for text in sent:
            producer.send(session.create_text_message(text))
    return sent


def before_marker(connection: Connection, consumer: MessageConsumer, queue: Queue) -> list[Message]:
    """What comes to the queue's only consumer before a marker that is sent now."""
    send(connection, queue, [MARKER])
    messages = [receive(consumer)]
    while body_of(messages[-1], str) != MARKER:
        messages.append(receive(consumer))
    return messages[:-1]


def left_on(connection: Connection, queue: Queue) -> list[Message]:
    """What a new consumer gets from a queue that has no other; it is gone afterwards."""
    with connection.create_session() as session, session.create_consumer(queue) as consumer:
        return before_marker(connection, consumer, queue)


def nobody_holds(queues: QueueView, queue: Queue, within: float = 20.0) -> None:
    """Returns when the broker has taken back what dead clients had of a queue."""
    eventually(lambda: queues.ready(queue) == queues.pending(queue), within)


def control_acknowledged(jms: UnderTest, queues: QueueView, control: Queue) -> None:
    """Returns when the broker has heard of an acknowledgement that is made now, elsewhere."""
    with jms.session() as session, session.create_consumer(control) as consumer:
        sent = send(jms.connected, control, ["control"])
        assert texts([receive(consumer)]) == sent
        eventually(lambda: queues.pending(control) == 0)


def named(destination: Destination | None) -> tuple[str, str] | None:
    """Kind and name of a destination."""
    if destination is None:
        return None
    if isinstance(destination, Queue):
        return "queue", destination.queue_name
    assert isinstance(destination, Topic)
    return "topic", destination.topic_name


def quietly_close(connection: Connection) -> None:
    """Close a connection that may be broken; how that ends is not judged here."""
    with suppress(Exception):
        connection.close()


__all__ = [
    "AUTO",
    "CLIENT",
    "DUPS_OK",
    "MARKER",
    "TRANSACTED",
    "before_marker",
    "control_acknowledged",
    "delivery",
    "left_on",
    "named",
    "nobody_holds",
    "numbered",
    "quietly_close",
    "send",
    "send_in",
    "take",
    "texts",
    "unflagged",
]
