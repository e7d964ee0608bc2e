"""Small exchanges of text messages that scenarios of several areas use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jmsapi import Connection, Destination, Message, MessageConsumer
from touchstone.api import eventually


def send(connection: Connection, destination: Destination, texts: Iterable[str]) -> list[str]:
    """Send one text message for each of `texts`, in order; returns the texts."""
    with connection.create_session() as session:
        producer = session.create_producer(destination)
        sent = list(texts)
        for text in sent:
            producer.send(session.create_text_message(text))
    return sent


def numbered(count: int, prefix: str = "message") -> list[str]:
    """`count` different texts: message-1, message-2 and so on."""
    return [f"{prefix}-{number}" for number in range(1, count + 1)]


def texts(messages: Iterable[Message]) -> list[str]:
    """The texts of text messages, in order."""
    return [str(message.get_body(str)) for message in messages]


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
