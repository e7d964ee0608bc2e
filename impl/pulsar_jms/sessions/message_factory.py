"""Messages and destinations, which a session makes by itself: the broker hears nothing of them."""

from __future__ import annotations

from jmsapi import (
    BytesMessage,
    MapMessage,
    Message,
    ObjectMessage,
    Queue,
    StreamMessage,
    TextMessage,
    Topic,
)
from pulsar_jms.implements import implements
from pulsar_jms.mapping.destinations import create_queue, create_topic
from pulsar_jms.messages import (
    PulsarBytesMessage,
    PulsarMapMessage,
    PulsarMessage,
    PulsarObjectMessage,
    PulsarStreamMessage,
    PulsarTextMessage,
)


@implements("JMS-DEST-007")
class MessageFactory:
    """The part of a session that needs nothing but that the session is open."""

    def check_open(self) -> None:
        """`IllegalStateException` when the session is closed."""
        raise NotImplementedError

    def create_message(self) -> Message:
        """A message without a body."""
        self.check_open()
        return PulsarMessage()

    def create_bytes_message(self) -> BytesMessage:
        """A message of bytes."""
        self.check_open()
        return PulsarBytesMessage()

    def create_map_message(self) -> MapMessage:
        """A message of named values."""
        self.check_open()
        return PulsarMapMessage()

    def create_object_message(self, value: object = None) -> ObjectMessage:
        """A message of one serialisable value."""
        self.check_open()
        return PulsarObjectMessage(value)

    def create_stream_message(self) -> StreamMessage:
        """A message of a sequence of values."""
        self.check_open()
        return PulsarStreamMessage()

    def create_text_message(self, text: str | None = None) -> TextMessage:
        """A message of a text."""
        self.check_open()
        return PulsarTextMessage(text)

    def create_queue(self, name: str) -> Queue:
        """The queue of this name; nothing is made at the broker."""
        self.check_open()
        return create_queue(name)

    def create_topic(self, name: str) -> Topic:
        """The topic of this name; nothing is made at the broker."""
        self.check_open()
        return create_topic(name)
