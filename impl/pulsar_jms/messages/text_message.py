"""TextMessage."""

from __future__ import annotations

from jmsapi.conversions import typed_string
from jmsapi.messages import TextMessage
from pulsar_jms.implements import implements
from pulsar_jms.mapping.bodies import MessageKind, decode_text, encode_text
from pulsar_jms.messages.message import PulsarMessage


@implements("API-TEXT-001..003")
class PulsarTextMessage(PulsarMessage, TextMessage):
    """A text, or null."""

    KIND = MessageKind.TEXT

    def __init__(self, text: str | None = None) -> None:
        super().__init__()
        self._text = typed_string(text)

    @property
    def text(self) -> str | None:
        """The text, None for null."""
        return self._text

    @text.setter
    def text(self, value: str | None) -> None:
        self.require_writable_body()
        self._text = typed_string(value)

    def clear_body(self) -> None:
        super().clear_body()
        self._text = None

    def encoded_body(self) -> bytes | None:
        return encode_text(self._text)

    def load_body(self, payload: bytes | None) -> None:
        self._text = decode_text(payload)

    def load_value(self, value: str | None) -> None:
        self._text = value

    def body_value(self) -> str | None:
        return self._text
