"""Another connection of the client, which looks at the queues of a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from jms_model.async_sends.queue_rules import Arrived
from jmsapi import (
    BytesMessage,
    ConnectionFactory,
    MapMessage,
    Message,
    ObjectMessage,
    Queue,
    StreamMessage,
    TextMessage,
)
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.driving import DidNotCome

NUMBER: Final = "number"
"""The property by which a send is known."""
MARKER: Final = -1
"""The number of the message behind all that a queue has."""
_HEADERS: Final = (
    "jms_message_id",
    "jms_timestamp",
    "jms_destination",
    "jms_delivery_mode",
    "jms_priority",
    "jms_expiration",
    "jms_delivery_time",
)


class Outside:
    """Looks at queues, for one program after another."""

    def __init__(self, factory: ConnectionFactory, arrivals: Arrivals) -> None:
        self.arrivals = arrivals
        self._connection: Any = factory.create_connection()
        self._connection.start()
        self._session: Any = self._connection.create_session()

    def queue(self, name: str) -> Queue:
        """A queue of this name."""
        made: Queue = self._session.create_queue(name)
        return made

    def send(self, queue: Queue, number: int) -> None:
        """Send a message of this number."""
        message = self._session.create_text_message("from outside")
        message.set_int_property(NUMBER, number)
        producer = self._session.create_producer(queue)
        try:
            producer.send(message, priority=0)
        finally:
            producer.close()

    def browse(self, queue: Queue) -> list[Arrived]:
        """What a browser shows."""
        browser = self._session.create_browser(queue)
        try:
            return [Arrived(number_of(each) or 0, None) for each in browser.enumeration]
        finally:
            browser.close()

    def left(self, queue: Queue, keep: Callable[[int, Message], None]) -> list[Arrived]:
        """All messages of a queue, received in front of a marker; `keep` is given each."""
        consumer = self._session.create_consumer(queue)
        try:
            self.send(queue, MARKER)
            arrived: list[Arrived] = []
            while (message := self.arrivals.next(consumer)) is not None:
                number = number_of(message) or 0
                if number == MARKER:
                    return arrived
                keep(number, message)
                arrived.append(Arrived(number, body_of(message)))
            raise DidNotCome
        finally:
            consumer.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def number_of(message: Message) -> int | None:
    """The number of the send that a message is of."""
    if message is None or not message.property_exists(NUMBER):
        return None
    return int(message.get_int_property(NUMBER))


def headers_of(message: Message, name_of: Callable[[Any], str]) -> tuple[object, ...]:
    """What a send has set."""
    fields = (getattr(message, name) for name in _HEADERS)
    return tuple(
        name_of(value) if name == "jms_destination" else value
        for name, value in zip(_HEADERS, fields, strict=True)
    )


def body_of(message: Message) -> object:
    """The body, where it can be read more than once."""
    match message:
        case TextMessage():
            return message.text
        case MapMessage() | ObjectMessage():
            return message.get_body(dict if isinstance(message, MapMessage) else object)
        case BytesMessage() | StreamMessage():
            return None
    return None
