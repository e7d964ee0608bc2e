"""What an application sends: messages of each kind with their number, and bare bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jms_model.async_sends.state import BARE, LARGE, NULL
from jmsapi import Message
from touchstone.drawn.async_sends.outside import NUMBER
from touchstone.drawn.driving import MAKERS

_FILLER: Final = 6 * 2**20
"""Characters of a large text."""
_TOUCHES: Final[dict[str, Callable[[Any], object]]] = {
    "getText": lambda message: message.get_body(str),
    "getJMSPriority": lambda message: message.jms_priority,
    "getJMSMessageID": lambda message: message.jms_message_id,
    "getStringProperty": lambda message: message.get_string_property("p"),
    "setText": lambda message: setattr(message, "text", "changed"),
    "setStringProperty": lambda message: message.set_string_property("p", "changed"),
    "setJMSType": lambda message: setattr(message, "jms_type", "changed"),
    "clearBody": lambda message: message.clear_body(),
}
TOUCHES: Final = tuple(_TOUCHES)
"""How a message is touched while it is on its way."""


@dataclass
class ApplicationSend:
    """A send, as the application knows it."""

    number: int
    producer: str
    session: str
    to: str
    listener: str
    what: tuple[Any, ...]
    message: Any = None
    refused: bool = False
    arrived: Message | None = None


def touch(message: Any, what: str) -> object:
    """Read or change a message."""
    return _TOUCHES[what](message)


def made_of(session: Any, sent: ApplicationSend, before: ApplicationSend | None) -> Any:
    """The message of a send, with its number; or the bare body.

    `before`: the send whose message it has again.
    """
    if before is not None:
        sent.what, sent.message = before.what, before.message
    kind, *value = sent.what
    if kind == NULL:
        return None
    if kind == BARE:
        return value[0]
    if sent.message is None and kind == LARGE:
        sent.message = session.create_text_message("." * _FILLER)
    elif sent.message is None:
        sent.message = getattr(session, MAKERS[kind])()
        _fill(sent.message, kind, value)
    sent.message.set_int_property(NUMBER, sent.number)
    return sent.message


def _fill(message: Any, kind: str, value: Sequence[Any]) -> None:
    match kind:
        case "text":
            message.text = value[0]
        case "object":
            message.object = value[0]
        case "bytes":
            message.write_bytes(value[0])
        case "map":
            for name, each in value[0].items():
                message.set_object(name, each)
        case "stream":
            for each in value[0]:
                message.write_object(each)
