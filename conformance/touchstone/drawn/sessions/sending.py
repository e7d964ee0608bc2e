"""How an application sends: by producers of sessions, or by those of contexts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jms_model.delivery.choosing import CORRELATION, LONG, TYPE, fields_of
from jms_model.delivery.session_rules import ASYNC
from jmsapi import Destination, Message
from touchstone.drawn.completion import Completion
from touchstone.drawn.sessions.interfaces import creator


@dataclass
class NumberedSender:
    """Sends numbered messages."""

    simplified: bool
    domain: str
    sent: int = 0
    _producers: dict[tuple[int, int], Any] = field(default_factory=dict)
    """By session and destination."""

    def send(self, session: Any, destination: Destination, text: str, kind: int, form: str) -> None:
        """Send a text message of a kind, by a form of sending."""
        number = self.sent + 1
        fields = fields_of(number, kind)
        if self.simplified:
            self._send_by_context(session, destination, text, fields, form)
        else:
            message = session.create_text_message(text)
            set_fields(message, fields)
            self._send_by_session(session, destination, message, form)
        self.sent = number

    def _send_by_session(
        self, session: Any, destination: Destination, message: Message, form: str
    ) -> None:
        named = None if form == "unidentified" else destination
        key = (id(session), id(named))
        if key not in self._producers:
            self._producers[key] = creator(self.domain, session, "producer")(named)
        producer = self._producers[key]
        if form == "unidentified":
            producer.send(message, destination=destination)
        elif form == ASYNC:
            completion = Completion()
            producer.send(message, completion_listener=completion)
            completion.wait()
        else:
            producer.send(message)

    def _send_by_context(
        self,
        context: Any,
        destination: Destination,
        text: str,
        fields: Mapping[str, int | str | bool],
        form: str,
    ) -> None:
        producer = context.create_producer()
        if form == "body":
            for name, value in fields.items():
                if name == TYPE:
                    producer.set_jms_type(value)
                elif name == CORRELATION:
                    producer.set_jms_correlation_id(value)
                else:
                    producer.set_property(name, value)
            producer.send(destination, text)
            return
        message = context.create_text_message(text)
        set_fields(message, fields)
        if form == ASYNC:
            completion = Completion()
            producer.set_async(completion).send(destination, message)
            completion.wait()
        else:
            producer.send(destination, message)


def set_fields(message: Message, fields: Mapping[str, int | str | bool]) -> None:
    """Set properties and header fields, each in its type."""
    for name, value in fields.items():
        match value:
            case str() if name == TYPE:
                message.jms_type = value
            case str() if name == CORRELATION:
                message.jms_correlation_id = value
            case str():
                message.set_string_property(name, value)
            case bool():
                message.set_boolean_property(name, value)
            case int() if name == LONG:
                message.set_long_property(name, value)
            case _:
                message.set_int_property(name, value)
