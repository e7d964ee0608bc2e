"""The body of a message as one Python value, whichever of the six kinds the message is of.

Text: str; bytes: bytes; stream: the list of its items; map: a dict; object: the object; a message
without a body: None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jmsapi import (
    BytesMessage,
    MapMessage,
    Message,
    MessageEOFException,
    ObjectMessage,
    Session,
    StreamMessage,
    TextMessage,
    Value,
)

KINDS: Mapping[str, type] = {
    "text": TextMessage,
    "bytes": BytesMessage,
    "stream": StreamMessage,
    "map": MapMessage,
    "object": ObjectMessage,
}


def kind_of(message: Message) -> str:
    """The name of the message's kind in `KINDS`, or `header` for a message without a body."""
    return next((kind for kind, api in KINDS.items() if isinstance(message, api)), "header")


def compose(session: Session, kind: str, content: object) -> Message:
    """A message of `kind` that holds `content`; items and map values are written by their type."""
    match kind, content:
        case "text", str() | None:
            return session.create_text_message(content)
        case "bytes", bytes():
            message = session.create_bytes_message()
            message.write_bytes(content)
            return message
        case "stream", Sequence():
            stream = session.create_stream_message()
            for item in content:
                stream.write_object(item)
            return stream
        case "map", Mapping():
            entries = session.create_map_message()
            for name, value in content.items():
                entries.set_object(name, value)
            return entries
        case "object", _:
            return session.create_object_message(content)
        case "header", None:
            return session.create_message()
    raise TypeError(f"a {kind} body cannot hold a {type(content).__name__}")


def content_of(message: Message) -> Any:
    """The body of a received message."""
    match message:
        case TextMessage():
            return message.text
        case BytesMessage():
            return message.read_bytes(message.body_length) or b""
        case StreamMessage():
            return _items(message)
        case MapMessage():
            return {name: message.get_object(name) for name in message.map_names()}
        case ObjectMessage():
            return message.object
    return None


def _items(stream: StreamMessage) -> list[Value | None]:
    items: list[Value | None] = []
    while True:
        try:
            items.append(stream.read_object())
        except MessageEOFException:
            return items
